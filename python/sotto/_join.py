"""One party takes part in a study over the network."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Optional, Union

from . import _sotto
from ._model import Model
from ._study import study_of
from ._tables import table_of


class Joined:
    """How it ended: ``run`` everybody's name for it, ``files`` of it (model.json first), ``model``,
    and ``before``, whether it had been run to its end before."""

    def __init__(self, inside: "_sotto.Joined") -> None:
        self.run: str = inside.run
        self.files: list[str] = inside.files
        self.model: Optional[Model] = None if inside.model is None else Model(inside.model)
        self.before: bool = inside.before

    def __repr__(self) -> str:
        return f"Joined(run={self.run[:12]!r}, before={self.before})"


def join(study: Any, *, party: str, data: Any = None, query: str = "",
         home: Union[str, "os.PathLike[str]"] = "", account: str = "", listen: str = "",
         out: Union[str, "os.PathLike[str]"] = "", again: bool = False,
         progress: Optional[Callable[[dict[str, Any]], None]] = None,
         agree: Optional[Callable[[dict[str, Any]], bool]] = None) -> Joined:
    """Takes part as `party`, as `sotto join` does; returns when the run is over.

    `data`: a place, as ``--data`` has it, or a DataFrame, which stays in memory. The account in the
    ledger pays; the home has the party's key (`sotto keys new`). `progress` gets each line of
    ``sotto join --progress json`` as a dictionary, `agree` the first of them, what this party
    agrees to, before the first word leaves: False declines. Ctrl-C, and whatever `progress` raises,
    leave the run, and the same call resumes it.
    """
    options = _sotto.JoinOptions()
    options.as_ = party
    if isinstance(data, (str, os.PathLike)):
        options.data = os.fspath(data)
    elif data is not None:
        options.table = table_of(data, f"the table of {party}")
    options.query = query
    options.home = os.fspath(home)
    options.account = account
    options.listen = listen
    options.out = os.fspath(out)
    options.again = again
    tell = None if progress is None else lambda line: progress(json.loads(line))
    ask = None if agree is None else lambda line: bool(agree(json.loads(line)))
    return Joined(_sotto.join(study_of(study)._inside, options, tell, ask))
