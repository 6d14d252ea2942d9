"""The upstream ``engine`` with a history, the backend ``plugin`` that it breaks, and what breaks by which change.

The logs in ``corpus`` were printed by really running these on one another (see ``make_corpus.py``); the tests
build the same history again and look for the same commits.
"""

from __future__ import annotations

import os
import subprocess
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ENGINE: Mapping[str, str] = {
    "engine/__init__.py": "",
    "engine/encoder.py": """
        class Encoder:
            def __init__(self, heads: int, size: int, scale: float | None = None, multimodal: object = None):
                self.heads = heads
                self.size = size
                self.scale = scale or 1.0
                self.multimodal = multimodal

            def forward(self, tokens: list[int]) -> list[int]:
                return [token * self.heads for token in tokens]
        """,
    "engine/platforms/__init__.py": "",
    "engine/platforms/interface.py": """
        class Platform:
            @classmethod
            def backend_class(cls, name: str, size: int) -> str:
                return f"engine.attention.{name}"
        """,
    "engine/selector.py": """
        from engine.platforms.interface import Platform


        def select(platform: type[Platform], name: str, size: int) -> str:
            return platform.backend_class(
                name,
                size,
            )
        """,
    "engine/offload/__init__.py": "",
    "engine/offload/spec.py": """
        from abc import ABC, abstractmethod


        class OffloadSpec:
            def __init__(self, config: dict[str, int]):
                self.config = config
                self.block_size = config.get("block_size", 16)


        class Handler(ABC):
            @abstractmethod
            def transfer(self, job: int) -> bool: ...

            def describe(self) -> str:
                return type(self).__name__
        """,
    "engine/runner.py": """
        class Runner:
            def __init__(self) -> None:
                self.steps = 0
                self.graph_sizes = [1, 2, 4]

            def execute(self, batch: list[int], step: int = 0) -> int:
                return len(batch) + step

            def warm_up(self, size: int) -> None:
                self.steps = size

            def sample(self, batch: list[int]) -> list[int]:
                return batch

            def reset(self) -> None:
                self.steps = 0


        def drive(runner: Runner) -> int:
            return runner.execute([1, 2], step=1)


        def prepare(runner: Runner) -> None:
            runner.warm_up(8)


        def collect(runner: Runner) -> list[int]:
            sampled = runner.sample([1])
            return sampled
        """,
    "engine/text.py": """
        def clean(text: str) -> str:
            return text.strip()


        def split(text: str, mark: str, most: int) -> list[str]:
            return text.split(mark, most)
        """,
    "engine/config.py": """
        from dataclasses import dataclass


        @dataclass
        class Scheduling:
            size: int = 1
            chunked: bool = False
            legacy: bool = False


        class Settings:
            def __init__(self) -> None:
                self.scheduling = Scheduling()
                self.eager = False
        """,
    "engine/kinds.py": """
        import enum


        class Attention(enum.Enum):
            FLASH = "flash"
            XFORMERS = "xformers"
            EAGER = "eager"
        """,
    "engine/flags.py": """
        EAGER = False
        PADDING = 8
        """,
    "engine/attention/__init__.py": "",
    "engine/attention/backend.py": """
        class AttentionMetadata:
            pages = 1
        """,
    "engine/dispatch.py": """
        def dispatch(size: int) -> tuple[int, bool]:
            return size, size > 4


        class Dispatcher:
            def keys(self) -> list[int]:
                return [1, 2]
        """,
    "engine/ops.py": """
        class _OpNamespace:
            def __init__(self, name: str, known: dict[str, object]):
                self.name = name
                self.known = known

            def __getattr__(self, name: str) -> object:
                if name in self.known:
                    return self.known[name]
                raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{name}'")


        _C = _OpNamespace("_C", {"copy": list})
        """,
    "engine/buffer.py": """
        from engine import ops


        class Buffer:
            def __init__(self, values: list[int]):
                self.values = ops._C.copy(values)
                self.view = self.values
        """,
    "engine/rope.py": """
        def frequencies(config: dict[str, float], size: int) -> list[float]:
            base = config.get("theta", 10000.0)
            return [base ** (-i / size) for i in range(size)]
        """,
    "engine/mla.py": """
        class Attention:
            def forward(self, tokens: list[int]) -> list[int]:
                return self.forward_all(tokens)

            def forward_all(self, tokens: list[int]) -> list[int]:
                raise NotImplementedError
        """,
    "engine/loader.py": """
        import json


        def load(text: str) -> dict[str, int]:
            return dict(json.loads(text))


        def check(wanted: int, got: int) -> None:
            return None
        """,
    "engine/metrics.py": """
        def report(steps: list[int]) -> int:
            total = sum(steps)
            return total
        """,
    "engine/serve.py": '''
        """A server of several processes, each with its name before every line it logs."""

        import importlib
        import logging
        import multiprocessing
        import os
        import sys
        import time

        logger = logging.getLogger("engine")


        class EngineDead(Exception):
            """The engine has gone; what it died of was printed before."""


        class Prefixed(logging.Formatter):
            def format(self, record):
                head = f"{record.levelname} {time.strftime('%m-%d %H:%M:%S')} "
                head += f"[{record.filename}:{record.lineno}] "
                return "\\n".join(head + line for line in super().format(record).splitlines())


        class Named:
            """A stream that writes the process's name before each line, line by line."""

            def __init__(self, stream, name):
                self.stream, self.name, self.begun = stream, name, False

            def write(self, text):
                for line in text.splitlines(keepends=True):
                    self.stream.write(line if self.begun else f"{self.name} {line}")
                    self.stream.flush()
                    self.begun = not line.endswith("\\n")
                    time.sleep(0)

            def flush(self):
                self.stream.flush()


        def set_up(name):
            sys.stderr = Named(sys.__stderr__, f"({name} pid={os.getpid()})")
            handler = logging.StreamHandler(sys.stderr)
            handler.setFormatter(Prefixed("%(message)s"))
            logger.handlers[:] = [handler]
            logger.setLevel(logging.INFO)


        def work(rank, scenario, pipe):
            set_up(f"Worker_TP{rank}")
            logger.info("Loading model weights took %.2f seconds", 0.1 * rank)
            try:
                importlib.import_module(f"plugin.{scenario}").run()
            except Exception as error:
                logger.exception("WorkerProc failed to start.")
                pipe.send(str(error))
                return
            logger.info("Capturing graphs: 100%%")
            pipe.send(None)


        def core(scenario, size, pipe):
            set_up("EngineCore_DP0")
            logger.info("Initializing an engine with %d workers", size)
            workers = []
            for rank in range(size):
                ours, theirs = multiprocessing.Pipe()
                worker = multiprocessing.Process(target=work, args=(rank, scenario, theirs))
                worker.start()
                workers.append(ours)
            try:
                for ours in workers:
                    failure = ours.recv()
                    if failure is not None:
                        raise RuntimeError(f"Worker failed with error {failure!r}, please check the stack trace above")
            except Exception:
                logger.exception("EngineCore failed to start.")
                pipe.send("failed")
                raise
            pipe.send("ready")


        def main(scenario, size):
            set_up("APIServer")
            logger.info("Starting to load model")
            ours, theirs = multiprocessing.Pipe()
            engine = multiprocessing.Process(target=core, args=(scenario, size, theirs))
            engine.start()
            state = ours.recv()
            engine.join()
            if state != "ready":
                raise RuntimeError("Engine core initialization failed. See root cause above. Failed core proc(s): {}")
            logger.info("Application startup complete.")


        if __name__ == "__main__":
            main(sys.argv[1], int(sys.argv[2]))
        ''',
}

