"""BoTorch as a program that answers in JSON lines.

SingleTaskGP as it comes over [0, 1]^d, values standardised, log noisy expected
improvement with the points that run as pending. The first 2 d points, at most
20, are Sobol's. A word is one number for each of its values; whole numbers and
words are rounded before they are tried and told. Without "when"; trials
without a value are left out.
"""
# SPDX-License-Identifier: GPL-3.0-or-later
import warnings

import lines

import torch
from botorch.acquisition import qLogNoisyExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch.quasirandom import SobolEngine

warnings.simplefilter("ignore")
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


class Study:
    def __init__(self, space, seed, budget, parallel):
        if any("when" in p for p in space):
            raise ValueError("conditional parameters are not searched")
        torch.manual_seed(seed)
        self.space = space
        self.seed = seed
        self.widths = [len(p["values"]) if p["type"] == "categorical" else 1
                       for p in space]
        d = sum(self.widths)
        self.bounds = torch.stack([torch.zeros(d), torch.ones(d)])
        self.sobol = SobolEngine(d, scramble=True, seed=seed % 2**31)
        self.first = min(2 * len(space), 20)
        self.n = 0
        self.running = {}
        self.x, self.y = [], []

    def params(self, row):
        """What a point stands for, and the point moved onto it."""
        params, moved, at = {}, [], 0
        for param, width in zip(self.space, self.widths):
            part = row[at:at + width]
            at += width
            low, high = param.get("low"), param.get("high")
            if param["type"] == "float":
                value = low + float(part[0]) * (high - low)
                moved.append(float(part[0]))
            elif param["type"] == "int":
                value = low + round(float(part[0]) * (high - low))
                moved.append((value - low) / max(high - low, 1))
            elif param["type"] == "ordinal":
                k = round(float(part[0]) * (width_of(param) - 1))
                value = param["values"][k]
                moved.append(k / max(width_of(param) - 1, 1))
            else:
                k = int(torch.argmax(part))
                value = param["values"][k]
                moved += [1.0 if i == k else 0.0 for i in range(width)]
            params[param["name"]] = value
        return params, torch.tensor(moved)

    def next(self):
        if self.n < self.first or len(self.x) < 2:
            return self.sobol.draw(1).double()[0]
        x = torch.stack(self.x)
        y = -torch.tensor(self.y).unsqueeze(-1)
        model = SingleTaskGP(x, y, outcome_transform=Standardize(1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        pending = list(self.running.values())
        wish = qLogNoisyExpectedImprovement(
            model, x, sampler=SobolQMCNormalSampler(
                torch.Size([128]), seed=(self.seed + self.n) % 2**31),
            X_pending=torch.stack(pending) if pending else None,
            prune_baseline=True)
        best, _ = optimize_acqf(wish, self.bounds, q=1, num_restarts=10,
                                raw_samples=256)
        return best[0].detach()

    def suggest(self):
        params, point = self.params(self.next())
        self.n += 1
        self.running[self.n] = point
        return self.n, params

    def complete(self, key, value):
        self.x.append(self.running.pop(key))
        self.y.append(value)

    def fail(self, key):
        self.running.pop(key)


def width_of(param):
    return len(param["values"])


lines.serve(Study)
