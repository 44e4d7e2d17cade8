"""The keys of every report, as types: what builders return and sections take; `docs/reports.md` says what each means.

A report is a nested dict of plain values with `report` (its kind), `version` (1) and, where there is something to know,
`notes` (sentences). What is undefined is NaN, in JSON null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

AnyReport = Mapping[str, Any]  # of any kind


class EstimateDict(TypedDict):
    """An estimate: low and high are the ends of its 95 % interval."""

    value: float
    low: float
    high: float
    standard_error: float


class ReportBase(TypedDict):
    """What every report has."""

    report: str
    version: int
    source: NotRequired[str]
    file: NotRequired[str]


class Noted(ReportBase):
    """A report with notes, as nearly all have them."""

    notes: list[str]


# -- data -----------------------------------------------------------------------------------------------------


class LevelReport(TypedDict):
    """A level of a nominal column."""

    level: str
    rows: int
    share: float
    by_class: NotRequired[list[int]]


class HistogramReport(TypedDict):
    """A histogram, and how each bar divides among the groups."""

    low: float
    high: float
    counts: list[float]
    by_class: NotRequired[list[list[float]]]


class KindReport(TypedDict, total=False):
    """What the kind of a column has to tell."""

    distinct: int
    min: float
    median: float
    mean: float
    standard_deviation: float
    max: float
    histogram: HistogramReport | None
    earliest: str
    latest: str
    n_levels: int
    ordered: bool
    levels: list[LevelReport]
    others: int
    repeated: int
    empty: int
    mean_words: float
    median_words: float
    max_words: int
    mean_bytes: float
    max_bytes: int
    mean_rows: float
    max_rows: int


class ColumnReport(KindReport):
    """A column: its kind, its role, and what the kind has to tell."""

    name: str
    kind: str
    role: str
    ignored: str
    missing: int
    missing_share: float


class ClassReport(TypedDict):
    """A class and how much of the data it is."""

    label: str
    rows: int
    weight: float
    share: float


class DataReport(Noted):
    """A table: its columns, its classes, and what looks suspicious."""

    rows: int
    weight: float
    target: str | None
    missing: int
    missing_share: float
    columns: list[ColumnReport]
    classes: list[ClassReport]
    groups: list[str]


# -- evaluation -----------------------------------------------------------------------------------------------

ClassMeasure = Literal[
    "recall", "precision", "f1", "auc", "false_positive_rate", "specificity", "mcc", "average_precision"
]


class ClassMeasures(TypedDict):
    """The measures of a class."""

    recall: EstimateDict
    precision: EstimateDict
    f1: EstimateDict
    auc: EstimateDict
    false_positive_rate: EstimateDict
    specificity: EstimateDict
    mcc: EstimateDict
    average_precision: EstimateDict


class ByClassReport(ClassMeasures):
    """A class in a test, and its measures."""

    label: str
    letter: str
    weight: float


class MeasureReport(TypedDict):
    """A measure beside the baseline's."""

    name: str
    title: str
    value: EstimateDict
    baseline: EstimateDict | None
    difference: EstimateDict | None


class AnsweredPart(TypedDict):
    """How much of the rows tested was answered."""

    weight: float
    of: float
    share: EstimateDict


class OverFolds(TypedDict):
    """How a measure differs from fold to fold."""

    measure: str
    mean: float
    low: float
    high: float
    standard_deviation: float
    standard_error: float
    folds: int


class TimePart(TypedDict):
    """Means per fold."""

    train_seconds: float
    test_seconds: float


class SizePart(TypedDict):
    """The sizes of the models of all folds."""

    mean: float
    min: int
    max: int


class ConfusionPart(TypedDict):
    """A confusion matrix: a list per actual class."""

    labels: list[str]
    letters: list[str]
    counts: list[list[float]]
    unanswered: NotRequired[list[float]]


class ConfusedPair(TypedDict):
    """A cell off the diagonal of the confusion matrix."""

    actual: str
    predicted: str
    weight: float
    share: float


class ThresholdPoint(TypedDict):
    """A way to decide for a class, and its measures; undefined if nothing reaches what is wanted."""

    name: str
    target: float | None
    wanted: bool
    threshold: float | None
    recall: float
    precision: float
    f1: float
    predicted: float
    mean_cost: float


