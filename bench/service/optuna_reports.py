# Optuna's rate of durable reports: trial.report on its RDB storage with SQLite,
# by one process and by several, each with a trial of its own. Prints the
# larger one, in reports a second.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     optuna_reports.py FOLDER SECONDS
import multiprocessing
import sys
import time

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)


def storage(folder):
    return optuna.storages.RDBStorage(
        f"sqlite:///{folder}/optuna.db",
        engine_kwargs={"connect_args": {"timeout": 100}})


def report(folder, seconds, counts, index):
    study = optuna.load_study(study_name="s", storage=storage(folder))
    trial = study.ask()
    begun = time.monotonic()
    n = 0
    while time.monotonic() - begun < seconds:
        trial.report(0.5, n)
        n += 1
    counts[index] = n


def rate(folder, seconds, processes):
    counts = multiprocessing.Array("q", processes)
    running = [
        multiprocessing.Process(target=report,
                                args=(folder, seconds, counts, i))
        for i in range(processes)]
    for process in running:
        process.start()
    for process in running:
        process.join()
    return sum(counts) / seconds


def main():
    folder, seconds = sys.argv[1], float(sys.argv[2])
    optuna.create_study(study_name="s", storage=storage(folder))
    rates = {n: rate(folder, seconds, n) for n in (1, 4)}
    for n, value in rates.items():
        print(f"Optuna, {n} processes: {value:.0f} a second", file=sys.stderr)
    print(f"{max(rates.values()):.1f}")


main()
