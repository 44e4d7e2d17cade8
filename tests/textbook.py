"""The tables of the lecture documents, typed from their text."""

import numpy as np

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

CONTACT_LENSES = """
Young Myope No Reduced None
Young Myope No Normal Soft
Young Myope Yes Reduced None
Young Myope Yes Normal Hard
Young Hypermetrope No Reduced None
Young Hypermetrope No Normal Soft
Young Hypermetrope Yes Reduced None
Young Hypermetrope Yes Normal Hard
Pre-presbyopic Myope No Reduced None
Pre-presbyopic Myope No Normal Soft
Pre-presbyopic Myope Yes Reduced None
Pre-presbyopic Myope Yes Normal Hard
Pre-presbyopic Hypermetrope No Reduced None
Pre-presbyopic Hypermetrope No Normal Soft
Pre-presbyopic Hypermetrope Yes Reduced None
Pre-presbyopic Hypermetrope Yes Normal None
Presbyopic Myope No Reduced None
Presbyopic Myope No Normal None
Presbyopic Myope Yes Reduced None
Presbyopic Myope Yes Normal Hard
Presbyopic Hypermetrope No Reduced None
Presbyopic Hypermetrope No Normal Soft
Presbyopic Hypermetrope Yes Reduced None
Presbyopic Hypermetrope Yes Normal None
"""

BUYS_COMPUTER = """
<=30 high no fair no
<=30 high no excellent no
31...40 high no fair yes
>40 medium no fair yes
>40 low yes fair yes
>40 low yes excellent no
31...40 low yes excellent yes
<=30 medium no fair no
<=30 low yes fair yes
>40 medium yes fair yes
<=30 medium yes excellent yes
31...40 medium no excellent yes
31...40 high yes fair yes
>40 medium no excellent no
"""

RESTAURANT = """
T F F T Some $$$ F T French 0-10 T
T F F T Full $ F F Thai 30-60 F
F T F F Some $ F F Burger 0-10 T
T F T T Full $ F F Thai 10-30 T
T F T F Full $$$ F T French >60 F
F T F T Some $$ T T Italian 0-10 T
F T F F None $ T F Burger 0-10 F
F F F T Some $$ T T Thai 0-10 T
F T T F Full $ T F Burger >60 F
T T T T Full $$$ F T Italian 10-30 F
F F F F None $ F F Thai 0-10 F
T T T T Full $ F F Burger 30-60 T
"""

ABC = "m b t\nm s t\ng q t\nh s t\ng q t\ng q f\ng s f\nh b f\nh q f\nm b f"

# Quinlan's 27 sets: mean error in percent over ten cross-validations of C4.5, bagged and boosted C4.5, the
# cross-validations won and lost, the ratios of the errors.
QUINLAN27 = """
set,c45_err,bag_err,bag_wl,bag_ratio,boost_err,boost_wl,boost_ratio,bb_wl,bb_ratio
anneal,7.67,6.25,10-0,0.814,4.73,10-0,0.617,10-0,0.758
audiology,22.12,19.29,9-0,0.872,15.71,10-0,0.710,10-0,0.814
auto,17.66,19.66,2-8,1.113,15.22,9-1,0.862,9-1,0.774
breast-w,5.28,4.23,9-0,0.802,4.09,9-0,0.775,7-2,0.966
chess,8.55,8.33,6-2,0.975,4.59,10-0,0.537,10-0,0.551
colic,14.92,15.19,0-6,1.018,18.83,0-10,1.262,0-10,1.240
credit-a,14.70,14.13,8-2,0.962,15.64,1-9,1.064,0-10,1.107
credit-g,28.44,25.81,10-0,0.908,29.14,2-8,1.025,0-10,1.129
diabetes,25.39,23.63,9-1,0.931,28.18,0-10,1.110,0-10,1.192
glass,32.48,27.01,10-0,0.832,23.55,10-0,0.725,9-1,0.872
heart-c,22.94,21.52,7-2,0.938,21.39,8-0,0.932,5-4,0.994
heart-h,21.53,20.31,8-1,0.943,21.05,5-4,0.978,3-6,1.037
hepatitis,20.39,18.52,9-0,0.908,17.68,10-0,0.867,6-1,0.955
hypo,0.48,0.45,7-2,0.928,0.36,9-1,0.746,9-1,0.804
iris,4.80,5.13,2-6,1.069,6.53,0-10,1.361,0-8,1.273
labor,19.12,14.39,10-0,0.752,13.86,9-1,0.725,5-3,0.963
letter,11.99,7.51,10-0,0.626,4.66,10-0,0.389,10-0,0.621
lymphography,21.69,20.41,8-2,0.941,17.43,10-0,0.804,10-0,0.854
phoneme,19.44,18.73,10-0,0.964,16.36,10-0,0.842,10-0,0.873
segment,3.21,2.74,9-1,0.853,1.87,10-0,0.583,10-0,0.684
sick,1.34,1.22,7-1,0.907,1.05,10-0,0.781,9-1,0.861
sonar,25.62,23.80,7-1,0.929,19.62,10-0,0.766,10-0,0.824
soybean,7.73,7.58,6-3,0.981,7.16,8-2,0.926,8-1,0.944
splice,5.91,5.58,9-1,0.943,5.43,9-0,0.919,6-4,0.974
vehicle,27.09,25.54,10-0,0.943,22.72,10-0,0.839,10-0,0.889
vote,5.06,4.37,9-0,0.864,5.29,3-6,1.046,1-9,1.211
waveform,27.33,19.77,10-0,0.723,18.53,10-0,0.678,8-2,0.938
"""


