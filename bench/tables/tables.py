"""Measures the tables `boosting` and `svm` with scikit-learn, at every point
of a grid and on several splits of the data. Takes ten minutes of one core.

    python3 bench/tables/tables.py boosting >bench/tables/boosting.txt
    python3 bench/tables/tables.py svm >bench/tables/svm.txt
"""
# SPDX-License-Identifier: GPL-3.0-or-later
import itertools
import sys
import warnings

from sklearn import datasets, ensemble, metrics, model_selection, pipeline
from sklearn import preprocessing, svm

READS = 3


def print_head(about, axes, unit):
    for line in about:
        print("#", line)
    print("# Made by bench/tables/tables.py; README.md names the data.")
    print("# SPDX-License-Identifier: GPL-3.0-or-later")
    for name, kind, values in axes:
        print("param", name, kind, *values)
    print("reads", READS)
    print("unit", unit)
    print("values")


def print_rows(axes, reads):
    """reads: from a point to its READS whole numbers."""
    for point in itertools.product(*(spread(kind, v) for _, kind, v in axes)):
        print(*reads[point])


def spread(kind, values):
    """An integer axis is declared by its ends only."""
    if kind.startswith("integer"):
        return range(values[0], values[1] + 1)
    return values


BOOSTING = [
    ("learning_rate", "discrete log", [0.01, 0.03, 0.1, 0.2, 0.5, 1]),
    ("depth", "integer linear", [1, 6]),
    ("leaf", "discrete log", [1, 4, 16, 64]),
    ("features", "discrete log", [0.1, 0.3, 1]),
    ("subsample", "discrete linear", [0.3, 0.6, 1]),
    ("trees", "discrete log", [5, 10, 20, 40, 80]),
]


def boosting():
    """One training of all trees answers for every smaller number of them."""
    x, y = datasets.load_breast_cancer(return_X_y=True)
    trees = BOOSTING[-1][2]
    reads = {}
    for seed in range(READS):
        parts = model_selection.train_test_split(
            x, y, test_size=1 / 3, random_state=seed, stratify=y)
        for point in itertools.product(
                *(spread(kind, v) for _, kind, v in BOOSTING[:-1])):
            rate, depth, leaf, features, subsample = point
            model = ensemble.GradientBoostingClassifier(
                learning_rate=rate, max_depth=depth, min_samples_leaf=leaf,
                max_features=features, subsample=subsample,
                n_estimators=trees[-1], random_state=seed)
            model.fit(parts[0], parts[2])
            stages = list(model.staged_predict_proba(parts[1]))
            for n in trees:
                loss = metrics.log_loss(parts[3], stages[n - 1])
                reads.setdefault(point + (n,), []).append(round(loss * 1e4))
    print_head(["Log loss of gradient boosted trees that tell benign from "
                "malignant tumours,", f"on {READS} splits."], BOOSTING, 1e-4)
    print_rows(BOOSTING, reads)


SVM = [
    ("C", "discrete log", [1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 3, 10, 30,
                           100, 300, 1000]),
    ("gamma", "discrete log", [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2,
                               0.1, 0.3, 1]),
    ("kernel", "categorical", ["poly", "rbf", "sigmoid"]),
    ("scaling", "categorical", ["none", "range", "deviation"]),
]
SCALERS = {"none": "passthrough", "range": preprocessing.MinMaxScaler(),
           "deviation": preprocessing.StandardScaler()}


def classify():
    x, y = datasets.load_wine(return_X_y=True)
    reads = {}
    for point in itertools.product(*(v for _, _, v in SVM)):
        c, gamma, kernel, scaling = point
        for seed in range(READS):
            folds = model_selection.StratifiedKFold(
                5, shuffle=True, random_state=seed)
            model = pipeline.make_pipeline(
                SCALERS[scaling],
                svm.SVC(C=c, gamma=gamma, kernel=kernel, max_iter=20000))
            guess = model_selection.cross_val_predict(model, x, y, cv=folds)
            reads.setdefault(point, []).append(int((guess != y).sum()))
    print_head([f"Percent of {len(y)} wines that a support vector machine "
                "takes for another", f"cultivar: 5 folds, cut in {READS} "
                "ways."], SVM, f"{100 / len(y):.6g}")
    print_rows(SVM, reads)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    tables = {"boosting": boosting, "svm": classify}
    if len(sys.argv) != 2 or sys.argv[1] not in tables:
        sys.exit("usage: tables.py boosting|svm")
    tables[sys.argv[1]]()
