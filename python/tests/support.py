"""What several tests share: the program beside which the package stands, and studies."""

import json
import os
import pathlib
import subprocess

PROGRAM = os.environ["SOTTO_PROGRAM"]
ROOT = pathlib.Path(__file__).resolve().parents[2]

PAPER = {
    "study": {"name": "paper", "solver": "dishuf"},
    "privacy": {"epsilon": 10.0, "delta": 0.2, "unit": "entry", "mu": 3.0},
    "graph": {"topology": "cycle", "parties": 6, "weight": 0.3},
    "problem": {"family": "paper", "m": 3, "seed": 1},
}


def program(*words):
    """What the program prints as JSON."""
    done = subprocess.run([PROGRAM, *map(str, words), "--format", "json"], capture_output=True,
                          text=True, check=True)
    return json.loads(done.stdout)


def program_error(*words):
    """The error that the program ends with, and its status."""
    done = subprocess.run([PROGRAM, *map(str, words), "--format", "json"], capture_output=True,
                          text=True, check=False)
    return json.loads(done.stderr)["error"], done.returncode


def line(rows, rng):
    """y = 1 + 2a + 3b with a little noise of its own, as columns."""
    a, b = rng.uniform(0, 1, (2, rows))
    return {"a": a, "b": b, "y": 1 + 2 * a + 3 * b + rng.normal(0, 0.05, rows)}
