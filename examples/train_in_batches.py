"""Train a model batch by batch: it is identical to one trained on all rows at once."""

import numpy as np

import hedgerow

random = np.random.default_rng(5)
rows = 10_000
group = random.integers(0, 2, rows)
# Large numbers with small differences: ordinary sums would be rounded differently in other batches.
weight = 1e9 + random.normal(0, 1, rows) + group
table = hedgerow.Table.of(
    {
        "shade": [("light", "dark")[i] for i in (group ^ (random.random(rows) < 0.2))],
        "weight": weight,
        "group": [("a", "b")[i] for i in group],
    },
    target="group",
    levels={"shade": ("light", "dark"), "group": ("a", "b")},
)
whole = hedgerow.NaiveBayes().train(table)
print(whole)

for size in (1_000, 333, 7):
    learner = hedgerow.NaiveBayes()
    for batch in table.batches(size):
        learner.partial_fit(batch)
    same_print = str(learner.model_) == str(whole)
    same_bits = np.array_equal(learner.predict_proba(table), whole.distribution(table))
    print(f"\nin batches of {size}: same printed model: {same_print}, same probabilities to the last bit: {same_bits}")

one_sum = (weight**2).cumsum()[-1]
sum_of_sums = sum((weight[i : i + 7] ** 2).sum() for i in range(0, rows, 7))
print(f"\nOrdinary sums of squares differ by {abs(one_sum - sum_of_sums):g}; hedgerow's are exact.")
