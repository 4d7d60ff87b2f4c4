"""The compiled half of sotto."""

from typing import Any, Callable, Optional, Sequence

import numpy as np

class Solver:
    gt: Solver
    dishuf: Solver
    ac: Solver
    pairwise: Solver
    @property
    def name(self) -> str: ...

class Study:
    @staticmethod
    def read(path: str, /) -> Study: ...
    @staticmethod
    def parse(text: str, name: str, /) -> Study: ...
    def with_settings(self, settings: Sequence[tuple[str, str]], /) -> Study: ...
    @property
    def name(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def solver(self) -> Solver: ...
    @property
    def parties(self) -> int: ...
    @property
    def party_names(self) -> list[str]: ...
    @property
    def over_tables(self) -> bool: ...
    @property
    def text(self) -> str: ...
    @property
    def file(self) -> str: ...

class Observer:
    name: str
    shift: float
    delta_at_epsilon: float
    epsilon_at_delta: float

class Plan:
    solver: Solver
    epsilon: float
    delta: float
    sensitivity: float
    sum_noise_sd: float
    central_ratio: float
    observers: list[Observer]
    rounds: Optional[int]
    messages: int
    bytes: int
    warnings: list[str]
    text: str
    json: str

class Table:
    def __init__(self, name: str, /) -> None: ...
    def add_numbers(self, name: str, values: np.ndarray, /) -> None: ...
    def add_texts(self, name: str, values: Sequence[Optional[str]], /) -> None: ...
    @property
    def rows(self) -> int: ...

class Balance:
    delta: float
    spent_epsilon: float
    limit_epsilon: Optional[float]
    left_epsilon: Optional[float]
    releases: int
    json: str

class Account:
    @staticmethod
    def in_memory(epsilon: float, delta: float, /) -> Account: ...
    @staticmethod
    def open(home: str, name: str, /) -> Account: ...
    @staticmethod
    def create(home: str, name: str, epsilon: float, delta: float, /) -> Account: ...
    @property
    def name(self) -> str: ...
    @property
    def home(self) -> str: ...
    def balance(self) -> Balance: ...

class Coefficient:
    name: str
    value: float
    standard_error: Optional[float]
    interval: Optional[tuple[float, float]]
    t: Optional[float]
    p: Optional[float]

class Model:
    @staticmethod
    def read(path: str, /) -> Model: ...
    @staticmethod
    def parse(json: str, name: str, /) -> Model: ...
    def write(self, path: str, /) -> None: ...
    @property
    def study(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def coefficients(self) -> list[Coefficient]: ...
    @property
    def json(self) -> str: ...
    @property
    def text(self) -> str: ...
    def predict(self, rows: Table, level: Optional[float], party: str, /) -> dict[str, Any]: ...
    def refit(self, target: str, features: Sequence[str], without: Sequence[str],
              bases: Sequence[str], estimator: str, ridge: Optional[float],
              instruments: Sequence[str], /) -> Model: ...

class JoinOptions:
    as_: str
    data: str
    table: Optional[Table]
    query: str
    home: str
    account: str
    listen: str
    out: str
    again: bool
    def __init__(self) -> None: ...

class Joined:
    run: str
    files: list[str]
    model: Optional[Model]
    before: bool

Meter = Optional[Callable[[int, int], object]]
Line = Optional[Callable[[str], object]]

def make_plan(study: Study, solver: Optional[Solver], /) -> Plan: ...
def simulate(study: Study, solvers: Sequence[Solver], seed: int, trials: int, threads: int,
             json: bool, progress: Meter, /) -> dict[str, Any]: ...
def sweep(study: Study, settings: Sequence[tuple[str, Sequence[str]]], solvers: Sequence[Solver],
          seed: int, trials: int, threads: int, independent: bool, folder: str, progress: Meter,
          /) -> str: ...
def reproduce(figure: str, folder: str, seed: int, independent: bool, progress: Meter,
              /) -> tuple[str, str]: ...
def join(study: Study, options: JoinOptions, progress: Line, agree: Line, /) -> Joined: ...
def read_ledger(home: str, run: str, /) -> str: ...
def fit_tables(study: Study, tables: Sequence[Table], account: Optional[Account], /) -> Model: ...
