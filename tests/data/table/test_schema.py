"""Schemas: what they tell of their columns."""

from __future__ import annotations

from hedgerow import Column, Kind, Schema


def test_names_are_made_once() -> None:
    """Code asks for the name of one column after the other: names made anew each time would cost columns squared."""
    schema = Schema(tuple(Column(f"x{i}", Kind.NUMERIC) for i in range(3)))
    assert schema.names == ("x0", "x1", "x2")
    assert schema.names is schema.names