class ThresholdClass(TypedDict):
    """A class: what the tested decisions do for it, and thresholds."""

    label: str
    weight: float
    share: float
    found: float
    predicted: float
    ranked: bool
    points: list[ThresholdPoint]


class ThresholdsPart(TypedDict):
    """Rare classes and thresholds for them."""

    decided_by: str
    costs: bool
    classes: list[ThresholdClass]


class TestedClasses(TypedDict, total=False):
    """What only tests of classes have."""

    right: float
    wrong: float
    by_class: list[ByClassReport]
    average: ClassMeasures
    confusion: ConfusionPart
    confusions: list[ConfusedPair]
    decided_by: str
    thresholds: ThresholdsPart | None


class TrainedOnPart(TypedDict):
    """How many of some rows a model was trained on."""

    share: float
    equal: float
    repeated: float
    rows: int
    same: bool
    headline: str


class EvaluationReport(Noted, TestedClasses):
    """A test of a learner or a model."""

    target: str | None
    labels: list[str]
    learner: str
    parameters: dict[str, Any]
    changed: dict[str, Any]
    method: str
    seed: int | None
    rows: int
    tests: int
    answered: AnsweredPart | None
    weight: float
    runs: int
    folds: int
    measures: list[MeasureReport]
    baseline: str | None
    trained_on: NotRequired[TrainedOnPart | None]
    verdict: str
    over_folds: OverFolds | None
    time: TimePart
    model_size: SizePart | None
    silent: int


class Points(TypedDict):
    """A line as points."""

    x: list[float]
    y: list[float]


class LiftPart(TypedDict):
    """A tenth of the rows, the most probable first."""

    part: int
    weight: float
    positives: float
    rate: float
    lift: float
    found: float
    cumulative_lift: float


class CalibrationPart(TypedDict):
    """Rows that were given a probability between `low` and `high`."""

    low: float
    high: float
    weight: float
    probability: float
    rate: float
    rate_low: float
    rate_high: float


class ClassCurves(TypedDict):
    """The curves of a class."""

    label: str
    code: int
    share: float
    area: float
    average_precision: float
    roc: Points
    precision_recall: Points
    gains: Points
    lift: list[LiftPart]
    calibration: list[CalibrationPart]


class PredictedNumbers(TypedDict):
    """Predicted numbers beside the actual ones."""

    predicted: list[float]
    actual: list[float]


class CurvesPart(TypedDict):
    """The curves of a test."""

    classes: list[ClassCurves]
    coverage: Points | None
    numbers: NotRequired[PredictedNumbers]
    errors: NotRequired[HistogramReport]


# -- rules ----------------------------------------------------------------------------------------------------


class TallyReport(TypedDict):
    """How many rows a rule covers, and how many of them are of another class."""

    covered: float
    errors: float
    of: float
    coverage: EstimateDict
    precision: EstimateDict


class OthersReport(TallyReport):
    """The rules of folds that are none of the model's."""

    rules: float


class FoundInFolds(TypedDict):
    """In how many folds a rule was found again."""

    same: int
    alike: int
    columns: int
    of: int


class RuleReport(TypedDict):
    """A rule and its figures."""

    number: int
    default: bool
    rule: str
    conditions: list[str]
    label: str | None
    text: str
    n: float
    errors: float
    support: float
    confidence: float
    lift: float
    length: int
    training: TallyReport
    unseen: NotRequired[TallyReport]
    found: NotRequired[FoundInFolds]
    in_model: NotRequired[str]


class CardsPart(TypedDict):
    """How rules were tested on unseen rows."""

    way: str
    method: str
    seed: int | None
    trained_on: NotRequired[TrainedOnPart | None]
    told: str
    others: OthersReport | None
    notes: list[str]


class RulesPart(TypedDict):
    """What reports tell of rules."""

    rules: list[RuleReport]
    n_rules: int
    has_default: bool
    hidden: int
    order: str
    reading: str
    cards: CardsPart | None


# -- models ---------------------------------------------------------------------------------------------------


class TermFigure(TypedDict):
    """A term that tells a class."""

    term: str
    value: float
    amount: NotRequired[float]


class TermsGroup(TypedDict):
    """The terms that tell a class, or a prototype of one."""

    column: str
    label: str
    prototype: NotRequired[str]
    rows: float
    terms: list[TermFigure]


