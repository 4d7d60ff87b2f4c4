"""From the same seed Python and the program have the same bits, and say the same of a study."""

import pathlib
import tempfile
import unittest

import numpy as np

import sotto
from support import PAPER, ROOT, program, program_error


class SameAsTheProgram(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.study = sotto.Study(PAPER)
        self.file = self.folder / "study.toml"
        self.file.write_text(self.study.text)

    def test_simulations_have_the_same_bits(self):
        words = ("--seed", 7, "--trials", 70, "--solver", "ac,dishuf")
        printed = program("simulate", self.file, *words)
        found = sotto.simulate(self.study, solvers=["ac", "dishuf"], seed=7, trials=70)
        self.assertEqual(found.x_star.tolist(), printed["x_star"])
        self.assertEqual(found.squared_error.ravel().tolist(),
                         [run["squared_error"] for run in printed["runs"]])
        self.assertEqual(found.x.reshape(-1, 3).tolist(), [run["x"] for run in printed["runs"]])
        self.assertEqual(found.summary.loc["ac", "median"], printed["summary"][0]["median"])
        del printed["version"]
        kept = sotto.simulate(self.file, solvers=["ac", "dishuf"], seed=7, trials=70, json=True)
        self.assertEqual(kept.to_dict(), printed)
        with self.assertRaises(ValueError):
            found.to_dict()

    def test_another_seed_has_other_bits(self):
        one, two = (sotto.simulate(self.study, seed=s) for s in (1, 2))
        self.assertFalse(np.array_equal(one.x, two.x))

    def test_any_number_of_threads_has_the_same_bits(self):
        one, two = (sotto.simulate(self.study, trials=200, threads=t) for t in (1, 2))
        self.assertTrue(np.array_equal(one.x, two.x))

    def test_plans_are_the_same(self):
        self.assertEqual(sotto.plan(self.study).to_dict(), program("plan", self.file))
        other = sotto.plan(self.study, solver="ac")
        self.assertEqual(other.solver, "ac")
        self.assertGreater(other.sum_noise_sd, sotto.plan(self.study).sum_noise_sd)

    def test_sweeps_are_the_same(self):
        file = ROOT / "examples" / "figures.toml"
        printed = program("simulate", file, "--set", "graph.parties=10,20", "--solver", "ac,dishuf",
                          "--trials", 10)
        found = sotto.sweep(file, {"graph.parties": [10, 20]}, solvers=["ac", "dishuf"], trials=10)
        self.assertEqual(found.to_dict(), printed)
        self.assertEqual(len(found.frame), 4)
        self.assertEqual(found.squared_errors(0).shape, (10,))

    def test_a_figure_of_the_paper_is_the_same(self):
        # Figure 1 with all of its draws takes a second or two, the others longer.
        printed = program("reproduce", "fig1", "--out", self.folder / "program")
        made = sotto.reproduce("fig1", folder=str(self.folder / "python"))
        made = made.to_dict()
        self.assertEqual(len(made.pop("files")), len(printed.pop("files")))
        self.assertEqual(made, printed)
        for csv in (self.folder / "program").glob("*.csv"):
            self.assertEqual((self.folder / "python" / csv.name).read_bytes(), csv.read_bytes())

    def test_a_mistake_has_the_same_name_place_and_fix(self):
        text = self.study.text.replace("epsilon = 10.0", "epsilon = -1.0")
        self.file.write_text(text)
        printed, status = program_error("plan", self.file)
        with self.assertRaises(sotto.BadInput) as caught:
            sotto.Study(self.file)
        error = caught.exception
        self.assertEqual((error.name, error.what, error.where, error.fix, error.status),
                         tuple(printed[k] for k in ("name", "what", "where", "fix")) + (status,))
        self.assertIsInstance(error, ValueError)
        self.assertIn(error.fix, str(error))

    def test_a_refusal_is_refused_with_the_same_status(self):
        study = sotto.Study.over_tables(target={"y": (0, 1)}, features={"x": (0, 1)}, parties=3,
                                        epsilon=1, delta=1e-6)
        self.file.write_text(study.text.replace('"dishuf"', '"gt"'))
        printed, status = program_error("plan", self.file)
        with self.assertRaises(sotto.Refused) as caught:
            sotto.Study(self.file)
        self.assertEqual((caught.exception.name, caught.exception.status), (printed["name"], 3))
        self.assertEqual(status, 3)
        self.assertNotIsInstance(caught.exception, ValueError)

    def test_what_is_not_there_has_a_name_too(self):
        with self.assertRaises(sotto.BadInput) as caught:
            sotto.Study("/nowhere/study.toml")
        self.assertEqual(caught.exception.name, "E-study-file")
        with self.assertRaises(sotto.BadInput) as caught:
            sotto.simulate(self.study, solvers="magic")
        self.assertEqual(caught.exception.name, "E-solver")


class AStudy(unittest.TestCase):
    def test_is_the_same_from_file_dictionary_and_text(self):
        study = sotto.Study(PAPER)
        self.assertEqual(sotto.Study.from_text(study.text).hash, study.hash)

    def test_has_keys_set_in_a_copy(self):
        study = sotto.Study(PAPER)
        other = study.replace({"privacy.epsilon": 5.0, "graph.parties": 8})
        self.assertEqual((other.plan().epsilon, other.parties), (5, 8))
        self.assertEqual((study.plan().epsilon, study.parties), (10, 6))

    def test_is_built_up_over_tables(self):
        study = sotto.Study.over_tables(
            target={"kwh": (0, 20)}, features={"area": (0, 300), "heating": ["gas", "oil"]},
            parties=4, epsilon=1, delta=1e-6, colluders=1, settings={"solve.estimator": "adassp"})
        self.assertTrue(study.is_over_tables)
        self.assertEqual(study.party_names, ["party-1", "party-2", "party-3", "party-4"])
        self.assertIn("adassp", study.text)
        self.assertIn("colluders-1", study.plan().observers.index)

    def test_takes_every_kind_of_value(self):
        with self.assertRaises(sotto.BadInput):
            sotto.Study({**PAPER, "privacy": {**PAPER["privacy"], "epsilon": float("nan")}})
        with self.assertRaises(TypeError):
            sotto.Study({**PAPER, "study": {"name": object()}})
        grid = sotto.Study({**PAPER, "graph": {"topology": "edges", "parties": np.int64(3),
                                               "edges": np.array([[1, 2], [2, 3]]),
                                               "weight": "metropolis"}})
        self.assertEqual(grid.parties, 3)
        odd = sotto.Study({**PAPER, "study": {"name": 'a "b"\n\\ä', "solver": "ac"}})
        self.assertEqual(odd.name, 'a "b"\n\\ä')
