"""Reports: nested dicts of plain values with a fixed schema, and sections of blocks that three renderers draw.

Start with schema.py (the keys of every report) and blocks.py (what a section consists of). A report goes from
evaluation/build.py (a report) by evaluation/evaluation_section.py (its section, a list of blocks) and whole/sections.py
(all sections of any report) to render/text.py, render/html.py and render/markdown.py. To show more of a report, add a
block to its section; to add a kind of report, write its type, its builder and its section, and name it in whole/sections.py.

Every report has `report` (its kind), `version` (1) and, where there is something to know, `notes` (sentences).
An estimate is `{value, low, high, standard_error}`, low and high the ends of a 95 % interval; what is
undefined is NaN, in JSON null.

"data"
    rows, weight, target, missing (all missing values), missing_share, columns, classes, groups (the classes that
    pictures tell apart, if asked for: then histograms have by_class, a list a bin, and so have levels)
    columns: a list of
        name, kind, role ("target", "predictor" or "ignored"), ignored (the reason), missing, missing_share,
        distinct, and by kind
        numeric: min, median, mean, standard_deviation, max, histogram {low, high, counts} or None, and for
            dates: earliest, latest
        nominal: n_levels, ordered, levels (the most frequent: level, rows, share), others (rows of the rest)
        text: repeated, empty, mean_words, median_words, max_words, mean_bytes, max_bytes
        bag: mean_rows, max_rows
    classes: each label, rows, weight, share; empty unless the target is nominal

"evaluation"
    target, learner, parameters, method, seed, rows, tests (rows times runs), weight, runs, folds, labels
    measures: each name, title, value (an estimate), baseline (an estimate or None), difference (likewise)
    baseline: the baseline's learner, or None; verdict: one sentence comparing the two, or ""
    over_folds: measure, mean, low, high, standard_deviation, standard_error, folds; None for a single fold
    right, wrong: weights (classes only)
    by_class: each label, letter, weight, and as estimates recall, false_positive_rate, precision, f1,
        specificity, auc
    average: the same measures, weighted by class
    confusion: labels, letters, counts (rows actual, columns predicted, summed over runs)
    confusions: the largest cells off the diagonal, each actual, predicted, weight, share of the actual class
    time: train_seconds, test_seconds (mean a fold); model_size: mean, min, max, or None

"comparison"
    measure, title, larger_is_better, method, runs, folds, seed, level, base (a learner's name)
    sets: each name, and cells: each learner, value (an estimate; the mean over folds, its error corrected for shared
        training rows), standard_deviation, values (one a fold), rank, mark ("v", "*" or ""), test against the base
        (n, difference, standard_error, t, p, low, high) or None, failure (a sentence, or ""), answered, train_seconds,
        test_seconds, model_size
    learners: each name, is_base, mean, mean_ratio (to the base), mean_rank, beyond_chance and by_means (sets on which
        it is better, alike, worse; None for the base), train_seconds, test_seconds, model_size
    friedman: sets, learners, chi2, chi2_p, f, p; critical_difference (Nemenyi's); groups: lists of learners whose mean
        ranks lie closer together

"model"
    kind, target, labels, learner, parameters, rows, weight, size, text, file (where it is saved, if it is)
    of linear models also coefficients: reading, groups (each title, rows: name, coefficient, value, low, high; hidden),
        hidden_functions

"training"
    source (the data's name), data_notes (sentences), model (a "model" report), evaluation (an "evaluation"
    report, if one was made), league (a "league" report, if the learner was chosen by one)

"league"
    measure, folds, rows (tried on), all_rows, within, kept and best (names), limit (the error up to which a learner
    counts as good as the best), why (a sentence), learners (the simplest first): each name, error, standard_error, size

"full"
    source, file, target, warnings (sentences, each once), and where known data, model, evaluation, learning (a "curve"
    report or plain values), comparison (likewise), curves
    model: of rules, or of a tree with cards, also the keys of "rules"; picture (a tree as SVG, if asked for),
        picture_note
    curves: coverage (x, y: share answered and accuracy) and classes, each label, code, share, area,
        average_precision; roc, precision_recall and gains as x and y; lift (ten parts, each part, weight, positives,
        rate, lift, found, cumulative_lift); calibration (each low, high, weight, probability, rate, rate_low,
        rate_high); of numbers instead numbers (predicted, actual) and errors (low, high, counts)

"rules"
    the keys of "model" without text, and rules, n_rules, has_default, hidden, order, reading, filters, sort, cards
    rules: each number, default, rule, conditions, label, text, n, errors, support, confidence, lift, length, training
        (a tally: covered, errors, of, and the estimates coverage and precision), and with cards unseen (a tally), found
        (same, alike, columns, of) or in_model
    cards: None, or way, method, seed, told, others (a tally and rules, their number a fold), notes

"associations"
    kind ("association_rules" or "item_sets"), learner, parameters, unit ("basket" or "row"), rows, weight, n_items,
    source, and where known which ("all", "closed" or "maximal"), bound (the count down to which sets are complete),
    n_sets (None if not known), sizes (each size, sets), ended (why the search ended early, or ""), levels (each
    support, found: how the support was lowered), enough (rules that this was in search of), first (no bound was given)
    n_rules, rules: each number, rule, antecedent and consequent (lists of items), support, confidence, coverage, lift,
        leverage, conviction, count; by (the measure they stand in the order of), and what was asked of them:
        min_confidence, min_lift, antecedent, consequent
    or sets: each set, items, size, count, support
    hidden: how many are not listed; file, work, where there is one

"recommendations"
    source, file (of the rules), unit, n_rules, n_baskets, served (how many get an offer), hidden
    baskets: each number, items, and offers: each item, rule, confidence, lift

"explanations"
    kind, target, labels, learner, parameters, rows (learned from), more (rows that are not
    explained, -1 for very many)
    decisions: each row (counted from 1), target, decision, against and actual (classes or None), value (of a model
        of numbers only), probabilities (by class), silent (whether nothing of the row is known), notes (sentences),
        texts and why
        texts: each column and pieces, pairs of a text and what it adds (0 if it is not marked), and
            bytes_left_out if a long text is shown in parts
        why: way, and by that
            sum: unit, total, grounds (the strongest first) and prior: each name, column, is_term, score, other_score
                (of the class set against) and adds, their difference
            path: leaves, paths: each share, steps (each test, column, value, and instead if it is missing), says,
                counts, leaf (the probabilities); nearest (counts, fails) to the class set against, or None
            rules: told (a sentence), n_rules, covering, rules: each number, default, rule, says, tests, and vote;
                nearest (number, counts, fails) or None
            votes: rule, tally (each class, members, share), members (each member, kind, vote, says), columns (each
                column, members)
            untold: told (a sentence)

"curve"
    learner, target, over ("rows", or the name of a parameter), measure, title (of the measure), method, seed
    points: each at (the size or value asked for), label, rows (mean weight learned from), test (an estimate),
        training (the measure on the rows learned from), size (of the model, or NaN), seconds (to learn)
    best: the position of the best point

"learners"
    details (whether the text shows parameters), learners: each name, class, kind, description, notes, and
    parameters: each name, default, range, help
"""
