"""Frames: arrays and frames of other libraries as tables, the kinds of their columns, and the fit to a learned schema.

Start with objects.py (what users hold), then arrow.py (pandas, polars, pyarrow, DuckDB), infer.py (kinds from values)
and match_schema.py (columns by name, levels by value).
"""
