"""All parties of a study in one process, and the paper's figures."""

from __future__ import annotations

import json
from typing import Any, Callable, Iterable, Mapping, Optional, Union

import numpy as np

from . import _sotto
from ._study import SolverName, solver_of, study_of, toml_value

Progress = Optional[Callable[[int, int], None]]


class Simulation:
    """Trials of one study: arrays over (solver, trial).

    ``solvers``  their names, in the arrays' order; ``x_star``  the solution without noise, (m,);
    ``squared_error``  (1/n)·Σᵢ‖xᵢ − x*‖², (solvers, trials); ``x``  the first party's,
    (solvers, trials, m); ``refused``  solvers that cannot do it, and why.
    """

    def __init__(self, found: Mapping[str, Any], seed: int) -> None:
        self.seed = seed
        self.solvers: list[SolverName] = [row["solver"] for row in found["summary"]]
        self.x_star: np.ndarray = found["x_star"]
        self.squared_error: np.ndarray = found["squared_error"]
        self.x: np.ndarray = found["x"]
        self.refused: dict[SolverName, str] = found["refused"]
        self._summary = found["summary"]
        self._json: str = found["json"]

    @property
    def summary(self) -> Any:
        """Mean, median and quartiles of the squared errors: a DataFrame, a row for each solver."""
        import pandas as pd
        return pd.DataFrame(self._summary).set_index("solver")

    def to_dict(self) -> dict[str, Any]:
        """As `sotto simulate --format json` prints it; only of `simulate(…, json=True)`."""
        if not self._json:
            raise ValueError("simulate(…, json=True) keeps what to_dict() shows")
        return json.loads(self._json)

    def __repr__(self) -> str:
        return (f"Simulation(solvers={self.solvers}, trials={self.squared_error.shape[1]}, "
                f"seed={self.seed})")


def names_of(solvers: Union[None, SolverName, Iterable[SolverName]]) -> list["_sotto.Solver"]:
    """One solver, several, or none: the study's own."""
    if solvers is None:
        return []
    return [solver_of(name) for name in ([solvers] if isinstance(solvers, str) else solvers)]


def simulate(study: Any, *, solvers: Union[None, SolverName, Iterable[SolverName]] = None,
             seed: int = 1, trials: int = 1, threads: int = 0, json: bool = False,
             progress: Progress = None) -> Simulation:
    """Simulates a study that brings its own [problem]: same seed, same bits as the program.

    `progress(done, all)` is called by this thread; what it raises, and Ctrl-C, end the simulation.
    Other threads of Python go on meanwhile. `threads`: 0 is one for each core.

    >>> import sotto
    >>> found = sotto.simulate(EXAMPLE, solvers=["ac", "dishuf"], trials=100, seed=1)
    >>> found
    Simulation(solvers=['ac', 'dishuf'], trials=100, seed=1)
    >>> found.squared_error.shape, found.x.shape
    ((2, 100), (2, 100, 3))
    >>> bool(found.summary.loc["dishuf", "median"] < found.summary.loc["ac", "median"])
    True
    """
    found = _sotto.simulate(study_of(study)._inside, names_of(solvers), seed, trials, threads, json,
                            progress)
    return Simulation(found, seed)


class Sweep:
    """A study in many settings: ``points`` as `sotto simulate --set … --format json` prints them."""

    def __init__(self, found: Mapping[str, Any], values: Mapping[str, Mapping[str, Any]]) -> None:
        self._found = found
        self._values = values  # of each key, by how TOML writes them

    @property
    def points(self) -> list[dict[str, Any]]:
        return self._found["points"]

    def to_dict(self) -> dict[str, Any]:
        return dict(self._found)

    @property
    def frame(self) -> Any:
        """A DataFrame, a row for each setting and solver, with the summary of its squared errors."""
        import pandas as pd
        rows = []
        for point in self.points:
            row = {key: values[point["settings"][key]] for key, values in self._values.items()}
            row["solver"] = point["solver"]
            row.update(point.get("summary") or {})
            row["error"] = (point.get("error") or {}).get("name")
            rows.append(row)
        return pd.DataFrame(rows)

    def squared_errors(self, point: int) -> np.ndarray:
        """Of every trial of a point."""
        return np.asarray(self.points[point]["squared_errors"], dtype=float)


def sweep(study: Any, settings: Mapping[str, Iterable[Any]], *,
          solvers: Union[None, SolverName, Iterable[SolverName]] = None, seed: int = 1,
          trials: int = 1, threads: int = 0, independent: bool = False, folder: str = "",
          progress: Progress = None) -> Sweep:
    """Simulates a study in all combinations of `settings`, each with every solver.

    >>> import sotto
    >>> found = sotto.sweep(EXAMPLE, {"privacy.epsilon": [1, 10]}, trials=10)
    >>> found.frame[["privacy.epsilon", "solver"]].values.tolist()
    [[1, 'dishuf'], [10, 'dishuf']]
    """
    values = {key: {toml_value(v): v for v in tried} for key, tried in settings.items()}
    keys = [(key, list(tried)) for key, tried in values.items()]
    text = _sotto.sweep(study_of(study)._inside, keys, names_of(solvers), seed, trials, threads,
                        independent, folder, progress)
    return Sweep(json.loads(text), values)


class Reproduction:
    """What was measured beside what the paper claims: ``print()`` it."""

    def __init__(self, text: str, found: Mapping[str, Any]) -> None:
        self.text = text
        self._found = found

    def to_dict(self) -> dict[str, Any]:
        return dict(self._found)

    def __str__(self) -> str:
        return self.text


def reproduce(figure: str = "all", *, folder: str = "out/paper", seed: int = 1,
              independent: bool = False, progress: Progress = None) -> Reproduction:
    """The paper's case studies, "fig1", "fig2", "fig3" or "all": CSV, SVG and one HTML page."""
    text, found = _sotto.reproduce(figure, folder, seed, independent, progress)
    return Reproduction(text, json.loads(found))
