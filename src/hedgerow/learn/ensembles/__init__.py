"""Learners that make many models with another learner: bagging, boosting."""
