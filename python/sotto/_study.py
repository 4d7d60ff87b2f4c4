"""Studies, and what follows from them before any data is touched."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Iterable, Mapping, Sequence, Union

from . import _sotto

Bounds = Sequence[float]
SolverName = str


def toml_value(value: Any) -> str:
    """A Python value as TOML writes it, on one line.

    >>> toml_value({"column": "age", "bounds": [0, 100.0]})
    '{ "column" = "age", "bounds" = [0, 100.0] }'
    """
    if hasattr(value, "tolist"):
        value = value.tolist()  # of NumPy
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
        return repr(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{toml_value(str(k))} = {toml_value(v)}" for k, v in value.items())
        return "{ " + inside + " }"
    if isinstance(value, Iterable):
        return "[" + ", ".join(toml_value(v) for v in value) + "]"
    raise TypeError(f"a study has no value of type {type(value).__name__}")


def toml_text(terms: Mapping[str, Any]) -> str:
    """A dictionary of sections as the text of a study, a line for every key."""
    lines = []
    for section, keys in terms.items():
        if isinstance(keys, Mapping):
            lines += [f"[{section}]"] + [f"{key} = {toml_value(value)}" for key, value in keys.items()]
        else:
            for block in keys:  # [[party]]
                lines += [f"[[{section}]]"]
                lines += [f"{key} = {toml_value(value)}" for key, value in block.items()]
        lines.append("")
    return "\n".join(lines)


def solver_of(name: SolverName) -> _sotto.Solver:
    """The solver of this name."""
    try:
        return getattr(_sotto.Solver, name)
    except (AttributeError, TypeError):
        from ._errors import BadInput
        raise BadInput("E-solver", f"no solver is called {name!r}", "",
                       "gt, dishuf, ac or pairwise") from None


class Study:
    """What all parties agree on: privacy, graph, solver, and what the tables look like.

    A study that has been read and found good. From a file, ``Study("study.toml")``; from a
    dictionary of sections; or built up, with :meth:`over_tables` and :meth:`replace`.

    >>> import sotto
    >>> study = sotto.Study({
    ...     "study": {"name": "energy", "solver": "dishuf"},
    ...     "privacy": {"epsilon": 1.0, "delta": 1e-6, "unit": "record",
    ...                 "neighbours": "add-remove"},
    ...     "graph": {"topology": "cycle", "parties": 5, "weight": 0.3},
    ...     "data": {"target": {"column": "kwh", "bounds": [0, 20]},
    ...              "feature": [{"column": "area", "bounds": [0, 300]},
    ...                          {"column": "heating", "levels": ["gas", "oil", "heat pump"]}]},
    ... })
    >>> study
    Study('energy', solver='dishuf', parties=5, over_tables=True)
    >>> study.replace({"privacy.epsilon": 0.5}).plan().epsilon
    0.5
    """

    def __init__(self, source: Union[str, "os.PathLike[str]", Mapping[str, Any], "_sotto.Study"]):
        if isinstance(source, _sotto.Study):
            self._inside = source
        elif isinstance(source, Mapping):
            self._inside = _sotto.Study.parse(toml_text(source), "the study")
        else:
            self._inside = _sotto.Study.read(os.fspath(source))

    @classmethod
    def from_text(cls, text: str, name: str = "the study") -> "Study":
        """From the text of a study.toml; `name` stands for the file in errors."""
        return cls(_sotto.Study.parse(text, name))

    @classmethod
    def over_tables(cls, *, target: Mapping[str, Bounds],
                    features: Mapping[str, Union[Bounds, Sequence[str]]], parties: int,
                    epsilon: float, delta: float, name: str = "study", solver: SolverName = "dishuf",
                    neighbours: str = "add-remove", colluders: int = 0, topology: str = "complete",
                    intercept: bool = True, settings: Mapping[str, Any] = {}) -> "Study":
        """A study over tables from what people decide; bounds and levels are public.

        A feature is a number with its bounds, or a category with its levels. `settings` has every
        other key of docs/STUDY.md, as ``{"solve.estimator": "adassp"}``.

        >>> import sotto
        >>> sotto.Study.over_tables(target={"kwh": (0, 20)}, parties=3, epsilon=1, delta=1e-6,
        ...                         features={"area": (0, 300), "heating": ["gas", "oil"]})
        Study('study', solver='dishuf', parties=3, over_tables=True)
        """
        if len(target) != 1:
            from ._errors import BadInput
            raise BadInput("E-schema-target", f"{len(target)} targets", "target",
                           "one column with its bounds: target={'kwh': (0, 20)}")
        (column, bounds), = target.items()
        study = cls({
            "study": {"name": name, "solver": solver},
            "privacy": {"epsilon": float(epsilon), "delta": float(delta), "unit": "record",
                        "neighbours": neighbours, "colluders": colluders},
            "graph": {"topology": "path" if parties == 2 else topology, "parties": parties,
                      "weight": "metropolis"},
            "data": {"intercept": intercept,
                     "target": {"column": column, "bounds": list(bounds)},
                     "feature": [feature_terms(*each) for each in features.items()]},
        })
        return study.replace(settings) if settings else study

    def replace(self, settings: Mapping[str, Any]) -> "Study":
        """The same study with some keys set: ``{"privacy.epsilon": 0.5}``."""
        pairs = [(key, toml_value(value)) for key, value in settings.items()]
        return Study(self._inside.with_settings(pairs))

    @property
    def name(self) -> str:
        return self._inside.name

    @property
    def hash(self) -> str:
        """SHA-256 of the study's text: parties with different studies never start."""
        return self._inside.hash

    @property
    def solver(self) -> SolverName:
        return self._inside.solver.name

    @property
    def parties(self) -> int:
        return self._inside.parties

    @property
    def party_names(self) -> list[str]:
        return self._inside.party_names

    @property
    def is_over_tables(self) -> bool:
        """Whether it is over tables; otherwise its costs come from [problem]."""
        return self._inside.over_tables

    @property
    def text(self) -> str:
        """The study as a study.toml has it."""
        return self._inside.text

    def plan(self, solver: SolverName | None = None) -> "Plan":
        """What the study promises and costs; see :func:`sotto.plan`."""
        return plan(self, solver)

    def __repr__(self) -> str:
        return (f"Study({self.name!r}, solver={self.solver!r}, parties={self.parties}, "
                f"over_tables={self.is_over_tables})")

    def __reduce__(self) -> tuple:
        return (Study.from_text, (self.text, self._inside.file))


