"""The HTML around what a notebook shows: self-contained, without scripts and ids, light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from hedgerow.report.blocks import Block
from hedgerow.report.draw.markup import element
from hedgerow.report.draw.svg import ROLES
from hedgerow.report.render.html import blocks_html

# On a page, ids lead to sections and name pictures; in a notebook, two cells could have the same ones.
IDS = re.compile(r' (?:id|aria-labelledby|tabindex)="[^"]*"')
CLASSES = re.compile(r'class="([a-z]+\d?)"')
DARK = {
    "paper": "#16191d",
    "ink": "#e8eaed",
    "soft": "#a9b3bd",
    "rule": "#3d444d",
    "tint": "#1e2329",
    "link": "#79b8ff",
    "edge": "#e3a008",
}
LIGHT = re.compile(r"--(\w+):(#\w+)")


def view(markup: str) -> str:
    """Return markup as the output of a cell: with its style, and without ids."""
    return element(
        "div", f"<style>{view_style()}{_roles_style(markup)}</style>{IDS.sub('', markup)}", class_="hedgerow-view"
    )


def blocks_view(blocks: Iterable[Block]) -> str:
    """Return blocks as the output of a cell."""
    return view(blocks_html(blocks))


@cache
def view_style() -> str:
    """Return the style of all displays; the theme of the notebook, or else the screen, decides between the colors."""
    style = files("hedgerow.report.notebook").joinpath("view.css").read_text("utf-8")
    colors = "".join(f"--{name}:light-dark({light},{DARK[name]});" for name, light in LIGHT.findall(style))
    return f"{style}{_if_supported(f'.hedgerow-view{{{colors}}}')}@media print{{.hedgerow-view{{color-scheme:light}}}}"


def _roles_style(markup: str) -> str:
    """Return the colors on dark screens of the roles in pictures that occur in the markup."""
    used = sorted({role for role in CLASSES.findall(markup) if role in ROLES})
    rules = "".join(
        f".hedgerow-view svg .{role}{{{name}:light-dark({light},{dark})}}"
        for role, (name, light, dark) in ((role, ROLES[role]) for role in used)
    )
    return _if_supported(rules) if rules else ""


def _if_supported(rules: str) -> str:
    """Return rules for browsers that know `light-dark`; in others everything is light."""
    return f"@supports (color:light-dark(#000,#fff)){{{rules}}}"
