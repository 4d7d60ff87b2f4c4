#!/usr/bin/env python3
"""A neighbour that forces a loss: fewer to hide among, and a look besides.

With `min_parties` a run goes on when somebody is lost, so a neighbour can choose to be: it shuffles, has
its look, falls silent, and the others begin again without it. Noise that was shared out among n parties
is then missing the part of the lost one, and the look comes on top: noise that is calibrated for n alone
breaks the promise even to somebody on the wire. sotto calibrates anew for whoever is left, with masks that
are large enough for every attempt that a run may make, and the ledger books the look beside the release:
together no more than the plan's row says. Shared masks cannot do that, and are refused.

    5_forced_loss.py build/release/sotto

Four parties, three are enough; party 4 is gone in the middle of the shuffle, with `sotto join`.
"""
import math
import sys

from tools import Parties, arguments, in_the_middle, kappa, scratch, table

NETWORK = """
[dishuf]
key_bits = 2048
noise = "{noise}"
g = 0.0003
[network]
{least}meeting_seconds = 30
patience_seconds = 4
"""
LIMIT = ["--no-limit", "--delta", "1e-6"]
ROWS = {"eavesdropper": "on the wire", "neighbour": "of a neighbour"}


def forced(sotto, noise, commit):
    """A run that party 4 leaves in the middle of the shuffle: the plan, what was booked by observer, of
    that the look of the attempt that was given up, and how often was released; or the error's name."""
    with scratch() as folder, Parties(sotto, folder, 4, NETWORK.format(
            noise=noise, least="min_parties = 3\n"), LIMIT) as parties:
        if "error" in parties.plan:
            return parties.plan["error"]["name"], None, None, 0
        for name in parties.names:
            parties.start(name, dies_at=commit if name == "party-4" else None)
        ends = [parties.end(name)[0] for name in parties.names]
        entries = parties.ledger("party-1", "entries")
        given_up = [entry for entry in entries if entry["state"] == "given-up"]
        spent = sum(entry["state"] == "spent" for entry in entries)
        if ends[:3] != [0, 0, 0] or len(given_up) != 1:
            return "late" if spent and any(ends[:3]) else "early"
        booked = {row["observer"]: row["squares"] for row in parties.ledger("party-1")["observers"]}
        looks = {charge["observer"]: charge["looks"] for charge in given_up[0]["charges"]}
        return parties.plan, booked, looks, spent


def main():
    asked = arguments(__doc__)
    columns, right = [], True
    for noise in ("shared", "per-neighbour"):
        with scratch() as folder:
            naive = Parties(asked.sotto, folder, 4, NETWORK.format(noise=noise, least=""), LIMIT).plan
        epsilon, delta = naive["privacy"]["epsilon"], naive["privacy"]["delta"]
        # What hides a party is the noise of all of them together: sigma_gamma of each.
        alone = naive["privacy"]["sensitivity"] / naive["noise"]["sigma_gamma"]
        unplanned = [kappa(epsilon, alone / math.sqrt(4)), kappa(epsilon, alone / math.sqrt(3)), delta]
        plan, booked, looks, spent = in_the_middle(lambda commit: forced(asked.sotto, noise, commit))
        if booked is None:
            right = right and (noise, plan) == ("shared", "E-dropout-shared")
            columns.append((*unplanned, naive["noise"]["sigma_eta"], *["refused"] * 7))
            continue
        rows = {row["name"]: row["shift"] ** 2 for row in plan["adversaries"]}
        right = right and noise != "shared" and spent == 1 and looks["neighbour"] > 0 and all(
            booked[who] <= rows[who] * (1 + 1e-9) for who in ROWS)
        columns.append((*unplanned, naive["noise"]["sigma_eta"], plan["noise"]["sigma_eta"],
                        *(square for who in ROWS for square in (rows[who], booked[who])),
                        looks["neighbour"], str(spent)))
    labels = ["planned for four: delta at epsilon = 1, on the wire",
              "  when one forces a loss and nobody planned for it",
              "what the study asks for",
              "masks, sigma_eta: planned for four",
              "  planned for losses: larger, for two attempts"]
    for words in ROWS.values():
        labels += [f"squared shift {words}: the plan's row", "  after the forced loss, by the ledger"]
    table("what a forced loss gains", zip((
        *labels, "  of it the look of the attempt that was given up",
        "releases paid for"), *columns))
    print("verdict: " + (
        "a loss that nobody planned for breaks the promise; planned for, what was shown, look and "
        "release together, is\n  within the plan's rows; and where that cannot be had, as with shared "
        "masks, it is refused" if right else
        "after a forced loss more was shown than the plan says, or promised than can be kept"))
    return not right


if __name__ == "__main__":
    sys.exit(main())
