#!/usr/bin/env python3
"""The look after an aborted run: a neighbour stops the shuffle again and again.

The shuffle shows each neighbour the party's numbers under a mask, T + eta, before anything is released;
a neighbour who falls silent then has had its look, and there is no result to pay for. If the others
simply begin again with other masks, q aborted attempts are q independent looks, and their mean is off
by eta over the root of q: soon less than what the study promises to hide. With sotto a look is booked
in the ledger before it is shown, the masks are so large that one look is a hundredth of what the study
may show, and a run makes no more attempts than its plan counts. Then the account's limit ends it.

    2_aborted_run.py build/release/sotto

Simulated: what the looks of many attempts tell about one number, if nobody counts them. Real: three
parties with `sotto join`, of which the third is gone in the middle of the shuffle.
"""
import math
import sys

from tools import Parties, arguments, in_the_middle, kappa, plan_of, scatter, scratch, table, watch

STUDY = """
[study]
name = "aborted"
solver = "dishuf"
[privacy]
epsilon = 1.0
delta = 0.01
unit = "entry"
mu = 3.0
[graph]
topology = "cycle"
parties = 5
weight = 0.3
[dishuf]
noise = "{noise}"
g = 0.01
[problem]
family = "paper"
m = 2
seed = 1
"""
ABORTED = (1, 20, 400)
NETWORK = """
[dishuf]
key_bits = 2048
noise = "{noise}"
[network]
meeting_seconds = 30
patience_seconds = 4
"""


def looks(seen, truth):
    """What party 2 decrypts of party 1, run by run: how far off each number is. The multiplier is
    divided out as 1_gcd.py does it; here it is read from what was drawn."""
    theirs, own = (truth[0]["theta"][party] for party in ("1", "2"))
    for trial, drawn in zip(seen[1:], truth[1:]):
        look = next(one for one in trial["looks"] if one["of"] == 1)
        a = next(edge["multiplier"] for edge in drawn["eta"] if (edge["from"], edge["to"]) == (1, 2))
        yield [number / a + mine + eta - his for number, mine, eta, his in
               zip(look["decrypted"], own, look["own_eta"], theirs)]


def simulated(sotto, noise, trials):
    with scratch() as folder:
        study = STUDY.format(noise=noise)
        plan, _ = plan_of(sotto, folder, study)
        errors = list(looks(*watch(sotto, folder, study, "neighbour:2", trials)))
    sigma, mu = plan["noise"]["sigma_eta"], plan["privacy"]["sensitivity"]
    column, right = [], True
    for q in ABORTED:
        means = [sum(errors[i + j][k] for j in range(q)) / q  # each number has masks of its own
                 for i in range(0, len(errors) - q + 1, q) for k in range(len(errors[0]))]
        measured, expected = scatter(means), sigma / math.sqrt(q)
        right = right and abs(measured / expected - 1) < 4 / math.sqrt(2 * len(means))
        column += [measured, expected, kappa(plan["privacy"]["epsilon"], mu / expected)]
    return column + [(plan["privacy"]["kappa_bar"] * sigma / mu) ** 2], right


def joined(sotto, noise, commit):
    """A real shuffle that party 3 leaves: what party 1's ledger books, and what party 1 may do next."""
    limit = ["--epsilon", "1", "--delta", "1e-6"]  # the study's own: one run, and nothing besides
    with scratch() as folder, Parties(sotto, folder, 3, NETWORK.format(noise=noise), limit,
                                      colluders=1) as parties:
        for name in parties.names:
            parties.start(name, dies_at=commit if name == "party-3" else None)
        for name in parties.names:
            parties.end(name)
        booked = {row["observer"]: row["squares"] for row in parties.ledger("party-1")["observers"]}
        if booked.get("neighbour", 0) == 0:
            return "early"
        if booked["eavesdropper"] > 0:
            return "late"  # past the barrier
        look = (parties.plan["privacy"]["sensitivity"] / parties.plan["noise"]["sigma_eta"]) ** 2
        parties.start("party-1")
        status, said = parties.end("party-1")
        return booked["neighbour"], look, status == 3 and "E-ledger-overdrawn" in said


def main():
    asked = arguments(__doc__)
    trials = asked.trials or 4000
    columns, right = [], True
    for noise in ("shared", "per-neighbour"):
        column, as_planned = simulated(asked.sotto, noise, trials)
        booked, look, refused = in_the_middle(lambda commit: joined(asked.sotto, noise, commit))
        right = right and as_planned and refused and abs(booked / look - 1) < 1e-6
        columns.append((*column, booked, look, "refused" if refused else "goes on"))
    labels = []
    for q in ABORTED:
        labels += [f"{q:3} aborted attempts: error of a guess at one number",
                   "    sigma_eta over the root of their number",
                   "    delta at epsilon = 1"]
    table(f"what aborted attempts show if nobody counts, {trials} looks", zip((
        *labels, "attempts until looks alone break the promise",
        "sotto join: squared shift booked for a neighbour's look",
        "    (sensitivity / sigma_eta)^2",
        "the next run, where the limit is one run's cost"), *columns))
    print("verdict: " + (
        "looks add up as squares under both, and every one of them is in the ledger before the "
        "neighbour has it;\n  with room for one run and nothing besides, one aborted attempt ends it"
        if right else "a look was not what its mask says, not booked, or not counted against the limit"))
    return not right


if __name__ == "__main__":
    sys.exit(main())
