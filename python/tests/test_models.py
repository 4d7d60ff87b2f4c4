"""Tables in memory, models of them, and accounts that pay."""

import copy
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import pandas as pd

import sotto
from support import line, program


def study(parties=2, **settings):
    return sotto.Study.over_tables(target={"y": (0, 7)}, features={"a": (0, 1), "b": (0, 1)},
                                   parties=parties, epsilon=2, delta=1e-6, settings=settings)


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rng = np.random.default_rng(5)
        cls.tables = [pd.DataFrame(line(20000, cls.rng)) for _ in range(2)]
        cls.model = sotto.fit(study(), cls.tables, account=sotto.UNCOUNTED)

    def test_are_about_right(self):
        # Noise of sd 0.02 on each coefficient: a tenth is far beyond what it can do.
        values = self.model.coefficients["value"]
        np.testing.assert_allclose(values, [1, 2, 3], atol=0.4)
        self.assertEqual(list(values.index), ["intercept", "a", "b"])
        self.assertTrue((self.model.coefficients["low"] < values).all())
        self.assertIn("std. error", self.model.summary())

    def test_predict_as_the_program_does(self):
        rows = pd.DataFrame({"b": [0.2, 0.4, np.nan], "a": [0.1, 2.0, 0.5]}, index=[7, 8, 9])
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model.json")
            self.model.save(file)
            rows.to_csv(os.path.join(folder, "rows.csv"), index=False)
            printed = program("predict", file, os.path.join(folder, "rows.csv"), "--intervals")
            self.assertEqual(sotto.Model.load(file).to_dict(), self.model.to_dict())
        found = self.model.predict(rows, level=0.95)
        self.assertEqual(list(found.index), [7, 8, 9])
        self.assertEqual(found["prediction"].tolist()[:2], printed["predictions"][:2])
        self.assertTrue(np.isnan(found["prediction"].iloc[2]))
        self.assertEqual(found[["row_low", "row_high"]].values.tolist()[0],
                         printed["intervals"]["row"][0])
        self.assertEqual(self.model.predict(rows).tolist()[:2], printed["predictions"][:2])

    def test_refit_for_nothing(self):
        other = self.model.refit(target="a", features=["y"])
        self.assertEqual((other.target, other.columns), ("a", ["y"]))
        with self.assertRaises(sotto.BadInput) as caught:
            self.model.refit(features=["nobody"])
        self.assertEqual(caught.exception.name, "E-refit-column")

    def test_can_be_kept(self):
        again = pickle.loads(pickle.dumps(self.model))
        self.assertEqual(again.to_json(), self.model.to_json())
        self.assertEqual(repr(again), "Model('y' by a, b)")
        with self.assertRaises(sotto.BadInput) as caught:
            sotto.Model.from_json("{}")
        self.assertTrue(caught.exception.name.startswith("E-model"))

    def test_know_categories_by_their_public_levels(self):
        rows = 20000
        kind = pd.Categorical(self.rng.choice(["gas", "oil"], rows))
        table = pd.DataFrame({"kind": kind, "y": np.where(kind == "oil", 5.0, 2.0)})
        terms = sotto.Study.over_tables(target={"y": (0, 7)}, features={"kind": ["gas", "oil"]},
                                        parties=3, epsilon=2, delta=1e-6)
        model = sotto.fit(terms, table, account=sotto.UNCOUNTED)
        self.assertAlmostEqual(model.coefficients.loc["kind=oil", "value"], 3, delta=0.5)
        with self.assertRaises(sotto.BadInput) as caught:
            model.predict({"kind": ["wood", "gas"]})
        self.assertEqual(caught.exception.name, "E-csv-level")
        self.assertIn("row 1", caught.exception.where)

    def test_drop_rows_with_missing_values(self):
        table = {"a": [0.5, None, np.nan], "b": [1, 0, 1], "y": [3, 3, 3]}
        sotto.fit(study(), table, account=sotto.UNCOUNTED)
        with self.assertRaises(sotto.BadInput) as caught:
            sotto.fit(study(**{"data.missing": "error"}), table, account=sotto.UNCOUNTED)
        self.assertEqual(caught.exception.name, "E-csv-missing")

    def test_of_tables_write_nothing_to_a_disk(self):
        with tempfile.TemporaryDirectory() as folder:
            # A byte in any file would end the process.
            code = ("import numpy as np, resource, sotto\n"
                    "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
                    "s = sotto.Study.over_tables(target={'y': (0, 7)}, features={'a': (0, 1)},"
                    " parties=2, epsilon=1, delta=1e-6)\n"
                    "account = sotto.Account(epsilon=2, delta=1e-5)\n"
                    "sotto.fit(s, {'a': np.ones(999), 'y': np.ones(999)}, account=account)\n")
            environment = {**os.environ, "TMPDIR": folder, "HOME": folder}
            subprocess.run([sys.executable, "-c", code], check=True, cwd=folder,
                           env=environment)
            self.assertEqual(list(pathlib.Path(folder).rglob("*")), [])


class Accounts(unittest.TestCase):
    def setUp(self):
        self.table = {"a": [0.5] * 50, "b": [0.5] * 50, "y": [3.0] * 50}

    def test_refuse_what_is_beyond_their_limit(self):
        account = sotto.Account(epsilon=3, delta=1e-5)
        sotto.fit(study(), self.table, account=account)
        self.assertEqual(account.releases, 1)
        self.assertLessEqual(account.spent, 2)
        with self.assertRaises(sotto.Refused) as caught:
            for _ in range(5):
                sotto.fit(study(), self.table, account=account)
        self.assertEqual(caught.exception.name, "E-ledger-overdrawn")
        self.assertLessEqual(account.spent, 3)
        self.assertLess(account.left, 2)

    def test_charge_nothing_for_what_was_not_released(self):
        account = sotto.Account(epsilon=3, delta=1e-5)
        with self.assertRaises(sotto.BadInput):
            sotto.fit(study(), {"a": ["x"], "b": [0], "y": [1]}, account=account)
        self.assertEqual((account.spent, account.releases), (0, 0))

    def test_are_the_same_when_they_are_copied(self):
        account = sotto.Account(epsilon=3, delta=1e-5)
        self.assertIs(copy.deepcopy(account), account)
        self.assertIs(copy.copy(account), account)
        with self.assertRaises(TypeError):
            pickle.dumps(account)

    def test_of_a_home_are_shared_between_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            home = os.path.join(folder, "home")
            account = sotto.Account.new("people", home=home, epsilon=3, delta=1e-5)
            sotto.fit(study(), self.table, account=pickle.loads(pickle.dumps(account)))
            self.assertEqual(account.releases, 1)
            self.assertEqual(sotto.ledger(home), program("ledger", "--home", home))
            self.assertEqual(sotto.ledger(home)["accounts"][0], account.to_dict())
            with self.assertRaises(sotto.BadInput) as caught:
                sotto.Account.open("others", home=home)
            self.assertEqual(caught.exception.name, "E-account-unknown")

    def test_must_be_named(self):
        for nobody in (None, "people", 3):
            with self.assertRaises(sotto.BadInput) as caught:
                sotto.fit(study(), self.table, account=nobody)
            self.assertEqual(caught.exception.name, "E-account-unknown")
