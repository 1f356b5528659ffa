# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Figures that need no board: cycles by the issue model, counted instructions, size of the code."""
from figures import CODE, CYCLES, INSTRUCTIONS, MODELLED, entry
from neonmodel import CORES, Program, cycles
from qemu_trace import traced

COUNTED = "counted in a trace"
ANY = "any"


def entries(elf, emulator, cross):
    program = Program(elf, cross)
    addresses, output = traced([elf, "trace"], emulator)
    runs = calls(addresses, program.symbols["call_core_return"])
    result = []
    for line, run in zip(output.splitlines(), runs, strict=True):
        hash, impl, size, _ = line.split("\t")
        result += one(hash, impl, int(size), [program.instruction(at) for at in run])
        result.append(entry(hash, impl, ANY, CODE, 4 * len(set(run)), COUNTED))
    return result


def one(hash, impl, size, trace):
    result = [entry(hash, impl, ANY, INSTRUCTIONS, len(trace) / size, COUNTED)]
    if is_neon_code(trace):
        result += [entry(hash, impl, name, CYCLES, cycles(trace, core()) / size, MODELLED)
                   for name, core in CORES.items()]
    return result


def is_neon_code(trace):
    """Scalar code is not what the model was made for."""
    return sum(i.kind != "core" for i in trace) > len(trace) / 2


def calls(addresses, back):
    """What runs between each call in call_core and the label `back` behind it."""
    found = []
    current = None
    for address in addresses:
        if address == back and current is not None:
            found.append(current)
            current = None
        elif current is not None:
            current.append(address)
        elif address == back - 4:  # the call
            current = []
    return found
