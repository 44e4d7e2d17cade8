"""Rows: hashes of rows and sketches of many, fingerprints of tables, groups of rows, and the values of one row.

Start with hashing.py, then row_sketch.py (what a model file keeps of its training rows).
"""
