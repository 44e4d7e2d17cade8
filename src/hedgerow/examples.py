"""Small textbook tables, to try things on without a file."""

from __future__ import annotations

import numpy as np

from hedgerow.data.table.table import Table

_LOAN = """
ID,Age,Has_Job,Own_House,Credit_Rating,Class
1,young,false,false,fair,No
2,young,false,false,good,No
3,young,true,false,good,Yes
4,young,true,true,fair,Yes
5,young,false,false,fair,No
6,middle,false,false,fair,No
7,middle,false,false,good,No
8,middle,true,true,good,Yes
9,middle,false,true,excellent,Yes
10,middle,false,true,excellent,Yes
11,old,false,true,excellent,Yes
12,old,false,true,good,Yes
13,old,true,false,good,Yes
14,old,true,false,excellent,Yes
15,old,false,false,fair,No
"""

_WEATHER = """
Outlook,Temperature,Humidity,Windy,Play
Sunny,85,85,False,No
Sunny,80,90,True,No
Overcast,83,86,False,Yes
Rainy,70,96,False,Yes
Rainy,68,80,False,Yes
Rainy,65,70,True,No
Overcast,64,65,True,Yes
Sunny,72,95,False,No
Sunny,69,70,False,Yes
Rainy,75,80,False,Yes
Sunny,75,70,True,Yes
Overcast,72,90,True,Yes
Overcast,81,75,False,Yes
Rainy,71,91,True,No
"""

_GROCERIES = """
bread,butter,jam
bread,butter,milk
milk,eggs
beer,crisps
bread,butter,milk,eggs
coffee,sugar,milk
bread,jam,butter,green tea
beer,crisps,nuts
milk,bread
coffee,sugar
eggs,flour,sugar,butter
bread,butter,cheese
beer,crisps,cheese
milk,eggs,flour,butter
green tea,lemons,sugar
coffee,milk,sugar
bread,cheese,apples
apples,milk,bread,butter
crisps,beer,nuts,apples
flour,eggs,milk,sugar
"""


def loan_csv() -> str:
    """Return the loan applications as CSV text."""
    return _LOAN.lstrip()


def loan() -> Table:
    """Return 15 loan applications and whether they were granted; the ID is left out of learning."""
    table = _table(_LOAN, numeric={"ID"})
    return table.with_schema(table.schema.ignoring({"ID": "identifier: all 15 values differ"}))


def weather() -> Table:
    """Return 14 days and whether somebody played outside, with numeric temperature and humidity."""
    return _table(_WEATHER, numeric={"Temperature", "Humidity"})


def groceries_csv() -> str:
    """Return the baskets as text, one line per basket."""
    return _GROCERIES.lstrip()


def groceries() -> Table:
    """Return 20 invented baskets of 15 items from a corner shop."""
    from hedgerow.data.formats.basket import basket_table

    baskets = [line.split(",") for line in _GROCERIES.strip().split("\n")]
    items: dict[str, int] = {}
    codes = [items.setdefault(item, len(items)) for basket in baskets for item in basket]
    offsets = np.cumsum([0, *map(len, baskets)], dtype=np.int64)
    return basket_table(tuple(items), offsets, np.array(codes, dtype=np.int32))


def _table(text: str, numeric: set[str]) -> Table:
    header, *rows = [line.split(",") for line in text.split()]
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    result = {n: [float(v) for v in values] if n in numeric else values for n, values in columns.items()}
    return Table.of(result, target=header[-1])
