#!/usr/bin/env python3
"""The gcd attack on the paper's shuffle: a neighbour undoes it.

In Algorithm 2 a neighbour decrypts a(T_j - T_i), where T is a party's numbers under a mask and the
secret integer a is the same for all entries: so the greatest common divisor of what it decrypts is a,
and with it the neighbour holds T_j of every party next to it. Where all neighbours are shown the same
T (`noise = "shared"`, the paper's way), these are the very masks that hide the parties from everybody
else: it subtracts them from what its victim releases, and the victim's own small noise is all that is
left. With a mask of its own for every neighbour (`noise = "per-neighbour"`, the default) the gcd comes
out as easily, and opens a look that nobody else's release contains.

    1_gcd.py build/release/sotto

Party 2 attacks party 1 on a complete graph of six; as in every proof of privacy it knows all numbers
of everybody but one of its victim's, which may be off by mu = 3.
"""
import math
import sys

from tools import arguments, kappa, plan_of, scatter, scratch, table, watch

STUDY = """
[study]
name = "gcd"
solver = "dishuf"
[privacy]
epsilon = 10.0
delta = 0.2
unit = "entry"
mu = 3.0
[graph]
topology = "complete"
parties = 6
weight = "metropolis"
[dishuf]
noise = "{noise}"
g = 0.001
a_bar = 1000
[problem]
family = "paper"
m = 8
seed = 1
"""
ATTACKER, VICTIM = 2, 1
A_BAR = 1000


def multiplier_in(decrypted):
    """a: a divisor of all of them, in the range that multipliers are drawn from."""
    common = math.gcd(*decrypted)
    return max((d for d in range(math.ceil(A_BAR / math.sqrt(2)), A_BAR + 1) if common % d == 0),
               default=None)


def least_squares(rows, values):
    """Coefficients c with rows·c closest to the values, by the normal equations."""
    size = len(rows[0])
    lines = [[sum(row[i] * row[j] for row in rows) for j in range(size)] +
             [sum(row[i] * value for row, value in zip(rows, values))] for i in range(size)]
    for i in range(size):
        for other in lines[:i] + lines[i + 1:]:
            factor = other[i] / lines[i][i]
            other[:] = [x - factor * y for x, y in zip(other, lines[i])]
    return [line[size] / line[i] for i, line in enumerate(lines)]


def attack(seen, truth):
    """Errors of two estimates of the victim's last number, and how many multipliers were found."""
    plan = seen[0]["plan"]
    zeta = 1 / plan["noise"]["inverse_zeta"]
    theta = {int(party): numbers for party, numbers in truth[0]["theta"].items()}
    parties, last = sorted(theta), plan["entries"] - 1
    precision = [plan["noise"][sigma] ** -2 for sigma in ("sigma_gamma", "sigma_eta")]
    undone, added, found = [], [], 0
    for trial, drawn in zip(seen[1:], truth[1:]):
        real = {(edge["from"], edge["to"]): edge["multiplier"] for edge in drawn["eta"]}
        masked = {}                                  # T of every neighbour, by the gcd
        cleared = [list(numbers) for numbers in trial["releases"]]  # without the attacker's edges
        for look in trial["looks"]:
            other, steps = look["of"], [int(number) for number in look["decrypted_steps"]]
            a = multiplier_in(steps)
            found += a == real[(other, ATTACKER)]
            gap = [number / (a or 1) for number in look["decrypted"]]  # T_j - T_i
            own = [t + eta for t, eta in zip(theta[ATTACKER], look["own_eta"])]
            masked[other] = [g + o for g, o in zip(gap, own)]
            edge = zeta * (a or 1) * look["own_multiplier"]
            cleared[other - 1] = [y + edge * g for y, g in zip(cleared[other - 1], gap)]
        # Undo the shuffle: how strongly each other edge mixes its two T into the victim's release
        # shows in the entries that are known.
        others = [j for j in parties if j not in (ATTACKER, VICTIM)]
        rows = [[masked[j][k] - masked[VICTIM][k] for j in others] for k in range(last + 1)]
        rest = [y - t for y, t in zip(cleared[VICTIM - 1], theta[VICTIM])]
        mixed = least_squares(rows[:last], rest[:last])
        alone = rest[last] - sum(c * gap for c, gap in zip(mixed, rows[last]))
        # Add everybody up: whatever the shuffle moved cancels, and everybody's noise is left.
        together = sum(cleared[i - 1][last] - theta[i][last] for i in parties if i != ATTACKER)
        look = masked[VICTIM][last] - theta[VICTIM][last]
        for errors, error, weight in ((undone, alone, precision[0]),
                                      (added, together, precision[0] / (len(parties) - 1))):
            errors.append((weight * error + precision[1] * look) / (weight + precision[1]))
    return scatter(undone), scatter(added), found / (len(seen) - 1) / (len(parties) - 1)


def main():
    asked = arguments(__doc__)
    trials = asked.trials or 1000
    columns, broken = [], False
    for noise in ("shared", "per-neighbour"):
        with scratch() as folder:
            plan, rows = plan_of(asked.sotto, folder, STUDY.format(noise=noise))
            undone, added, found = attack(*watch(asked.sotto, folder, STUDY.format(noise=noise),
                                                 f"neighbour:{ATTACKER}", trials))
        mu, epsilon = plan["privacy"]["sensitivity"], plan["privacy"]["epsilon"]
        shift = mu / min(undone, added)
        row, luck = rows["neighbour"]["shift"], 1 + 4 / math.sqrt(2 * trials)
        broken = broken or shift > row * luck
        columns.append((f"{100 * found:.1f} %", undone, added, shift, kappa(epsilon, shift), row,
                        rows["neighbour"]["delta_at_epsilon"], rows["eavesdropper"]["delta_at_epsilon"]))
    table(f"what a neighbour gains, {trials} runs", zip((
        "multipliers that the gcd gives away",
        "error of its guess, undoing the shuffle",
        "error of its guess, adding everybody up",
        "so mu is that many standard deviations",
        "delta at epsilon = 10, of this attack",
        "the plan's row for a neighbour: standard deviations",
        "the same: delta at epsilon = 10",
        "delta for somebody on the wire"), *columns))
    print("verdict: " + (
        "an attack gained more than the plan says" if broken else
        "shared masks fall to one neighbour, who then has the victim's own noise before it and no "
        "more;\n  a mask for each neighbour holds, and the plan says both beforehand"))
    return broken


if __name__ == "__main__":
    sys.exit(main())
