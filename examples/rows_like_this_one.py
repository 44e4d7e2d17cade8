"""Which known cases is a new one like? Nearest neighbors name them, and say how sure that makes us."""

import hedgerow

loan = hedgerow.examples.loan()
learner = hedgerow.KNN(k=None)  # how many neighbors are asked is chosen by leaving out one row at a time
model = learner.train(loan)
print(model, end="\n\n")

applicant = hedgerow.Table.of(
    {"Age": ["young"], "Has_Job": ["false"], "Own_House": ["true"], "Credit_Rating": ["good"]}
)
near = model.neighbors(applicant, 3)
for row, distance in zip(near.rows[0].tolist(), near.distance[0].tolist(), strict=True):
    print(f"loan {row + 1} at distance {distance:.3g}: {model.said(row)}")
shares = dict(zip(model.classes, model.distribution(applicant)[0].round(3).tolist(), strict=True))
print("shares of the votes:", shares)
