"""What was spent on whose data, and accounts that fits are paid from."""

from __future__ import annotations

import json
import os
from typing import Any, NoReturn, Optional, Union

from . import _sotto

# For data that is nobody's: made up, or public already. Nothing is counted.
UNCOUNTED = "uncounted"


class Account:
    """A limit for everything that is released about the same people, and what was spent of it.

    Fixed beforehand it is a guarantee: whatever is chosen from what came before, all releases
    together are (ε, δ)-private (docs/proofs/ledger.md). ``Account(epsilon=…, delta=…)`` is kept by
    this process; :meth:`open` and :meth:`new` are in the ledger of a home, where other processes
    and `sotto join` spend from the same one. Copies are the same account.

    >>> import sotto
    >>> account = sotto.Account(epsilon=3, delta=1e-5)
    >>> account
    Account(epsilon=3, delta=1e-05, spent=0)
    """

    def __init__(self, *, epsilon: float, delta: float) -> None:
        self._inside = _sotto.Account.in_memory(epsilon, delta)

    @classmethod
    def _of(cls, inside: "_sotto.Account") -> "Account":
        account = cls.__new__(cls)
        account._inside = inside
        return account

    @classmethod
    def open(cls, name: str, home: Union[str, "os.PathLike[str]"] = "") -> "Account":
        """An account of the ledger in `home` (else $SOTTO_HOME, else ~/.sotto)."""
        return cls._of(_sotto.Account.open(os.fspath(home), name))

    @classmethod
    def new(cls, name: str, *, epsilon: float, delta: float,
            home: Union[str, "os.PathLike[str]"] = "") -> "Account":
        """Makes one there, as `sotto ledger new` does."""
        return cls._of(_sotto.Account.create(os.fspath(home), name, epsilon, delta))

    @property
    def name(self) -> str:
        return self._inside.name

    @property
    def delta(self) -> float:
        """At which every ε here is stated."""
        return self._inside.balance().delta

    @property
    def limit(self) -> Optional[float]:
        """The largest ε of everything together; None: the account only says what was spent."""
        return self._inside.balance().limit_epsilon

    @property
    def spent(self) -> float:
        """The ε of everything that was released, together. Rounded up."""
        return self._inside.balance().spent_epsilon

    @property
    def left(self) -> Optional[float]:
        """The ε of one more release that the limit allows. Rounded down."""
        return self._inside.balance().left_epsilon

    @property
    def releases(self) -> int:
        """How many releases count."""
        return self._inside.balance().releases

    def to_dict(self) -> dict[str, Any]:
        """As `sotto ledger --format json` prints an account."""
        return json.loads(self._inside.balance().json)

    def __repr__(self) -> str:
        balance = self._inside.balance()
        limit = "None" if balance.limit_epsilon is None else f"{balance.limit_epsilon:.6g}"
        return f"Account(epsilon={limit}, delta={balance.delta:.6g}, spent={balance.spent_epsilon:.6g})"

    # A copy that could spend the same budget once more would be no account.
    def __copy__(self) -> "Account":
        return self

    def __deepcopy__(self, memo: Any) -> "Account":
        return self

    def __reduce__(self) -> tuple:
        if not self._inside.home:
            _no_copy()
        return (Account.open, (self._inside.name, self._inside.home))


def _no_copy() -> NoReturn:
    raise TypeError("an account of this process cannot go to another one, where it could be spent "
                    "again; sotto.Account.new(name, …) makes one that processes share")


def ledger(home: Union[str, "os.PathLike[str]"] = "", run: str = "") -> dict[str, Any]:
    """Everything in a home's ledger, as `sotto ledger --format json` prints it.

    ``pandas.DataFrame(sotto.ledger()["entries"])`` is a table of what was spent.
    """
    return json.loads(_sotto.read_ledger(os.fspath(home), run))
