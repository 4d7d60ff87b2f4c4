#!/usr/bin/env python3
"""Differencing: two studies of the same people show what neither shows alone.

A study with everybody and a second one without party 5 have sums whose difference is party 5's own
total, with the noise of both; and every further study of the same people is another look at them, so
that the noise falls with the root of their number. No study can prevent that: each keeps its own
promise, and what they show together is that the squares of their shifts add up. So a party's ledger
adds them, for every observer, and refuses the study that would pass a limit fixed beforehand. A
neighbour, who sees more of each study, sees more of all: under shared masks much more.

    3_two_studies.py build/release/sotto

Simulated: k studies of five parties, from which somebody on the wire guesses one number of party 1;
and two studies, with and without party 5, for party 5's. Real: three parties with `sotto join`, whose
accounts hold three releases.
"""
import math
import re
import sys

from tools import Parties, arguments, kappa, plan_of, scatter, scratch, table, watch

STUDY = """
[study]
name = "repeated"
solver = "dishuf"
[privacy]
epsilon = 1.0
delta = 0.01
unit = "entry"
mu = 3.0
[graph]
topology = "complete"
parties = {parties}
weight = "metropolis"
[dishuf]
noise = "{noise}"
g = 0.0005
[problem]
family = "paper"
m = 2
seed = 1
"""
STUDIES = (1, 4, 16)
NETWORK = "[dishuf]\nkey_bits = 2048\n[network]\nmeeting_seconds = 60\npatience_seconds = 60\n"


def sums(seen, truth, parties):
    """Errors of the sum of these parties' last numbers, run by run."""
    theta = truth[0]["theta"]
    exact = sum(theta[str(i)][-1] for i in parties)
    return [sum(trial["releases"][i - 1][-1] for i in parties) - exact for trial in seen[1:]]


def simulated(sotto, noise, trials):
    with scratch() as folder:
        study = STUDY.format(noise=noise, parties=5)
        plan, rows = plan_of(sotto, folder, study)
        errors = sums(*watch(sotto, folder, study, "eavesdropper", trials), range(1, 6))
        without = STUDY.format(noise=noise, parties=4)
        fewer = sums(*watch(sotto, folder, without, "eavesdropper", trials, seed=2), range(1, 5))
        smaller, _ = plan_of(sotto, folder, without)
    column = []
    for k in STUDIES:
        means = [sum(errors[i:i + k]) / k for i in range(0, len(errors) - k + 1, k)]
        shift = math.sqrt(k) * rows["neighbour"]["shift"]
        column += [scatter(means), plan["accuracy"]["sum_noise_sd"] / math.sqrt(k),
                   kappa(plan["privacy"]["epsilon"], shift)]
    gap = scatter([one - other for one, other in zip(errors, fewer)])
    both = math.hypot(plan["accuracy"]["sum_noise_sd"], smaller["accuracy"]["sum_noise_sd"])
    luck = 4 / math.sqrt(2 * trials / max(STUDIES))
    right = all(abs(a / b - 1) < luck for a, b in [*zip(column[::3], column[1::3]), (gap, both)])
    return column + [gap, both], right


def joined(sotto):
    """How many studies real parties take part in until the ledger refuses, and what it says."""
    limit = ["--epsilon", "1.9", "--delta", "1e-6"]  # 3 squares of epsilon = 1, and not 4
    with scratch() as folder, Parties(sotto, folder, 3, NETWORK, limit) as parties:
        for study in range(1, 9):
            for name in parties.names:
                parties.start(name, again=study > 1)
            ends = [parties.end(name) for name in parties.names]
            if any(status != 0 for status, _ in ends):
                refusals = [re.search(r"error\[(E-[a-z-]+)\]", said).group(1) for _, said in ends]
                return study - 1, refusals, parties.ledger("party-1")


def main():
    asked = arguments(__doc__)
    trials = asked.trials or 1600
    columns, right = zip(*(simulated(asked.sotto, noise, trials)
                           for noise in ("shared", "per-neighbour")))
    labels = []
    for k in STUDIES:
        labels += [f"{k:2} studies: error of a guess at one number, on the wire",
                   "   the plan's noise, over the root of their number",
                   "   delta at epsilon = 1, of a neighbour"]
    table(f"what several studies show together, {trials} runs",
          zip((*labels, "with and without party 5: error of a guess at its number",
               "   the noise of both plans, squares added"), *columns))
    held, refusals, account = joined(asked.sotto)
    print(f"sotto join, accounts that hold epsilon = 1.9: {held} studies at 1 each, then "
          f"{', '.join(sorted(set(refusals)))}\n  spent: epsilon = {account['spent']['epsilon']:.4g}, "
          f"and not {held}: squares add")
    safe = all(right) and held == 3 and set(refusals) == {"E-ledger-overdrawn"}
    print("verdict: " + (
        "k studies are worth the root of k, neither more nor less; what ends it is a limit that was "
        "fixed beforehand,\n  and a party in both studies is not hidden as a whole: only its people are"
        if safe else "a study was taken part in that the limit does not hold, or the noise is not the plan's"))
    return not safe


if __name__ == "__main__":
    sys.exit(main())
