"""What takes long tells how far it is, lets others work, and can be ended."""

import subprocess
import sys
import threading
import unittest

import sotto
from support import PAPER

# Some seconds of work: ended early, or not at all.
LONG = {**PAPER, "graph": {"topology": "cycle", "parties": 60, "weight": 0.3}}


class Simulating(unittest.TestCase):
    def test_tells_how_far_it_is(self):
        told = []
        sotto.simulate(PAPER, trials=500, progress=lambda done, all: told.append((done, all)))
        self.assertEqual(told[-1], (500, 500))
        self.assertEqual(told, sorted(told))

    def test_ends_with_what_its_progress_raises(self):
        class Enough(Exception):
            pass

        def stop(done, all):
            raise Enough(done)

        with self.assertRaises(Enough) as caught:
            sotto.simulate(LONG, trials=1000000, progress=stop)
        self.assertLess(caught.exception.args[0], 1000000)

    def test_lets_other_threads_work(self):
        ticks = 0
        over = threading.Event()

        def tick():
            nonlocal ticks
            while not over.wait(0.001):
                ticks += 1

        ticker = threading.Thread(target=tick)
        ticker.start()
        # Whoever holds the lock of the interpreter lets nobody tick; progress would take it too.
        sotto.simulate(LONG, trials=50000)
        over.set()
        ticker.join()
        self.assertGreater(ticks, 5)

    def test_ends_with_the_keyboard(self):
        code = ("import sotto, os, signal, threading\n"
                "soon = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))\n"
                f"try:\n    soon.start()\n    sotto.simulate({LONG!r}, trials=2000000)\n"
                "except KeyboardInterrupt:\n    print('interrupted')\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              timeout=300, check=False)
        self.assertEqual(done.stdout, "interrupted\n", done.stderr)
