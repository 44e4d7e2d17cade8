"""Data: tables, their readers and writers; the only package that handles foreign files and frames.

Start with table/schema.py and table/table.py, then table/source.py (tables in batches) and read.py (which reader
reads what). The rooms in their order: table, text, design, frames, bags, formats, items; the kernels are those of
kernels/read and kernels/text.
"""
