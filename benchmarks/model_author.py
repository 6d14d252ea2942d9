"""Let a language model try the tasks of ``syncbot plan``, and ask each task's own command whether it is done.

usage: python benchmarks/model_author.py RANGES --upstream REPO --backend-repository REPO --work DIR
                                         --model FILE.gguf --model-python PYTHON [--tasks 10] --only ID...

RANGES is as for truth.py. The model gets a task's text, and is to answer with a unified diff. PYTHON has
torch, transformers, accelerate and gguf. Says of each task whether there was a diff, whether git applies it,
and whether the command calls the task done.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path

from planned_ranges import parser, planned_ranges
from scripted_agent import files_of, left, put

from syncbot.steps.task import Task
from syncbot.workflows.steps import plan_steps

_ASK = "\n\nMend our lines. Answer with a unified diff that `git apply` takes, and nothing else."
_GENERATE = """\
import json, sys
sys.modules["torchvision"] = None
from pathlib import Path
from transformers import AutoModelForCausalLM, AutoTokenizer
file = Path(sys.argv[1])
tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
model = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name)
answers = []
for prompt in json.load(sys.stdin):
    said = [{"role": "user", "content": prompt}]
    form = {"add_generation_prompt": True, "return_tensors": "pt", "return_dict": True}
    asked = tokenizer.apply_chat_template(said, **form)
    size = asked["input_ids"].shape[1]
    told = model.generate(**asked, max_new_tokens=300, do_sample=False)[0][size:]
    text = tokenizer.decode(told, skip_special_tokens=True)
    answers.append({"text": text, "read": size, "written": len(told)})
print("ANSWERS" + json.dumps(answers))
"""


def diff_in(answer: str) -> str:
    """The unified diff of an answer, within a fence or without; empty where there is none."""
    fenced = re.search(r"```\w*\n(.*?)(?:\n```|\Z)", answer, re.DOTALL)
    text = fenced.group(1) if fenced else answer
    begin = re.search(r"^(diff --git |--- )", text, re.MULTILINE)
    return text[begin.start() :].rstrip("\n") + "\n" if begin and "\n@@" in text else ""


def tried(task: Task, answer: str, folder: Path, upstream: str) -> tuple[str, bool]:
    """Return an answer's outcome, and whether the task counts as done with it; the files are put back."""
    diff = diff_in(answer)
    before: dict[str, bytes | None] = {path: (folder / path).read_bytes() for path in files_of(task)}
    became = "no diff"
    if diff:
        applied = subprocess.run(
            ["git", "apply", "--recount", "-"],
            cwd=folder, input=diff.encode(), capture_output=True, check=False,
        )  # fmt: skip
        became = "applied" if applied.returncode == 0 else "a diff that git refuses"
    done = task.id not in left(task, folder, upstream)
    put(folder, before)
    return became, done


def main() -> None:
    """Try the first tasks of some ranges."""
    asking = parser(__doc__)
    asking.add_argument("--model", type=Path, required=True)
    asking.add_argument("--model-python", required=True)
    asking.add_argument("--tasks", type=int, default=10)
    asked = asking.parse_args()
    every = [
        (each.options.backend, task)
        for each in planned_ranges(asked)
        for task in plan_steps(each.options).tasks
    ]
    chosen = every[: asked.tasks]
    begun = time.monotonic()
    done = subprocess.run(
        [asked.model_python, "-c", _GENERATE, asked.model],
        input=json.dumps([task.text + _ASK for _, task in chosen]),
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    print(f"{len(chosen)} of {len(every)} tasks, the model took {time.monotonic() - begun:.0f} s", flush=True)
    answers = json.loads(done.stdout.partition("ANSWERS")[2])
    called = 0
    for (folder, task), answer in zip(chosen, answers, strict=True):
        became, is_called_done = tried(task, answer["text"], folder, asked.upstream)
        called += is_called_done
        tokens = f"{answer['read']} tokens read, {answer['written']} written"
        print(f"  {task.id} {tokens}: {became}, {'done' if is_called_done else 'not done'}", flush=True)
    print(f"{called} of {len(chosen)} called done")


if __name__ == "__main__":
    main()
