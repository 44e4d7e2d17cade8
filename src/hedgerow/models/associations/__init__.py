"""Associations: frequent item sets and association rules.

Start with item_sets.py and association_rules.py, then text.py and parse.py (print and back) and recommend.py;
learn/associations/apriori.py finds them.
"""
