"""Vectors: texts as tf-idf vectors, and one prototype per class (Rocchio).

Start with prototypes.py (the model), then columns.py and rows.py; learn/text/rocchio.py learns it.
"""
