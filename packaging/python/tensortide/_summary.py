# SPDX-License-Identifier: Apache-2.0
"""The picture of a capture for notebooks: the step, and the types of ops that take most of it."""
import html
import math

MOST_ROWS = 8
WIDTH, LEFT, BARS, ROW = 720, 210, 360, 22
UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns"))


def duration(ns):
    """Three significant digits; an en dash where it is unknown."""
    if not isinstance(ns, (int, float)) or not math.isfinite(ns):
        return "–"
    for size, unit in UNITS:
        if abs(ns) >= size * 0.9995 or unit == "ns":
            return f"{float(f'{ns / size:.3g}'):g} {unit}"
    return "–"


def shortened(text, most):
    text = " ".join(str(text).split())
    return text if len(text) <= most else text[:most - 1] + "…"


def _text(x, y, text, **style):
    """Escaped: names in a capture are words of strangers."""
    said = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in style.items())
    clean = "".join(c for c in str(text) if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")
    return f'<text x="{x}" y="{y}"{said}>{html.escape(clean)}</text>'


def bars(rows):
    """[(type, time [ns], share or None)] of the rows of `ops --by type`, longest first; the rest is one row."""
    timed = [(row.get("name") or row.get("type") or "–", row["time_ns"], row.get("share_ratio")) for row in rows
             if isinstance(row.get("time_ns"), (int, float)) and row["time_ns"] > 0]
    timed.sort(key=lambda row: -row[1])
    if len(timed) <= MOST_ROWS:
        return timed
    rest = timed[MOST_ROWS - 1:]
    shares = [row[2] for row in rest if row[2] is not None]
    return [*timed[:MOST_ROWS - 1], (f"{len(rest)} other types", sum(row[1] for row in rest), sum(shares) if shares else None)]


def heading(file, summary):
    step = summary.get("step_ns") or {}
    name, samples = shortened(file.rsplit("/", 1)[-1], 60), step.get("samples") or 0
    return f"{name}: step {duration(step.get('value'))}" + (f", median of {samples}" if samples > 1 else "")


def svg(capture):
    """A picture of 720 pixels' width in neutral colours, readable on light and dark."""
    summary = capture.summary()
    rows = bars(capture.ops(by="type", kind="rows"))
    height = 64 + ROW * max(1, len(rows)) + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
             'font-family="sans-serif" font-size="13" fill="currentColor">',
             _text(8, 20, heading(capture.file, summary), font_weight="bold"),
             _text(8, 42, shortened(summary.get("sentence") or "", 112))]
    longest = max((row[1] for row in rows), default=1)
    for i, (name, time_ns, share) in enumerate(rows):
        y = 64 + i * ROW
        parts.append(_text(LEFT - 8, y + 12, shortened(name, 30), text_anchor="end"))
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{max(1.0, BARS * time_ns / longest):.1f}" height="{ROW - 6}" '
                     'fill="#3b82b8"/>')
        part = "" if share is None else f" ({float(f'{100 * share:.3g}'):g} %)"
        parts.append(_text(LEFT + BARS + 8, y + 12, duration(time_ns) + part))
    if not rows:
        parts.append(_text(8, 76, "No op has a known time."))
    return "".join([*parts, "</svg>"])
