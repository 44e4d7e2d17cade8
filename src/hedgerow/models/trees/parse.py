"""Reading printed trees back: the inverse of `tree_text`, but forgiving about blanks and case of keywords."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.errors import ModelError
from hedgerow.models.base.condition import COMPARISONS, Condition, Operator
from hedgerow.models.base.parse import Reader, TokenLine, check_decision_line, numbered_lines
from hedgerow.models.trees.nodes import Nodes, starts
from hedgerow.models.trees.text import ADDED

_BARS = re.compile(r"\s*(?:\|\s*)*")
_NEITHER = "the branch has neither a class nor branches below it"


@dataclass
class _Branch:
    """A parsed line of a tree: the test of its branch, and the subtree."""

    line: TokenLine
    test: Condition | None
    missing: bool = False
    leaf: Any = None
    branches: list[_Branch] = field(default_factory=list)
    surrogates: list[tuple[TokenLine, Condition, Condition]] = field(default_factory=list)


def read_tree(text: str, schema: Schema) -> tuple[Nodes, Numbers, Codes, Numbers, Numbers | None]:
    """Return the parts of a printed or hand-written tree: nodes, weights, decisions, what is added, and costs."""
    target = schema.target_column
    if target.kind is not Kind.NOMINAL or not target.levels:
        raise ModelError(f"a tree predicts a class, but the target {target.name!r} has no classes")
    reader = _ClassReader(schema)
    nodes, leaves = reader.read(text)
    n, k = len(nodes), len(target.levels)
    weights, decided = np.zeros((n, k)), np.full(n, -1, dtype=np.int32)
    for node, (decision, by_class) in leaves.items():
        weights[node], decided[node] = by_class, decision
    return nodes, weights, decided, reader.added, reader.costs if reader.costs.any() else None


def read_number_tree(text: str, schema: Schema) -> tuple[Nodes, Numbers, Numbers, Numbers]:
    """Return the parts of a printed or hand-written tree: nodes, weights, numbers and deviations."""
    nodes, leaves = _NumberReader(schema).read(text)
    parts = np.zeros((3, len(nodes)))
    for node, of_leaf in leaves.items():
        parts[:, node] = of_leaf
    weights, numbers, deviations = parts
    return nodes, weights, numbers, deviations


class _TreeReader(Reader):
    """Reads lines into nodes; how a leaf and the lines below the tree read is left to the kinds of trees."""

    def leaf(self, line: TokenLine) -> Any:
        """Read the text after the colon."""
        raise NotImplementedError

    def trailer(self, line: TokenLine) -> bool:
        """Read a line below the tree, if it is one."""
        if not line.skip_words("leaves", ":"):
            return False
        line.amount("the number of leaves")
        if line.skip_words(",", "size", "of", "the", "tree", ":"):
            line.amount("the number of nodes")
        return True

    def read(self, text: str) -> tuple[Nodes, dict[int, Any]]:
        """Return the nodes, breadth first, and the decisions of the leaves."""
        root = _Branch(TokenLine("", text.count("\n") + 1), None)
        path, ended = [root], False
        for number, raw in numbered_lines(text):
            check_decision_line(number, raw)
            bars = _BARS.match(raw)
            indent = bars[0] if bars else ""
            line = TokenLine(raw[len(indent) :].removeprefix("?"), number)
            if self.trailer(line):
                ended = True
                line.end("the line")
            elif ended:
                line.fail("no branch may follow the line with the number of leaves")
            else:
                self.branch(line, indent.count("|"), path, raw[len(indent) :].startswith("?"))
        return self.nodes(root)

    def branch(self, line: TokenLine, depth: int, path: list[_Branch], is_surrogate: bool) -> None:
        """Read a branch, or a surrogate, and place it by its indent; `path` leads to the open branch above."""
        if depth >= len(path):
            line.fail("the line is indented more than the branches above it allow")
        del path[depth + 1 :]
        above = path[depth]
        if above.leaf is not None:
            line.fail("nothing can be below a leaf; a tree that is a single leaf has one line")
        if is_surrogate:
            above.surrogates.append(self.surrogate(line))
        elif depth == 0 and not above.branches and line.accept(":"):
            above.line, above.leaf = line, self.leaf(line)
        else:
            test = self.test(line)
            missing = line.accept("or")
            if missing:
                line.expect("missing", "'or'")
            above.branches.append(_Branch(line, test, missing, self.leaf(line) if line.accept(":") else None))
            if above.branches[-1].leaf is None:
                path.append(above.branches[-1])
        line.end("the branch")

    def test(self, line: TokenLine) -> Condition:
        """Read one test that a branch can make."""
        tests = self.conditions(line)
        if len(tests) > 1:
            line.fail("a branch has a single test, not an interval; put one test below the other")
        if tests[0].operator in (Operator.BELOW, Operator.AT_LEAST):
            line.fail(f"a branch compares with '<=' or '>', not with '{tests[0].operator}'")
        if tests[0].operator is Operator.MISSING:
            line.fail("the branch for missing values is marked with 'or missing' after its test")
        if tests[0].operator is Operator.CONTAINS:
            line.fail("a branch of a tree cannot test for words of a text; write rules for that")
        return tests[0]

    def surrogate(self, line: TokenLine) -> tuple[TokenLine, Condition, Condition]:
        """Read `test as test of a branch`."""
        test = self.test(line)
        if not line.skip_words("as"):
            line.fail(f"expected 'as' and the test of a branch after '{test}', not {line.peek().display_text}")
        return line, test, self.test(line)

    def nodes(self, root: _Branch) -> tuple[Nodes, dict[int, Any]]:
        """Return the arrays of the parsed branches, and the decisions of the leaves."""
        arrays, leaves = _Arrays(), {}
        waiting = [root]
        for number, one in enumerate(waiting):  # grows while it is walked: breadth first
            if one.leaf is not None:
                leaves[number] = one.leaf
                arrays.add_leaf()
            elif not one.branches:
                one.line.fail("a tree needs a line like ': class'" if one is root else _NEITHER)
            else:
                _add(arrays, one, self, len(waiting))
                waiting += one.branches
        return arrays.nodes(), leaves


class _ClassReader(_TreeReader):
    """Reads classification trees."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        k = len(self.classes)
        self.added, self.costs = np.zeros(k), np.zeros((k, k))

    def leaf(self, line: TokenLine) -> tuple[int, tuple[float, ...]]:
        """Read `class (counts)`."""
        decision = self.code(line)
        return decision, self.weights(line, decision)

    def trailer(self, line: TokenLine) -> bool:
        """Read the pseudocounts of leaves and the costs of mistakes, too."""
        if line.skip_words(*ADDED.lower().split(), ":"):
            for code, amount in self.read_class_weights(line).items():
                self.added[code] = float(amount)
            return True
        if not line.skip_words("costs", ":"):
            return super().trailer(line)
        while True:
            actual = self.code(line)
            if not line.skip_words("predicted", "as") and not line.skip_words("said"):  # 'said' is an older form
                line.fail(f"expected 'predicted as' after {self.classes[actual]!r}, not {line.peek().display_text}")
            said = self.code(line)
            if actual == said:
                line.fail(f"predicting {self.classes[said]!r} correctly costs nothing")
            self.costs[actual, said] = float(line.amount("what it costs"))
            if not line.accept(","):
                return True


