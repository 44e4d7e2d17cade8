"""Layout: text in readable form in a terminal; it knows nothing of tables or models.

Start with text_table.py (aligned columns) and wrapping.py (lines and lists); numbers.py has every number format,
names.py and quotes.py how names print, terminal.py what is safe to show.
"""
