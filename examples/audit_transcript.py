#!/usr/bin/env python3
"""Audits sotto's claim against an eavesdropper by the likelihood-ratio test, from transcripts alone.

Two worlds that differ by one entry of one party's data, as far as the study says a change may go
(mu). What an eavesdropper sees of many runs in both is exported by `sotto simulate --transcript`; the
Neyman-Pearson test on it is the best attack there is. With threshold c on the log-likelihood ratio,

    delta(eps) = max_c  P1(L > c) - e^eps * P0(L > c),

so the smallest eps with delta(eps) <= delta is what the attack proves. It should come out at the eps
of the transcript's own row, up to what a finite sample can show; above it, the claim is broken.

    audit_transcript.py build/release/sotto examples/paper.toml --solver pairwise \\
        --set privacy.epsilon=1 --set privacy.delta=0.05

An eps far above 1 cannot be audited by counting: the runs of world 0 that pass the threshold are
e^eps times as rare. Needs NumPy. Exit status 1 if the attack proves more than is claimed, or less than 90 % of it.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def run(sotto, *words):
    done = subprocess.run([sotto, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def read_transcript(path):
    with open(path, encoding="utf-8") as lines:
        head = json.loads(next(lines))
        releases = np.array([json.loads(line)["releases"] for line in lines])
    return head, releases  # [trial][party][entry]


def covariance(head):
    """Of what the parties release, for one entry: what is public of the noise."""
    n = head["plan"]["parties"]
    noise = head["plan"]["noise"]
    if head["plan"]["solver"] == "ac":
        return noise["sigma_gamma"] ** 2 * np.eye(n)
    laplacian = np.zeros((n, n))  # pairwise: a mask on every edge, added at one end
    for a, b, _ in head["graph"]["edges"]:
        laplacian[a - 1, a - 1] += 1
        laplacian[b - 1, b - 1] += 1
        laplacian[a - 1, b - 1] -= 1
        laplacian[b - 1, a - 1] -= 1
    return noise["sigma_gamma"] ** 2 * np.eye(n) + noise["sigma_edge"] ** 2 * laplacian


def proven_epsilon(ratio_0, ratio_1, delta):
    """The largest eps for which the samples show delta(eps) > delta, over all thresholds."""
    thresholds = np.sort(np.concatenate([ratio_0, ratio_1]))
    power = 1 - np.searchsorted(np.sort(ratio_1), thresholds, side="right") / len(ratio_1)
    false = 1 - np.searchsorted(np.sort(ratio_0), thresholds, side="right") / len(ratio_0)
    # Thresholds that hardly any run of world 0 passes say nothing: their rates are luck.
    enough = (false * len(ratio_0) >= 50) & (power > delta)
    return float(np.max(np.log((power[enough] - delta) / false[enough]), initial=0.0))


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("sotto")
    words.add_argument("study")
    words.add_argument("--solver", default="ac", choices=["ac", "pairwise"])
    words.add_argument("--trials", type=int, default=20000)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--set", action="append", default=[], help="a setting, as sotto takes it")
    asked = words.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        costs = json.loads(run(asked.sotto, "problem", "export", asked.study))
        worlds = []
        for world in (0, 1):
            if world == 1:
                plan = worlds[0][0]["plan"]
                costs["parties"][0]["B"][0] += plan["privacy"]["sensitivity"]
            (folder / f"costs{world}.json").write_text(json.dumps(costs))
            seen = folder / f"seen{world}.jsonl"
            # Other draws in the other world: an attacker does not see the same noise twice.
            run(asked.sotto, "simulate", asked.study, "--solver", asked.solver,
                "--trials", str(asked.trials), "--seed", str(asked.seed + world),
                *(word for setting in asked.set for word in ("--set", setting)),
                "--set", f'problem={{files = ["{folder}/costs{world}.json"]}}',
                "--transcript", str(seen), "--observer", "eavesdropper")
            worlds.append(read_transcript(seen))

    (head, quiet), (_, moved) = worlds
    entry = len(quiet[0][0]) - len(costs["parties"][0]["B"])  # B's first
    shift = np.zeros(head["plan"]["parties"])
    shift[0] = head["plan"]["privacy"]["sensitivity"]
    direction = np.linalg.solve(covariance(head), shift)
    ratio_0, ratio_1 = quiet[:, :, entry] @ direction, moved[:, :, entry] @ direction

    row = head["plan"]["adversaries"][0]
    delta = head["plan"]["privacy"]["delta"]
    proven = proven_epsilon(ratio_0, ratio_1, delta)
    claimed = row["epsilon_at_delta"]
    print(f"{asked.solver}: the eavesdropper's row claims eps = {claimed:.4g} at delta = {delta:g}; "
          f"{asked.trials} runs in each world prove {proven:.4g} ({100 * proven / claimed:.1f} %)")
    # A tenth more is what luck can add to the best of many thresholds.
    return 0 if 0.9 * claimed <= proven <= 1.1 * claimed else 1


if __name__ == "__main__":
    sys.exit(main())
