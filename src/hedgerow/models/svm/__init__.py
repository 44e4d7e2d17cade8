"""Support vector machines.

Start with machines.py (the model) and kernel_function.py, then multiclass.py, support_rows.py and text.py (the
print); learn/svm/smo_by_hand.py is how they are trained; the kernel is kernels/svm/smo.cpp.
"""
