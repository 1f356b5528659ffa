#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""An issue model of Cortex-A7, A8 and A9 for NEON code: it predicts cycles, not seconds.

A scoreboard replays the trace of a run, instruction by instruction, in order. Every load is a
cache hit; there is no write buffer, no delay between a store and a load, no cost of branches.

    neonmodel.py ELF --from SYMBOL --to SYMBOL --bytes N [--core a7] [--args '...'] [--mix]

Sources of the rules: GCC's cortex-a8-neon.md and cortex-a9-neon.md, with their stages N1 to N6.
A7, of which no such table is public: one instruction at a time, D operations 1 cycle, Q
operations 2, results after 4, which is what comments in Linux's NEON code say of it. How far
the figures are from silicon: docs/bench.md.

Core instructions are only counted well enough to stand beside NEON code. Scalar code must not be
judged by this model.
"""
import argparse
import collections
import re
import subprocess
import sys

LOADS = {"vld1", "vld2", "vldr", "vldm", "vldmia", "vpop"}
STORES = {"vst1", "vst2", "vstr", "vstm", "vstmia", "vpush"}
SWAPS = {"vswp", "vtrn", "vzip", "vuzp"}
PERMUTES = {"vext", "vrev64", "vrev32", "vrev16", "vtbl", "vtbx", "vdup"} | SWAPS
SHIFTS = {"vshl", "vshr", "vsli", "vsri", "vsra"}
ARITHMETIC = {"vadd", "vsub", "vneg", "vand", "vbic", "veor", "vorn", "vorr", "vmov", "vmvn",
              "vbif", "vbit", "vbsl", "vceq", "vcge", "vcgt"}
# These read their destination too.
ACCUMULATE = {"vsli", "vsri", "vsra", "vbif", "vbit", "vbsl", "vtbx"} | SWAPS
# Of these the two-operand form does not read its destination; of all others it does.
UNARY = {"vmov", "vmvn", "vneg", "vdup", "vrev64", "vrev32", "vrev16"}

NEON_RANGE = re.compile(r"\b([dq])(\d+)-\1(\d+)")
NEON_REGISTER = re.compile(r"\b([dqs])(\d+)\b")
CORE_REGISTER = re.compile(r"\b(?:r\d+|sp|lr|ip|fp|sl|pc)\b")
OPERAND_COMMA = re.compile(r",(?![^\[{]*[\]}])")


class Unknown(ValueError):
    """An instruction for which the model has no rule."""


def d_registers(text):
    """The numbers of the D registers in an operand. Q is two of them, S a half of one."""
    numbers = []
    for kind, first, last in NEON_RANGE.findall(text):
        for n in range(int(first), int(last) + 1):
            numbers += [n] if kind == "d" else [2 * n, 2 * n + 1]
    for kind, n in NEON_REGISTER.findall(NEON_RANGE.sub("", text)):
        n = int(n)
        numbers += {"d": [n], "q": [2 * n, 2 * n + 1], "s": [n // 2]}[kind]
    return numbers


def core_registers(text):
    return CORE_REGISTER.findall(text)


def kind_of(name):
    for kind, names in (("load", LOADS), ("store", STORES), ("permute", PERMUTES),
                        ("shift", SHIFTS), ("arithmetic", ARITHMETIC)):
        if name in names:
            return kind
    if name.startswith("v"):
        raise Unknown(f"the issue model has no rule for {name}; add it with its source")
    return "core"


class Instruction:
    """What the model wants to know of an instruction in objdump's words."""

    def __init__(self, mnemonic, operands=""):
        self.name = mnemonic.split(".")[0]
        self.kind = kind_of(self.name)
        self.is_q = False  # works on Q registers
        self.count = 0  # D registers loaded or stored
        self.reads, self.writes = [], []
        self.core_reads, self.core_writes = [], []
        parts = [part.strip() for part in OPERAND_COMMA.split(operands)] if operands else []
        if not parts:
            return
        if self.kind in ("load", "store"):
            self._memory(parts, operands)
        elif self.kind == "core":
            self._core(parts, operands)
        elif self.name == "vmov" and core_registers(operands):
            self._transfer(parts, operands)
        else:
            self._data(parts)

    def _memory(self, parts, operands):
        registers = [n for part in parts if not part.startswith("[") for n in d_registers(part)]
        self.count = len(registers)
        (self.writes if self.kind == "load" else self.reads).extend(registers)
        self.core_reads = core_registers(operands)
        self.core_writes = core_registers(operands) if "!" in operands else []

    def _transfer(self, parts, operands):
        self.kind = "transfer"
        if NEON_REGISTER.match(parts[0]):
            self.writes, self.core_reads = d_registers(parts[0]), core_registers(operands)
        else:
            self.reads, self.core_writes = d_registers(operands), core_registers(operands)

    def _data(self, parts):
        destination = d_registers(parts[0])
        self.is_q = parts[0].startswith("q")
        self.writes = list(destination)
        self.reads = [n for part in parts[1:] for n in d_registers(part)]
        if self.name in ACCUMULATE or (len(parts) == 2 and self.name not in UNARY):
            self.reads += destination
        if self.name in SWAPS:
            self.writes += d_registers(parts[1])

    def _core(self, parts, operands):
        writes_nothing = ("str", "stm", "push", "cmp", "tst", "teq", "b")
        if self.name.startswith(writes_nothing) and self.name != "bic":
            self.core_reads = core_registers(operands)
            return
        writes_all = self.name.startswith(("ldm", "pop", "ldrd"))
        self.core_writes = core_registers(operands if writes_all else parts[0])
        self.core_reads = [name for part in parts[1:] for name in core_registers(part)]


