"""Support vector machines, from a table to a model. Start with svm.py and smo_by_hand.py.

    svm.py                 the learner: its parameters, and the way through the files below
    points.py              rows of a table as points: scaled, equal ones once, in an order of their own
    kernel.py              the kernel that the parameters mean
    class_costs.py         what C is multiplied by for rows of a class
    time_estimate.py       how long it will take, said before it begins
    solving.py             all machines of a class code, each by the solver that suits it
    warm_starts.py         machines of many C, each begun with the one before
    probabilities.py       probabilities, from rows that were held out
    to_model.py            solved machines as a model on the user's scale, and notes on what went wrong
    shown_work.py          the work shown step by step
    sklearn_attributes.py  what scikit-learn's users look for

Solvers of kernel machines:

    problem.py             the two-class problem, its solution, and what a solution is worth
    smo.py                 sequential minimal optimisation, compiled (kernels/svm/smo.hpp)
    smo_by_hand.py         the same on a page of NumPy, for small tables whose work is shown

Solvers of linear machines:

    linear.py              which solver suits a matrix
    linear_quality.py      the two-class problem, and what alphas are worth
    linear_newton.py       few columns: Newton's method
    linear_smo.py          few rows beside columns: sequential minimal optimisation
    linear_active_rows.py  many rows of few columns: only those near the margin
    linear_descent.py      sparse rows: dual coordinate descent, compiled (kernels/linear/dual_coordinate_descent.hpp)

    solution_quality.py    what all solvers tell of a machine
"""
