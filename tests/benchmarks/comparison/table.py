# SPDX-License-Identifier: Apache-2.0
"""From times to verdicts: medians, spreads, ratios, and the table. Nothing here measures."""
import math
import statistics


def median(values):
    return statistics.median(values) if values else math.nan


def spread(values):
    """Median distance from the median, as a share of it."""
    middle = median(values)
    return median([abs(v - middle) for v in values]) / middle if values and middle else math.nan


def fastest(times, names):
    """(name, median) of the fastest of `names` that has times; None where none has."""
    present = [(median(times[name]), name) for name in names if times.get(name)]
    if not present:
        return None
    best = min(present)
    return best[1], best[0]


def figure(goal, row, times):
    """The figure the goal bounds, with the name of what it was compared with; None where that is missing."""
    ours = median(times.get("ours", []))
    if math.isnan(ours):
        return None
    if goal.kind == "ratio":
        best = fastest(times, goal.peers)
        return best and (ours / best[1], best[0])
    if goal.kind == "ns":
        return ours, "ns"
    if goal.kind == "copy" and times.get("copy"):
        # copy moves two tensors in its time
        return (row.moved_tensors / ours) / (2 / median(times["copy"])), "copy"
    if goal.kind == "own" and times.get("against"):
        # neighbours in time: the clock's drift cancels
        return median([a / b for a, b in zip(times["ours"], times["against"])]), "tracing off"
    return None


def judge(goal, value):
    """"met" (the aim too), "must met" or "missed"."""
    good = (lambda bound: value >= bound) if goal.kind in ("copy", "speed-up") else (lambda bound: value <= bound)
    if good(goal.aim):
        return "met"
    return "must met" if good(goal.must) else "missed"


def applicable(row, threads):
    return [goal for goal in row.goals if goal.threads in (0, threads)]


def share(row, times):
    """What part of the hardware's speed we reach: of PEAK, or of copy's bandwidth; "" where neither stands beside it."""
    ours = median(times.get("ours", []))
    if row.flops and times.get("peak"):
        return f"{row.flops / ours / (2e6 / median(times['peak'])):.2f} of peak"
    if row.copy_bytes and times.get("copy"):
        return f"{(row.moved_tensors / ours) / (2 / median(times['copy'])):.2f} of copy"
    return ""


def show_ns(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}" if ns < 1000 * size else f"{ns / size:.0f} {unit}"
    return f"{ns:.3g} ns"


def show_time(values):
    return f"{show_ns(median(values))} ±{100 * spread(values):.0f}%" if values else "–"


def verdict(row, threads, times, disturbed):
    """Ratio, must, aim and verdict of a row as texts."""
    if not times.get("ours"):
        return "–", "–", "–", "not run"
    shown, musts, aims, verdicts = [], [], [], []
    for goal in applicable(row, threads):
        found = figure(goal, row, times)
        sign = "≥" if goal.kind == "copy" else "≤"
        musts.append(f"{sign} {goal.must:g}")
        aims.append(f"{sign} {goal.aim:g}")
        if found is None:
            shown.append("–")
            continue
        value, against = found
        shown.append(f"{value:.3g} ns" if goal.kind == "ns" else f"{value:.2f} of {against}" if goal.kind == "copy" else f"{value:.2f} {against}")
        verdicts.append(judge(goal, value))
    hardware = share(row, times)
    if not musts:
        best = fastest(times, [name for name in times if name in row.peers])
        shown = [f"{median(times['ours']) / best[1]:.2f} {best[0]}"] if best else []
        result = "no goal" + (f": {hardware}" if hardware else "")
    elif not verdicts:
        result = "no peer" + (f": {hardware}" if hardware else "")
    else:
        worst = max(verdicts, key=("met", "must met", "missed").index)
        result = worst + (f" ({hardware})" if hardware and row.goals[0].kind != "copy" else "")
    if row.waits_for:
        result = f"not built yet ({row.waits_for})"
    elif disturbed:
        result = f"disturbed ({result})"
    return "; ".join(shown) or "–", "; ".join(musts) or "–", "; ".join(aims) or "–", result


def speed_up(row, one, two):
    """(factor, verdict) of two threads over one; None where a side is missing."""
    if not row.speed_up or not one.get("ours") or not two.get("ours"):
        return None
    factor = median(one["ours"]) / median(two["ours"])
    must, aim = row.speed_up
    return factor, "met" if factor >= aim else "must met" if factor >= must else "missed"


def lines(results, peers):
    """The table's cells: header first. `results`: a list of (row, threads, times, disturbed)."""
    yield ["what", "threads", "ours", *peers, "ours / best peer", "must", "aim", "verdict"]
    by_key = {}
    for row, threads, times, disturbed in results:
        by_key[row.what, threads] = times
        cells = [show_time(times.get(name, [])) for name in ("ours", *peers)]
        yield [row.what, str(threads), *cells, *verdict(row, threads, times, disturbed)]
    for row, threads, _, _ in results:
        disturbed = any(other[3] for other in results if other[0] == row)
        if threads != 2 or not row.speed_up:
            continue
        found = speed_up(row, by_key.get((row.what, 1), {}), by_key[row.what, 2])
        if found:
            must, aim = row.speed_up
            yield [f"speed-up: {row.what}", "2 over 1", f"{found[0]:.2f}x", *["–"] * len(peers), "–", f"≥ {must:g}", f"≥ {aim:g}",
                   f"disturbed ({found[1]})" if disturbed else found[1]]


def markdown(rows):
    rows = list(rows)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    text = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    return "\n".join([text[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *text[1:]]) + "\n"


def remarks(results):
    """What is known of the rows that miss their goal, each remark once with the rows it is about."""
    about = {}
    for row, threads, times, disturbed in results:
        if row.remark and "missed" in verdict(row, threads, times, disturbed)[3]:
            about.setdefault(row.remark, []).append(f"{row.what} (T{threads})")
    return "".join(f"\n- {', '.join(names)}: {remark}\n" for remark, names in about.items())


def tally(rows):
    """How many rows of each verdict: the summary line."""
    rows = list(rows)[1:]
    counts = {kind: 0 for kind in ("met", "must met", "missed", "no peer", "no goal", "not run", "not built yet", "disturbed")}
    for row in rows:
        for kind in counts:
            if row[-1] == kind or row[-1].startswith((kind + " ", kind + ":")):
                counts[kind] += 1
                break
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
