"""Class association rules and CBA in plain Python: the reference implementations of kernels/rules/class_rule*."""

from fractions import Fraction
from itertools import combinations, product


def covers(tests, columns, row):
    return all(columns[column][row] == code for column, code in tests)


def weight_of(tests, columns, labels, classes, weights):
    """The weight by class of the rows that pass all tests."""
    out = [0] * classes
    for row, label in enumerate(labels):
        if covers(tests, columns, row):
            out[label] += weights[row]
    return out


def mine(columns, levels, labels, classes, weights, bounds, confidence, longest=99):
    """All rules (tests, class, hits, covered) in the order of generation; tests that all rows pass are left out."""
    total, found = sum(weights), []
    for length in range(1, min(longest, len(columns)) + 1):
        for some in combinations(range(len(columns)), length):
            for codes in product(*(range(levels[column]) for column in some)):
                tests = tuple(zip(some, codes, strict=True))
                if any(sum(weight_of([test], columns, labels, classes, weights)) == total for test in tests):
                    continue
                counts = weight_of(tests, columns, labels, classes, weights)
                for label, hits in enumerate(counts):
                    if hits and hits >= bounds[label] and Fraction(hits, sum(counts)) >= confidence:
                        found.append((tests, label, hits, sum(counts)))
    return sorted(found, key=lambda rule: (len(rule[0]), rule[0], rule[1]))


def precedence(rules):
    """The numbers of rules: by confidence, then support, then the order of generation."""
    return sorted(range(len(rules)), key=lambda i: (-Fraction(rules[i][2], rules[i][3]), -rules[i][2], i))


def general(rules, order, same_class):
    """The rules, in order, that have no more general one before them, of the same class or any."""
    kept = []
    for number in order:
        tests, label, *_ = rules[number]
        if not any(
            set(rules[other][0]) <= set(tests) and (not same_class or rules[other][1] == label) for other in kept
        ):
            kept.append(number)
    return kept


def m1(rules, order, columns, labels, classes, weights, most=10**9):
    """CBA-CB M1 up to the cut: the chosen rules, each with the weight by class of the rows that it covers first."""
    left, out = set(range(len(labels))), []
    for number in order:
        tests, label, *_ = rules[number]
        if not left or len(out) >= most:
            break
        covered = {row for row in left if covers(tests, columns, row)}
        if any(labels[row] == label for row in covered):
            out.append((number, _by_class(covered, labels, classes, weights)))
            left -= covered
    return out


def m2(rules, order, columns, labels, classes, weights, forgetful=False):
    """CBA in two scans, stage by stage, with all the rows that rules replace each other on.

    If Q does not hold a right rule that stands behind a wrong one which is never chosen (`forgetful`), the list is not
    that of M1.
    """
    place = {number: at for at, number in enumerate(order)}
    q, u, a = set(), set(), []
    cases = {number: [0] * classes for number in order}
    rows_of = {number: set() for number in order}
    for row, label in enumerate(labels):  # stage 1
        covering = [number for number in order if covers(rules[number][0], columns, row)]
        right = next((number for number in covering if rules[number][1] == label), None)
        wrong = next((number for number in covering if rules[number][1] != label), None)
        if right is not None:
            u.add(right)
            cases[right][label] += 1
        if right is not None and (wrong is None or place[right] < place[wrong]):
            q.add(right)
            rows_of[right].add(row)
        elif wrong is not None:
            a.append((row, label, right, wrong))
    marked, replace = set(q), {number: [] for number in order}
    for row, label, right, wrong in a:  # stage 2
        if wrong in marked:
            if right is not None:
                cases[right][label] -= 1
            cases[wrong][label] += 1
            rows_of[wrong].add(row)
            continue
        before = [
            number
            for number in u
            if rules[number][1] != label
            and covers(rules[number][0], columns, row)
            and (right is None or place[number] < place[right])
        ]
        for number in before:
            replace[number].append((right, row, label))
            cases[number][label] += 1
        q |= set(before)
        if not forgetful and right is not None:
            q.add(right)
        if right is not None:
            rows_of[right].add(row)
    gone, out = set(), []
    for number in sorted(q, key=place.__getitem__):  # stage 3
        if not cases[number][rules[number][1]]:
            continue
        mine = set(rows_of[number]) - gone
        for right, row, label in replace[number]:
            if row in gone:
                cases[number][label] -= 1
            else:
                mine.add(row)
                if right is not None:
                    cases[right][label] -= 1
        gone |= mine
        out.append((number, _by_class(mine, labels, classes, weights)))
    return out


def cut(chosen, rules, labels, classes, weights):
    """How many chosen rules stay, and the default class: after the first rule with the fewest errors of both."""
    left, errors, best = _by_class(range(len(labels)), labels, classes, weights), 0, None
    every = list(left)
    for size, (number, covered) in enumerate(chosen, start=1):
        errors += sum(covered) - covered[rules[number][1]]
        left = [have - gone for have, gone in zip(left, covered, strict=True)]
        total = errors + sum(left) - max(left)
        if best is None or total < best[0]:
            best = total, size, (left if any(left) else every).index(max(left) if any(left) else max(every))
    return (0, every.index(max(every))) if best is None else best[1:]


def _by_class(rows, labels, classes, weights):
    out = [0] * classes
    for row in rows:
        out[labels[row]] += weights[row]
    return out