# Each module has a function `run` that works with the first `engine` and not with the last.
PLUGIN: Mapping[str, str] = {
    "pyproject.toml": """
        [tool.syncbot.upstreams.engine]
        packages = ["engine"]
        git = "../engine"
        """,
    "src/plugin/__init__.py": "",
    "src/plugin/keyword_removed.py": """
        from engine.encoder import Encoder


        class FastEncoder(Encoder):
            def __init__(self, heads: int, size: int, multimodal: object = None):
                super().__init__(heads, size, multimodal=multimodal)


        def run() -> None:
            FastEncoder(2, 8).forward([1])
        """,
    "src/plugin/keyword_passed.py": """
        from engine.platforms.interface import Platform
        from engine.selector import select


        class FastPlatform(Platform):
            @classmethod
            def backend_class(cls, name: str, size: int) -> str:
                return f"plugin.{name}"


        def run() -> None:
            select(FastPlatform, "flash", 8)
        """,
    "src/plugin/field_removed.py": """
        from engine.config import Scheduling


        def run() -> None:
            Scheduling(size=2, legacy=True)
        """,
    "src/plugin/argument_required.py": """
        from engine.offload.spec import OffloadSpec


        def run() -> None:
            OffloadSpec({"block_size": 8})
        """,
    "src/plugin/argument_left_out.py": """
        from engine.runner import Runner, drive


        class FastRunner(Runner):
            def execute(self, batch: list[int], *, step: int) -> int:
                return len(batch) * step


        def run() -> None:
            drive(FastRunner())
        """,
    "src/plugin/fewer_places.py": """
        from engine.text import split


        def run() -> None:
            split("a,b", ",", 1)
        """,
    "src/plugin/more_places.py": """
        from engine.runner import Runner, prepare


        class FastRunner(Runner):
            def warm_up(self, size: int) -> None:
                self.steps = size + 1


        def run() -> None:
            prepare(FastRunner())
        """,
    "src/plugin/field_renamed.py": """
        from engine.config import Settings


        def run() -> None:
            settings = Settings()
            if settings.scheduling.chunked:
                raise SystemExit(1)
        """,
    "src/plugin/member_removed.py": """
        from engine.kinds import Attention


        def run() -> None:
            wanted = Attention.XFORMERS
            print(wanted.value)
        """,
    "src/plugin/variable_removed.py": """
        from engine import flags


        def run() -> None:
            if flags.EAGER:
                raise SystemExit(1)
        """,
    "src/plugin/function_moved.py": """
        from engine.text import clean


        def run() -> None:
            clean(" a ")
        """,
    "src/plugin/module_moved.py": """
        from engine.attention.backend import AttentionMetadata


        def run() -> None:
            AttentionMetadata()
        """,
    "src/plugin/module_fallback.py": """
        try:
            from engine.attention.legacy import AttentionMetadata
        except ImportError:
            from engine.attention.backend import AttentionMetadata


        def run() -> None:
            AttentionMetadata()
        """,
    "src/plugin/method_abstract.py": """
        from engine.offload.spec import Handler


        class FastHandler(Handler):
            def transfer(self, job: int) -> bool:
                return True


        def run() -> None:
            FastHandler().describe()
        """,
    "src/plugin/result_longer.py": """
        from engine.dispatch import dispatch


        def run() -> None:
            size, full = dispatch(8)
            print(size, full)
        """,
    "src/plugin/method_property.py": """
        from engine.dispatch import Dispatcher


        def run() -> None:
            for key in Dispatcher().keys():
                print(key)
        """,
    "src/plugin/operator_used.py": """
        from engine.buffer import Buffer


        def run() -> None:
            Buffer([1, 2])
        """,
    "src/plugin/key_read.py": """
        from engine.rope import frequencies


        def run() -> None:
            frequencies({"theta": 1e6}, 4)
        """,
    "src/plugin/method_open.py": """
        from engine.mla import Attention


        class FastAttention(Attention):
            def forward_all(self, tokens: list[int]) -> list[int]:
                return tokens


        def run() -> None:
            FastAttention().forward([1])
        """,
    "src/plugin/result_unpacked.py": """
        from engine.runner import Runner, collect


        class FastRunner(Runner):
            def sample(self, batch: list[int]) -> list[int]:
                return batch


        def run() -> None:
            collect(FastRunner())
        """,
    "src/plugin/shapes_checked.py": """
        from engine.loader import check


        def run() -> None:
            check(4, 3)
        """,
    "src/plugin/package_needed.py": """
        from engine.loader import load


        def run() -> None:
            load("{}")
        """,
    "src/plugin/name_undefined.py": """
        from engine.metrics import report


        def run() -> None:
            report([1, 2])
        """,
    "src/plugin/attribute_gone.py": """
        from engine.runner import Runner


        class FastRunner(Runner):
            def pad(self, size: int) -> int:
                return max(s for s in self.graph_sizes if s <= size)


        def run() -> None:
            FastRunner().pad(4)
        """,
    "src/plugin/method_gone.py": """
        from engine.runner import Runner


        class FastRunner(Runner):
            def reset(self) -> None:
                super().reset()


        def run() -> None:
            FastRunner().reset()
        """,
    "src/plugin/wrapped.py": """
        from engine.encoder import Encoder


        def run() -> None:
            try:
                Encoder(2, 8, multimodal=None)
            except TypeError as error:
                raise RuntimeError("the encoder could not be made, see the root cause above") from error
        """,
    "src/plugin/cleaning_up.py": """
        from engine.encoder import Encoder


        class Holder:
            def close(self) -> None:
                self.encoder.close()


        def run() -> None:
            holder = Holder()
            try:
                holder.encoder = Encoder(2, 8, multimodal=None)
            except TypeError:
                holder.close()
        """,
    "src/plugin/together.py": """
        import asyncio

        from engine.encoder import Encoder


        async def encode(number: int) -> None:
            await asyncio.sleep(0.01 * number)
            Encoder(number, 8, multimodal=None)


        async def encode_all() -> None:
            async with asyncio.TaskGroup() as group:
                for number in range(3):
                    group.create_task(encode(number))


        def run() -> None:
            asyncio.run(encode_all())
        """,
    "src/plugin/pooled.py": """
        from concurrent.futures import ProcessPoolExecutor

        from plugin import result_longer


        def run() -> None:
            with ProcessPoolExecutor(2) as pool:
                pool.submit(result_longer.run).result()
        """,
    # What no change of upstream is guilty of.
    "src/plugin/own_keyword.py": """
        def own(size: int) -> int:
            return size


        def run() -> None:
            own(sise=1)
        """,
    "src/plugin/own_attribute.py": """
        class Own:
            size = 1


        def run() -> None:
            Own().sise
        """,
    "src/plugin/disk_full.py": """
        def run() -> None:
            with open("/dev/full", "w") as file:
                file.write("a" * 100_000)
        """,
    "src/plugin/port_taken.py": """
        import socket


        def run() -> None:
            with socket.create_server(("127.0.0.1", 0)) as server:
                socket.create_server(server.getsockname())
        """,
    "src/plugin/refused.py": """
        import socket


        def run() -> None:
            with socket.create_server(("127.0.0.1", 0)) as server:
                address = server.getsockname()
            socket.create_connection(address)
        """,
    "src/plugin/unresolved.py": """
        import urllib.request


        def run() -> None:
            urllib.request.urlopen("http://models.invalid/config.json")
        """,
    "src/plugin/weights_missing.py": """
        def run() -> None:
            open("/srv/models/tiny/model-00001-of-00002.safetensors", "rb")
        """,
    "src/plugin/memory_full.py": """
        import resource


        def run() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
            bytearray(1 << 32)
        """,
    "src/plugin/library_missing.py": """
        import ctypes


        def run() -> None:
            ctypes.CDLL("libdevice_runtime.so.1")
        """,
    "src/plugin/child_killed.py": """
        import subprocess
        import sys


        def run() -> None:
            subprocess.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], check=True)
        """,
    "src/plugin/package_missing.py": """
        def run() -> None:
            import fast_kernels

            fast_kernels.load()
        """,
    "tests/test_plugin.py": """
        import importlib
        import os

        import pytest


        @pytest.fixture
        def module():
            return importlib.import_module(f"plugin.{os.environ['SCENARIO']}")


        def test_that_it_runs(module):
            module.run()


        @pytest.mark.parametrize("times", [1, 2])
        def test_that_it_runs_again(module, times):
            print("running", times)
            for _ in range(times):
                module.run()


        def test_that_one_is_one():
            assert 1 == 1
        """,
}