class TermsColumn(TypedDict):
    """A column of texts, and its terms."""

    column: str
    terms: int
    texts: float
    event: str


class TermsPart(TypedDict):
    """The terms that tell the classes."""

    measure: str
    most: int | None
    columns: list[TermsColumn]
    groups: list[TermsGroup]


class HasTerms(TypedDict, total=False):
    """The part of a model's report on its terms, if it has any."""

    terms: TermsPart


class CoefficientRow(TypedDict):
    """A coefficient, and its value times the standard deviation of its column."""

    name: str
    coefficient: float
    value: float
    low: float
    high: float


class CoefficientGroup(TypedDict):
    """The coefficients of a function."""

    title: str
    rows: list[CoefficientRow]
    hidden: int


class CoefficientsPart(TypedDict):
    """The coefficients of all functions of a linear model."""

    reading: str
    groups: list[CoefficientGroup]
    hidden_functions: int
    functions: NotRequired[str]


class HasCoefficients(TypedDict, total=False):
    """The part of a model's report on its coefficients, if it has any."""

    coefficients: CoefficientsPart


class PicturePart(TypedDict, total=False):
    """A tree drawn, for a page."""

    picture: str
    picture_note: str


class TrainedModelPart(TypedDict):
    """How a model was trained: its kind, its target, the learner with its parameters, and the training rows."""

    kind: str
    target: str | None
    labels: list[str]
    learner: str
    parameters: dict[str, Any]
    changed: dict[str, Any]
    rows: int
    weight: float
    size: int | None


class ModelReport(TrainedModelPart, Noted, HasTerms, HasCoefficients, PicturePart):
    """A model: what it is, how it came about, how it prints; of rules also the keys of `RulesPart`."""

    text: str
    outline: NotRequired[str]
    only_terms: NotRequired[bool]
    cards: NotRequired[CardsPart | None]
    rules: NotRequired[list[RuleReport]]
    n_rules: NotRequired[int]
    has_default: NotRequired[bool]
    hidden: NotRequired[int]
    order: NotRequired[str]
    reading: NotRequired[str]


class RulesReport(TrainedModelPart, Noted, RulesPart, HasTerms, HasCoefficients):
    """The rules of a model, or their cards."""

    filters: list[str]
    sort: str | None


class CandidateReport(TypedDict):
    """A candidate of a model selection."""

    name: str
    loss: float
    standard_error: float
    difference: float
    difference_error: float
    auc: float
    error: float
    size: float
    rows: int
    training_rows: int


class ProcedureReport(TypedDict):
    """The test of a whole model selection: chosen again inside each fold, and tested on the rows of the fold."""

    folds: int
    loss: float
    error: float | None
    chosen: dict[str, int]


class SelectionReport(Noted):
    """The candidates of a model selection, the simplest first, and the chosen one."""

    criterion: str
    measure: str
    folds: int
    rows: int
    tested_rows: int
    within: float
    margin: float
    chosen: str
    best: str
    reason: str
    candidates: list[CandidateReport]
    yardstick: CandidateReport | None
    procedure: ProcedureReport | None


class TrainingDataReport(TypedDict):
    """The rows and columns of a training table, and its target: classes, or the range of a number.

    `weight` is the total weight of rows whose weights differ.
    """

    rows: int
    columns: int
    left_out: int
    weight: NotRequired[float]
    classes: list[ClassReport]
    mean: NotRequired[float]
    low: NotRequired[float]
    high: NotRequired[float]
    notes: list[str]


class TrainingReport(ReportBase):
    """What `hedgerow train` prints."""

    model: ModelReport
    trained_on: NotRequired[TrainingDataReport]
    data_notes: list[str]
    evaluation: NotRequired[EvaluationReport]
    selection: NotRequired[SelectionReport]
    work: NotRequired[str]


class ParameterReport(TypedDict):
    """A parameter of a learner."""

    name: str
    default: Any
    range: str
    help: str


LearnerReport = TypedDict(
    "LearnerReport",
    {"name": str, "class": str, "kind": str, "description": str, "notes": str, "parameters": list[ParameterReport]},
)


class LearnersReport(ReportBase):
    """The learners that there are."""

    details: bool
    learners: list[LearnerReport]


# -- associations ---------------------------------------------------------------------------------------------


class SizeReport(TypedDict):
    """How many item sets have so many items."""

    size: int
    sets: int