def feature_terms(column: str, values: Sequence) -> dict[str, Any]:
    """One feature of [data]: a number with bounds, or a category with levels."""
    values = list(values)
    if len(values) == 2 and not any(isinstance(v, (str, bool)) for v in values):
        return {"column": column, "bounds": values}
    return {"column": column, "levels": values}


def study_of(study: Any) -> Study:
    """`study` as a Study: it may be a path or a dictionary too."""
    return study if isinstance(study, Study) else Study(study)


class Plan:
    """What a study promises, to whom, and what it costs. ``print(plan)`` is `sotto plan`'s page."""

    def __init__(self, inside: "_sotto.Plan") -> None:
        self._inside = inside

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._inside, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(n for n in dir(self._inside) if not n.startswith("_"))]

    @property
    def solver(self) -> SolverName:
        return self._inside.solver.name

    @property
    def observers(self) -> Any:
        """Who watches, and what that teaches about one row: a DataFrame."""
        import pandas as pd
        columns = ("shift", "delta_at_epsilon", "epsilon_at_delta")
        rows = self._inside.observers
        return pd.DataFrame({c: [getattr(row, c) for row in rows] for c in columns},
                            index=pd.Index([row.name for row in rows], name="observer"))

    def to_dict(self) -> dict[str, Any]:
        """As `sotto plan --format json` prints it."""
        return json.loads(self._inside.json)

    def __str__(self) -> str:
        return self._inside.text

    def __repr__(self) -> str:
        return (f"Plan(solver={self.solver!r}, epsilon={self.epsilon!r}, delta={self.delta!r}, "
                f"sum_noise_sd={self.sum_noise_sd:.4g})")


def plan(study: Any, solver: SolverName | None = None) -> Plan:
    """What `study` promises and costs, for its own solver or another; no data is touched.

    >>> import sotto
    >>> plan = sotto.plan(EXAMPLE)
    >>> plan
    Plan(solver='dishuf', epsilon=10.0, delta=0.2, sum_noise_sd=0.7697)
    >>> list(plan.observers.index)
    ['eavesdropper', 'neighbour', 'all-neighbours']
    """
    inside = study_of(study)._inside
    return Plan(_sotto.make_plan(inside, None if solver is None else solver_of(solver)))
