"""Baselines: what there is to beat, predictions without any column.

Start with majority.py (classes); mean.py does the same for numbers.
"""
