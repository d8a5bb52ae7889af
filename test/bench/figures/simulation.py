"""PHOLD: events a second of a simulation by processes, on one node and on two, beside a loop over structs that simulates the
same model. All of them must find out the same."""
import subprocess

from measure import Result, found, median, run


def rate_of(text):
    """Events a second, and what the simulation has found out."""
    return float(found(r"events_per_second (\d+)", text)), found(r"checksum (\w+)", text)


def phold(setting):
    # sites, processes at each, travels in %, lookahead; until
    models = [(64, 16, 1, 0.5, 2000), (64, 64, 0, 0.9, 500), (64, 64, 1, 0.5, 500), (64, 64, 10, 0.5, 500), (64, 64, 10, 0.1, 500),
              (64, 256, 10, 0.5, 100)]
    rows = []
    for model in models[:3] if setting.quick else models:
        model = (*model[:4], model[4] / 50) if setting.quick else model
        loops, ones, twos = [], [], []
        for _ in range(setting.rounds):
            loop, truth = rate_of(run(setting, 1, "event_loop", *model))
            one, of_one = rate_of(run(setting, 1, "phold", *model, bind=True))
            two, of_two = rate_of(run(setting, 2, "phold", *model, bind=True))
            if not truth == of_one == of_two:
                raise SystemExit(f"phold {model}: the loop found {truth}, one node {of_one}, two nodes {of_two}")
            loops.append(loop), ones.append(one), twos.append(two / one)
        rows.append([model[0] * model[1], model[2], model[3], median(loops) / 1e6, median(ones) / 1e6, median(twos)])
    return [Result("phold", "PHOLD: events a second",
                   ["processes", "travels to a random site, %", "lookahead", "a loop over structs, million/s",
                    "processes, one node, million/s", "two nodes to one"], rows,
                   "64 sites, a mean of 1 between two events of a process. All three find out the same, to the last bit. Each row is "
                   "a median of rounds; the last column is one of ratios.")]
