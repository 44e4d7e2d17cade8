"""Reports: nested dicts of plain values with a fixed schema, and sections of blocks that three renderers draw.

Start with schema.py (the keys of every report) and blocks.py (what a section consists of). A report goes from
evaluation/build.py (a report) by evaluation/evaluation_section.py (its section, a list of blocks) and whole/sections.py
(all sections of any report) to render/text.py, render/html.py and render/markdown.py. To show more of a report, add a
block to its section; to add a kind of report, write its type, its builder and its section, and name it in
whole/sections.py.
"""