class LevelFound(TypedDict):
    """What was found at a support."""

    support: float
    found: int


class AssociationReport(TypedDict):
    """An association rule."""

    number: int
    rule: str
    antecedent: list[str]
    consequent: list[str]
    support: float
    confidence: float
    coverage: float
    lift: float
    leverage: float
    conviction: float
    count: float


class FoundSet(TypedDict):
    """An item set."""

    set: str
    items: list[str]
    size: int
    count: float
    support: float


class SearchedPart(Noted):
    """Which rows were searched, and how."""

    kind: str
    learner: str
    parameters: dict[str, Any]
    changed: dict[str, Any]
    unit: str
    rows: int
    weight: float
    n_items: int


class SetsPart(TypedDict, total=False):
    """The item sets that were found."""

    which: str
    bound: float
    n_sets: int | None
    sizes: list[SizeReport]
    ended: str


class LookPart(TypedDict, total=False):
    """How the support was lowered."""

    levels: list[LevelFound]
    enough: int | None
    first: bool


class AssociationsReport(SearchedPart, SetsPart, LookPart):
    """Item sets or association rules."""

    hidden: int
    sets: NotRequired[list[FoundSet]]
    rules: NotRequired[list[AssociationReport]]
    n_rules: NotRequired[int]
    by: NotRequired[str | None]
    min_confidence: NotRequired[float | None]
    min_lift: NotRequired[float | None]
    antecedent: NotRequired[Any]
    consequent: NotRequired[Any]
    work: NotRequired[str]


class OfferReport(TypedDict):
    """An item that a rule offers."""

    item: str
    rule: str
    confidence: float
    lift: float


class BasketReport(TypedDict):
    """A basket, and what rules offer beside it."""

    number: int
    items: str
    offers: list[OfferReport]


class RecommendationsReport(Noted):
    """What rules offer beside baskets."""

    unit: str
    n_rules: int
    n_baskets: int
    served: int
    baskets: list[BasketReport]
    hidden: int


# -- clusters -------------------------------------------------------------------------------------------------


class ClusterReport(TypedDict):
    """The figures of a cluster."""

    cluster: str
    rows: float
    sum_of_squares: float
    silhouette: float


class FiguresPart(TypedDict):
    """How good clusters are."""

    clusters: list[ClusterReport]
    sum_of_squares: float
    total_sum_of_squares: float
    explained: float
    silhouette: float
    silhouette_rows: int | None
    category_utility: float


class ApartReport(TypedDict):
    """What sets a cluster apart."""

    text: str
    column: str
    level: str | None
    inside: float
    others: float
    effect: float


class ProfileReport(TypedDict):
    """What a cluster is like."""

    cluster: str
    rows: float
    share: float
    typical: list[str]
    apart: list[ApartReport]


class AgainstPart(TypedDict):
    """How far clusters and given classes agree."""

    target: str
    classes: list[str]
    table: list[list[float]]
    majority: list[str | None]
    matched: list[str | None]
    majority_error: float
    matched_error: float
    adjusted_rand: float
    mutual_information: float


class DescriptionPart(TypedDict):
    """Clusters in words: a model that tells them apart."""

    model: ModelReport
    agreed: float
    weight: float
    error: float


class PageParts(TypedDict, total=False):
    """What the report on clusters has for pages: pictures, and a description that is drawn."""

    description: DescriptionPart
    picture: str
    dendrogram: str


class ClustersReport(Noted, PageParts):
    """Clusters: the model, what each is like, figures, given classes, and a description."""

    model: ModelReport
    profiles: NotRequired[list[ProfileReport]]
    figures: NotRequired[FiguresPart]
    against: NotRequired[AgainstPart]
    work: NotRequired[str]


# -- curves and comparisons -----------------------------------------------------------------------------------


class PointReport(TypedDict):
    """A point of a curve."""

    at: Any
    label: str
    rows: float
    test: EstimateDict
    training: float
    size: float
    seconds: float


class CurveReport(Noted):
    """A learning curve, or a curve over a parameter."""

    learner: str
    target: str | None
    over: str
    measure: str
    title: str
    method: str
    seed: int
    points: list[PointReport]
    best: int


class PlainSeries(TypedDict):
    """A line of a curve."""

    name: str
    y: list[float]
    low: NotRequired[list[float]]
    high: NotRequired[list[float]]


