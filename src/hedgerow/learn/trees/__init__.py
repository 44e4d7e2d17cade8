"""Trees: how they are grown and pruned."""
