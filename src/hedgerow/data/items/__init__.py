"""Items: baskets, item columns and pairs as sets of items, for association rules.

Start with items.py (rows as sets of items), then column_to_items.py (which values are items) and baskets.py;
kernels/items/item_rows.cpp holds the rows.
"""
