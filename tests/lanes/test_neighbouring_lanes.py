"""A lane gets what it lacks from the lane beside it: upstream's changes are followed one lane at a time."""

from __future__ import annotations

import yaml

from .conftest import MATRIX, Project, git, write

LAMP = "class Lamp:\n    def light(self):\n        return [1, 2]\n"
ROW = '  - {{tag: v{0}, wheel: {0}, python: ">=3.10", stack: {{torch: 2.12.0}}}}\n'


def released(project: Project, middle: dict[str, str | None], newest: dict[str, str | None]) -> None:
    """Make a lane between both, 1.5.0, and give it and the newest release other files; None takes one away."""
    upstream = project.root.parent / "upstream"
    for version, files in (("1.5.0", middle), ("2.0.0", newest)):
        for path in files:
            (upstream / path).unlink(missing_ok=True)
        write(upstream, {path: text for path, text in files.items() if text is not None})
        git(upstream, "add", "-A")
        git(upstream, "commit", "-q", "--allow-empty", "-m", version)
        git(upstream, "tag", "-f", f"v{version}")
    before, row, last = MATRIX.rpartition("  - ")
    (project.root / "compat_matrix.yaml").write_text(before + ROW.format("1.5.0") + row + last)


def oldest(project: Project, files: dict[str, str]) -> None:
    """Give the oldest release other files."""
    upstream = project.root.parent / "upstream"
    git(upstream, "checkout", "-q", "-B", "main", "v1.0.0")
    write(upstream, files)
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", "Oldest")
    git(upstream, "tag", "-f", "v1.0.0")
    write(project.root / "backend", {"src/mine/base.py": ""})


def lane(project: Project, tag: str, file: str = "more.py") -> str:
    return (project.root / "build/lanes" / tag / "src/mine" / file).read_text()


def applied(project: Project, mine: str, *releases: dict[str, str | None]) -> tuple[int, str]:
    """How ``apply`` ends where the backend has this module, and the releases, oldest first, these files."""
    first, middle, newest = releases
    oldest(project, {path: text for path, text in first.items() if text is not None})
    released(project, middle, newest)
    write(project.root / "backend", {"src/mine/more.py": mine})
    return project.run("apply")


def patches(project: Project) -> dict[str, str]:
    """The patches by name, each with its status."""
    files = (project.root / "patches").glob("*.yaml")
    return {f.stem: yaml.safe_load(f.read_text()).get("status", "active") for f in sorted(files)}


def test_what_moved_twice_is_followed_twice(project: Project) -> None:
    code, output = applied(
        project, "from up.c import Lamp\n\nLamp()\n",
        {"up/a.py": LAMP}, {"up/a.py": None, "up/b.py": LAMP}, {"up/b.py": None, "up/c.py": LAMP},
    )  # fmt: skip
    assert code == 0, output
    assert {tag: lane(project, tag)[:16] for tag in ("v2.0.0", "v1.5.0", "v1.0.0")} == {
        "v2.0.0": "from up.c import", "v1.5.0": "from up.b import", "v1.0.0": "from up.a import",
    }  # fmt: skip
    before = project.files("patches")
    project.run("apply")
    assert project.files("patches") == before


METER = "class Meter:\n    def {0}(\n        self,\n    ):\n        return [4]\n\n\ndef use(x):\n    return x.{0}()\n"


def test_what_only_lanes_between_have_needs_no_author_before_them(project: Project) -> None:
    mine = "from up.meter import Meter\n\n\nclass Mine(Meter):\n    def late(self):\n        return 3\n"
    texts = ("class Meter:\n    pass\n", METER.format("mid"), METER.format("late"))
    applied(project, mine, *({"up/meter.py": text} for text in texts))
    assert "def mid(self)" in lane(project, "v1.5.0")
    assert patches(project) == {"2.0.0-meter-late": "active"}


KIND = "class Kind:\n    class Part:\n        pass\n"
TOOL = "class Tool:\n    def run(self{0}):\n        return 1\n"


def test_what_other_rewrites_mend_by_the_way_needs_no_author(project: Project) -> None:
    first = {"up/kind.py": "class Kind:\n    pass\n", "up/tool.py": TOOL.format("")}
    mine = (
        "from up.kind import Kind\nfrom up.tool import Tool\n\n\nclass Mine(Tool):\n"
        "    def run(self, part: Kind.Part = None):\n        return 2\n"
    )
    last = {"up/kind.py": KIND, "up/tool.py": TOOL.format(", part=None")}
    code, output = applied(project, mine, first, {}, last)
    assert (code, patches(project)) == (0, {"2.0.0-tool-run": "active"}), output
    assert "def run(self):" in lane(project, "v1.5.0")


SHADE = "class Shade:\n    def dim(self):\n        return [3, 4]\n"


def test_what_moved_out_of_a_module_that_moved_is_one_patch_with_it(project: Project) -> None:
    more = "".join(f"\n\ndef f{n}(x):\n    return x + {n}\n" for n in range(6))
    joined = LAMP + more + "\n\n" + SHADE
    code, output = applied(
        project, "from up.halls import Lamp, Shade\n\nLamp(), Shade()\n",
        {"up/rooms.py": LAMP + more, "up/shades.py": SHADE + more},
        {"up/rooms.py": None, "up/halls.py": joined, "up/shades.py": None}, {},
    )  # fmt: skip
    assert code == 0, output
    assert list(patches(project).values()) == ["active"]
    assert "from up.shades import Shade\nfrom up.rooms import Lamp\n" in lane(project, "v1.0.0")


READ = "class Meter:\n    @property\n    def level(self):\n        return [4]\n\n\ndef use(x):\n    return x.{0}\n"


def test_what_only_the_baseline_shows_to_break_is_told_too(project: Project) -> None:
    # Between neighbours nothing is seen to call the property; in the baseline something does.
    mine = "from up.meter import Meter\n\n\nclass Mine(Meter):\n    @property\n    def level(self):\n        return max(3, 2)\n"
    texts = ("class Meter:\n    pass\n", READ.format("level"), READ.format("level()"))
    applied(project, mine, *({"up/meter.py": text} for text in texts))
    assert patches(project) == {"1.5.0-meter-level": "needs-author"}


def test_what_would_undo_a_patch_of_a_lane_behind_needs_an_author(project: Project) -> None:
    mine = (
        "from up.tool import Tool\n\n\nclass Mine(Tool):\n    def run(self, part=None):\n        return 2\n"
    )
    by_hand = {
        "id": "1.5.0-by-hand",
        "upstream": {"name": "up", "first_version": "1.5.0"},
        "symbol": "up.tool.Tool.run",
        "reason": "Older tools count otherwise.",
        "rewrites": [
            {
                "rule": "replace_statement",
                "arguments": {
                    "file": "src/mine/more.py",
                    "within": "Mine",
                    "before": "def run(self):\n    return 3",
                    "after": "def run(self, part=None):\n    return 2",
                },
            }
        ],
        "lanes": ["v1.0.0"],
    }
    write(project.root / "patches", {"1.5.0-by-hand.yaml": yaml.safe_dump(by_hand)})
    old, new = ({"up/tool.py": TOOL.format(more)} for more in ("", ", part=None"))
    code, output = applied(project, mine, old, {}, new)
    assert (code, patches(project)) == (1, {"1.5.0-by-hand": "active", "2.0.0-tool-run": "needs-author"}), (
        output
    )
    assert "return 3" in lane(project, "v1.0.0")
    notes = yaml.safe_load((project.root / "patches/2.0.0-tool-run.yaml").read_text())["notes"]
    assert "The proposed rewrite does not fit: patch 1.5.0-by-hand" in notes
