"""Patches come and go with the lanes that need them."""

from __future__ import annotations

import yaml
from hypothesis import given
from hypothesis import strategies as st

from syncbot.lanes import matrix, retirement
from syncbot.patching import model
from syncbot.patching.model import Patch, Rewrite, UpstreamChange

from .conftest import MATRIX, Project, git, write

THREE = MATRIX + '  - {tag: v1.5.0, wheel: 1.5.0, python: ">=3.10", stack: {torch: 2.12.0}}\n'
ROW = MATRIX.splitlines(keepends=True)[-1]


def patch(first: str, *lanes: str, status: str = "active") -> Patch:
    rewrites = (Rewrite(rule="import_moved", arguments={"old": "up.a", "new": "up.b"}),)
    return Patch(
        id=f"{first}-x",
        upstream=UpstreamChange(name="up", first_version=first),
        symbol="up.x",
        reason="It moved.",
        status=status,
        rewrites=rewrites,
        lanes=lanes,
    )


def stand(one: Patch, text: str = THREE) -> Patch:
    (result,) = retirement.standing([one], matrix.parse(text))
    return result


def test_a_patch_names_the_lanes_across_its_change() -> None:
    assert stand(patch("1.2.0")).lanes == ("v1.0.0",)
    assert stand(patch("1.5.0")).lanes == ("v1.0.0",)
    assert stand(patch("2.0.0", "v1.0.0")).lanes == ("v1.0.0", "v1.5.0")
    forward = THREE.replace("baseline: v2.0.0", "baseline: v1.5.0")
    assert stand(patch("2.0.0"), forward).lanes == ("v2.0.0",)


def test_what_no_lane_needs_any_more_is_retired_and_comes_back() -> None:
    old = patch("0.9.0", "v0.8.0")
    gone = stand(old)
    assert (gone.status, gone.lanes) == ("retired", ("v0.8.0",))
    assert stand(gone) == gone
    again = THREE + '  - {tag: v0.8.0, wheel: 0.8.0, python: ">=3.10", stack: {torch: 2.12.0}}\n'
    assert stand(gone, again) == old


def test_what_was_retired_by_hand_or_waits_for_its_lane_stays() -> None:
    for one in (patch("1.2.0", status="retired"), patch("3.0.0"), patch("3.0.0", status="needs-author")):
        assert stand(one) == one


def test_a_retired_finding_without_rewrites_needs_its_author_again() -> None:
    one = patch("1.2.0", "v1.0.0", status="retired").model_copy(update={"rewrites": ()})
    assert stand(one).status == "needs-author"


words = st.text("ab:#-'\n |x", max_size=12)
tags = st.lists(st.sampled_from(["v1.0.0", "v1.5.0", "v0.8.0"]), unique=True).map(tuple)
states = st.sampled_from(["active", "needs-author", "retired"])


@given(words, words, tags, tags, states, states, st.booleans())
def test_a_revised_file_is_that_of_the_revised_patch(
    reason: str, notes: str, before: tuple[str, ...], after: tuple[str, ...], old: str, new: str, bare: bool
) -> None:
    first = patch("1.2.0", *before, status=old).model_copy(update={"reason": reason, "notes": notes})
    if bare:
        first = first.model_copy(update={"rewrites": ()})
    second = first.model_copy(update={"status": new, "lanes": after})
    assert retirement.revised(model.dump(first), second) == model.dump(second)


def test_what_an_author_wrote_around_it_stays() -> None:
    text = (
        "# Asked of upstream: 123\nid: 1.2.0-x\nupstream: {name: up, first_version: 1.2.0}\nsymbol: up.x\n"
        "reason: 'It moved.'\nlanes: [v1.0.0]\nrewrites:\n- rule: import_moved\n"
        "  arguments: {old: up.a, new: up.b}  # both\n"
    )
    one = model.parse(text)
    gone = retirement.revised(text, one.model_copy(update={"status": "retired"}))
    assert gone.replace("status: retired\n", "").replace("lanes:\n  - v1.0.0\n", "lanes: [v1.0.0]\n") == text
    assert model.parse(gone).status == "retired"


def test_what_cannot_be_revised_in_place_is_written_anew() -> None:
    one = patch("1.2.0", "v1.0.0")
    flow = yaml.safe_dump(one.model_dump(mode="json", exclude_defaults=True), default_flow_style=True)
    gone = one.model_copy(update={"status": "retired"})
    assert retirement.revised(flow, gone) == model.dump(gone)


def test_a_dropped_lane_takes_its_patches_along_and_brings_them_back(project: Project) -> None:
    assert project.run("apply")[0] == 0
    # Both were needed by v1.0.0 only; one has a word of its author's.
    file = project.root / "patches/2.0.0-base-sizes.yaml"
    file.write_text(f"# ours\n{file.read_text()}")
    listed = project.root / "compat_matrix.yaml"
    with_lane, patches = listed.read_text(), project.files("patches")
    listed.write_text(with_lane[: with_lane.index("  - tag: v1.0.0")])
    dropped = project.files()
    code, output = project.run("apply", "--check")
    assert code == 1
    line = "retire 2.0.0-base-sizes: no lane needs it any more (only v1.0.0 did)"
    assert f"would {line}" in output
    assert project.files() == dropped
    code, output = project.run("apply")
    assert code == 0, output
    assert [x for x in output.splitlines() if x.startswith("retired")] == [
        "retired 2.0.0-base-sizes: no lane needs it any more (only v1.0.0 did)",
        "retired 2.0.0-up-things: no lane needs it any more (only v1.0.0 did)",
    ]
    assert file.read_text().startswith("# ours\n")
    assert "status: retired" in file.read_text()
    assert project.run("apply", "--check") == (0, "")
    listed.write_text(with_lane)
    code, output = project.run("apply")
    assert code == 0, output
    assert "taken up 2.0.0-up-things again: needed by v1.0.0" in output
    assert project.files("patches") == patches
    assert listed.read_text() == with_lane


def test_a_finding_without_an_author_goes_with_its_lane(project: Project) -> None:
    write(project.root / "backend", {"src/mine/more.py": "from up.extra import only_new\n\nonly_new(1)\n"})
    assert project.run("apply")[0] == 1
    listed = project.root / "compat_matrix.yaml"
    listed.write_text(listed.read_text()[: listed.read_text().index("  - tag: v1.0.0")])
    code, output = project.run("apply")
    assert code == 0, output
    assert "retired 2.0.0-up-extra: " in output


def test_a_patch_stays_while_one_lane_needs_it(project: Project) -> None:
    git(project.root.parent / "upstream", "tag", "v1.5.0", "v1.0.0")
    listed = project.root / "compat_matrix.yaml"
    listed.write_text(THREE)
    assert project.run("apply")[0] == 0
    moved = project.root / "patches/2.0.0-up-things.yaml"
    assert yaml.safe_load(moved.read_text())["lanes"] == ["v1.0.0", "v1.5.0"]
    listed.write_text(listed.read_text()[: listed.read_text().index("  - tag: v1.0.0")])
    code, output = project.run("apply")
    assert code == 0, output
    assert "retired" not in output
    assert yaml.safe_load(moved.read_text())["lanes"] == ["v1.5.0"]
