"""Two parties on loopback, both in this process: one has its table in memory, one in a file."""

import concurrent.futures
import json
import pathlib
import socket
import subprocess
import tempfile
import unittest

import numpy as np
import pandas as pd

import sotto
from support import PROGRAM, line


def free_port():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


class Joining(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        parties = []
        for name in ("north", "south"):
            home = str(self.folder / name)
            done = subprocess.run([PROGRAM, "keys", "new", "--name", name, "--host", "127.0.0.1",
                                   "--home", home, "--format", "json"],
                                  capture_output=True, text=True, check=True)
            parties.append({"name": name, "address": f"127.0.0.1:{free_port()}",
                            "fingerprint": json.loads(done.stdout)["fingerprint"]})
            sotto.Account.new("people", home=home, epsilon=10, delta=1e-5)
        self.study = sotto.Study({
            "study": {"name": "line", "solver": "pairwise"},
            "privacy": {"epsilon": 2.0, "delta": 1e-6, "unit": "record",
                        "neighbours": "add-remove"},
            "graph": {"topology": "path", "parties": 2, "weight": "metropolis"},
            "data": {"target": {"column": "y", "bounds": [0, 7]},
                     "feature": [{"column": "a", "bounds": [0, 1]},
                                 {"column": "b", "bounds": [0, 1]}]},
            "party": parties,
        })

    def join(self, party, data, **more):
        return sotto.join(self.study, party=party, data=data, home=self.folder / party,
                          account="people", **more)

    def test_ends_with_the_same_model_everywhere(self):
        rng = np.random.default_rng(4)
        north, south = (pd.DataFrame(line(20000, rng)) for _ in range(2))
        south.to_csv(self.folder / "south.csv", index=False)
        told, agreed = [], []

        def agree(consent):
            agreed.append(consent)
            return True

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            one = pool.submit(self.join, "north", north, progress=told.append, agree=agree)
            two = pool.submit(self.join, "south", self.folder / "south.csv")
            one, two = one.result(timeout=300), two.result(timeout=300)
        self.assertEqual(one.run, two.run)
        first, second = (joined.model.to_dict() for joined in (one, two))
        self.assertEqual(first["coefficients"], second["coefficients"])
        np.testing.assert_allclose(one.model.coefficients["value"], [1, 2, 3], atol=0.4)
        self.assertTrue(all(pathlib.Path(file).exists() for file in one.files))
        self.assertEqual(agreed[0]["party"], "north")
        self.assertEqual(told[0]["event"], "consent")
        self.assertIn("connected", {line["event"] for line in told})
        self.assertEqual(sotto.Account.open("people", home=self.folder / "north").releases, 1)
        # It is over: nothing is spent a second time.
        again = self.join("north", north)
        self.assertTrue(again.before)
        self.assertEqual(again.model.to_dict(), first)
        self.assertEqual(sotto.Account.open("people", home=self.folder / "north").releases, 1)

    def test_can_be_declined_and_left(self):
        rows = line(100, np.random.default_rng(4))
        with self.assertRaises(sotto.Failed) as caught:
            self.join("north", rows, agree=lambda consent: False)
        self.assertEqual(caught.exception.name, "E-declined")

        class Enough(Exception):
            pass

        def leave(line):
            if line["event"] != "consent":
                raise Enough

        with self.assertRaises(Enough):
            self.join("north", rows, progress=leave)
        with self.assertRaises(ZeroDivisionError):
            self.join("north", rows, agree=lambda consent: 1 / 0)

    def test_names_a_party_that_there_is(self):
        with self.assertRaises(sotto.BadInput) as caught:
            self.join("east", {})
        self.assertEqual(caught.exception.name, "E-party-unknown")