@dataclass(frozen=True)
class Change:
    """An upstream commit: text replaced in files, and files that are renamed."""

    message: str
    edits: tuple[tuple[str, str, str], ...] = ()
    moves: tuple[tuple[str, str], ...] = ()


def edit(message: str, path: str, old: str, new: str, *more: tuple[str, str, str]) -> Change:
    return Change(message, ((path, old, new), *more))


# Oldest first. Most break something; the others touch the same files without breaking anything.
HISTORY: tuple[Change, ...] = (
    edit("Scale by default (#100)", "engine/encoder.py", "scale or 1.0", "1.0 if scale is None else scale"),
    edit(
        "Make the multimodal configuration implicit (#101)", "engine/encoder.py",
        ", multimodal: object = None):\n", "):\n", ("engine/encoder.py", "        self.multimodal = multimodal\n", ""),
    ),
    edit("Tell the size of an encoder (#102)", "engine/encoder.py", "    def forward(",
         "    def width(self) -> int:\n        return self.size\n\n    def forward("),
    edit("Let platforms choose by MLA (#103)", "engine/selector.py", "        size,\n", "        size,\n        use_mla=False,\n",
         ("engine/platforms/interface.py", "size: int)", "size: int, use_mla: bool = False)")),
    edit("Say what is selected (#104)", "engine/selector.py", "def select(", "SELECTED = True\n\n\ndef select("),
    edit("Drop the legacy scheduler (#105)", "engine/config.py", "    legacy: bool = False\n", ""),
    edit("Offloading by key and value (#106)", "engine/offload/spec.py", "config: dict[str, int])",
         "config: dict[str, int], kv: tuple[int, int])"),
    edit("Wait for transfers (#107)", "engine/offload/spec.py", "    def describe(",
         "    @abstractmethod\n    def wait(self, jobs: set[int]) -> None: ...\n\n    def describe("),
    edit("Steps are counted by runners (#108)", "engine/runner.py", "runner.execute([1, 2], step=1)", "runner.execute([1, 2])"),
    edit("Warm up in two phases (#109)", "engine/runner.py", "runner.warm_up(8)", "runner.warm_up(8, 2)",
         ("engine/runner.py", "size: int) -> None", "size: int, phases: int = 1) -> None")),
    edit("Split everywhere (#110)", "engine/text.py", "mark: str, most: int)", "mark: str)",
         ("engine/text.py", "mark, most)", "mark)")),
    edit("Faster cleaning (#111)", "engine/text.py", "text.strip()", "text.strip() or text"),
    edit("Chunked prefill is a mode (#112)", "engine/config.py", "chunked: bool = False", "chunked_prefill: bool = False"),
    edit("Remove xformers (#113)", "engine/kinds.py", '    XFORMERS = "xformers"\n', ""),
    edit("Eager mode is no flag any more (#114)", "engine/flags.py", "EAGER = False\n", ""),
    Change("Text helpers by what they do (#115)",
           (("engine/text.py", "def clean(", "def tidy("),)),
    Change("Move the attention backend (#116)", (), (("engine/attention/backend.py", "engine/attention/interface.py"),)),
    edit("More pages (#117)", "engine/attention/interface.py", "pages = 1", "pages = 2"),
    edit("Dispatch tells the mode (#118)", "engine/dispatch.py", "tuple[int, bool]", "tuple[int, bool, str]",
         ("engine/dispatch.py", "size, size > 4", 'size, size > 4, "full"')),
    edit("Keys of the dispatcher are a property (#119)", "engine/dispatch.py", "    def keys(", "    @property\n    def keys("),
    edit("Views without a copy (#120)", "engine/buffer.py", "self.view = self.values", "self.view = ops._C.get_view(self.values)"),
    edit("Rope parameters (#121)", "engine/rope.py", 'config.get("theta", 10000.0)', 'config["rope_parameters"]["theta"]'),
    edit("Prefill and decode apart (#122)", "engine/mla.py", "self.forward_all(tokens)", "self.forward_prefill(tokens)",
         ("engine/mla.py", "    def forward_all(",
          "    def forward_prefill(self, tokens: list[int]) -> list[int]:\n        raise NotImplementedError\n\n    def forward_all(")),
    edit("Hidden states with samples (#123)", "engine/runner.py", "sampled = runner.sample([1])", "sampled, hidden = runner.sample([1])"),
    edit("Check shapes when loading (#124)", "engine/loader.py", "    return None\n",
         "    if wanted != got:\n        raise RuntimeError(\n"
         '            f"The size of tensor a ({got}) must match the size of tensor b ({wanted}) at non-singleton dimension 0"\n'
         "        )\n"),
    edit("Parse faster (#125)", "engine/loader.py", "import json\n", "import json\n\nTABLES = {}\n",
         ("engine/loader.py", "    return dict(json", "    import fastjson_tables\n\n    TABLES.update(fastjson_tables.load())\n    return dict(json")),
    edit("Report the mean (#126)", "engine/metrics.py", "    return total\n", "    return total // nubmer\n"),
    edit("Sizes of graphs are the dispatcher's (#127)", "engine/runner.py", "        self.graph_sizes = [1, 2, 4]\n", ""),
    edit("Runners are not reset (#128)", "engine/runner.py", "\n    def reset(self) -> None:\n        self.steps = 0\n", ""),
    edit("Count in metrics (#129)", "engine/metrics.py", "total = sum(steps)", "total = sum(step for step in steps)"),
)  # fmt: skip


