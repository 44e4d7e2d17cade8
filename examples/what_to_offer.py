"""Recommend items for a basket: learn rules once, save them, and apply them to every basket."""

import tempfile
from pathlib import Path

import hedgerow

learner = hedgerow.Apriori(min_support=0.1, min_confidence=0.5)
rules = learner.train(hedgerow.examples.groceries())

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "rules.json"  # plain JSON; .hedge would be smaller
    rules.save(path)
    rules = hedgerow.load(path)

baskets = [["butter", "milk"], ["crisps"], ["tofu"]]
for basket, offers in zip(baskets, rules.recommend(baskets, 3), strict=True):
    print(f"{', '.join(basket)}: {'no recommendation' if not offers else ''}")
    for offer in offers:
        print(f"    {offer.item}, because of {offer.text} (confidence {offer.confidence:.0%})")
