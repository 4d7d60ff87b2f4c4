"""sotto.LinearRegression where scikit-learn's estimators are used."""

import pickle
import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import (check_dataframe_column_names_consistency,
                                            check_estimator, check_n_features_in_after_fitting)

import sotto
from sotto._estimator import NOT_APPLICABLE
from support import ROOT, line

ROWS = 20000


def estimator(**changes):
    terms = dict(epsilon=2, delta=1e-6, feature_bounds=(0, 1), target_bounds=(0, 7),
                 account=sotto.UNCOUNTED)
    return sotto.LinearRegression(**{**terms, **changes})


def table(rows=ROWS, seed=3):
    columns = line(rows, np.random.default_rng(seed))
    y = columns.pop("y")
    return pd.DataFrame(columns), pd.Series(y, name="y")


class ChecksOfScikitLearn(unittest.TestCase):
    """All of check_estimator but what NOT_APPLICABLE lists with its reason."""

    # 200 rows and ten columns have to be fitted well, so next to nothing is hidden: the checks are
    # about the interface, and what noise does is tested elsewhere.
    checked = sotto.LinearRegression(epsilon=1e5, delta=1e-6, feature_bounds=(-5, 5),
                                     target_bounds=(-5, 5), account=sotto.UNCOUNTED)

    def test_all_pass_that_apply(self):
        passed, not_applicable, skipped, failed = 0, set(), [], []
        for each, check in check_estimator(self.checked, generate_only=True):
            name = getattr(check, "func", check).__name__
            if name in NOT_APPLICABLE:
                not_applicable.add(name)
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    check(each)
                    passed += 1
                except unittest.SkipTest as reason:
                    skipped.append(f"{name}: {reason}")
                except Exception as error:
                    failed.append(f"{name}: {type(error).__name__}: {error}")
        self.assertEqual((failed, skipped), ([], []))
        # No reason for a check that there is not.
        self.assertEqual(not_applicable, set(NOT_APPLICABLE))
        page = (ROOT / "docs" / "PYTHON.md").read_text()
        count = f"{passed} pass, {len(not_applicable)} do not apply, 0 fail"
        self.assertTrue(count in page, f"docs/PYTHON.md does not say: {count}")
        for name, reason in NOT_APPLICABLE.items():
            self.assertTrue(f"`{name}`" in page and reason in page, name)

    def test_so_do_two_that_are_not_in_the_list(self):
        checks = (check_n_features_in_after_fitting, check_dataframe_column_names_consistency)
        for check in checks:
            check("LinearRegression", self.checked)

    def test_those_that_compare_two_fits_hold_but_for_the_noise(self):
        X, y = table()
        one = estimator().fit(X, y)
        for other in (estimator().fit(X, y), make_pipeline(estimator()).fit(X, y),
                      estimator().fit(X.to_numpy().tolist(), y.tolist())):
            rows = X.to_numpy().tolist() if not hasattr(other, "feature_names_in_") else X
            np.testing.assert_allclose(other.predict(rows)[:100], one.predict(X)[:100], atol=0.4)
            self.assertFalse(np.array_equal(other.predict(rows), one.predict(X)), "fresh noise")
        with self.assertWarns(DataConversionWarning):
            estimator().fit(X, y.to_frame())


