"""Use hedgerow's learners with scikit-learn's cross-validation and grid search."""

from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB

import hedgerow

X, y = load_iris(return_X_y=True)

print("Accuracy over 5 folds:")
for learner in (GaussianNB(), hedgerow.NaiveBayes(), hedgerow.NaiveBayes(density="kernel"), hedgerow.OneR()):
    scores = cross_val_score(learner, X, y, cv=5)
    print(f"  {learner!s:<28} {scores.mean():.3f}")

search = GridSearchCV(hedgerow.OneR(), {"min_bucket": [1, 3, 6, 12, 25]}, cv=5).fit(X, y)
print(f"\nBest min_bucket for OneR: {search.best_params_['min_bucket']}, accuracy {search.best_score_:.3f}")

iris = load_iris(as_frame=True)
names = iris.target_names[iris.target]
print("\nThe same rule with names instead of numbers:\n")
print(hedgerow.OneR(**search.best_params_).fit(iris.data, names).model_)
