"""Render: blocks as terminal text, HTML or Markdown.

Start with text.py, markdown.py and html.py, each with one function per kind of block; text_tables.py makes tables
fit a terminal, html_tables.py draws them on pages; text_cells.py and html_cells.py tell what stands in a cell.
"""