class PlainCurve(TypedDict):
    """A curve as plain values."""

    x: list[float]
    series: list[PlainSeries]
    title: NotRequired[str]
    x_title: NotRequired[str]
    y_title: NotRequired[str]
    names: NotRequired[Sequence[str]]


class CurveValues(TypedDict):
    """A curve as plain values, all of which are there."""

    x: list[float]
    series: list[PlainSeries]
    title: str
    x_title: str
    y_title: str
    names: Sequence[str]


class ComparisonTest(TypedDict):
    """A learner tested against the base."""

    n: int
    difference: float
    standard_error: float
    t: float
    p: float
    low: float
    high: float


class ComparedCell(TypedDict):
    """A learner on a data set."""

    learner: str
    value: EstimateDict
    standard_deviation: float
    values: list[float]
    rank: float
    mark: str
    test: ComparisonTest | None
    failure: str
    answered: float
    train_seconds: float
    test_seconds: float
    model_size: float


class ComparedSet(TypedDict):
    """A data set, and all learners on it."""

    name: str
    cells: list[ComparedCell]


class LearnerRecord(TypedDict):
    """On how many data sets a learner is better than the base, alike, worse."""

    better: int
    alike: int
    worse: int


class ComparedLearner(TypedDict):
    """A learner over all data sets."""

    name: str
    is_base: bool
    mean: float
    mean_ratio: float
    mean_rank: float
    beyond_chance: LearnerRecord | None
    by_means: LearnerRecord | None
    train_seconds: float
    test_seconds: float
    model_size: float


class FriedmanPart(TypedDict):
    """Friedman's test."""

    sets: int
    learners: int
    chi2: float
    chi2_p: float
    f: float
    p: float


class ComparisonReport(Noted):
    """Learners beside the base, on one data set or several."""

    measure: str
    title: str
    larger_is_better: bool
    method: str
    runs: int
    folds: int
    seed: int
    level: float
    base: str
    sets: list[ComparedSet]
    learners: list[ComparedLearner]
    friedman: FriedmanPart
    critical_difference: float
    groups: list[list[str]]


class PlainLearner(TypedDict):
    """A learner of a comparison as plain values."""

    name: str
    value: float
    low: NotRequired[float]
    high: NotRequired[float]
    mark: NotRequired[str]


class PlainSet(TypedDict):
    """A data set of a comparison as plain values."""

    name: str
    learners: list[PlainLearner]


class PlainComparison(TypedDict):
    """A comparison on one data set as plain values."""

    learners: list[PlainLearner]
    set: NotRequired[str]
    base: NotRequired[str]
    title: NotRequired[str]
    measure: NotRequired[str]


# -- decisions ------------------------------------------------------------------------------------------------


class TextReport(TypedDict):
    """A text: pieces, and what each adds."""

    column: str
    pieces: list[tuple[str, float]]
    bytes_left_out: NotRequired[int]


class ComparedRow(TypedDict):
    """A row that is compared: its values."""

    values: list[str]


class ComparedPart(TypedDict):
    """The columns in which rows are compared, and the values of the row itself."""

    columns: list[str]
    differs: list[float]
    values: list[str]
    more_columns: int


class NeighborReport(ComparedRow):
    """A training row near the row."""

    row: int
    says: str
    distance: float


class NeighborsPart(ComparedPart):
    """The training rows nearest to the row."""

    k: int
    rows: list[NeighborReport]


class GroundReport(TypedDict):
    """What adds to a decision."""

    name: str
    column: str
    is_term: bool
    score: float
    other_score: float | None
    adds: float
    prior: bool


class WhySum(TypedDict):
    """A decision that is a sum."""

    way: str
    unit: str
    total: float
    grounds: list[GroundReport]
    prior: list[GroundReport]


class TestReport(TypedDict):
    """A test that the row met or failed."""

    test: str
    column: str
    value: str
    instead: NotRequired[str | None]


class NearestReport(TypedDict):
    """What comes nearest to saying the other class."""

    counts: str
    fails: list[TestReport]
    number: NotRequired[int]


class PathReport(TypedDict):
    """A way down a tree."""

    share: float
    steps: list[TestReport]
    says: str
    counts: str
    leaf: dict[str, float]
    what: NotRequired[str]


