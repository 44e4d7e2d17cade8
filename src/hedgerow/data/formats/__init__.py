"""Formats: one reader per file format, and their common parts.

Start with csv.py, which detect_layout.py and detect_header.py prepare; declared.py reads what files declare (arff.py,
c45.py), row_blocks.py files by rows. ../read.py lists all formats, ../write.py writes.
"""