class _NumberReader(_TreeReader):
    """Reads regression trees."""

    def leaf(self, line: TokenLine) -> tuple[float, float, float]:
        """Read `number (n rows, deviation d)`."""
        number, weight, deviation = self.threshold(line), 0.0, 0.0
        if line.accept("("):
            weight = float(line.amount("the number of rows"))
            if not (line.skip_words("rows") or line.skip_words("row")):
                line.fail(f"expected 'rows', not {line.peek().display_text}")
            if line.accept(","):
                if not line.skip_words("deviation"):
                    line.fail(f"expected 'deviation', not {line.peek().display_text}")
                deviation = float(line.amount("the deviation"))
            line.expect(")", "the counts")
        return weight, number, deviation


@dataclass
class _Arrays:
    """The arrays of nodes in the making, as lists."""

    columns: list[int] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    levels: list[list[int]] = field(default_factory=list)
    n_surrogates: list[int] = field(default_factory=list)
    surrogate_columns: list[int] = field(default_factory=list)
    surrogate_thresholds: list[float] = field(default_factory=list)
    surrogate_first: list[int] = field(default_factory=list)
    surrogate_levels: list[list[int]] = field(default_factory=list)

    def add_leaf(self) -> None:
        """Add a node without a test."""
        self.add(-1, 0.0, 0, -1, [])

    def add(self, column: int, threshold: float, first: int, missing: int, levels: list[int]) -> None:
        """Add a node, without surrogates for now."""
        self.columns.append(column)
        self.thresholds.append(threshold)
        self.first.append(first)
        self.missing.append(missing)
        self.levels.append(levels)
        self.n_surrogates.append(0)

    def add_surrogate(self, column: int, threshold: float, first: int, levels: list[int]) -> None:
        """Add a surrogate to the node that was added last."""
        self.n_surrogates[-1] += 1
        self.surrogate_columns.append(column)
        self.surrogate_thresholds.append(threshold)
        self.surrogate_first.append(first)
        self.surrogate_levels.append(levels)

    def nodes(self) -> Nodes:
        """Return the nodes."""
        return Nodes.of(
            codes(self.columns),
            np.array(self.thresholds, dtype=np.float64),
            codes(self.first),
            starts(map(len, self.levels)),
            codes(chain.from_iterable(self.levels)),
            codes(self.missing),
            starts(self.n_surrogates),
            codes(self.surrogate_columns),
            np.array(self.surrogate_thresholds, dtype=np.float64),
            codes(self.surrogate_first),
            starts(map(len, self.surrogate_levels)),
            codes(chain.from_iterable(self.surrogate_levels)),
        )


