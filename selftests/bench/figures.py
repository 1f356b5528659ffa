# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The entries of bench.json: what they hold, how they are read, and what they must reach.

An entry is {hash, impl, core, metric, value, how}. `impl` begins with "neon-shash" when it is ours.
"""
import json
import os

KEYS = ("hash", "impl", "core", "metric", "value", "how")
OURS = "neon-shash"

CYCLES, INSTRUCTIONS, CODE, TIME = "cycles/byte", "instructions/byte", "code bytes", "ns/byte"
# What is measured of a core alone. Every other metric is one of the whole path.
OF_A_CORE = (CYCLES, TIME, INSTRUCTIONS, CODE)

MODELLED = "issue model, every load a cache hit; A8 is modelled 7 to 21 % too fast"

# Cycles per byte that our best variant must reach on each core, by the issue model.
MUST = {
    "blake2b": {"a7": 12.6, "a8": 7.5, "a9": 9.1},
    "sha3-256": {"a7": 29.1, "a8": 22.6, "a9": 23.7},
}


def entry(hash, impl, core, metric, value, how):
    return dict(zip(KEYS, (hash, impl, core, metric, round(value, 4), how)))


def unique(values):
    """The values without repetition, in their order."""
    return list(dict.fromkeys(values))


def is_ours(entry):
    return entry["impl"].startswith(OURS)


def select(entries, **wanted):
    return [e for e in entries if all(e[key] == value for key, value in wanted.items())]


def best_of_ours(entries):
    return min(filter(is_ours, entries), key=lambda e: e["value"], default=None)


def of_a_core(entries):
    return [e for e in entries if e["metric"] in OF_A_CORE]


def whole_path(entries):
    return [e for e in entries if e["metric"] not in OF_A_CORE]


def read(path):
    """The entries in a file that another step has written; none if there is no such file."""
    if not os.path.exists(path):
        return []
    try:
        with open(path) as file:
            entries = json.load(file)
        broken = [e for e in entries if set(e) != set(KEYS) or not is_number(e["value"])]
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} is not a list of entries ({error}); delete it") from None
    if broken:
        raise ValueError(f"{path}: not an entry with {', '.join(KEYS)}: {broken[0]}")
    return entries


def is_number(value):
    return isinstance(value, (int, float)) and value > 0


def missed(entries):
    """A sentence for each mark that is missed. Marks are for the model alone."""
    modelled = [e for e in select(entries, metric=CYCLES) if e["how"] == MODELLED]
    lines = []
    for hash, cores in MUST.items() if modelled else ():
        for core, mark in cores.items():
            best = best_of_ours(select(modelled, hash=hash, core=core))
            if best is None:
                lines.append(f"{hash} on {core}: no figure, must be <= {mark} cycles/byte")
            elif best["value"] > mark:
                lines.append(f"{hash} on {core}: {best['value']:.2f} cycles/byte "
                             f"({best['impl']}), must be <= {mark}")
    return lines
