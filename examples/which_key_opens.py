"""Find out which key on a ring opens a door: multi-instance learning with bags of rows."""

import hedgerow
from hedgerow import Table

RINGS = {
    "Ann": ([(31, "round"), (58, "flat")], "yes"),
    "Bob": ([(33, "flat"), (41, "round"), (36, "flat")], "no"),
    "Cem": ([(62, "round")], "yes"),
    "Dana": ([(29, "flat"), (44, "flat")], "no"),
    "Eva": ([(57, "flat"), (35, "round"), (30, "flat")], "yes"),
    "Finn": ([(40, "round")], "no"),
    "Gül": ([(61, "round"), (38, "flat")], "yes"),
    "Hugo": ([(43, "flat"), (32, "round")], "no"),
}
rows = [(ring, *key, opens) for ring, (keys, opens) in RINGS.items() for key in keys]
names = ("ring", "length", "teeth", "opens")
flat = Table.of(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), target="opens")
table = hedgerow.bags(flat, by="ring")
print(f"{flat.n_rows} keys on {table.n_rows} rings\n")

print("One row of summary statistics per ring:\n")
print(hedgerow.BagSummary(numbers="max").train(table))

print("\nA prediction for each key:\n")
model = hedgerow.BagVote(total="instances").train(table)
print(model, "\n")
print(hedgerow.explanations(model, table, [4])[0])

results = hedgerow.leave_one_out(hedgerow.BagSummary(numbers="max"), table)
print(f"\nLeave-one-out: {(results.decided == results.actual).sum()} of {len(results)} rings are predicted correctly")