class Fitting(unittest.TestCase):
    def assert_about_right(self, fitted):
        np.testing.assert_allclose([fitted.intercept_, *fitted.coef_], [1, 2, 3], atol=0.4)

    def test_takes_one_table_several_or_groups(self):
        X, y = table()
        self.assert_about_right(estimator().fit(X, y))
        parts = [(X[k::3], y[k::3]) for k in range(3)]
        three = estimator().fit(parts)
        self.assert_about_right(three)
        self.assertEqual(three.study_.parties, 3)
        grouped = estimator().fit(X, y, groups=np.arange(ROWS) % 4)
        self.assert_about_right(grouped)
        self.assertEqual(grouped.study_.parties, 4)
        self.assert_about_right(estimator().fit(X, y.rename("a")))
        arrays = estimator().fit([(X.to_numpy(), y.to_numpy())] * 2)
        self.assertEqual(arrays.coef_names_, ["x0", "x1"])
        with self.assertRaises(ValueError):
            estimator().fit(parts, groups=[1, 2])
        with self.assertRaises(ValueError):
            estimator().fit(X, y, groups=[1, 2])

    def test_chooses_nobodys_privacy_and_no_bounds(self):
        X, y = table(50)
        for name in ("epsilon", "delta", "feature_bounds", "target_bounds"):
            with self.assertRaises(sotto.BadInput) as caught:
                estimator(**{name: None}).fit(X, y)
            self.assertEqual(caught.exception.name, "E-study-missing")
            self.assertIn(name, caught.exception.fix)
        with self.assertRaises(sotto.BadInput) as caught:
            estimator(account=None).fit(X, y)
        self.assertEqual(caught.exception.name, "E-account-unknown")
        with self.assertRaises(sotto.BadInput) as caught:
            estimator(feature_bounds={"a": (0, 1)}).fit(X, y)
        self.assertIn("feature_bounds['b']", caught.exception.what)
        with self.assertRaises(sotto.BadInput) as caught:
            estimator(feature_bounds=[(0, 1)] * 3).fit(X, y)
        self.assertEqual(caught.exception.name, "E-schema-bounds")

    def test_predicts_with_intervals(self):
        X, y = table()
        fitted = estimator(feature_bounds=[(0, 1), (0, 1)]).fit(X, y)
        found = fitted.predict_interval(X.head(500), level=0.99)
        self.assertEqual(list(found.index), list(X.head(500).index))
        inside = (found["row_low"] < y.head(500)) & (y.head(500) < found["row_high"])
        self.assertGreater(inside.mean(), 0.9)
        self.assertIn("R²", fitted.summary())
        with self.assertRaises(NotFittedError):
            estimator().summary()

    def test_knows_categories_by_their_levels(self):
        X, y = table()
        X = X.assign(kind=np.where(np.arange(ROWS) % 2, "oil", "gas"))
        y = y - 1.0 * (X["kind"] == "oil")
        fitted = estimator(levels={"kind": ["gas", "oil"]}).fit(X, y)
        self.assertEqual(fitted.coef_names_, ["a", "b", "kind=oil"])
        self.assertAlmostEqual(fitted.coef_[2], -1, delta=0.4)
        self.assertGreater(fitted.score(X, y), 0.8)
        with self.assertRaises(sotto.BadInput) as caught:
            fitted.predict(X.assign(kind="wood"))
        self.assertEqual(caught.exception.name, "E-csv-level")
        with self.assertRaises(ValueError):
            fitted.predict(X[["kind", "a", "b"]])

    def test_drops_rows_with_missing_values_if_told_to(self):
        X, y = table(200)
        X.iloc[3, 0] = np.nan
        with self.assertRaises(ValueError):
            estimator().fit(X, y)
        fitted = estimator(missing="drop").fit(X, y)
        self.assertTrue(np.isnan(fitted.predict(X)[3]))
        self.assertFalse(np.isnan(fitted.predict(X)[4]))

    def test_is_kept_with_its_model(self):
        X, y = table(500)
        fitted = estimator().fit(X, y)
        again = pickle.loads(pickle.dumps(fitted))
        self.assertTrue(np.array_equal(again.predict(X), fitted.predict(X)))


class Budgets(unittest.TestCase):
    def test_are_counted_in_cross_validation(self):
        X, y = table(2000)
        account = sotto.Account(epsilon=20, delta=1e-5)
        piped = make_pipeline(FunctionTransformer(np.sqrt), estimator(account=account))
        scores = cross_val_score(piped, X, y, cv=3, error_score="raise")
        self.assertEqual((len(scores), account.releases), (3, 3))

    def test_end_a_search_that_would_spend_too_much(self):
        X, y = table(500)
        account = sotto.Account(epsilon=4, delta=1e-5)
        search = GridSearchCV(estimator(account=account), {"estimator": ["exact", "adassp"]}, cv=5,
                              error_score="raise")
        with self.assertRaises(sotto.Refused) as caught:
            search.fit(X, y)
        self.assertEqual(caught.exception.name, "E-ledger-overdrawn")
        self.assertLessEqual(account.spent, 4)
        self.assertGreater(account.releases, 0)

    def test_are_the_same_for_clones(self):
        account = sotto.Account(epsilon=4, delta=1e-5)
        self.assertIs(clone(estimator(account=account)).account, account)