# How a core issues an instruction: the unit that it occupies, for how many cycles, the stage at
# which it reads its registers, and after how many cycles its result can be read by stage 0.
Issue = collections.namedtuple("Issue", "unit cycles reads_at result")


class A7:
    """One instruction at a time."""

    units = ("all",)
    to_core = 1

    def issue(self, i):
        if i.kind == "core":
            return Issue("all", 1, 0, 1)
        if i.kind in ("load", "store"):
            cycles = max(1, i.count)
            return Issue("all", cycles, 0, cycles + 2)
        return Issue("all", 2 if i.is_q else 1, 0, 4)


class A8:
    """One data-processing and one load, store or permute instruction in a cycle.

    GCC gives the stage at whose end a result exists; its latency for a reader is the
    difference of the stages plus one.
    """

    units = ("core", "data", "memory")
    data, memory = "data", "memory"
    to_core = 20

    def issue(self, i):
        if i.kind == "core":
            return Issue("core", 1, 0, 1)
        if i.kind in ("load", "store"):
            return Issue(self.memory, 2 if i.count <= 2 else (i.count + 1) // 2 + 1, 1, 3)
        if i.kind == "transfer":
            return Issue(self.memory, 1, 1, 3 if i.writes else 20)
        if i.kind == "permute":
            two = i.name in ("vtbl", "vtbx") or (i.is_q and i.name in {"vext"} | SWAPS)
            return Issue(self.memory, 2 if two else 1, 1, 4 if two else 3)
        if i.name == "vsra":
            return Issue(self.data, 1, 1, 7)
        if i.kind == "shift":
            two = i.is_q and i.name in ("vsli", "vsri")
            return Issue(self.data, 2 if two else 1, 1, 5 if two else 4)
        return Issue(self.data, 1, 2, 4)


class A9(A8):
    """As A8, with one slot for all NEON instructions."""

    units = ("core", "neon")
    data = memory = "neon"


CORES = {"a7": A7, "a8": A8, "a9": A9}


def plan(core, i):
    """All that `cycles` needs of an instruction, in one tuple."""
    issue = core.issue(i)
    to_core = core.to_core if i.kind == "transfer" else 1
    return (core.units.index(issue.unit), issue.cycles, i.reads, issue.reads_at, i.core_reads,
            i.writes, issue.result, i.core_writes, to_core)


def cycles(trace, core):
    """The cycles that `core` takes for the instructions in `trace`, in their order."""
    plans = {i: plan(core, i) for i in set(trace)}
    ready = [0] * 32  # when each D register can be read by stage 0
    core_ready = collections.defaultdict(int)
    free = [0] * len(core.units)
    now = end = 0
    for i in trace:
        unit, busy, reads, reads_at, core_reads, writes, result, core_writes, to_core = plans[i]
        now = max(now, free[unit])
        for n in reads:
            if ready[n] - reads_at > now:
                now = ready[n] - reads_at
        for name in core_reads:
            if core_ready[name] > now:
                now = core_ready[name]
        free[unit] = now + busy
        end = max(end, now + busy)
        for n in writes:
            ready[n] = now + result
        for name in core_writes:
            core_ready[name] = now + to_core
    return end


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Program:
    """The disassembly and the symbols of an ELF file."""

    def __init__(self, elf, cross="arm-linux-gnueabihf-"):
        self.symbols = {}
        for line in run(f"{cross}nm", elf).splitlines():
            words = line.split()
            if len(words) == 3:
                self.symbols[words[2]] = int(words[0], 16) & ~1
        self._text = {}
        self._instructions = {}
        listing = run(f"{cross}objdump", "-d", "--no-show-raw-insn", elf)
        for address, text in re.findall(r"^\s*([0-9a-f]+):\t(.*)$", listing, re.MULTILINE):
            self._text[int(address, 16)] = text

    def instruction(self, address):
        """The instruction at `address`; the same object each time."""
        if address not in self._instructions:
            self._instructions[address] = parse(self._text[address])
        return self._instructions[address]


def parse(text):
    """An instruction as objdump or a programmer writes it."""
    mnemonic, _, operands = re.split(r"[@;]|//", text)[0].strip().partition("\t")
    if not operands:
        mnemonic, _, operands = mnemonic.partition(" ")
    return Instruction(mnemonic, operands.strip())


def mix(trace):
    """How many instructions of each kind, with their width where it makes a difference."""
    wide = ("arithmetic", "permute", "shift")
    name = lambda i: f"{'Q' if i.is_q else 'D'} {i.kind}" if i.kind in wide else i.kind
    return dict(sorted(collections.Counter(map(name, trace)).items()))


def main():
    from qemu_trace import addresses
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("elf", help="a statically linked program")
    p.add_argument("--from", dest="first", required=True, metavar="SYMBOL")
    p.add_argument("--to", dest="end", required=True, metavar="SYMBOL", help="one past the last")
    p.add_argument("--bytes", type=int, required=True, help="how much it hashes between the two")
    p.add_argument("--core", choices=CORES, action="append")
    p.add_argument("--args", default="", help="the program's arguments")
    p.add_argument("--mix", action="store_true", help="count the instructions by kind")
    p.add_argument("--cross", default="arm-linux-gnueabihf-", help="prefix of objdump and nm")
    a = p.parse_args()
    program = Program(a.elf, a.cross)
    unknown = [name for name in (a.first, a.end) if name not in program.symbols]
    if unknown:
        sys.exit(f"{a.elf} has no symbol {unknown[0]}")
    inside = range(program.symbols[a.first], program.symbols[a.end])
    trace = [program.instruction(at) for at in addresses([a.elf, *a.args.split()]) if at in inside]
    if not trace:
        sys.exit(f"nothing between {a.first} and {a.end} was executed")
    if a.mix:
        print(mix(trace))
    for name in a.core or CORES:
        count = cycles(trace, CORES[name]())
        print(f"{name} instructions={len(trace)} cycles={count} cycles/byte={count / a.bytes:.2f}")


if __name__ == "__main__":
    main()
