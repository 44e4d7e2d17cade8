"""See how each column of an applicant changes the probability that naive Bayes predicts."""

import math

import hedgerow
from hedgerow import Table

table = hedgerow.examples.loan()
model = hedgerow.NaiveBayes().train(table)
values = {"Age": "young", "Has_Job": "false", "Own_House": "false", "Credit_Rating": "good"}


def probabilities(known):
    """Return P(No) and P(Yes) for an applicant with some known values."""
    row = Table.of({name: [known.get(name)] for name in values}, levels={n: table.schema[n].levels for n in values})
    return model.distribution(row)[0]


print("Nothing known".ljust(24), f"P(Yes) = {probabilities({})[1]:.3f}   the proportion of loans that were granted")
known = {}
for name, value in values.items():
    before = probabilities(known)
    known[name] = value
    after = probabilities(known)
    bits = math.log2(after[1] / after[0]) - math.log2(before[1] / before[0])
    side = "for" if bits > 0 else "against"
    print(f"{name} = {value}".ljust(24), f"P(Yes) = {after[1]:.3f}   {abs(bits):.2f} bits {side}")

decision = model.classes[int(probabilities(known).argmax())]
with_house = probabilities({**known, "Own_House": "true"})[1]
print(f"\nDecision: {decision}. With a house, P(Yes) would be {with_house:.3f}.")
