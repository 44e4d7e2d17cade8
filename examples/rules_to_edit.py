"""Learn rules, see how reliable each is, edit them as text, test the edited rules, and add learned rules to them."""

import warnings

import numpy as np

import hedgerow
from hedgerow import parse_model, with_columns

warnings.simplefilter("ignore", hedgerow.DataWarning)


def applications(rows, seed):
    """Return loan applications, granted with a house or enough income, with one in twelve labels flipped."""
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
print("Rules learned without the region, in which only a low income may count against a loan:\n")
print(model)

print("\nRule cards (10 folds):\n")
for card in hedgerow.rule_cards(model, table, folds=10):
    found = f"found in {card.matches.same} and similar in {card.matches.alike} of {card.matches.of} folds"
    unseen = card.unseen.precision
    print(f"  {card.figures.text}\n      precision on unseen rows: {unseen.value:.0%}, 95 % {unseen.low:.0%}", end="")
    print(f" to {unseen.high:.0%}; {found}")

text = with_columns(model)  # what `hedgerow show MODEL --rules-out FILE` writes
edited = parse_model(
    "if income <= 20 then loan = no\nif house = own then loan = yes\notherwise no decision", model.schema
)
print("\nEdited rules, which leave the remaining cases to a person:\n")
print(edited)

print("\nOn 400 later applications:\n")
for name, rules in (("learned", model), ("parsed", parse_model(text, model.schema)), ("edited", edited)):
    results = hedgerow.test(rules, later)
    answered = len(results.answered.rows) / len(results.rows)
    print(f"  {name:<8} {answered:4.0%} predicted, {hedgerow.measures.accuracy(results):.1%} of these correct")

print("\nThe edited rules, followed by learned rules for the remaining cases:\n")
print(hedgerow.Ripper(keep_rules=edited).train(table))
