"""Find products that are bought together: item sets, association rules, and rules about one item."""

import hedgerow

baskets = hedgerow.examples.groceries()  # 20 baskets; could also be a path, a data frame or a sparse matrix

sets = hedgerow.mine(baskets, min_count=3)
print(f"{len(sets)} item sets are in at least 3 of {baskets.n_rows} baskets. Those of two items:")
for items, count in sets:
    if len(items) == 2:
        print(f"  {count} x {' and '.join(items)}")

print("\nRules with a confidence of at least 75 %, sorted by lift:")
print(hedgerow.association_rules(sets, min_confidence=0.75, by="lift"))

print("\nRules that predict milk; the search is restricted to sets with milk:")
learner = hedgerow.Apriori(min_support=0.1, min_confidence=0.6, consequent="milk")
print(learner.train(baskets))

# The measures as a table, for pandas or polars.
print("\nAs a table:", ", ".join(hedgerow.association_rules(sets, 0.9).to_arrow().column_names))
