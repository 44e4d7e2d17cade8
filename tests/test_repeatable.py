"""The same commit gives the same answer: what Hypothesis draws does not depend on the tests that ran before."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def drawn() -> list[str]:
    texts: list[str] = []

    @given(st.text())
    @settings(max_examples=300)
    def collect(text: str) -> None:
        texts.append(text)

    collect()
    return texts


def test_examples_do_not_depend_on_the_modules_that_are_loaded(tmp_path, monkeypatch):
    if not settings.default.derandomize:
        pytest.skip("examples are fresh in every run of this profile")
    before = drawn()
    words = ", ".join(f"'constant {i}'" for i in range(50))
    (tmp_path / "loaded_in_between.py").write_text(f"WORDS = [{words}]\n")
    monkeypatch.syspath_prepend(tmp_path)
    import loaded_in_between

    try:
        assert len(loaded_in_between.WORDS) == 50
        assert drawn() == before
    finally:
        del sys.modules["loaded_in_between"]
