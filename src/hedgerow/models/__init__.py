"""Models: the results of learning, frozen values that predict what they print, one folder per family.

Start with base/model.py, then base/condition.py and base/rule.py, then a family: trees/tree.py, rules/rule_list.py,
bayes/distributions.py, linear/linear_classes.py. files/model_file.py saves and loads.
"""
