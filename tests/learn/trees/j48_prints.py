"""The trees that J48 of Weka 3.9.7 prints for the textbook sets, in hedgerow's form, weights to two decimals as there.

The unpruned ones are those of its option -U, which still folds a subtree that makes no fewer errors than a leaf.
"""

WEATHER = """
Outlook = Sunny
|   Humidity = High: No (3)
|   Humidity = Normal: Yes (2)
Outlook = Overcast: Yes (4)
Outlook = Rainy
|   Windy = False: Yes (3)
|   Windy = True: No (2)

Leaves: 5, size of the tree: 8
"""

WEATHER_NUMERIC = """
Outlook = Sunny
|   Humidity <= 75: Yes (2)
|   Humidity > 75: No (3)
Outlook = Overcast: Yes (4)
Outlook = Rainy
|   Windy = False: Yes (3)
|   Windy = True: No (2)

Leaves: 5, size of the tree: 8
"""

CONTACT_LENSES = """
Tear = Reduced: None (12)
Tear = Normal
|   Astigmatism = No: Soft (6/1)
|   Astigmatism = Yes
|   |   Spectacle = Myope: Hard (3)
|   |   Spectacle = Hypermetrope: None (3/1)

Leaves: 4, size of the tree: 7
"""

LABOR = """
wage-increase-first-year <= 2.5: bad (15.27/2.27)
wage-increase-first-year > 2.5
|   statutory-holidays <= 10: bad (10.77/4.77)
|   statutory-holidays > 10: good (30.96/1)

Leaves: 3, size of the tree: 5
"""

LABOR_UNPRUNED = """
wage-increase-first-year <= 2.5
|   education-allowance = yes
|   |   wage-increase-first-year <= 2.1
|   |   |   pension = none: bad (2.43/0.43)
|   |   |   pension = ret_allw: bad (0)
|   |   |   pension = empl_contr: good (3.16/1.5)
|   |   wage-increase-first-year > 2.1: bad (2.04/0.04)
|   education-allowance = no
|   |   contribution-to-health-plan = none: bad (3.39)
|   |   contribution-to-health-plan = half: good (0.18/0.05)
|   |   contribution-to-health-plan = full: bad (4.06)
wage-increase-first-year > 2.5
|   longterm-disability-assistance = yes
|   |   statutory-holidays <= 10
|   |   |   wage-increase-first-year <= 3: bad (2)
|   |   |   wage-increase-first-year > 3: good (3.99)
|   |   statutory-holidays > 10: good (25.67)
|   longterm-disability-assistance = no
|   |   contribution-to-health-plan = none: bad (4.07/1.07)
|   |   contribution-to-health-plan = half: bad (3.37/1.37)
|   |   contribution-to-health-plan = full: good (2.62)

Leaves: 13, size of the tree: 22
"""

IRIS = """
petalwidth <= 0.6: Iris-setosa (50)
petalwidth > 0.6
|   petalwidth <= 1.7
|   |   petallength <= 4.9: Iris-versicolor (48/1)
|   |   petallength > 4.9
|   |   |   petalwidth <= 1.5: Iris-virginica (3)
|   |   |   petalwidth > 1.5: Iris-versicolor (3/1)
|   petalwidth > 1.7: Iris-virginica (46/1)

Leaves: 5, size of the tree: 9
"""

VOTE = """
physician-fee-freeze = n: democrat (253.41/3.75)
physician-fee-freeze = y
|   synfuels-corporation-cutback = n: republican (145.71/4)
|   synfuels-corporation-cutback = y
|   |   mx-missile = n
|   |   |   adoption-of-the-budget-resolution = n: republican (22.61/3.32)
|   |   |   adoption-of-the-budget-resolution = y
|   |   |   |   anti-satellite-test-ban = n: democrat (5.04/0.02)
|   |   |   |   anti-satellite-test-ban = y: republican (2.21)
|   |   mx-missile = y: democrat (6.03/1.03)

Leaves: 6, size of the tree: 11
"""