def codes(numbers: Iterable[int]) -> Codes:
    """Return whole numbers as an array."""
    return np.array(list(numbers), dtype=np.int32)


def _add(arrays: _Arrays, one: _Branch, reader: Reader, first: int) -> None:
    """Add an inner node, and its surrogates, from the branches below it."""
    tests = [_branch_condition(below) for below in one.branches]
    name = tests[0].column
    odd = next((below for below, test in zip(one.branches, tests, strict=True) if test.column != name), None)
    if odd is not None:
        odd.line.fail(f"the branches of a node must test the same column, here {name!r}")
    column = reader.schema.index(name)
    if tests[0].operator in COMPARISONS:
        threshold, levels = _threshold(one, tests), []
        one.branches.sort(key=lambda below: _branch_condition(below).operator is Operator.ABOVE)
    else:
        threshold, levels = 0.0, _levels(one, tests, reader)
    marked = [child for child, below in enumerate(one.branches) if below.missing]
    if len(marked) > 1:
        one.branches[marked[1]].line.fail("missing values can follow only one branch; without a mark they follow all")
    arrays.add(column, threshold, first, marked[0] if marked else -1, levels)
    _add_surrogates(arrays, one, reader)


def _branch_condition(branch: _Branch) -> Condition:
    assert branch.test is not None  # only the root has none
    return branch.test


def _threshold(one: _Branch, tests: list[Condition]) -> float:
    """Return the threshold of a numeric node, which has two branches."""
    if len(tests) == 1:
        other = Operator.ABOVE if tests[0].operator is Operator.AT_MOST else Operator.AT_MOST
        one.branches[0].line.fail(f"the branch '{Condition(tests[0].column, other, tests[0].value)}' is missing")
    if len(tests) > 2 or tests[0].threshold != tests[1].threshold or tests[0].operator is tests[1].operator:
        one.branches[1 if len(tests) == 2 else 2].line.fail(
            f"there must be two branches on {tests[0].column!r}, '<=' and '>' with the same number"
        )
    return tests[0].threshold


def _levels(one: _Branch, tests: list[Condition], reader: Reader) -> list[int]:
    """Return the child of each level of a nominal node."""
    column = reader.schema[tests[0].column]
    children = [-1] * len(column.levels)
    for child, (below, test) in enumerate(zip(one.branches, tests, strict=True)):
        for code in _hit(test, reader):
            if children[code] != -1:
                below.line.fail(f"the level {column.levels[code]!r} of {column.name!r} has two branches")
            children[code] = child
    if -1 in children:
        one.branches[-1].line.fail(f"there is no branch for {column.name!r} = {column.levels[children.index(-1)]!r}")
    if len(tests) < 2:
        one.branches[0].line.fail(f"all levels of {column.name!r} follow one branch; leave the test out")
    return children


def _hit(test: Condition, reader: Reader) -> list[int]:
    """Return the codes of the levels that pass a test."""
    return np.flatnonzero(test.hits(reader.codes[test.column])[:-1]).tolist()


def _add_surrogates(arrays: _Arrays, one: _Branch, reader: Reader) -> None:
    """Add a node's surrogates; the lines of a nominal one, which may be two, make one."""
    result: dict[str, list[int]] = {}
    for line, test, stands_for in one.surrogates:
        if len(one.branches) != 2:
            line.fail(f"only a node of two branches can have surrogates; this one has {len(one.branches)}")
        child = next(
            (c for c, below in enumerate(one.branches) if _is_complement(_branch_condition(below), stands_for, reader)),
            None,
        )
        if child is None:
            line.fail(f"'{stands_for}' is the test of neither branch")
        column = reader.schema[test.column]
        if test.column == _branch_condition(one.branches[0]).column:
            line.fail(f"{test.column!r} cannot be its own surrogate")
        if test.operator in COMPARISONS:
            if test.column in result:
                line.fail(f"{test.column!r} is already a surrogate of the test")
            result[test.column] = []
            first = child if test.operator is Operator.AT_MOST else 1 - child
            arrays.add_surrogate(reader.schema.index(test.column), test.threshold, first, [])
            continue
        if test.column not in result:
            result[test.column] = [-1] * len(column.levels)
            arrays.add_surrogate(reader.schema.index(test.column), 0.0, 0, result[test.column])
        for code in _hit(test, reader):
            if result[test.column][code] != -1:
                line.fail(f"the level {column.levels[code]!r} of {column.name!r} already stands for a test")
            result[test.column][code] = child


def _is_complement(one: Condition, other: Condition, reader: Reader) -> bool:
    if one.column != other.column or one.operator in COMPARISONS or other.operator in COMPARISONS:
        return one == other
    return _hit(one, reader) == _hit(other, reader)
