"""Compare learners on two tables, and test whether the differences are significant."""

from sklearn.tree import DecisionTreeClassifier

import hedgerow

found = hedgerow.compare(
    [hedgerow.C45(), hedgerow.NaiveBayes(), hedgerow.OneR(), DecisionTreeClassifier(max_depth=3)],
    {"loan": hedgerow.examples.loan(), "weather": hedgerow.examples.weather()},
    runs=5,
    folds=5,
)
print(hedgerow.render(hedgerow.comparison_report(found)))

# The individual tests.
for row, name in enumerate(found.sets):
    for place, learner in enumerate(found.learners):
        test = found.tests[row][place]
        if test is not None:
            print(f"{name}: error of {learner} minus that of the base {test.difference:+.3f}, p = {test.p:.3f}")
