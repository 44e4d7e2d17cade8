"""Documents: files that hold texts, and folders of them, as tables of one text column.

Start with documents.py (the common source), then text_lines.py, mbox.py and folder_source.py; encodings.py decodes
bytes.
"""
