"""sotto: one least-squares model over data that several parties hold and none may show.

A study is planned, simulated, fitted and explained from Python as from the program, with the same
bits from the same seed. docs/PYTHON.md is the way in.

>>> import sotto
>>> account = sotto.Account(epsilon=3, delta=1e-5)
>>> sotto.LinearRegression(epsilon=1, delta=1e-6, account=account,
...                        feature_bounds=(0, 1), target_bounds=(0, 10))  # doctest: +ELLIPSIS
LinearRegression(...)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import BadInput, Error, Failed, Refused
from ._join import Joined, join
from ._ledger import UNCOUNTED, Account, ledger
from ._model import Model, fit
from ._simulate import Reproduction, Simulation, Sweep, reproduce, simulate, sweep
from ._study import Plan, Study, plan

if TYPE_CHECKING:
    from ._estimator import LinearRegression

__all__ = ["UNCOUNTED", "Account", "BadInput", "Error", "Failed", "Joined", "LinearRegression",
           "Model", "Plan", "Refused", "Reproduction", "Simulation", "Study", "Sweep", "fit", "join",
           "ledger", "plan", "reproduce", "simulate", "sweep"]


def __getattr__(name: str) -> Any:
    # scikit-learn takes a second to import, and only this needs it.
    if name == "LinearRegression":
        from ._estimator import LinearRegression
        return LinearRegression
    raise AttributeError(f"module 'sotto' has no attribute {name!r}")
