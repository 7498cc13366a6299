"""Policies that are fitted on the train split: constants, linear models, patterns of calls."""
