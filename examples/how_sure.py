"""How sure naive Bayes is about one applicant, and which column pulls which way."""

import math

import hedgerow
from hedgerow import Table

table = hedgerow.examples.loan()
model = hedgerow.NaiveBayes().train(table)
values = {"Age": "young", "Has_Job": "false", "Own_House": "false", "Credit_Rating": "good"}


def chances(known):
    """Return P(No) and P(Yes) for an applicant of whom some values are known."""
    row = Table.of({name: [known.get(name)] for name in values}, levels={n: table.schema[n].levels for n in values})
    return model.distribution(row)[0]


print("Nothing known".ljust(24), f"P(Yes) = {chances({})[1]:.3f}   the share of loans that were granted")
known = {}
for name, value in values.items():
    before = chances(known)
    known[name] = value
    after = chances(known)
    bits = math.log2(after[1] / after[0]) - math.log2(before[1] / before[0])
    word = "for" if bits > 0 else "against"
    print(f"{name} = {value}".ljust(24), f"P(Yes) = {after[1]:.3f}   {abs(bits):.2f} bits {word}")

said = model.classes[int(chances(known).argmax())]
with_house = chances({**known, "Own_House": "true"})[1]
print(f"\nDecision: {said}. With a house, P(Yes) would be {with_house:.3f}.")
