"""Optuna as a program that answers in JSON lines.

    optuna_adapter.py gp | tpe | tpe-multivariate | cmaes | random [worst]

Each sampler as it comes; cmaes is told nothing but the seed. A trial without a
value is told as failed, which the samplers pass over, or with "worst" as the
worst value so far, as careful users do.
"""
# SPDX-License-Identifier: GPL-3.0-or-later
import sys
import warnings

import lines

import optuna
from optuna.samplers import (CmaEsSampler, GPSampler, RandomSampler,
                             TPESampler)
from optuna.trial import TrialState

if sys.argv[1] == "gp":
    import torch
    torch.set_num_threads(1)

warnings.simplefilter("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)

SAMPLERS = {
    "gp": GPSampler,
    "tpe": TPESampler,
    "tpe-multivariate": lambda seed, **more: TPESampler(
        multivariate=True, group=True, seed=seed, **more),
    "cmaes": CmaEsSampler,
    "random": RandomSampler,
}


class Study:
    def __init__(self, space, seed, budget, parallel):
        more = {}
        if parallel > 1 and "tpe" in sys.argv[1]:
            more["constant_liar"] = True
        self.space = space
        self.study = optuna.create_study(
            sampler=SAMPLERS[sys.argv[1]](seed=seed % 2**32, **more))
        self.running = {}
        self.worst = 0.0

    def value(self, trial, param):
        name = param["name"]
        if param["type"] == "float":
            return trial.suggest_float(name, param["low"], param["high"],
                                       log=param["log"])
        if param["type"] == "int":
            return trial.suggest_int(name, param["low"], param["high"],
                                     log=param["log"])
        if param["type"] == "ordinal":
            at = trial.suggest_int(name, 0, len(param["values"]) - 1)
            return param["values"][at]
        return trial.suggest_categorical(name, param["values"])

    def suggest(self):
        trial = self.study.ask()
        params = {}
        for param in self.space:
            if lines.exists(param, params):
                params[param["name"]] = self.value(trial, param)
        self.running[trial.number] = trial
        return trial.number, params

    def complete(self, key, value):
        self.worst = max(self.worst, value)
        self.study.tell(self.running.pop(key), value)

    def fail(self, key):
        trial = self.running.pop(key)
        if "worst" in sys.argv[2:]:
            self.study.tell(trial, self.worst)
        else:
            self.study.tell(trial, state=TrialState.FAIL)


lines.serve(Study)
