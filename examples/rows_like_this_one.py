"""Classify a new row by its nearest neighbors, and show them."""

import hedgerow

loan = hedgerow.examples.loan()
learner = hedgerow.KNN(n_neighbors=None)  # the number of neighbors is chosen by leave-one-out
model = learner.train(loan)
print(model, end="\n\n")

applicant = hedgerow.Table.of(
    {"Age": ["young"], "Has_Job": ["false"], "Own_House": ["true"], "Credit_Rating": ["good"]}
)
near = model.neighbors(applicant, 3)
for row, distance in zip(near.rows[0].tolist(), near.distance[0].tolist(), strict=True):
    print(f"loan {row + 1} at distance {distance:.3g}: {model.format_row_target(row)}")
shares = dict(zip(model.classes, model.distribution(applicant)[0].round(3).tolist(), strict=True))
print("shares of the votes:", shares)