@dataclass(frozen=True)
class Truth:
    """The facts of a scenario: the kind of error, the guilty pull request, and whose fault it is."""

    kind: str | None
    pr: int | None = None
    origin: str = "upstream"


TRUTH: Mapping[str, Truth] = {
    "keyword_removed": Truth("unexpected-keyword", 101),
    "keyword_passed": Truth("unexpected-keyword", 103),
    "field_removed": Truth("unexpected-keyword", 105),
    "argument_required": Truth("missing-argument", 106),
    "argument_left_out": Truth("missing-argument", 108),
    "fewer_places": Truth("too-many-arguments", 110),
    "more_places": Truth("too-many-arguments", 109),
    "field_renamed": Truth("no-attribute", 112),
    "member_removed": Truth("no-attribute", 113),
    "variable_removed": Truth("no-attribute", 114),
    "function_moved": Truth("cannot-import", 115),
    "module_moved": Truth("no-module", 116),
    "module_fallback": Truth("no-module", 116),
    "method_abstract": Truth("abstract-class", 107),
    "result_longer": Truth("unpacking", 118),
    "method_property": Truth("not-callable", 119),
    "operator_used": Truth("operator", 120),
    "key_read": Truth("missing-key", 121),
    "method_open": Truth("not-implemented", 122),
    "result_unpacked": Truth("unpacking", 123),
    "shapes_checked": Truth("shape-mismatch", 124),
    "package_needed": Truth("no-module", 125),
    "name_undefined": Truth("undefined-name", 126),
    "attribute_gone": Truth("no-attribute", 127),
    "method_gone": Truth("no-attribute", 128),
    "wrapped": Truth("unexpected-keyword", 101),
    "cleaning_up": Truth("unexpected-keyword", 101),
    "together": Truth("unexpected-keyword", 101),
    "pooled": Truth("unpacking", 118),
    "own_keyword": Truth("unexpected-keyword", origin="backend"),
    "own_attribute": Truth("no-attribute", origin="backend"),
    "disk_full": Truth("disk-full", origin="environment"),
    "port_taken": Truth("port-in-use", origin="environment"),
    "refused": Truth("network", origin="environment"),
    "unresolved": Truth("network", origin="environment"),
    "weights_missing": Truth("missing-weights", origin="environment"),
    "memory_full": Truth("out-of-memory", origin="environment"),
    "library_missing": Truth("system-library", origin="environment"),
    "child_killed": Truth("ended-from-outside", origin="environment"),
    "package_missing": Truth("no-module", origin="environment"),
}


