"""A fitted model: what every party ends with."""

from __future__ import annotations

import json
import os
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _sotto
from ._ledger import UNCOUNTED, Account
from ._study import study_of
from ._tables import table_of, tables_of


class Model:
    """Coefficients with their errors, predictions with intervals, and every other model of the same
    columns. ``Model.load("model.json")``, or what :func:`sotto.fit` returns.

    >>> model = EXAMPLE_MODEL
    >>> model.target, model.columns
    ('kwh', ['area', 'heating'])
    >>> list(model.coefficients.index)
    ['intercept', 'area', 'heating=oil']
    >>> model.predict({"area": [100, 200], "heating": ["gas", "oil"]}).shape
    (2,)
    >>> model.refit(features=["area"]).coefficients.index.tolist()
    ['intercept', 'area']
    """

    def __init__(self, inside: "_sotto.Model") -> None:
        self._inside = inside

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> "Model":
        """A model.json, of `sotto join`, `sotto simulate` or :meth:`save`."""
        return cls(_sotto.Model.read(os.fspath(path)))

    @classmethod
    def from_json(cls, text: str, name: str = "the model") -> "Model":
        return cls(_sotto.Model.parse(text, name))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._inside.write(os.fspath(path))

    @property
    def study(self) -> str:
        return self._inside.study

    @property
    def target(self) -> str:
        return self._inside.target

    @property
    def columns(self) -> list[str]:
        """Columns that predictions need."""
        return self._inside.columns

    @property
    def coefficients(self) -> Any:
        """A DataFrame: value, standard_error, low and high (95 %), t, p; NaN where the noise does
        not allow one."""
        import pandas as pd
        rows = self._inside.coefficients
        nothing = (np.nan, np.nan)
        return pd.DataFrame(
            {"value": [c.value for c in rows],
             "standard_error": [np.nan if c.standard_error is None else c.standard_error
                                for c in rows],
             "low": [(c.interval or nothing)[0] for c in rows],
             "high": [(c.interval or nothing)[1] for c in rows],
             "t": [np.nan if c.t is None else c.t for c in rows],
             "p": [np.nan if c.p is None else c.p for c in rows]},
            index=pd.Index([c.name for c in rows], name="coefficient"))

    def to_dict(self) -> dict[str, Any]:
        """The whole model file: privacy per observer, explained variance, warnings, hashes."""
        return json.loads(self._inside.json)

    def to_json(self) -> str:
        return self._inside.json

    def summary(self) -> str:
        """The summary of a regression, for a person."""
        return self._inside.text

    def predict(self, rows: Any, *, level: Optional[float] = None, party: str = "") -> Any:
        """Predictions for the rows of a DataFrame or a dictionary of columns, NaN where a feature is
        missing. With `level`, 0.95 for instance, a DataFrame with intervals, the privacy noise
        counted in: `mean` for all such rows, `row` for one of them."""
        found = self._inside.predict(table_of(rows), level, party)
        if level is None:
            return found["prediction"]
        import pandas as pd
        names = ("prediction", "unshrunk", "mean_low", "mean_high", "row_low", "row_high")
        return pd.DataFrame({name: found[name] for name in names},
                            index=getattr(rows, "index", None))

    def refit(self, *, target: str = "", features: Sequence[str] = (), without: Sequence[str] = (),
              bases: Sequence[str] = (), estimator: str = "", ridge: Optional[float] = None,
              instruments: Sequence[str] = ()) -> "Model":
        """Another model of the columns that were released: touches no data, and costs nothing."""
        return Model(self._inside.refit(target, list(features), list(without), list(bases),
                                        estimator, ridge, list(instruments)))

    def __repr__(self) -> str:
        return f"Model({self.target!r} by {', '.join(self.columns)})"

    def __reduce__(self) -> tuple:
        return (Model.from_json, (self.to_json(),))


def fit(study: Any, tables: Any, *, account: Union[Account, str, None] = None) -> Model:
    """Fits a study over tables, all parties in this process: one release of all of them.

    `tables`: a DataFrame (or dictionary of columns) for each party, in the study's order, or one
    that is dealt out to them; they stay in memory. The noise comes from the operating system, and
    `account` pays: an :class:`Account`, or ``sotto.UNCOUNTED`` for data that is nobody's.
    """
    return Model(_sotto.fit_tables(study_of(study)._inside, tables_of(tables), paid_by(account)))


def paid_by(account: Union[Account, str, None]) -> Optional["_sotto.Account"]:
    """The account inside; none for data that is nobody's. Nobody is not everybody."""
    if isinstance(account, Account):
        return account._inside
    if isinstance(account, str) and account == UNCOUNTED:
        return None
    from ._errors import BadInput
    raise BadInput("E-account-unknown", "a fit is a release, and no account counts it", "account",
                   "account=sotto.Account(epsilon=10, delta=1e-5); or account=sotto.UNCOUNTED where "
                   "the data is nobody's")