def _table(text, names, target, levels=None):
    columns = zip(*(line.split() for line in text.strip().split("\n")), strict=True)
    return Table.of(dict(zip(names, map(list, columns), strict=True)), target=target, levels=levels)


def weather_with_id():
    return _table(WEATHER, ["ID", "Outlook", "Temp", "Humidity", "Windy", "Play"], "Play")


def weather():
    return weather_with_id().select(["Outlook", "Temp", "Humidity", "Windy", "Play"])


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


def contact_lenses():
    return _table(CONTACT_LENSES, ["Age", "Spectacle", "Astigmatism", "Tear", "Lenses"], "Lenses")


def buys_computer():
    names = ["age", "income", "student", "credit_rating", "buys_computer"]
    return _table(BUYS_COMPUTER, names, "buys_computer")


def restaurant():
    names = ["Alt", "Bar", "Fri", "Hun", "Pat", "Price", "Rain", "Res", "Type", "Est", "Wait"]
    return _table(RESTAURANT, names, "Wait")


def abc():
    return _table(ABC, ["A", "B", "C"], "C")


def shapes():
    levels = {
        "Size": ["small", "medium", "large"],
        "Color": ["red", "blue", "green"],
        "Shape": ["square", "circle", "triangle"],
    }
    return _table(SHAPES, ["Size", "Color", "Shape", "Category"], "Category", levels)


def quinlan27():
    """Return the published table as a dict a set."""
    header, *lines = QUINLAN27.strip().split("\n")
    return [dict(zip(header.split(","), line.split(","), strict=True)) for line in lines]


BOOTSTRAP = [  # items drawn from 1 to 8, and those left out
    ([2, 7, 8, 3, 7, 6, 3, 1], [4, 5]),
    ([7, 8, 5, 6, 4, 2, 7, 1], [3]),
    ([3, 6, 2, 7, 5, 6, 2, 2], [1, 4, 8]),
    ([4, 5, 1, 4, 6, 4, 3, 8], [2, 7]),
]

TENNIS_NAMES = ("outlook", "temperature", "humidity", "windy")
TENNIS_CODES = np.array(  # the tennis rows as numbers; the last column is 1 for play
    [
        (0, 2, 1, 0, 0), (0, 2, 1, 1, 0), (1, 2, 1, 0, 1), (2, 1, 1, 0, 1), (2, 0, 0, 0, 1), (2, 0, 0, 1, 0),
        (1, 0, 0, 1, 1), (0, 1, 1, 0, 0), (0, 0, 0, 0, 1), (2, 1, 0, 0, 1), (0, 1, 0, 1, 1), (1, 1, 1, 1, 1),
        (1, 2, 0, 0, 1), (2, 1, 1, 1, 0),
    ],
    dtype=np.float64,
)  # fmt: skip


def tennis_codes(classes=("no", "yes"), target="play", levels=None):
    """The tennis rows as numbers, with these names for 0 and 1; without names the target is a number."""
    columns = dict(zip(TENNIS_NAMES, TENNIS_CODES.T, strict=False))
    play = TENNIS_CODES[:, -1]
    if classes is None:
        return Table.of({**columns, target: play}, target)
    named = [classes[int(one)] for one in play]
    return Table.of({**columns, target: named}, target, levels={target: levels or classes})