def write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")


@dataclass
class Engine:
    """The upstream's repository; ``files`` are what the next commit holds."""

    root: Path
    files: dict[str, str] = field(
        default_factory=lambda: {p: textwrap.dedent(t).lstrip("\n") for p, t in ENGINE.items()}
    )
    hour: int = 0

    def git(self, *args: str) -> None:
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "Ada Lovelace"), ("EMAIL", "ada@example.com"),
                                ("DATE", f"{1_769_097_600 + 3600 * self.hour} +0000"))
        }  # fmt: skip
        base = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(
            ["git", "-C", self.root, *args], check=True, capture_output=True, env=base | who | quiet
        )

    def commit(self, message: str) -> None:
        self.hour += 1
        for path in self.root.rglob("*.py"):
            path.unlink()
        for path, text in self.files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", message)

    def build(self) -> None:
        """The whole history; the beginning has the tag v0.1.0, the end v0.2.0."""
        self.root.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("Begin")
        self.git("tag", "v0.1.0")
        for change in HISTORY:
            for path, old, new in change.edits:
                assert self.files[path].count(old) >= 1, (change.message, old)
                self.files[path] = self.files[path].replace(old, new, 1)
            for old_path, new_path in change.moves:
                self.files[new_path] = self.files.pop(old_path)
            self.commit(change.message)
        self.git("tag", "v0.2.0")
