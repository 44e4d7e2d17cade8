"""Tests of the steps that `hedgerow train` and `hedgerow.fit` share."""
