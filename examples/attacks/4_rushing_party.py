#!/usr/bin/env python3
"""A rushing party: it listens first, and then chooses what it releases.

The result is the mean of what all parties release, so whoever speaks last decides what it is: it adds
up what it has heard and releases the difference to the number that it wants. This costs it nothing and
leaves no trace, because a release is noise and data in one. With sotto everybody commits itself to its
release before anybody's can be read (a hash, in the signed word Ready), so whoever opens another value
is named by all others and nobody has a result. About other parties' people it learns nothing by
rushing: releases are what everybody may see; if it leaves out its own noise besides, it is a colluder.

    4_rushing_party.py build/release/sotto

Party 2 of four wants the mean of the first entry to be exactly 0. First what it could do if nobody had
committed itself, on transcripts of real runs; then sotto's own machines with such a party among them.
"""
import json
import sys

from tools import arguments, plan_of, run, scratch, table, watch

STUDY = """
[study]
name = "rushing"
solver = "dishuf"
[privacy]
epsilon = 10.0
delta = 0.2
unit = "entry"
mu = 3.0
[graph]
topology = "complete"
parties = 4
weight = "metropolis"
[dishuf]
noise = "{noise}"
g = 0.0005
[problem]
family = "paper"
m = 2
seed = 1
"""
RUSHING = "[faults]\nrushing = 2\n"
ATTACKER = 2


def means(seen):
    """The largest mean of the first entry, with the attacker's honest release and with the one it
    chooses having heard the others'."""
    honest, chosen = 0, 0
    for trial in seen[1:]:
        first = [numbers[0] for numbers in trial["releases"]]
        others = sum(first) - first[ATTACKER - 1]
        honest = max(honest, abs(sum(first)) / len(first))
        chosen = max(chosen, abs(others + (0 - others)) / len(first))
    return honest, chosen


def main():
    asked = arguments(__doc__)
    columns, named = [], True
    for noise in ("shared", "per-neighbour"):
        with scratch() as folder:
            study = STUDY.format(noise=noise)
            _, rows = plan_of(asked.sotto, folder, study)
            honest, chosen = means(watch(asked.sotto, folder, study, "eavesdropper",
                                         asked.trials or 100)[0])
            (folder / "study.toml").write_text(study + RUSHING)
            told = json.loads(run(asked.sotto, "simulate", folder / "study.toml", "--format",
                                  "json").stdout)["faults"]["dishuf"]
        blamed = sum(end.endswith(": E-commitment") for end in told["ended"])
        named = named and blamed == 3 and told["finished"] == 0
        columns.append((honest, chosen, f"{blamed} of 3", f"{told['finished']} of 4",
                        rows["eavesdropper"]["delta_at_epsilon"], rows["neighbour"]["delta_at_epsilon"]))
    table("what a rushing party gains", zip((
        "the mean of the first entry, all honest: at most",
        "the same where it speaks last and nobody has committed",
        "with sotto: honest parties who name it (E-commitment)",
        "with sotto: parties who end with a result",
        "what it learns of others: delta on the wire",
        "the same if it is curious too: delta as a neighbour"), *columns))
    print("verdict: " + (
        "who speaks last chooses the result to the last digit; with commitments it is named, and has "
        "stopped the run\n  as anybody can. Masks play no part in it" if named else
        "a party released what it had not committed itself to, and was not named by everybody"))
    return not named


if __name__ == "__main__":
    sys.exit(main())
