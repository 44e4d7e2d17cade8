"""SVG elements as text: escaped, with numbers in one form, in colors that suit a light and a dark page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from hedgerow.report.font import FAMILY
from hedgerow.report.grid import clean

# Role -> attribute, color on light paper, color on dark paper. The light ones are attributes of every element, which
# all programs honor; where a reader's screen is dark, a style overrides them. Print stays light.
ROLES = {
    "paper": ("fill", "#ffffff", "#16191d"),
    "ink": ("fill", "#1b1f24", "#e8eaed"),
    "soft": ("fill", "#57606a", "#a9b3bd"),
    "track": ("fill", "#d0d7de", "#3d444d"),
    "edge": ("stroke", "#8c959f", "#768390"),
    "guide": ("stroke", "#c3cad1", "#444c56"),
}
DARK = "".join(f".hedgerow-tree .{role}{{{name}:{dark}}}" for role, (name, _, dark) in ROLES.items())
STYLE = f"<style>@media screen and (prefers-color-scheme:dark){{{DARK}}}</style>"


class Svg(str):
    """SVG source; a notebook shows it as the picture it is."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def num(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def words(text: str) -> str:
    """Return text that no name can break out of, nor steer the direction of reading with."""
    return escape(clean(text), quote=True)


def titled(lines: Iterable[str]) -> str:
    """Return a title element, which shows as a tooltip."""
    return f"<title>{chr(10).join(words(line) for line in lines)}</title>"


def painted(role: str) -> str:
    """Return the attributes of something that is painted in a role."""
    name, light, _ = ROLES[role]
    return f'class="{role}" {name}="{light}"'


def text(
    x: float,
    y: float,
    said: str,
    size: float,
    role: str = "ink",
    *,
    anchor: str = "start",
    bold: bool = False,
    italic: bool = False,
) -> str:
    """Return a line of text; y is its baseline."""
    style = (' font-weight="bold"' if bold else "") + (' font-style="italic"' if italic else "")
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    place = f'x="{num(x)}" y="{num(y)}" font-size="{num(size)}"'
    return f"<text {place}{where}{style} {painted(role)}>{words(said)}</text>"


def rect(x: float, y: float, width: float, height: float, look: str, radius: float = 0) -> str:
    """Return a rectangle; `look` are its attributes."""
    corners = f' rx="{num(radius)}"' if radius else ""
    return f'<rect x="{num(x)}" y="{num(y)}" width="{num(width)}" height="{num(height)}"{corners} {look}/>'


def path(shape: str, width: float = 1.2, role: str = "edge", extra: str = "") -> str:
    """Return a line that is not filled."""
    return f'<path d="{shape}" fill="none" stroke-width="{num(width)}" {painted(role)}{extra}/>'


def document(width: float, height: float, name: str, title: str, description: str, content: Iterable[str]) -> Svg:
    """Return a whole picture, with a title and a description for those who cannot see it.

    `name` makes its ids differ from those of other pictures on the same page.
    """
    size = f'width="{num(width)}" height="{num(height)}" viewBox="0 0 {num(width)} {num(height)}"'
    told = f'role="img" aria-labelledby="{name}-title {name}-text"'
    described = "\n".join(words(line) for line in description.split("\n"))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hedgerow-tree" {size} {told} font-family="{FAMILY}">',
        f'<title id="{name}-title">{words(title)}</title>',
        f'<desc id="{name}-text">{described}</desc>',
        STYLE,
        rect(0, 0, width, height, painted("paper")),
        *content,
        "</svg>\n",
    ]
    return Svg("\n".join(lines))
