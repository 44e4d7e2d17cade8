"""Notebook: learners, models, tables and results as a notebook shows them.

Start with displays.py (what is shown of which object), then view.py (the HTML around it); table_view.py and
learner_view.py are the two that are not made of blocks.
"""
