import numpy as np
import pytest

from hedgerow.data.table.dates import ISO, format_dates, parser
from hedgerow.errors import DataError


@pytest.mark.parametrize(
    ("pattern", "text", "seconds"),
    [
        ("yyyy-MM-dd", "1970-01-02", 86400),
        ("yyyy-MM-dd", "1949-01-01", -662688000),
        (ISO, "2001-09-09T01:46:40", 1e9),
        ("yyyy-MM-dd HH:mm:ss.SSS", "1970-01-01 00:00:01.500", 1.5),
        ("dd/MM/yy", "31/12/69", -86400),
        ("dd/MM/yy", "1/1/00", 946684800),
        ("d MMM yyyy", "9 Sep 2001", 999993600),
        ("MMMM d, yyyy", "september 9, 2001", 999993600),
        ("yyyyMMdd", "20010909", 999993600),
        ("yyyyMMddHHmmss", "20010909014640", 1e9),
        ("hh:mm a", "12:30 AM", 1800),
        ("hh:mm a", "01:30 pm", 48600),
        ("yyyy-MM-dd'T'HH:mm:ssZ", "2001-09-09T03:46:40+0200", 1e9),
        ("yyyy-MM-dd'T'HH:mm:ssX", "2001-09-09T01:46:40Z", 1e9),
        ("yyyy 'o''clock' HH", "1970 o'clock 01", 3600),
        ("EEE, d MMM yyyy", "Thu, 1 Jan 1970", 0),
        ("yyyy-DDD", "1970-032", 31 * 86400),
    ],
)
def test_dates_in_java_patterns_become_seconds(pattern, text, seconds):
    assert parser(pattern)(text) == seconds


@pytest.mark.parametrize("text", ["1970-13-01", "1970-02-30", "yesterday", "", "1970-01-01x", "70/1/1"])
def test_what_is_no_date_raises(text):
    with pytest.raises(ValueError, match=r"."):
        parser("yyyy-MM-dd")(text)


@pytest.mark.parametrize("text", ["24:00", "12:60", "1:2:3"])
def test_a_time_out_of_range_raises(text):
    with pytest.raises(ValueError, match=r"."):
        parser("HH:mm")(text)


@pytest.mark.parametrize(
    "pattern",
    [
        ISO,
        "yyyy-MM-dd HH:mm:ss.SSS",
        "dd MMM yyyy hh:mm:ss a",
        "EEEE d MMMM yyyy HH:mm:ss Z",
        "yyyyMMddkkmmss",
    ],
)
def test_written_dates_read_back(pattern):
    seconds = np.array([0.0, 1e9, -1e9, 951782400.0, np.nan])
    texts = format_dates(seconds, pattern)
    assert texts[-1] == ""
    assert [parser(pattern)(text) for text in texts[:-1]] == seconds[:-1].tolist()


def test_an_unknown_letter_is_named():
    with pytest.raises(DataError, match="the unknown letter 'Q'"):
        parser("yyyy-QQ")


def test_an_unclosed_quote_in_a_pattern_is_told():
    with pytest.raises(DataError, match="unclosed quote"):
        parser("yyyy-MM-dd'T")


def test_a_number_beyond_all_calendars_is_told():
    with pytest.raises(DataError, match="not a date"):
        format_dates(np.array([1e15]), ISO)
