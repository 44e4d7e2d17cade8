"""Schemas and their columns."""

from __future__ import annotations

from hedgerow import Column, Kind, Schema


def test_names_are_made_once() -> None:
    """Code reads the names of all columns in turn, which would be quadratic if the names were computed each time."""
    schema = Schema(tuple(Column(f"x{i}", Kind.NUMERIC) for i in range(3)))
    assert schema.names == ("x0", "x1", "x2")
    assert schema.names is schema.names
