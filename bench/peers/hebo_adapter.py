"""HEBO as a program that answers in JSON lines.

As it comes. Without "when"; a trial without a value is told as the worst value
so far. Others that run are not told, since HEBO has no way to.
"""
# SPDX-License-Identifier: GPL-3.0-or-later
import warnings

import lines

warnings.simplefilter("ignore")

import numpy as np
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO

torch.set_num_threads(1)


def axis(param):
    """A parameter as HEBO writes it."""
    if param["type"] in ("float", "int"):
        kind = {"float": ("num", "pow"), "int": ("int", "pow_int")}
        return {"name": param["name"], "lb": param["low"], "ub": param["high"],
                "type": kind[param["type"]][1 if param["log"] else 0]}
    if param["type"] == "ordinal":
        return {"name": param["name"], "type": "int", "lb": 0,
                "ub": len(param["values"]) - 1}
    return {"name": param["name"], "type": "cat",
            "categories": param["values"]}


class Study:
    def __init__(self, space, seed, budget, parallel):
        if any("when" in p for p in space):
            raise ValueError("conditional parameters are not searched")
        np.random.seed(seed % 2**32)
        torch.manual_seed(seed)
        self.space = space
        self.hebo = HEBO(DesignSpace().parse([axis(p) for p in space]),
                         scramble_seed=seed % 2**31)
        self.n = 0
        self.running = {}
        self.worst = 0.0

    def suggest(self):
        row = self.hebo.suggest(n_suggestions=1)
        params = {}
        for param in self.space:
            value = row.iloc[0][param["name"]]
            if param["type"] == "ordinal":
                value = param["values"][int(value)]
            params[param["name"]] = value
        self.n += 1
        self.running[self.n] = row
        return self.n, lines.settled(self.space, params)

    def complete(self, key, value):
        self.worst = max(self.worst, value)
        self.hebo.observe(self.running.pop(key), np.array([[value]]))

    def fail(self, key):
        self.hebo.observe(self.running.pop(key), np.array([[self.worst]]))


lines.serve(Study)
