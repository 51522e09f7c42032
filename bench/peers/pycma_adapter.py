"""pycma as a program that answers in JSON lines.

Reals only. Begins in the middle of the box with a step of a quarter of it.
A trial without a value counts as worse than all before it.
"""
# SPDX-License-Identifier: GPL-3.0-or-later
import warnings

import lines

warnings.simplefilter("ignore")

import cma


class Study:
    def __init__(self, space, seed, budget, parallel):
        if any(p["type"] != "float" or "when" in p for p in space):
            raise ValueError("pycma searches reals only")
        self.space = space
        self.n = 0
        self.waiting = []  # asked of pycma, not yet suggested
        self.running = {}
        self.ended = []  # point and value, not yet told
        self.worst = 0.0
        self.cma = cma.CMAEvolutionStrategy(
            [0.5] * len(space), 0.25,
            {"bounds": [0, 1], "seed": seed % 2**31 + 1, "verbose": -9})

    def suggest(self):
        if not self.waiting:
            self.waiting = list(self.cma.ask())
        point = self.waiting.pop(0)
        self.n += 1
        self.running[self.n] = point
        return self.n, {p["name"]: float(p["low"] + x * (p["high"] - p["low"]))
                        for p, x in zip(self.space, point)}

    def complete(self, key, value):
        self.worst = max(self.worst, value)
        self.end(key, value)

    def fail(self, key):
        self.end(key, self.worst + 1)

    def end(self, key, value):
        self.ended.append((self.running.pop(key), value))
        if len(self.ended) >= self.cma.popsize:
            now = self.ended[:self.cma.popsize]
            self.ended = self.ended[self.cma.popsize:]
            self.cma.tell([x for x, _ in now], [y for _, y in now])


lines.serve(Study)
