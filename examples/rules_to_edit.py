"""Learn rules, read how far to trust each, edit them as text, test the edited ones, and go on learning from them."""

import warnings

import numpy as np

import hedgerow
from hedgerow import parse_model, with_columns

warnings.simplefilter("ignore", hedgerow.DataWarning)


def applications(rows, seed):
    """Return loan applications: granted to those with a house or enough income, one in twelve decided otherwise."""
    random = np.random.default_rng(seed)
    house, income = random.random(rows) < 0.4, np.round(random.normal(40, 12, rows), 1)
    granted = (house | (income > 45)) ^ (random.random(rows) < 1 / 12)
    columns = {
        "house": np.where(house, "own", "rent").tolist(),
        "income": [None if random.random() < 0.05 else float(value) for value in income],
        "region": random.choice(["north", "south", "east"], rows).tolist(),
        "loan": np.where(granted, "yes", "no").tolist(),
    }
    return hedgerow.Table.of(columns, "loan", {"house": ("own", "rent"), "loan": ("no", "yes")})


table, later = applications(400, seed=1), applications(400, seed=2)

model = hedgerow.Ripper(forbid=["region"], direction={"income": "down"}).train(table)
print("Learned without the region; a low income may only count against a loan:\n")
print(model)

print("\nHow far to trust each rule (10 folds):\n")
for card in hedgerow.rule_cards(model, table, folds=10):
    found = f"the same in {card.found.same}, alike in {card.found.alike} of {card.found.of} folds"
    unseen = card.unseen.precision
    print(f"  {card.figures.text}\n      right on unseen rows: {unseen.value:.0%}, 95 % {unseen.low:.0%}", end="")
    print(f" to {unseen.high:.0%}; {found}")

text = with_columns(model)  # what `hedgerow show MODEL --rules-out FILE` writes
edited = parse_model(
    "if income <= 20 then loan = no\nif house = own then loan = yes\notherwise no decision", model.schema
)
print("\nRules of one's own, which leave the rest to a person:\n")
print(edited)

print("\nOn 400 later applications:\n")
for told, one in (("learned", model), ("read back", parse_model(text, model.schema)), ("edited", edited)):
    results = hedgerow.test(one, later)
    answered = len(results.answered.rows) / len(results.rows)
    print(f"  {told:<10} {answered:4.0%} answered, {hedgerow.measures.accuracy(results):.1%} of these right")

print("\nThe edited rules kept first, the remainder learned:\n")
print(hedgerow.Ripper(keep_rules=edited).train(table))
