# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Figures measured on the ARM machine that this runs on, on one of its CPUs."""
import glob
import os
import re
import subprocess

from figures import CYCLES, TIME, entry

# CPU part numbers of ARM Ltd., as in Linux's asm/cputype.h.
PARTS = {"0xc05": "a5", "0xc07": "a7", "0xc08": "a8", "0xc09": "a9", "0xc0d": "a12",
         "0xc0e": "a17", "0xc0f": "a15", "0xd01": "a32", "0xd03": "a53", "0xd04": "a35",
         "0xd05": "a55", "0xd07": "a57", "0xd08": "a72", "0xd09": "a73"}

HOW = {"cycles": (CYCLES, "measured: perf_event cycles in user mode"),
       "ns": (TIME, "measured: CLOCK_MONOTONIC (the kernel gives out no cycle counter)")}


class Refused(Exception):
    """A time taken here would say nothing of a board."""


def entries(program):
    cpu = min(os.sched_getaffinity(0))
    core = core_name(cpuinfo(), cpu)
    refuse_emulators()
    print(f"measuring on CPU {cpu}, {core}; `taskset -c N make bench` takes another", flush=True)
    run = subprocess.run([program, "time"], stdout=subprocess.PIPE, text=True, check=True,
                         preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    return [parse(line, core) for line in run.stdout.splitlines()]


def parse(line, core):
    hash, impl, size, unit, figure = line.split("\t")
    metric, how = HOW[unit]
    return entry(hash, impl, core, metric, float(figure) / int(size), how)


def cpuinfo():
    with open("/proc/cpuinfo") as file:
        return file.read()


def core_name(cpuinfo, cpu):
    """The name of CPU number `cpu`. Emulation of programs shows the host's CPUs instead."""
    for paragraph in cpuinfo.split("\n\n"):
        fields = dict(re.findall(r"^(.*?)\s*: (.*)$", paragraph, re.MULTILINE))
        if fields.get("processor") == str(cpu) and "CPU part" in fields:
            part = fields["CPU part"]
            arm = fields.get("CPU implementer") == "0x41"
            return PARTS.get(part, part) if arm else f"{fields.get('CPU implementer')}:{part}"
    raise Refused("/proc/cpuinfo names no ARM CPU: this program is being emulated, and times "
                  "taken in an emulator say nothing; run it on the machine itself")


def refuse_emulators():
    for path in glob.glob("/proc/device-tree/compatible"):
        with open(path, "rb") as file:
            if b"linux,dummy-virt" in file.read():
                raise Refused("this is a virtual machine of QEMU, which may emulate the CPU: "
                              "times taken here say nothing; run it on a board")
