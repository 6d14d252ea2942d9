"""Names of upstream's that a plugin's next release follows."""

from benchmarks.adaptations import followed, sources

UPSTREAM = {"layer.py": ["def old_factory(width):", "    return width"]}
LATER = {"layer.py": ["def new_factory(width, spelled_out=None):", "    return width"]}
PLUGIN = {"experts.py": ["from upstream import old_factory", "own_name = old_factory(1)"]}


def test_a_name_that_upstream_gained_or_lost_is_told_where_it_comes_or_goes():
    next_release = {
        "experts.py": ["from upstream import new_factory", "own_name = new_factory(1)"],
        "more.py": ["new_factory(2)"],
    }

    assert followed((PLUGIN, next_release), (UPSTREAM, LATER)) == {
        ("+", "new_factory"): ["experts.py", "more.py"],
        ("-", "old_factory"): ["experts.py"],
    }


def test_names_of_the_plugin_s_own_and_those_that_it_had_before_are_not_told():
    had = {"experts.py": [*PLUGIN["experts.py"], "spelled_out = 1"]}
    next_release = {"experts.py": [*had["experts.py"], "another_name = spelled_out"]}

    assert followed((had, next_release), (UPSTREAM, LATER)) == {}


def test_comments_are_no_names(tmp_path):
    (tmp_path / "a.py").write_text("value = 1  # new_factory\n# new_factory\n")

    assert sources(tmp_path) == {"a.py": ["value = 1", ""]}
