"""The tables of the lecture documents, typed from their text."""

from hedgerow import Table, examples

WEATHER = """
A Sunny Hot High False No
B Sunny Hot High True No
C Overcast Hot High False Yes
D Rainy Mild High False Yes
E Rainy Cool Normal False Yes
F Rainy Cool Normal True No
G Overcast Cool Normal True Yes
H Sunny Mild High False No
I Sunny Cool Normal False Yes
J Rainy Mild Normal False Yes
K Sunny Mild Normal True Yes
L Overcast Mild High True Yes
M Overcast Hot Normal False Yes
N Rainy Mild High True No
"""

SHAPES = """
small red circle positive
large red circle positive
small red triangle negative
large blue circle negative
"""

ABC = "m b t\nm s t\ng q t\nh s t\ng q t\ng q f\ng s f\nh b f\nh q f\nm b f"


def _table(text, names, target, levels=None):
    columns = zip(*(line.split() for line in text.strip().split("\n")), strict=True)
    return Table.of(dict(zip(names, map(list, columns), strict=True)), target=target, levels=levels)


def weather():
    table = _table(WEATHER, ["ID", "Outlook", "Temp", "Humidity", "Windy", "Play"], "Play")
    return table.select(["Outlook", "Temp", "Humidity", "Windy", "Play"])


def weather_numeric():
    return examples.weather()


def loan_a():
    return examples.loan()


def loan_b():
    table = loan_a()
    rating = table.codes(4).copy()
    level = {name: code for code, name in enumerate(table.schema["Credit_Rating"].levels)}
    rating[1], rating[3] = level["excellent"], level["good"]
    return table.with_column(table.schema["Credit_Rating"], rating)


def abc():
    return _table(ABC, ["A", "B", "C"], "C")


def shapes():
    levels = {
        "Size": ["small", "medium", "large"],
        "Color": ["red", "blue", "green"],
        "Shape": ["square", "circle", "triangle"],
    }
    return _table(SHAPES, ["Size", "Color", "Shape", "Category"], "Category", levels)
