"""What the documents say happens: docstrings, docs/PYTHON.md, the notebook, the stubs."""

import ast
import doctest
import importlib
import pathlib
import pkgutil
import re
import unittest

import numpy as np

import sotto
from sotto import _sotto
from support import PAPER, ROOT

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def names_for_examples():
    """What examples may use without saying where it is from."""
    rng = np.random.default_rng(1)
    area = rng.uniform(0, 300, 20000)
    oil = rng.integers(0, 2, 20000)
    study = sotto.Study.over_tables(target={"kwh": (0, 20)}, parties=3, epsilon=1, delta=1e-6,
                                    features={"area": (0, 300), "heating": ["gas", "oil"]})
    table = {"area": area, "heating": np.where(oil, "oil", "gas"), "kwh": 2 + area / 50 + 2 * oil}
    model = sotto.fit(study, table, account=sotto.UNCOUNTED)
    return {"EXAMPLE": PAPER, "EXAMPLE_MODEL": model}


class Documents(unittest.TestCase):
    def test_docstrings_run(self):
        names = names_for_examples()
        attempted = 0
        for each in pkgutil.iter_modules(sotto.__path__):
            if each.name == "_sotto":
                continue
            module = importlib.import_module(f"sotto.{each.name}")
            result = doctest.testmod(module, extraglobs=names, optionflags=FLAGS)
            self.assertEqual(result.failed, 0, each.name)
            attempted += result.attempted
        attempted += doctest.testmod(sotto, optionflags=FLAGS).attempted
        self.assertGreater(attempted, 20)

    def test_the_page_runs(self):
        result = doctest.testfile(str(ROOT / "docs" / "PYTHON.md"), module_relative=False,
                                  optionflags=FLAGS)
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 10)

    def test_the_notebook_runs_and_draws(self):
        import nbclient
        import nbformat
        path = ROOT / "examples" / "5_python.ipynb"
        kept = nbformat.read(path, as_version=4)
        self.assertLess(path.stat().st_size, 300_000)
        run = nbformat.from_dict(kept)
        nbclient.NotebookClient(run, timeout=300, kernel_name="python3").execute(
            cwd=str(ROOT / "examples"))

        def plots(book):
            return sum("image/png" in output.get("data", {}) for cell in book.cells
                       if cell.cell_type == "code" for output in cell.outputs)

        self.assertGreaterEqual(plots(run), 2)
        self.assertEqual(plots(kept), plots(run), "kept with its plots")

    def test_every_public_name_says_what_it_is(self):
        for name in sotto.__all__:
            thing = getattr(sotto, name)
            if callable(thing):
                self.assertTrue((thing.__doc__ or "").strip(), name)

    def test_the_stubs_are_of_the_module_that_there_is(self):
        stub = ast.parse((pathlib.Path(sotto.__file__).parent / "_sotto.pyi").read_text())
        classes = {n.name: n for n in stub.body if isinstance(n, ast.ClassDef)}
        functions = {n.name for n in stub.body if isinstance(n, ast.FunctionDef)}
        public = {name for name in dir(_sotto) if not name.startswith("_")}
        self.assertEqual(public, set(classes) | functions)
        for name, node in classes.items():
            stated = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            stated |= {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
            there = {n for n in vars(getattr(_sotto, name)) if not n.startswith("_")}
            if name == "Solver":
                there -= {"value"}
            self.assertEqual(stated - {"__init__"}, there, name)
        self.assertTrue((pathlib.Path(sotto.__file__).parent / "py.typed").exists())

    def test_errors_that_python_raises_are_in_the_list(self):
        listed = set(re.findall(r"`(E-[a-z0-9-]+)`", (ROOT / "docs" / "errors.md").read_text()))
        for file in (ROOT / "python" / "sotto").glob("*.py"):
            for name in re.findall(r'"(E-[a-z0-9-]+)"', file.read_text()):
                self.assertIn(name, listed, file.name)
