"""Data: the report that describes a table.

Start with data.py (the report), then data_section.py and histograms.py (how it is shown); suspects.py finds columns
that tell the class too well.
"""
