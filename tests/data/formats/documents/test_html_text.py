"""HTML as text: what is read of it, and that no page takes long."""

import pytest

from hedgerow.data.formats.documents.html_text import text_of_html
from tests.work import count_calls


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("", ""),
        ("no tags\nat all", "no tags at all\n"),
        ("<p>one<p>two", "one\n\ntwo\n"),
        ("f<b>re</b>e <o:p>mon</o:p>ey", "free money\n"),
        ("<div>one</div>two<br>three", "one\ntwo\nthree\n"),
        ("<DIV>one<DIV><BR></DIV><DIV>two</DIV></DIV>", "one\n\ntwo\n"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</table>", "a b\nc\n"),
        ("<ul><li>one<li>two</ul>three", "one\ntwo\n\nthree\n"),
        ("a<br><br/><br />b", "a\n\nb\n"),
        ("<pre>x  y\r\n  z</pre>", "x  y\n  z\n"),
        ("Caf&eacute; &#8364;5 &amp;amp; &lt;b&gt; &unknown; &", "Café €5 &amp; <b> &unknown; &\n"),
        ("au&shy;to&nbsp;&nbsp;mat", "auto mat\n"),
        ("<title>Hi</title><style>p{a:'<b>'}</style><script>if (a<b) {x('</p>')}</script>there", "Hi\nthere\n"),
        ("<SCRIPT src='x'>never closed", ""),
        ("<!-- a < b --><!--[if mso]><p>q</p><![endif]-->x<!DOCTYPE html>y<?php z ?>", "xy\n"),
        ("x<!-- never closed <p>y", "x\n"),
        ("1 < 2 and 3 > 2 <3 < ", "1 < 2 and 3 > 2 <3 <\n"),
        ('<img alt=\'a > b\'>x<a title="<b>">y</a><a href="x>z', "xyz\n"),
        (
            "<blockquote type=cite>a<blockquote type='cite'>b</blockquote>c</blockquote>d",
            "> a\n> \n> > b\n> \n> c\n\nd\n",
        ),
        ("<blockquote>just set in</blockquote>", "just set in\n"),
        ("</blockquote></pre>a\n\nb", "a b\n"),
        ("<p>\u05e9\u05dc\u05d5\u05dd \U0001f600\x00</p>", "\u05e9\u05dc\u05d5\u05dd \U0001f600\x00\n"),
    ],
)
def test_what_is_read_of_a_page(page, text):
    assert text_of_html(page) == text


@pytest.mark.parametrize(
    "piece",
    ["<", "<a ", "<a b='", '<a b="', "<a b='\"", "<a b='x>", "<!--", "<!", "<?", "</", "<![CDATA[", "<script",
     "<script>", "<div> ", "<blockquote type=cite>", "<pre>", "<i>", "&", "&#", "<td>"],
)  # fmt: skip
def test_what_is_never_closed_takes_work_in_proportion(piece):
    """Calls are counted; within one call the pattern looks at most 4,000 characters ahead of each tag."""
    small, large = (count_calls(lambda n=n: text_of_html(piece * n)) for n in (2_000, 8_000))
    assert large < 4.2 * small + 100
    text_of_html(piece * 40_000)  # of html.parser some take minutes
