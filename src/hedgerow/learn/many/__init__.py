"""Learners that make a classifier of many classes of one that tells two sides apart."""
