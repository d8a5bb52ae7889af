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


UNDO_BYTES = 200_000_000  # of each node


def both_ways(setting, program, models, until):
    """Rows: of each model (of phold, or of queues) lookahead, travels, and million events a second: conservative on one node
    and on two, optimistic on one and on two. All four must find out the same."""
    rows = []
    for model in models:
        rates = {}
        for _ in range(setting.rounds):
            truths = set()
            for bytes_to_undo in ([0] if model[3] else []) + [UNDO_BYTES]:
                for nodes in (1, 2):
                    rate, truth = rate_of(run(setting, nodes, program, *model, until, bytes_to_undo, bind=True))
                    rates.setdefault((bytes_to_undo, nodes), []).append(rate / 1e6)
                    truths.add(truth)
            if len(truths) > 1:
                raise SystemExit(f"{program} {model}: nodes and ways found out {truths}")
        rows.append([model[3], model[2], *(median(rates[key]) if key in rates else "" for key in
                                           ((0, 1), (0, 2), (UNDO_BYTES, 1), (UNDO_BYTES, 2)))])
    return rows


def optimistic(setting):
    """By events that may be undone, beside the conservative simulation."""
    until = 20 if setting.quick else 400
    models = [(64, 16, travels, lookahead) for lookahead in (0.5, 0.005, 0) for travels in (0, 1, 10)]
    columns = ["lookahead", "travels to a random site, %", "conservative, one node", "two nodes", "optimistic, one node", "two nodes"]
    note = "All find out the same, to the last bit."
    queues = [(64, 4, travels, 0.1) for travels in (1, 10)]
    return [Result("optimistic", "PHOLD: million events a second, conservative and optimistic", columns,
                   both_ways(setting, "phold", models[::4] if setting.quick else models, until),
                   f"64 sites of 16 processes. {note}"),
            Result("queue-network", "A closed network of queues: million events a second", columns,
                   both_ways(setting, "queue_network", queues[:1] if setting.quick else queues, 4 * until),
                   f"64 queues, 256 customers. {note}")]


def hot_region(setting):
    """PHOLD with sites where most processes stay: two nodes without and with sites that move."""
    until = 50 if setting.quick else 1000
    hot = 16
    rows = []
    for travels in (1,) if setting.quick else (0, 1, 10):
        ones, stays, balanced, ratios, moved = [], [], [], [], []
        for _ in range(setting.rounds):
            truths = set()

            def rate(nodes, balance):
                text = run(setting, nodes, "phold", 64, 128, travels, 0.5, until, 0, hot, balance, bind=True)
                events, truth = rate_of(text)
                truths.add(truth)
                if balance:
                    moved.append(int(found(r"sites moved (\d+)", text)))
                return events / 1e6

            ones.append(rate(1, 0)), stays.append(rate(2, 0)), balanced.append(rate(2, 1))
            ratios.append(balanced[-1] / stays[-1])
            if len(truths) > 1:
                raise SystemExit(f"phold with a hot region, {travels} % travel: found out {truths}")
        rows.append([travels, median(ones), median(stays), median(balanced), median(ratios), median(moved)])
    return [Result("hot-region", "PHOLD with a hot region: million events a second",
                   ["travels to a random site of the region, %", "one node", "two nodes", "two nodes, balanced", "balanced to not",
                    "sites moved"], rows,
                   f"64 sites, of which the first {hot} have 128 processes each, and the others 8; lookahead 0.5. At first all hot sites "
                   "are on one node. All find out the same, to the last bit. The ratio is a median of ratios.")]
