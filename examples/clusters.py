"""Find clusters, compare them with known classes, and describe them by rules."""

import hedgerow

table = hedgerow.examples.weather()  # the target is not used for clustering
found = hedgerow.KMeans(n_clusters=2, random_state=1).fit(table)
print(found.model_)

figures = hedgerow.evaluate_clusters(found.model_, table)
print(f"\nsilhouette {figures.silhouette:.3f}, category utility {figures.utility:.3f}")
print(f"explained {figures.explained_share:.1%}, error of majority classes {figures.against.majority_error:.1%}")

rules = hedgerow.describe_clusters(found.model_, table, "rules")
print(f"\nrules for the clusters, correct for {1 - rules.error:.0%} of the rows:\n{rules}")
