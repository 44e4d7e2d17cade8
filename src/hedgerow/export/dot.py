"""Trees as Graphviz source, for those who arrange and color pictures themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hedgerow.models.base.model import Model
from hedgerow.models.views.tree_view import MISSING, NodeView, split_condition, view

MOST_SIGNS = 60  # of a line; tooltips have the whole


def dot(model: Model) -> str:
    r"""Return a `Tree` or `NumberTree` as Graphviz source, which for example `dot -Tpdf` draws.

    Examples
    --------
    >>> from hedgerow import C45, examples
    >>> print(dot(C45().train(examples.loan())).split(chr(10))[4])
      0 [label="Own_House\nn = 15\nNo 6, Yes 9", tooltip="No 6, Yes 9", style=rounded];
    """
    shown = view(model)
    head = quote_lines([shown.title, shown.subtitle, *shown.notes], end="\\l")
    lines = [
        "digraph tree {",
        f'  graph [label={head}, labelloc=t, labeljust=l, fontname="Helvetica", fontsize=12];',
        '  node [shape=box, fontname="Helvetica", fontsize=11];',
        '  edge [fontname="Helvetica", fontsize=10, color="#57606a"];',
    ]
    for node in shown.nodes:
        lines += _node(node, is_number=shown.ends is not None)
    return "\n".join([*lines, "}", ""])


def quote_lines(lines: Iterable[str], end: str = "\\n") -> str:
    r"""Return lines as one string of the language: nothing in them is an escape, an entity or the string's end.

    >>> print(quote_lines(['say "A\\B" & C', "D"]))
    "say \"A\\B\" &amp; C\nD"
    """
    safe = [
        "".join(sign if sign.isprintable() else "\ufffd" for sign in line)
        .replace("\\", "\\\\")
        .replace('"', '\\"')
        .replace("&", "&amp;")
        for line in lines
    ]
    return f'"{end.join(safe)}{end if end == chr(92) + "l" else ""}"'


def _node(node: NodeView, is_number: bool) -> Iterator[str]:
    label = [_short(line) for line in (node.label, node.counts, node.description) if line]
    look = "style=rounded"
    if node.is_leaf:
        depth = round(255 * (0.07 + 0.5 * node.position)) if is_number else 0x38
        look = f'style=filled, fillcolor="{node.color}{depth:02x}", color="{node.color}"'
    yield f"  {node.number} [label={quote_lines(label)}, tooltip={quote_lines(node.details)}, {look}];"
    if node.branch is not None:
        missing = f" {MISSING}" if node.takes_missing else ""
        words = split_condition(node.branch, lambda words: len(" ".join(words)) <= MOST_SIGNS)
        text = quote_lines([_short(" ".join(words)), *([MISSING] if missing else [])])
        whole = quote_lines([f"{node.branch}{missing}"])
        width = f"{1 + 2 * node.share:.2f}"
        look = f"labeltooltip={whole}, tooltip={whole}, penwidth={width}"
        yield f"  {node.parent} -> {node.number} [label={text}, {look}];"


def _short(line: str) -> str:
    return line if len(line) <= MOST_SIGNS else f"{line[: MOST_SIGNS - 3].rstrip()}..."
