"""Support vector machines, from a table to a model.

    svm.py            the learner: its parameters, and the way through the files below
    points.py         rows of a table as points: scaled, equal ones once, in an order of their own
    svm_kernel.py     the kernel that the parameters mean
    class_costs.py    what C is multiplied by for rows of a class
    effort.py         how long it will take, said before it begins
    solving.py        all machines of a class code, each by the solver that suits it
    path.py           machines of many C, each begun with the one before
    chances.py        probabilities, from rows that were held out
    svm_model.py      solved machines as a model on the user's scale, and notes on what went wrong
    svm_work.py       the work shown step by step
    svm_door.py       what scikit-learn's users look for

Solvers of kernel machines:

    problem.py        the two-class problem, its solution, and what a solution is worth
    smo.py            sequential minimal optimisation, compiled (kernels/svm_smo.hpp)
    smo_by_hand.py    the same on a page of NumPy, for small tables whose work is shown

Solvers of linear machines:

    linear.py         which solver suits a matrix
    linear_figures.py the two-class problem, and what alphas are worth
    linear_newton.py  few columns: Newton's method
    linear_smo.py     few rows beside columns: sequential minimal optimisation
    linear_near.py    many rows of few columns: only those near the margin
    linear_descent.py sparse rows: dual coordinate descent, compiled (kernels/linear_descent.hpp)

    figures.py        what all solvers tell of a machine
"""