VOTE_UNPRUNED = """
physician-fee-freeze = n
|   adoption-of-the-budget-resolution = n
|   |   synfuels-corporation-cutback = n
|   |   |   superfund-right-to-sue = n
|   |   |   |   el-salvador-aid = n
|   |   |   |   |   religious-groups-in-schools = n: republican (2.01/1)
|   |   |   |   |   religious-groups-in-schools = y: democrat (2.12/0.01)
|   |   |   |   el-salvador-aid = y: republican (2.01/1)
|   |   |   superfund-right-to-sue = y: democrat (4.21/0.08)
|   |   synfuels-corporation-cutback = y: democrat (15.3/0.07)
|   adoption-of-the-budget-resolution = y: democrat (227.75/1.57)
physician-fee-freeze = y
|   synfuels-corporation-cutback = n
|   |   education-spending = n
|   |   |   religious-groups-in-schools = n: republican (6.15/0.01)
|   |   |   religious-groups-in-schools = y
|   |   |   |   duty-free-exports = n: republican (9.27/0.58)
|   |   |   |   duty-free-exports = y
|   |   |   |   |   anti-satellite-test-ban = n: democrat (2.47/0.36)
|   |   |   |   |   anti-satellite-test-ban = y: republican (2.03)
|   |   education-spending = y: republican (125.78/1.29)
|   synfuels-corporation-cutback = y
|   |   mx-missile = n
|   |   |   adoption-of-the-budget-resolution = n
|   |   |   |   immigration = n
|   |   |   |   |   anti-satellite-test-ban = n
|   |   |   |   |   |   export-administration-act-south-africa = n
|   |   |   |   |   |   |   handicapped-infants = n: democrat (3.97/1.97)
|   |   |   |   |   |   |   handicapped-infants = y: republican (2.55/0.55)
|   |   |   |   |   |   export-administration-act-south-africa = y: republican (5.41/0.77)
|   |   |   |   |   anti-satellite-test-ban = y: republican (2.04)
|   |   |   |   immigration = y: republican (8.63)
|   |   |   adoption-of-the-budget-resolution = y
|   |   |   |   anti-satellite-test-ban = n: democrat (5.04/0.02)
|   |   |   |   anti-satellite-test-ban = y: republican (2.21)
|   |   mx-missile = y: democrat (6.03/1.03)

Leaves: 19, size of the tree: 37
"""

