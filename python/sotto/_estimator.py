"""scikit-learn's estimator interface over tables that several parties hold."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from . import _sotto
from ._errors import BadInput
from ._ledger import Account
from ._model import Model, paid_by
from ._study import Study
from ._tables import add_column

_TWO_FITS = ("it fits the same rows twice and compares bits; each fit is a release of its own, with "
             "noise from the operating system that nobody can repeat")

# The checks of scikit-learn's check_estimator that do not apply to a private estimator, and why.
NOT_APPLICABLE = {
    "check_fit_idempotent": _TWO_FITS,
    "check_pipeline_consistency": _TWO_FITS,
    "check_regressor_data_not_an_array": _TWO_FITS,
    "check_regressors_int": _TWO_FITS,
    "check_supervised_y_2d": _TWO_FITS,
}


class LinearRegression(RegressorMixin, BaseEstimator):
    """Linear regression with differential privacy, over one table or several that parties hold.

    Every fit is a release: it draws new noise from the operating system, and `account` pays for it.
    Privacy has no defaults, and bounds and levels are public: they never come from the data, which
    is clipped to them.

    Parameters
    ----------
    epsilon, delta : what one fit may cost.
    account : an :class:`sotto.Account`, which refuses fits beyond its limit; ``sotto.UNCOUNTED``
        for data that is nobody's. Clones, as in cross-validation, spend from the same account.
    feature_bounds : (low, high) for all columns, a pair for each, or a dictionary by name.
    target_bounds : (low, high).
    levels : the levels of each column that is a category, by name; the first one is the base.
    missing : "error", or "drop" for rows with a missing value.
    solver, topology, colluders, neighbours, estimator, weighting : as in a study (docs/STUDY.md).

    Attributes
    ----------
    coef_, intercept_ : in the columns' own units; ``coef_names_`` names the entries of `coef_`.
    model_ : the :class:`sotto.Model`, with errors, intervals and every other model of the columns.
    study_ : the :class:`sotto.Study` that was run.

    >>> import numpy as np, sotto
    >>> rng = np.random.default_rng(1)
    >>> X = rng.uniform(0, 1, (20000, 2)); y = 1 + X @ [2, 3]
    >>> account = sotto.Account(epsilon=2, delta=1e-5)
    >>> model = sotto.LinearRegression(epsilon=2, delta=1e-6, account=account,
    ...                                feature_bounds=(0, 1), target_bounds=(0, 6))
    >>> model = model.fit([(X[:9000], y[:9000]), (X[9000:], y[9000:])])
    >>> bool(np.allclose(model.coef_, [2, 3], atol=0.5)), account.releases
    (True, 1)
    >>> model.fit(X, y)
    Traceback (most recent call last):
        ...
    sotto._errors.Refused: [E-ledger-overdrawn]: ...
    """

    def __init__(self, *, epsilon: Optional[float] = None, delta: Optional[float] = None,
                 account: Union[Account, str, None] = None,
                 feature_bounds: Any = None, target_bounds: Optional[Sequence[float]] = None,
                 levels: Optional[Mapping[str, Sequence]] = None, fit_intercept: bool = True,
                 missing: str = "error", solver: str = "dishuf", topology: str = "complete",
                 colluders: int = 0, neighbours: str = "add-remove",
                 estimator: str = "noise-aware", weighting: str = "none") -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.account = account
        self.feature_bounds = feature_bounds
        self.target_bounds = target_bounds
        self.levels = levels
        self.fit_intercept = fit_intercept
        self.missing = missing
        self.solver = solver
        self.topology = topology
        self.colluders = colluders
        self.neighbours = neighbours
        self.estimator = estimator
        self.weighting = weighting

    def fit(self, X: Any, y: Any = None, groups: Any = None) -> "LinearRegression":
        """Fits one table, ``fit(X, y)``; one table whose rows `groups` deals out to parties; or a
        table for each party, ``fit([(X1, y1), (X2, y2)])``."""
        parts = self._parts(X, y, groups)
        target = str(getattr(y, "name", None) or "y")
        while target in (name for name, _ in parts[0][0]):
            target += "_"
        tables = []
        for number, (features, values) in enumerate(parts, 1):
            table = _sotto.Table(f"the table of party {number}")
            for name, column in features:
                add_column(table, name, column)
            table.add_numbers(target, values)
            tables.append(table)
        paid = paid_by(self.account)
        # One table needs a second party to be a study: it is dealt out to two, which changes
        # neither the sums nor what is promised.
        self.study_ = self._study([name for name, _ in parts[0][0]], target, max(2, len(tables)))
        self.model_ = Model(_sotto.fit_tables(self.study_._inside, tables, paid))
        values = {c.name: c.value for c in self.model_._inside.coefficients}
        self.intercept_ = values.pop("intercept", 0.0)
        self.coef_ = np.array(list(values.values()))
        self.coef_names_ = list(values)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predictions; features are clipped to their bounds, as they were when it was fitted."""
        return self._predictions(X, None)["prediction"]

    def predict_interval(self, X: Any, level: float = 0.95) -> Any:
        """Predictions with intervals, the privacy noise counted in: a DataFrame. `mean` is for the
        mean of all such rows, `row` for one of them."""
        import pandas as pd
        found = self._predictions(X, level)
        names = ("prediction", "unshrunk", "mean_low", "mean_high", "row_low", "row_high")
        return pd.DataFrame({n: found[n] for n in names}, index=getattr(X, "index", None))

    def summary(self) -> str:
        """The summary of the regression, for a person."""
        check_is_fitted(self)
        return self.model_.summary()

    def _predictions(self, X: Any, level: Optional[float]) -> dict[str, Any]:
        check_is_fitted(self)
        table = _sotto.Table("the rows to predict")
        for name, column in self._columns(X, reset=False):
            add_column(table, name, column)
        return self.model_._inside.predict(table, level, "")

    # One (columns, target) for each party.
    def _parts(self, X: Any, y: Any, groups: Any) -> list[tuple[list, np.ndarray]]:
        if y is None and _is_several(X):
            if groups is not None:
                raise ValueError("several tables are the groups; give no others")
            return [self._part(Xi, yi, reset=i == 0) for i, (Xi, yi) in enumerate(X)]
        columns, values = self._part(X, y, reset=True)
        if groups is None:
            return [(columns, values)]
        groups = column_or_1d(groups)
        check_consistent_length(values, groups)
        picks = [groups == group for group in np.unique(groups)]
        return [([(n, np.asarray(c)[pick]) for n, c in columns], values[pick]) for pick in picks]

    def _part(self, X: Any, y: Any, reset: bool) -> tuple[list, np.ndarray]:
        if y is None:
            raise ValueError("this LinearRegression estimator requires y to be passed, but the "
                             "target y is None")
        columns = self._columns(X, reset)
        finite = "allow-nan" if self.missing == "drop" else True
        values = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=np.float64,
                             force_all_finite=finite, input_name="y")
        check_consistent_length(values, *(c for _, c in columns[:1]))
        return columns, values

    # Names and columns of X, checked as scikit-learn checks them.
    def _columns(self, X: Any, reset: bool) -> list[tuple[str, Any]]:
        finite = "allow-nan" if self.missing == "drop" else True
        if not self.levels:
            X = self._validate_data(X, reset=reset, dtype=np.float64, force_all_finite=finite)
            return list(zip(self._names(), X.T))
        if not hasattr(X, "columns"):
            raise ValueError("levels are of columns with names: give a DataFrame")
        self._check_feature_names(X, reset=reset)
        self._check_n_features(X, reset=reset)
        columns = []
        for name in X.columns:
            column = X[name]
            if str(name) not in self.levels:
                column = check_array(column, ensure_2d=False, dtype=np.float64,
                                     force_all_finite=finite, input_name=str(name))
            columns.append((str(name), column))
        return columns

    def _names(self) -> list[str]:
        if hasattr(self, "feature_names_in_"):
            return [str(name) for name in self.feature_names_in_]
        return [f"x{k}" for k in range(self.n_features_in_)]

    def _study(self, names: list[str], target: str, parties: int) -> Study:
        for name in ("epsilon", "delta"):
            if getattr(self, name) is None:
                raise BadInput("E-study-missing", f"{name} has no default: nobody else chooses "
                               "somebody's privacy", "LinearRegression",
                               f"give {name}; epsilon=1, delta=1e-6 for instance")
        if self.target_bounds is None:
            raise _no_bounds("target_bounds")
        return Study({
            "study": {"name": "LinearRegression", "solver": self.solver},
            "privacy": {"epsilon": float(self.epsilon), "delta": float(self.delta),
                        "unit": "record", "neighbours": self.neighbours,
                        "colluders": self.colluders},
            "graph": {"topology": "path" if parties == 2 else self.topology, "parties": parties,
                      "weight": "metropolis"},
            "solve": {"estimator": self.estimator},
            "data": {"intercept": bool(self.fit_intercept), "missing": self.missing,
                     "weighting": self.weighting,
                     "target": {"column": target, "bounds": _pair(self.target_bounds)},
                     "feature": list(self._features(names))},
        })

    def _features(self, names: list[str]) -> Iterator[dict[str, Any]]:
        levels = self.levels or {}
        bounds = self.feature_bounds
        numbers = [name for name in names if name not in levels]
        if numbers and bounds is None:
            raise _no_bounds("feature_bounds")
        if not isinstance(bounds, Mapping) and bounds is not None:
            pairs = np.asarray(bounds, dtype=float)
            if pairs.shape == (2,):
                pairs = np.tile(pairs, (len(numbers), 1))
            if pairs.shape != (len(numbers), 2):
                raise BadInput("E-schema-bounds", f"feature_bounds has the shape {pairs.shape}",
                               "LinearRegression", f"(low, high), or {len(numbers)} such pairs")
            bounds = dict(zip(numbers, pairs.tolist()))
        for name in names:
            if name in levels:
                yield {"column": name, "levels": list(levels[name])}
            elif name in (bounds or {}):
                yield {"column": name, "bounds": _pair(bounds[name])}
            else:
                raise _no_bounds(f"feature_bounds[{name!r}]")

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": self.missing == "drop", "requires_y": True,
                "_xfail_checks": NOT_APPLICABLE}


def _is_several(X: Any) -> bool:
    return (isinstance(X, (list, tuple)) and len(X) > 0
            and all(isinstance(part, tuple) and len(part) == 2 for part in X))


def _pair(bounds: Any) -> list[float]:
    low, high = bounds
    return [float(low), float(high)]


def _no_bounds(name: str) -> BadInput:
    return BadInput("E-study-missing", f"{name} has no default: bounds are public, and bounds that "
                    "came from the data would be a release of their own", "LinearRegression",
                    f"give {name}: what is known about the columns without looking")