class WhyPath(TypedDict):
    """A decision of a tree."""

    way: str
    leaves: int
    paths: list[PathReport]
    nearest: NotRequired[NearestReport | None]


class RuleReason(TypedDict):
    """A rule that covers the row."""

    number: int
    default: bool
    rule: str
    says: str
    tests: list[TestReport]
    vote: NotRequired[float]


class WhyRules(TypedDict):
    """A decision of rules."""

    way: str
    told: str
    n_rules: int
    covering: int
    rules: list[RuleReason]
    nearest: NotRequired[NearestReport | None]


MemberTally = TypedDict("MemberTally", {"class": str, "members": int, "share": float})


class MemberReport(TypedDict):
    """A member of a committee."""

    member: int
    kind: str
    vote: float | None
    says: str | None


class MembersColumn(TypedDict):
    """A column, and how many members look at it."""

    column: str
    members: int


class WhyVotes(TypedDict):
    """A decision of a committee."""

    way: str
    rule: str
    tally: list[MemberTally]
    members: list[MemberReport]
    columns: list[MembersColumn]


class SideReport(TypedDict):
    """The support vectors of a side."""

    vectors: int
    adds: float


SidesPart = TypedDict("SidesPart", {"for": SideReport, "against": SideReport})
VectorReport = TypedDict(
    "VectorReport",
    {"row": int, "class": str, "adds": float, "kernel": float, "distance": float | None, "values": list[str]},
)


class WhySupport(ComparedPart):
    """A decision of a kernel machine."""

    way: str
    unit: str
    kernel: str
    vectors: int
    total: float
    intercept: float
    sides: SidesPart
    strongest: list[VectorReport]
    nearest: list[VectorReport]


InstanceTally = TypedDict("InstanceTally", {"class": str, "instances": int, "share": float})


class InstanceReport(TypedDict):
    """An instance of a bag."""

    instance: int
    says: str | None
    adds: float
    probabilities: dict[str, float]
    values: list[str]


class WhyUntold(TypedDict):
    """A decision that the model cannot explain."""

    way: str
    told: str


class DecidedPart(TypedDict):
    """What is decided, and against what."""

    target: str
    decision: str | None
    against: str | None
    probabilities: dict[str, float]
    value: NotRequired[float]


class StrongestInstance(DecidedPart):
    """The instance that speaks most for the decision on its bag, and why."""

    instance: int
    why: Why


class WhyInstances(TypedDict):
    """A decision on a bag."""

    way: str
    rule: str
    size: int
    tally: list[InstanceTally]
    columns: list[str]
    instances: list[InstanceReport]
    total: float
    strongest: StrongestInstance | None


Why = WhySum | WhyPath | WhyRules | WhyVotes | WhySupport | WhyInstances | WhyUntold


class DecisionReport(DecidedPart):
    """A decision on a row."""

    row: int | None
    file: NotRequired[str]
    bag: NotRequired[str]
    actual: str | None
    silent: bool
    notes: list[str]
    texts: list[TextReport]
    neighbors: NotRequired[NeighborsPart]
    why: Why


class ExplanationsReport(Noted):
    """Decisions of a model, and what they rest on."""

    kind: str
    target: str | None
    labels: list[str]
    learner: str
    parameters: dict[str, Any]
    rows: int
    more: int
    decisions: list[DecisionReport]


# -- all in one -----------------------------------------------------------------------------------------------


class FullReport(ReportBase):
    """A model with its data, its test, and curves."""

    target: str | None
    model: ModelReport
    warnings: list[str]
    data: NotRequired[DataReport]
    evaluation: NotRequired[EvaluationReport]
    curves: NotRequired[CurvesPart]
    learning: NotRequired[CurveReport | PlainCurve]
    comparison: NotRequired[ComparisonReport | PlainComparison]


# The report of each kind.
REPORTS: dict[str, type] = {
    "data": DataReport,
    "evaluation": EvaluationReport,
    "model": ModelReport,
    "selection": SelectionReport,
    "training": TrainingReport,
    "full": FullReport,
    "curve": CurveReport,
    "comparison": ComparisonReport,
    "rules": RulesReport,
    "associations": AssociationsReport,
    "recommendations": RecommendationsReport,
    "explanations": ExplanationsReport,
    "clusters": ClustersReport,
    "learners": LearnersReport,
}
