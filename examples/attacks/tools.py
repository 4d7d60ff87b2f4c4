"""What the attacks share: the program, the guarantee's formula, and parties as real processes.

Standard library only. Nothing here looks inside sotto: an attack has what the program prints, what a
transcript shows to its observer, and what it works out itself.
"""
import argparse
import contextlib
import json
import math
import os
import pathlib
import socket
import subprocess
import sys
import tempfile


def arguments(text):
    """The first words of an attack: which program, and how much."""
    words = argparse.ArgumentParser(description=text.split("\n")[0])
    words.add_argument("sotto", nargs="?", default="sotto", help="the program (default: sotto)")
    words.add_argument("--trials", type=int, help="simulated runs")
    return words.parse_args()


def run(*words, allowed=(0,)):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode not in allowed:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done


def plan_of(sotto, folder, study):
    """What `sotto plan` says of a study, and its rows by observer."""
    file = folder / "study.toml"
    file.write_text(study)
    plan = json.loads(run(sotto, "plan", file, "--format", "json").stdout)
    return plan, {row["name"]: row for row in plan["adversaries"]}


def watch(sotto, folder, study, observer, trials, seed=1):
    """Runs of a study as an observer sees them, and what was drawn: heads and trials of both."""
    (folder / "study.toml").write_text(study)
    run(sotto, "simulate", folder / "study.toml", "--trials", trials, "--seed", seed,
        "--transcript", folder / "seen.jsonl", "--truth", folder / "truth.jsonl",
        "--observer", observer)
    files = []
    for name in ("seen", "truth"):
        lines = (folder / f"{name}.jsonl").read_text().splitlines()
        files.append([json.loads(line) for line in lines])
    return files


def kappa(epsilon, shift):
    """delta of a Gaussian release that a change moves by `shift` standard deviations:
    Phi(s/2 - eps/s) - e^eps Phi(-s/2 - eps/s)."""
    def below(x):
        return math.erfc(-x / math.sqrt(2)) / 2
    return below(shift / 2 - epsilon / shift) - math.exp(epsilon) * below(-shift / 2 - epsilon / shift)


def scatter(errors):
    """Root of the mean square: how far off an estimate is."""
    return math.sqrt(sum(error * error for error in errors) / len(errors))


def table(title, rows):
    """Rows of (what, under shared, under per-neighbour)."""
    print(f"{title:58} {'shared':>10} {'per-neighbour':>14}")
    for what, *numbers in rows:
        assert len(what) <= 56, what
        print(f"  {what:56} " + " ".join(
            f"{number:>{width}}" if isinstance(number, str) else f"{number:>{width}.4g}"
            for number, width in zip(numbers, (10, 14))))


class Parties:
    """A study over made-up tables whose parties are processes of `sotto join` on this machine."""

    def __init__(self, sotto, folder, count, settings, limit, colluders=0):
        self.sotto, self.folder, self.names = sotto, folder, [f"party-{k + 1}" for k in range(count)]
        self.processes = {}
        run(sotto, "generate", 200, "--parties", count, "--out", folder / "tables")
        study = [line for line in (folder / "tables/study.toml").read_text().splitlines()
                 if not line.startswith(("solver", "topology", "parties", "colluders"))]
        study.insert(study.index("[study]") + 1, 'solver = "dishuf"')
        study.insert(study.index("[privacy]") + 1, f"colluders = {colluders}")
        study.insert(study.index("[graph]") + 1, 'topology = "complete"')
        study.append(settings)
        # Ports that are free now, all at once so that they differ.
        with contextlib.ExitStack() as held:
            sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in self.names]
            ports = [one.getsockname()[1] for one in sockets]
        for name, port in zip(self.names, ports):
            home = folder / name
            run(sotto, "keys", "new", "--name", name, "--host", "127.0.0.1", "--home", home)
            run(sotto, "ledger", "new", "people", *limit, "--home", home)
            key = json.loads(run(sotto, "keys", "show", "--home", home, "--format", "json").stdout)
            study.append(f'[[party]]\nname = "{name}"\nfingerprint = "{key["fingerprint"]}"\n'
                         f'address = "127.0.0.1:{port}"')
        self.study = folder / "study.toml"
        self.study.write_text("\n".join(study) + "\n")
        # Refused for privacy (3): then this is the "error", with its name.
        done = run(sotto, "plan", self.study, "--format", "json", allowed=(0, 3))
        self.plan = json.loads(done.stdout or done.stderr)

    def start(self, name, dies_at=None, again=False):
        """`dies_at`: the commit of its journal after which it is gone, as by a power cut."""
        hook = {"SOTTO_TEST_KILL": f"{dies_at}:sent"} if dies_at else {}
        self.processes[name] = subprocess.Popen(
            [self.sotto, "join", self.study, "--as", name, "--home", self.folder / name, "--account",
             "people", "--data", self.folder / "tables" / f"{name}.csv", *(["--again"] if again else [])],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **hook})

    def end(self, name):
        """Its exit status, and what it said."""
        said = self.processes[name].communicate(timeout=120)[1]
        return self.processes.pop(name).returncode, said

    def ledger(self, name, what="accounts"):
        """Its one account, or its "entries"."""
        shown = run(self.sotto, "ledger", "--home", self.folder / name, "--format", "json")
        found = json.loads(shown.stdout)[what]
        return found[0] if what == "accounts" else found

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.kill()
            process.communicate()


def in_the_middle(leave_at):
    """Which commit of a party's journal is in the middle of the shuffle depends on what came in at once.
    `leave_at(commit)` says "early" or "late", or what was found."""
    commit = 4
    for _ in range(12):
        found = leave_at(commit)
        if found not in ("early", "late"):
            return found
        commit = max(1, commit + (1 if found == "early" else -1))
    sys.exit("the party was never gone in the middle of the shuffle")


@contextlib.contextmanager
def scratch():
    with tempfile.TemporaryDirectory(prefix="sotto_attack_") as name:
        yield pathlib.Path(name)
