"""Texts: how they become words, terms and counts of terms.

Start with tokens.py (what a term is) and terms.py (the terms of a text column), then term_counts.py and term_space.py
(tf-idf); the kernels are kernels/text/terms.cpp and kernels/text/tfidf.cpp. Hashed terms: hashed_text.py.
"""
