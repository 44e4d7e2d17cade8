"""Find the single column of the loan table that predicts the decision best."""

import warnings

import hedgerow

warnings.simplefilter("ignore", hedgerow.DataWarning)
table = hedgerow.examples.loan()

print("The best single column and its rules:\n")
print(hedgerow.OneR().train(table))

print("\nEach column on its own, with errors on the 15 training rows:\n")
for position in table.schema.predictors:
    name = table.schema.names[position]
    alone = table.select([name, "Class"])
    model = hedgerow.OneR().train(alone)
    wrong = sum(rule.errors for rule in model.rules)
    print(f"  {name:<14} {wrong:.0f} errors")

print("\nTraining errors are too optimistic. Tested on unseen rows (5 folds, 10 runs):\n")
for learner in (hedgerow.OneR(), hedgerow.Majority()):
    tested = hedgerow.cross_validate(learner, table, folds=5, runs=10)
    print(f"  {learner.name:<14} accuracy {hedgerow.measures.accuracy(tested):.3f}")
