"""Learners that make many models with another learner, or many trees: bagging, boosting, random forest."""