CREDIT_G = """
checking_status = "<0"
|   foreign_worker = yes
|   |   duration <= 11
|   |   |   existing_credits <= 1
|   |   |   |   property_magnitude = "real estate": good (8/1)
|   |   |   |   property_magnitude = "life insurance"
|   |   |   |   |   own_telephone = none: bad (2)
|   |   |   |   |   own_telephone = yes: good (4)
|   |   |   |   property_magnitude = car: good (2/1)
|   |   |   |   property_magnitude = "no known property": bad (3)
|   |   |   existing_credits > 1: good (14)
|   |   duration > 11
|   |   |   job = "unemp/unskilled non res": bad (5/1)
|   |   |   job = "unskilled resident"
|   |   |   |   purpose = "new car"
|   |   |   |   |   own_telephone = none: bad (10/2)
|   |   |   |   |   own_telephone = yes: good (2)
|   |   |   |   purpose = "used car": bad (1)
|   |   |   |   purpose = "furniture/equipment"
|   |   |   |   |   employment = unemployed: good (0)
|   |   |   |   |   employment = "<1": bad (3)
|   |   |   |   |   employment = "1<=X<4": good (4)
|   |   |   |   |   employment = "4<=X<7": good (1)
|   |   |   |   |   employment = ">=7": good (2)
|   |   |   |   purpose = "radio/tv"
|   |   |   |   |   existing_credits <= 1: bad (10/3)
|   |   |   |   |   existing_credits > 1: good (2)
|   |   |   |   purpose = "domestic appliance": bad (1)
|   |   |   |   purpose = repairs: bad (1)
|   |   |   |   purpose = education: bad (1)
|   |   |   |   purpose = vacation: bad (0)
|   |   |   |   purpose = retraining: good (1)
|   |   |   |   purpose = business: good (3)
|   |   |   |   purpose = other: good (1)
|   |   |   job = skilled
|   |   |   |   other_parties = none
|   |   |   |   |   duration <= 30
|   |   |   |   |   |   savings_status = "<100"
|   |   |   |   |   |   |   credit_history = "no credits/all paid": bad (8/1)
|   |   |   |   |   |   |   credit_history = "all paid": bad (6)
|   |   |   |   |   |   |   credit_history = "existing paid"
|   |   |   |   |   |   |   |   own_telephone = none
|   |   |   |   |   |   |   |   |   existing_credits <= 1
|   |   |   |   |   |   |   |   |   |   property_magnitude = "real estate"
|   |   |   |   |   |   |   |   |   |   |   age <= 26: bad (5)
|   |   |   |   |   |   |   |   |   |   |   age > 26: good (2)
|   |   |   |   |   |   |   |   |   |   property_magnitude = "life insurance": bad (7/2)
|   |   |   |   |   |   |   |   |   |   property_magnitude = car
|   |   |   |   |   |   |   |   |   |   |   credit_amount <= 1386: bad (3)
|   |   |   |   |   |   |   |   |   |   |   credit_amount > 1386: good (11/1)
|   |   |   |   |   |   |   |   |   |   property_magnitude = "no known property": good (2)
|   |   |   |   |   |   |   |   |   existing_credits > 1: bad (3)
|   |   |   |   |   |   |   |   own_telephone = yes: bad (5)
|   |   |   |   |   |   |   credit_history = "delayed previously": bad (4)
|   |   |   |   |   |   |   credit_history = "critical/other existing credit": good (14/4)
|   |   |   |   |   |   savings_status = "100<=X<500"
|   |   |   |   |   |   |   credit_history = "no credits/all paid": good (0)
|   |   |   |   |   |   |   credit_history = "all paid": good (1)
|   |   |   |   |   |   |   credit_history = "existing paid": bad (3)
|   |   |   |   |   |   |   credit_history = "delayed previously": good (0)
|   |   |   |   |   |   |   credit_history = "critical/other existing credit": good (2)
|   |   |   |   |   |   savings_status = "500<=X<1000": good (4/1)
|   |   |   |   |   |   savings_status = ">=1000": good (4)
|   |   |   |   |   |   savings_status = "no known savings"
|   |   |   |   |   |   |   existing_credits <= 1
|   |   |   |   |   |   |   |   own_telephone = none: bad (9/1)
|   |   |   |   |   |   |   |   own_telephone = yes: good (4/1)
|   |   |   |   |   |   |   existing_credits > 1: good (2)
|   |   |   |   |   duration > 30: bad (30/3)
|   |   |   |   other_parties = "co applicant": bad (7/1)
|   |   |   |   other_parties = guarantor: good (12/3)
|   |   |   job = "high qualif/self emp/mgmt": good (30/8)
|   foreign_worker = no: good (15/2)
checking_status = "0<=X<200"
|   credit_amount <= 9857
|   |   savings_status = "<100"
|   |   |   other_parties = none
|   |   |   |   duration <= 42
|   |   |   |   |   personal_status = "male div/sep": bad (8/2)
|   |   |   |   |   personal_status = "female div/dep/mar"
|   |   |   |   |   |   purpose = "new car": bad (5/1)
|   |   |   |   |   |   purpose = "used car": bad (1)
|   |   |   |   |   |   purpose = "furniture/equipment"
|   |   |   |   |   |   |   duration <= 10: bad (3)
|   |   |   |   |   |   |   duration > 10
|   |   |   |   |   |   |   |   duration <= 21: good (6/1)
|   |   |   |   |   |   |   |   duration > 21: bad (2)
|   |   |   |   |   |   purpose = "radio/tv": good (8/2)
|   |   |   |   |   |   purpose = "domestic appliance": good (0)
|   |   |   |   |   |   purpose = repairs: good (1)
|   |   |   |   |   |   purpose = education: good (4/2)
|   |   |   |   |   |   purpose = vacation: good (0)
|   |   |   |   |   |   purpose = retraining: good (0)
|   |   |   |   |   |   purpose = business
|   |   |   |   |   |   |   residence_since <= 2: good (3)
|   |   |   |   |   |   |   residence_since > 2: bad (2)
|   |   |   |   |   |   purpose = other: good (0)
|   |   |   |   |   personal_status = "male single": good (52/15)
|   |   |   |   |   personal_status = "male mar/wid"
|   |   |   |   |   |   duration <= 10: good (6)
|   |   |   |   |   |   duration > 10: bad (10/3)
|   |   |   |   |   personal_status = "female single": good (0)
|   |   |   |   duration > 42: bad (7)
|   |   |   other_parties = "co applicant": good (2)
|   |   |   other_parties = guarantor
|   |   |   |   purpose = "new car": bad (2)
|   |   |   |   purpose = "used car": good (0)
|   |   |   |   purpose = "furniture/equipment": good (0)
|   |   |   |   purpose = "radio/tv": good (18/1)
|   |   |   |   purpose = "domestic appliance": good (0)
|   |   |   |   purpose = repairs: good (0)
|   |   |   |   purpose = education: good (0)
|   |   |   |   purpose = vacation: good (0)
|   |   |   |   purpose = retraining: good (0)
|   |   |   |   purpose = business: good (0)
|   |   |   |   purpose = other: good (0)
|   |   savings_status = "100<=X<500"
|   |   |   purpose = "new car": bad (15/5)
|   |   |   purpose = "used car": good (3)
|   |   |   purpose = "furniture/equipment": bad (4/1)
|   |   |   purpose = "radio/tv": bad (8/2)
|   |   |   purpose = "domestic appliance": good (0)
|   |   |   purpose = repairs: good (2)
|   |   |   purpose = education: good (0)
|   |   |   purpose = vacation: good (0)
|   |   |   purpose = retraining: good (0)
|   |   |   purpose = business
|   |   |   |   housing = rent
|   |   |   |   |   existing_credits <= 1: good (2)
|   |   |   |   |   existing_credits > 1: bad (2)
|   |   |   |   housing = own: good (6)
|   |   |   |   housing = "for free": bad (1)
|   |   |   purpose = other: good (1)
|   |   savings_status = "500<=X<1000": good (11/3)
|   |   savings_status = ">=1000": good (13/3)
|   |   savings_status = "no known savings": good (41/5)
|   credit_amount > 9857: bad (20/3)
checking_status = ">=200": good (63/14)
checking_status = "no checking": good (394/46)

Leaves: 103, size of the tree: 140
"""

# Leaves and size of the pruned tree, leaves and size of the unpruned one. Glass is J48's with RI in thousandths: its
# tree changes with that unit (30 leaves from the file as it is, where values of RI are as near as 0.00001).
SIZES = {
    "anneal.orig": (46, 71, 96, 143),
    "audiology": (32, 54, 37, 62),
    "autos": (49, 69, 65, 88),
    "breast-w": (14, 27, 23, 45),
    "colic": (4, 6, 95, 129),
    "credit-a": (30, 42, 101, 135),
    "credit-g": (103, 140, 359, 466),
    "diabetes": (20, 39, 22, 43),
    "glass": (26, 51, 26, 51),
    "heart-c": (30, 51, 46, 77),
    "hepatitis": (11, 21, 16, 31),
    "lymph": (21, 34, 23, 38),
    "segment": (39, 77, 51, 101),
    "sonar": (18, 35, 18, 35),
    "soybean": (61, 93, 121, 175),
    "vehicle": (98, 195, 104, 207),
}
