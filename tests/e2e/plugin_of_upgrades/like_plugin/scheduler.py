from vllm.v1.core.sched.interface import SchedulerInterface
from vllm.v1.core.sched.output import SchedulerOutput
from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.metrics.stats import SchedulerStats


class LikeScheduler(Scheduler):
    def schedule(self, throttle_prefills: bool = False) -> SchedulerOutput:
        return super().schedule(throttle_prefills)

    def make_stats(self, *args, **kwargs) -> SchedulerStats | None:
        return SchedulerStats(num_running_reqs=1)


def drop(scheduler: SchedulerInterface, ids, status):
    return scheduler.finish_requests(ids, status)


def empty() -> SchedulerOutput:
    return SchedulerOutput.make_empty()


def count(output: SchedulerOutput) -> int:
    return output.total_num_scheduled_tokens
