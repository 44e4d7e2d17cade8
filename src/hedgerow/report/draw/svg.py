"""SVG elements as text: escaped, with a fixed number format, in colors for light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from os import PathLike
from typing import Any
from zlib import crc32

from hedgerow.layout.shown import NotebookDisplay
from hedgerow.layout.terminal import clean_text
from hedgerow.report.draw.font import FAMILY

# Role -> attribute, color on light paper, color on dark paper. The light ones are attributes of every element, which
# all programs honor; where a reader's screen is dark, a style overrides them. Print stays light.
ROLES = {
    "paper": ("fill", "#ffffff", "#16191d"),
    "ink": ("fill", "#1b1f24", "#e8eaed"),
    "soft": ("fill", "#57606a", "#a9b3bd"),
    "track": ("fill", "#d0d7de", "#3d444d"),
    "edge": ("stroke", "#8c959f", "#768390"),
    "whisker": ("stroke", "#1b1f24", "#e8eaed"),
    "guide": ("stroke", "#c3cad1", "#444c56"),
}
# The hues of `PALETTE`, dark enough for lines and dots on light paper and light enough on dark: 3 to 1 at least.
# The last is for everything that has no color of its own.
HUES = (
    ("#0072b2", "#4da3e0"),
    ("#c27400", "#e69f00"),
    ("#009e73", "#21b88d"),
    ("#ba5f94", "#e29ac3"),
    ("#3796d1", "#8cd0f5"),
    ("#d55e00", "#f07b2e"),
    ("#8c8000", "#e6d93a"),
    ("#808080", "#9aa0a6"),
)
GRAY_HUE = len(HUES) - 1
for _hue, (_light, _dark) in enumerate(HUES):
    ROLES[f"line{_hue}"] = ("stroke", _light, _dark)
    ROLES[f"mark{_hue}"] = ("fill", _light, _dark)
DARK = {role: f".hedgerow .{role}{{{name}:{dark}}}" for role, (name, _, dark) in ROLES.items()}
SCREEN = "@media screen and (prefers-color-scheme:dark)"


class Svg(NotebookDisplay, str):
    """SVG source, which a notebook shows as a picture in the colors of its theme."""

    __slots__ = ()

    def __repr__(self) -> str:
        width, height = size_of(self)
        return f"<Svg: {width:.0f} x {height:.0f}, {len(self):,} characters>"

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file; .svg, .png or .pdf sets the format."""
        from hedgerow.report.draw.picture_files import save_picture

        save_picture(self, path)

    def draw(self, axes: Any) -> Any:
        """Draw the picture into axes of matplotlib, in place of their ticks and frame; return the axes."""
        from hedgerow.report.draw.axes import draw_on_axes

        return draw_on_axes(self, axes)


def num(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def escape_words(text: str) -> str:
    """Return escaped text, in which names cannot contain markup or change the text direction."""
    return escape(clean_text(text), quote=True)


def title_element(lines: Iterable[str]) -> str:
    """Return a title element, which shows as a tooltip."""
    return f"<title>{chr(10).join(escape_words(line) for line in lines)}</title>"


def role_attributes(role: str) -> str:
    """Return the attributes of an element that is painted in a role."""
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
    return f"<text {place}{where}{style} {role_attributes(role)}>{escape_words(said)}</text>"


def rect(x: float, y: float, width: float, height: float, look: str, radius: float = 0) -> str:
    """Return a rectangle; `look` are its attributes."""
    corners = f' rx="{num(radius)}"' if radius else ""
    return f'<rect x="{num(x)}" y="{num(y)}" width="{num(width)}" height="{num(height)}"{corners} {look}/>'


def path(shape: str, width: float = 1.2, role: str = "edge", extra: str = "") -> str:
    """Return a line that is not filled."""
    return f'<path d="{shape}" fill="none" stroke-width="{num(width)}" {role_attributes(role)}{extra}/>'


def document(width: float, height: float, name: str, title: str, description: str, content: Iterable[str]) -> Svg:
    """Return a complete picture, with a title and a description for screen readers.

    `name` makes its ids differ from those of other pictures on the same page.
    """
    size = f'width="{num(width)}" height="{num(height)}" viewBox="0 0 {num(width)} {num(height)}"'
    told = f'role="img" aria-labelledby="{name}-title {name}-text"'
    described = "\n".join(escape_words(line) for line in description.split("\n"))
    body = "\n".join([rect(0, 0, width, height, role_attributes("paper")), *content])
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hedgerow" {size} {told} font-family="{FAMILY}">',
        f'<title id="{name}-title">{escape_words(title)}</title>',
        f'<desc id="{name}-text">{described}</desc>',
        make_style(body),
        body,
        "</svg>\n",
    ]
    return Svg("\n".join(lines))


def make_style(body: str) -> str:
    """Return the style of a picture for dark screens, with only the roles that occur in it."""
    dark = "".join(rule for role, rule in DARK.items() if f'class="{role}"' in body)
    return f"<style>{SCREEN}{{{dark}}}</style>"


def name_ids(title: str, content: Iterable[str]) -> str:
    """Return a reproducible name for the ids of a picture."""
    return f"hedgerow-{crc32((title + ''.join(content)).encode('utf-8', 'replace')):08x}"


def size_of(picture: str) -> tuple[float, float]:
    """Return the width and the height of a picture."""
    width, height = picture.split('viewBox="0 0 ', 1)[1].split('"', 1)[0].split()
    return float(width), float(height)


def stack_pictures(title: str, pictures: Sequence[Svg]) -> Svg:
    """Return pictures stacked vertically as one; a single picture is returned unchanged."""
    if len(pictures) == 1:
        return pictures[0]
    sizes = [size_of(picture) for picture in pictures]
    tops = [sum(height for _, height in sizes[:place]) for place in range(len(sizes) + 1)]
    content = [
        inline(picture).replace("<svg ", f'<svg y="{num(top)}" ', 1)
        for picture, top in zip(pictures, tops, strict=False)
    ]
    width = max((width for width, _ in sizes), default=0.0)
    return document(width, tops[-1], name_ids(title, content), title, f"{len(pictures)} pictures", content)


def inline(picture: str) -> str:
    """Return a picture for a page that already contains the style of all roles."""
    head, _, tail = picture.partition("<style>")
    return head.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1) + tail.partition("</style>\n")[2]


def page_style() -> str:
    """Return the style of all roles, for a page of pictures."""
    return f"{SCREEN}{{{''.join(DARK.values())}}}"
