"""Files as people have them: what they contain, and what should be read from them, or the message of the error."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True)
class StrangerFile:
    """A file, the columns that are read from it (None is missing), parts of the notes, or a part of the error."""

    name: str
    content: bytes
    columns: dict[str, list[Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    error: str = ""
    options: dict[str, Any] = field(default_factory=dict)


def day(year: int, month: int, date: int, hour: int = 0, minute: int = 0, second: float = 0) -> float:
    """Return a moment in seconds since 1970."""
    whole = datetime(year, month, date, hour, minute, int(second), tzinfo=UTC).timestamp()
    return whole + second % 1


def column_file(name: str, words: list[str], values: list[Any], *notes: str, **options: Any) -> StrangerFile:
    """Return a file with a column `x` of these words, separated by tabs, and a column of classes."""
    lines = ["x\ty", *(f"{word}\t{'ab'[row % 2]}" for row, word in enumerate(words))]
    classes = ["ab"[row % 2] for row in range(len(words))]
    content = "\n".join(lines) + "\n"
    return StrangerFile(f"{name}.tsv", content.encode(), {"x": values, "y": classes}, notes, options=options)


def number_files() -> Iterator[StrangerFile]:
    """Yield files with numbers as people write them."""
    yield column_file("comma", ["1,5", "2", "-0,25"], [1.5, 2, -0.25], "'x': decimal comma")
    yield column_file("german", ["1.234,56", "12,5", "1.000.000"], [1234.56, 12.5, 1e6], "separated by '.'")
    yield column_file("english", ["1,234.56", "12.5", "1,000,000"], [1234.56, 12.5, 1e6], "separated by ','")
    yield column_file("french", ["1 234,56", "3,5", "12 000"], [1234.56, 3.5, 12000], "separated by blanks")
    yield column_file("no_break", ["1\u00a0234", "1\u202f234\u202f567", "5\u2009000"], [1234, 1234567, 5000])
    yield column_file("swiss", ["1'234.50", "1\u2019000", "7"], [1234.5, 1000, 7], 'separated by "\'"')
    yield column_file("indian", ["1,23,456", "12,34,567.5", "1,000"], [123456, 1234567.5, 1000])
    yield column_file("dollars", ["$5", "$1,200.50", "-$3.00"], [5, 1200.5, -3], "in '$'")
    yield column_file("euros", ["5 €", "7,50 €", "1.200,00 €"], [5, 7.5, 1200], "in '€'", "decimal comma")
    yield column_file("codes_of_currencies", ["EUR 5", "EUR 7.5", "EUR 10"], [5, 7.5, 10], "in 'EUR'")
    yield column_file("percent", ["12%", "3.5 %", "100%"], [12, 3.5, 100], "in percent")
    yield column_file("kilograms", ["12 kg", "3 kg", "7.5 kg"], [12, 3, 7.5], "in 'kg'")
    yield column_file("months", [" 36 months", " 1 month", " 60 months"], [36, 1, 60], "in 'months'")
    yield column_file("degrees", ["-3°C", "12.5 °C", "0°C"], [-3, 12.5, 0], "in '°C'")
    yield column_file("per_area", ["12 kg/m²", "3 kg/m²", "5"], [12, 3, 5], "in 'kg/m²'")
    yield column_file("parentheses", ["(12.50)", "3.25", "(1,000.00)"], [-12.5, 3.25, -1000])
    yield column_file("sign_behind", ["12.5-", "3", "7-"], [-12.5, 3, -7], "signs behind numbers")
    yield column_file("real_minus", ["\u221212.5", "3", "7"], [-12.5, 3, 7])
    yield column_file("prices", ["12,-", "5,50", "1.000,-"], [12, 5.5, 1000])
    yield column_file("units_differ", ["12 kg", "500 g", "3 kg"], ["12 kg", "500 g", "3 kg"])
    yield column_file("currencies_differ", ["$5", "€5", "£5"], ["$5", "€5", "£5"])
    yield column_file("versions", ["1.2.3", "1.2.4", "2.0.0"], ["1.2.3", "1.2.4", "2.0.0"])
    yield column_file("seats", ["12A", "13B", "14A"], ["12A", "13B", "14A"])
    yield column_file("addresses", ["192.168.0.1", "10.0.0.1", "8.8.8.8"], ["192.168.0.1", "10.0.0.1", "8.8.8.8"])
    yield column_file("thousands", ["1,234", "987", "2,340"], [1234, 987, 2340])
    yield column_file("open_commas", ["1,234", "5,678", "2,345"], [1234, 5678, 2345], "--decimal , ")
    yield column_file("asked_commas", ["1,234", "5,678", "2,345"], [1.234, 5.678, 2.345], decimal=",")
    yield column_file("digits_and_commas", ["1,234", "123456", "2,345"], [1.234, 123456, 2.345])
    yield column_file("zip", ["01234", "98765", "12345"], ["01234", "98765", "12345"], "has leading zeros")
    yield column_file("asked_zip", ["01234", "98765", "12345"], [1234, 98765, 12345], kinds={"x": "numeric"})
    yield column_file(
        "phone", ["+4930123456", "+4940987654", "+4989555555"], ["+4930123456", "+4940987654", "+4989555555"]
    )
    yield column_file("unknown", ["1.5", "unknown", "#N/A", "-"], [1.5, None, None, None], "are read as missing")
    yield column_file("none_is_a_word", ["1", "none", "2"], ["1", "none", "2"])
    ages = ["-1", "33", "45", "-1", "60", "-1"]
    yield column_file("code", ages, [float(word) for word in ages], "-1 occurs 3 times", "--missing -1")
    yield column_file("asked_code", ages, [None, 33, 45, None, 60, None], missing=["-1"])
    yield column_file("words", ["12 apples", "many", "few"], ["12 apples", "many", "few"])
    yield column_file("exponents", ["1,5e3", "2e-2", "3,0E+1"], [1500, 0.02, 30], "decimal comma")


def several_column_files() -> Iterator[StrangerFile]:
    """Yield files in which columns decide for each other, or the delimiter does."""
    yield StrangerFile(
        "by_the_other_column.csv",
        b"people;area;k\n1.234;12,5;a\n12.345;3,7;b\n5.670;2,0;a\n",
        {"people": [1234, 12345, 5670], "area": [12.5, 3.7, 2], "k": ["a", "b", "a"]},
        ("1.234 is read as 1234",),
    )
    yield StrangerFile(
        "by_the_delimiter.csv",
        b"x;k\n1,234;a\n5,678;b\n",
        {"x": [1.234, 5.678], "k": ["a", "b"]},
        ("1,234 is read as 1.234",),
    )
    yield StrangerFile(
        "a_point.csv", b"x;k\n1.234;a\n5.678;b\n", {"x": [1.234, 5.678], "k": ["a", "b"]}, ("'x': 1.234",)
    )
    yield StrangerFile(
        "quoted.csv",
        b'x,z,k\n"1,234","12,5",a\n"5,678","3,25",b\n',
        {"x": [1.234, 5.678], "z": [12.5, 3.25], "k": ["a", "b"]},
    )
    yield StrangerFile(
        "comma_without_header.csv",
        b"1,5;2,5\n3,25;4,75\n2,0;1,5\n",
        {"column1": [1.5, 3.25, 2], "column2": [2.5, 4.75, 1.5]},
    )


def date_files() -> Iterator[StrangerFile]:
    """Yield files with dates as people write them."""
    days = [day(2024, 12, 31), day(2024, 2, 1)]
    yield column_file("german_dates", ["31.12.2024", "1.2.2024"], days, "dates written as dd.MM.yyyy")
    yield column_file("british", ["31/12/2024", "01/02/2024"], days, "dd/MM/yyyy")
    yield column_file("american", ["12/31/2024", "2/1/2024"], days, "MM/dd/yyyy")
    yield column_file("compact", ["20241231", "20240201"], days, "yyyyMMdd")
    yield column_file("not_compact", ["20241231", "20240250"], [20241231, 20240250])
    yield column_file("open_dates", ["03/04/2024", "05/06/2024"], ["03/04/2024", "05/06/2024"], "--dates dmy")
    yield column_file("asked_dmy", ["03/04/2024", "05/06/2024"], [day(2024, 4, 3), day(2024, 6, 5)], dates="dmy")
    yield column_file("asked_mdy", ["03/04/2024", "05/06/2024"], [day(2024, 3, 4), day(2024, 5, 6)], dates="mdy")
    yield column_file("points", ["03.04.2024", "05.06.2024"], [day(2024, 4, 3), day(2024, 6, 5)])
    yield column_file("first_of_months", ["01/02/2024", "01/03/2024"], [day(2024, 2, 1), day(2024, 3, 1)])
    yield column_file("month_names", ["31 Dec 2024", "1 February 2024"], days)
    yield column_file("american_names", ["Dec 31, 2024", "February 1, 2024"], days)
    yield column_file("german_names", ["31. Dezember 2024", "1. Februar 2024"], days)
    yield column_file("french_names", ["31 décembre 2024", "1 févr. 2024"], days)
    yield column_file("sas_dates", ["31DEC2024", "01FEB2024"], days)
    yield column_file("oracle", ["31-DEC-24", "01-FEB-24"], days)
    yield column_file(
        "times", ["31.12.2024 14:30", "01.02.2024 00:05"], [day(2024, 12, 31, 14, 30), day(2024, 2, 1, 0, 5)]
    )
    yield column_file(
        "half_days", ["12/31/2024 2:30 PM", "2/1/2024 12:05 AM"], [day(2024, 12, 31, 14, 30), day(2024, 2, 1, 0, 5)]
    )
    yield column_file(
        "zones",
        ["2024-12-31T14:30:00+02:00", "2024-02-01T00:00:00Z"],
        [day(2024, 12, 31, 12, 30), day(2024, 2, 1)],
    )
    yield column_file("year_and_month", ["2024-12", "2024-02"], [day(2024, 12, 1), day(2024, 2, 1)])
    yield column_file("slashes", ["2024/12/31", "2024/02/01"], days)
    yield column_file("gaps", ["2024-12-31", "-", "2024-02-01"], [days[0], None, days[1]])
    yield StrangerFile(
        "dates_decide.csv",
        b"a,b,k\n03/04/2024,31/12/2024,x\n05/06/2024,01/02/2024,y\n",
        {"a": [day(2024, 4, 3), day(2024, 6, 5)], "b": days, "k": ["x", "y"]},
    )


def header_files() -> Iterator[StrangerFile]:
    """Yield files with odd headers, and with lines before the table."""
    plain = {"a": [1.5, 2.5], "b": ["x", "y"]}
    yield StrangerFile("sep.csv", b"sep=;\r\na;b\r\n1,5;x\r\n2,5;y\r\n", plain, ("'a': decimal comma",))
    yield StrangerFile("quoted_sep.csv", b'"sep=|"\na|b\n1.5|x\n2.5|y\n', plain)
    yield StrangerFile("comments.csv", b"# made by a machine\n# on a day\na,b\n1.5,x\n2.5,y\n", plain)
    yield StrangerFile("named_by_comment.tsv", b"## version 1\n#a\tb\n1.5\tx\n2.5\ty\n", plain)
    yield StrangerFile("title.csv", b"Report of the year\n\na,b\n1.5,x\n2.5,y\n", plain, ("no part of the table",))
    yield StrangerFile(
        "padded_title.csv",
        b"Report,,\nMade in May,,\na,b,c\n1.5,x,1\n2.5,y,2\n",
        {**plain, "c": [1, 2]},
        ("the first 2 lines",),
    )
    yield StrangerFile(
        "write_table.txt",
        b'"a" "b"\n"1" 1.5 "x"\n"2" 2.5 "y"\n',
        {"row": [1, 2], **plain},
        ("called 'row'",),
    )
    yield StrangerFile("end_comma.csv", b"a,b\n1.5,x,\n2.5,y,\n", plain)
    yield StrangerFile("empty_columns.csv", b"a,b,,\n1.5,x,,\n2.5,y,,\n", plain)
    yield StrangerFile("mark.csv", b"\xef\xbb\xbfa,b\n1.5,x\n2.5,y\n", plain)
    yield StrangerFile("utf16.csv", "a;b\n1,5;x\n2,5;y\n".encode("utf-16"), plain)
    yield StrangerFile(
        "orange.tab",
        b"a\tb\tid\ncontinuous\tdiscrete\tstring\n\tclass\tmeta\n1.5\tx\tp q\n2.5\ty\tr s\n",
        {**plain, "id": ["p q", "r s"]},
    )
    yield StrangerFile("orange_marks.tab", b"C#a\tcD#b\n1.5\tx\n2.5\ty\n", plain)
    yield StrangerFile(
        "numbers_as_names.csv",
        b"0,1,2,3,species\n5.1,3.5,1.4,0.2,setosa\n7.0,3.2,4.7,1.4,versicolor\n6.3,3.3,6.0,2.5,setosa\n",
        {"0": [5.1, 7, 6.3], "1": [3.5, 3.2, 3.3], "2": [1.4, 4.7, 6], "3": [0.2, 1.4, 2.5],
         "species": ["setosa", "versicolor", "setosa"]},
        ("--no-header",),
    )  # fmt: skip
    yield StrangerFile(
        "years.csv",
        b"Country,2019,2020\nFrance,67.4,67.6\nSpain,47.1,47.4\nItaly,59.7,59.4\n",
        {"Country": ["France", "Spain", "Italy"], "2019": [67.4, 47.1, 59.7], "2020": [67.6, 47.4, 59.4]},
    )
    yield StrangerFile(
        "comma_years.csv",
        b"Land;2019;2020\nFrankreich;67,4;67,6\nSpanien;47,1;47,4\n",
        {"Land": ["Frankreich", "Spanien"], "2019": [67.4, 47.1], "2020": [67.6, 47.4]},
    )


def whole_files() -> Iterator[StrangerFile]:
    """Yield files as programs and people make them, with several oddities at once."""
    bank = '"Buchungstag";"Betrag";"Waehrung"\r\n"31.05.24";"-1.234,56";"EUR"\r\n"01.06.24";"12,00";"EUR"\r\n'
    amounts = {"Buchungstag": [day(2024, 5, 31), day(2024, 6, 1)], "Betrag": [-1234.56, 12], "Waehrung": ["EUR", "EUR"]}
    yield StrangerFile("bank.csv", bank.encode("cp1252"), amounts)
    yield StrangerFile(
        "prices.csv",
        b'Date,Open,Volume,Change %\n"Mar 15, 2024","5,123.42",1.2M,-0.65%\n"Mar 14, 2024","5,150.11",2.4M,1.20%\n',
        {
            "Date": [day(2024, 3, 15), day(2024, 3, 14)],
            "Open": [5123.42, 5150.11],
            "Volume": [1.2, 2.4],
            "Change %": [-0.65, 1.2],
        },
    )
    yield StrangerFile(
        "survey.csv",
        b'Timestamp,"Income, yearly",Score\n3/15/2024 14:05:33,"$45,000",8/10\n3/16/2024 9:01:02,"$120,500",7/10\n',
        {
            "Timestamp": [day(2024, 3, 15, 14, 5, 33), day(2024, 3, 16, 9, 1, 2)],
            "Income, yearly": [45000, 120500],
            "Score": ["8/10", "7/10"],
        },
    )
    yield StrangerFile(
        "growth.tsv",
        "Land\tBIP (Mio. €)\tWachstum\nDE\t4 121 160\t−0,3 %\nFR\t2 803 100\t0,9 %\n".encode(),
        {"Land": ["DE", "FR"], "BIP (Mio. €)": [4121160, 2803100], "Wachstum": [-0.3, 0.9]},
    )
    yield StrangerFile(
        "excel.csv",
        b"Name;Datum;Wert\nA;03.04.24 10:15;1,5E+03\nB;05.06.24 11:20;2,25E-02\n",
        {
            "Name": ["A", "B"],
            "Datum": [day(2024, 4, 3, 10, 15), day(2024, 6, 5, 11, 20)],
            "Wert": [1500, 0.0225],
        },
    )
    yield StrangerFile("latin.csv", "Größe;k\n1,5;a\n".encode("cp1252"), error="--encoding latin-1")
    yield StrangerFile("twice.csv", b"a,a\n1,2\n", error="the column name 'a' occurs twice")


def packed_files() -> Iterator[StrangerFile]:
    """Yield files in containers, under names that tell the format or not."""
    plain = {"a": [1.5, 2.5], "b": ["x", "y"]}
    text = b"a,b\n1.5,x\n2.5,y\n"
    yield StrangerFile("t.csv.bz2", bz2.compress(text), plain)
    yield StrangerFile("t.csv.xz", lzma.compress(text), plain)
    yield StrangerFile("t.zip", zip_file({"folder/t.csv": text, "__MACOSX/t.csv": b"x"}), plain)
    yield StrangerFile("lines.zip", zip_file({"t.jsonl": b'{"a": 1.5, "b": "x"}\n{"a": 2.5, "b": "y"}\n'}), plain)
    yield StrangerFile("gz_named_csv.csv", gzip.compress(text), plain)
    yield StrangerFile("two.zip", zip_file({"a.csv": text, "b.csv": text}), error="a zip archive of 2 files")
    yield StrangerFile("page.csv", b"<!DOCTYPE html><html></html>", error="is a web page, not a table")
    yield StrangerFile("scan.csv", b"%PDF-1.7\n", error="is a PDF document")
    yield StrangerFile("photo.csv", b"\x89PNG\r\n\x1a\n", error="is an image")
    yield StrangerFile("cut.csv.gz", gzip.compress(text)[:-9], error="damaged gzip file")


def document_files() -> Iterator[StrangerFile]:
    """Yield JSON documents, workbooks, and files of databases and statistics programs."""
    plain = {"a": [1.5, 2.5], "b": ["x", "y"]}
    rows = [{"a": 1.5, "b": "x"}, {"a": 2.5, "b": "y"}]
    yield StrangerFile("array.json", json.dumps(rows, indent=1).encode(), plain)
    yield StrangerFile("lines.json", b'{"a": 1.5, "b": "x"}\n{"a": 2.5, "b": "y"}\n', plain)
    yield StrangerFile("wrapped.json", json.dumps({"count": 2, "rows": rows}).encode(), plain, ("key 'rows'",))
    yield StrangerFile("columns.json", json.dumps({"a": [1.5, 2.5], "b": ["x", "y"]}).encode(), plain)
    yield StrangerFile("keyed.json", b'{"a":{"0":1.5,"1":2.5},"b":{"0":"x","1":"y"}}', plain)
    nested = [{"id": {"a": 1.5, "deep": {"c": 1}}, "b": "x"}, {"id": {"a": None, "deep": {"c": 2}}, "b": "y"}]
    flat = {"id.a": [1.5, None], "id.deep.c": [1, 2], "b": ["x", "y"]}
    yield StrangerFile("nested.json", json.dumps(nested).encode(), flat)
    yield StrangerFile("nested.jsonl", "\n".join(map(json.dumps, nested)).encode(), flat)
    yield StrangerFile("mixed.json", b'[{"a": 1, "b": "x"}, {"a": "n", "b": "y"}]', {"a": ["1", "n"], "b": ["x", "y"]})
    yield StrangerFile("array.csv", json.dumps(rows).encode(), plain)
    yield StrangerFile(
        "arff.csv", b"% a\n@relation t\n@attribute a numeric\n@attribute b {x,y}\n@data\n1.5,x\n2.5,y\n", plain
    )
    yield StrangerFile("broken.json", b'[{"a": 1},', error="is not a JSON document")
    yield StrangerFile("numbers.json", b"[1, 2]", error="is not an object")
    yield StrangerFile("book.xlsx", workbook({"data": [["a", "b"], [1.5, "x"], [2.5, "y"]]}), plain)
    yield StrangerFile("book.csv", workbook({"data": [["a", "b"], ["1,5", "x"], ["2,5", "y"]]}), plain)
    two = workbook({"notes": [["read me"]], "data": [["a", "b"], [1.5, "x"], [2.5, "y"]]})
    yield StrangerFile("two.xlsx", two, plain, ("the sheet 'data' is read",))
    yield StrangerFile("asked.xlsx", two, plain, options={"sheet": "data"})
    yield StrangerFile("numbered.xlsx", two, plain, options={"sheet": 2})
    yield StrangerFile("no_such.xlsx", two, error="has no sheet 'x'", options={"sheet": "x"})
    moments = [["when", "b"], [datetime(2024, 12, 31), "x"], [datetime(2024, 2, 1, 12), "y"]]
    when = [day(2024, 12, 31), day(2024, 2, 1, 12)]
    yield StrangerFile("moments.xlsx", workbook({"data": moments}), {"when": when, "b": ["x", "y"]})
    kinds = [["n", "zip", "yes", "b"], [1.234, "01234", True, "x"], [2.345, "12345", False, "y"]]
    found = {"n": [1.234, 2.345], "zip": ["01234", "12345"], "yes": ["true", "false"], "b": ["x", "y"]}
    yield StrangerFile("kinds.xlsx", workbook({"data": kinds}), found)
    yield StrangerFile(
        "one.sqlite", database("CREATE TABLE t (a, b); INSERT INTO t VALUES (1.5, 'x'), (2.5, 'y')"), plain
    )
    tables = database("CREATE TABLE t (a, b); CREATE TABLE u (c); INSERT INTO t VALUES (1.5, 'x'), (2.5, 'y')")
    yield StrangerFile("asked.csv", tables, plain, options={"table": "t"})
    yield StrangerFile("tables.db", tables, error="holds 2 tables ('t', 'u')")
    yield StrangerFile("t.dta", statistics_file("dta"), plain)
    yield StrangerFile("t.sav", statistics_file("sav"), plain)
    yield StrangerFile("t.xpt", statistics_file("xport"), plain)


def zip_file(members: dict[str, bytes]) -> bytes:
    """Return a zip archive of some files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def workbook(sheets: dict[str, list[list[Any]]]) -> bytes:
    """Return a workbook of Excel with these sheets."""
    import openpyxl

    book, out = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(out)
    return out.getvalue()


def database(script: str) -> bytes:
    """Return an SQLite database that a script makes."""
    with sqlite3.connect(":memory:") as made:
        made.executescript(script)
        return made.serialize()


def statistics_file(kind: str) -> bytes:
    """Return a file of Stata, SPSS or SAS."""
    import pandas as pd
    import pyreadstat

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/t.{kind}"
        getattr(pyreadstat, f"write_{kind}")(pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]}), path)
        with open(path, "rb") as file:
            return file.read()


def stranger_files() -> list[StrangerFile]:
    """Return all files."""
    texts = (number_files(), several_column_files(), date_files(), header_files())
    return [file for made in (*texts, whole_files(), packed_files(), document_files()) for file in made]
