# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The entries as text."""
from figures import (CODE, CYCLES, INSTRUCTIONS, TIME, best_of_ours, is_ours, of_a_core, select,
                     unique, whole_path)

HEADINGS = {CYCLES: "cycles/B", TIME: "ns/B", INSTRUCTIONS: "instr/B", CODE: "code"}
TITLES = {"blake2b": "BLAKE2b, 4096 bytes", "sha3-256": "SHA3-256, 24 blocks of 136 bytes",
          "sha3-512": "SHA3-512, 24 blocks of 72 bytes"}


def text(entries, rivals=""):
    lines = []
    for hash in TITLES:
        lines += cores(TITLES[hash], of_a_core(select(entries, hash=hash)))
    lines += ratios(whole_path(entries))
    lines += [f"{metric}: {', '.join(hows)}" for metric, hows in methods(entries).items()]
    if rivals:
        lines.append(f"rivals: {rivals}")
    return "\n".join(lines)


def methods(entries):
    return {metric: unique(e["how"] for e in select(entries, metric=metric))
            for metric in unique(e["metric"] for e in entries)}


def cores(title, entries):
    columns = [(core, metric) for metric in (CYCLES, TIME)
               for core in unique(e["core"] for e in select(entries, metric=metric))]
    columns += [("any", metric) for metric in (INSTRUCTIONS, CODE) if select(entries, metric=metric)]
    if not columns:
        return []
    head = [title] + [heading(core, metric) for core, metric in columns]
    rows = [[impl] + [cell(select(entries, impl=impl, core=core, metric=metric))
                      for core, metric in columns]
            for impl in unique(e["impl"] for e in entries)]
    return aligned([head, *rows]) + [""]


def heading(core, metric):
    return HEADINGS[metric] if core == "any" else f"{core.upper()} {HEADINGS[metric]}"


def cell(found):
    return number(found[0]["value"]) if found else "-"


def number(value):
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.2f}"


def aligned(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join([row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])])
            for row in rows]


def ratios(entries):
    """Ours against each other implementation of the same hash, operation and kernel."""
    rows = [["Whole path", "ours", "other", "ratio"]]
    for hash, metric, core in unique((e["hash"], e["metric"], e["core"]) for e in entries):
        found = select(entries, hash=hash, metric=metric, core=core)
        ours = best_of_ours(found)
        for other in found if ours else ():
            if not is_ours(other):
                name = f"{hash}, {metric} ({core}), against {other['impl']}"
                ratio = f"{ours['value'] / other['value']:.3f}"
                rows.append([name, number(ours["value"]), number(other["value"]), ratio])
    return aligned(rows) + [""] if len(rows) > 1 else []
