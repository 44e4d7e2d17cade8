"""Find what is bought together: item sets, rules, and the rules about one item only."""

import hedgerow

baskets = hedgerow.examples.groceries()  # 20 baskets; a path, a frame or a sparse matrix would do as well

sets = hedgerow.mine(baskets, min_count=3)
print(f"{len(sets)} item sets are in at least 3 of {baskets.n_rows} baskets. Those of two items:")
for items, count in sets:
    if len(items) == 2:
        print(f"  {count} x {' and '.join(items)}")

print("\nRules that are right three times in four, the highest lift first:")
print(hedgerow.association_rules(sets, min_confidence=0.75, by="lift"))

print("\nWhat leads to milk? The search keeps to sets with milk in them:")
learner = hedgerow.Apriori(min_support=0.1, min_confidence=0.6, consequent="milk")
print(learner.train(baskets))

# The figures as a table, for pandas or polars.
print("\nAs a table:", ", ".join(hedgerow.association_rules(sets, 0.9).to_arrow().column_names))
