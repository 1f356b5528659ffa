# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Everything around the issue model: traces, digests, figures, table, chart."""
import json
import os
import tempfile
import unittest
from xml.etree import ElementTree

import chart
import digests
import figures
import hardware
import model
import table
from figures import CYCLES, INSTRUCTIONS, MODELLED, entry
from qemu_trace import expand

LOG = """\
----------------
IN: main
0x00010490:  e92d4ff0  push     {r4, lr}
0x00010494:  e12fff3c  blx      ip

Trace 0: 0x7f0000 [00800480/00010490/00000000/00000200] main
----------------
IN: core
0x00010500:  f2210152  veor     q0, q0, q1
0x00010504:  1afffffd  bne      #0x10500

Trace 0: 0x7f0040 [00800480/00010500/00000000/00000200] core
Trace 0: 0x7f0040 [00800480/00010500/00000000/00000200] core
Trace 0: 0x7f0040 [00800480/00010500/00000000/00000200] core
Stopped execution of TB chain before 0x7f0040 [00010500] core
"""


def modelled(hash, impl, core, value):
    return entry(hash, impl, core, CYCLES, value, MODELLED)


def all_marks_met():
    return [modelled(hash, "neon-shash neon", core, mark)
            for hash, cores in figures.MUST.items() for core, mark in cores.items()]


def in_kernel(impl, value):
    return entry("blake2b-256", impl, "virt-a7", "instructions, a block", value, "counted")


class Traces(unittest.TestCase):
    def test_blocks_are_expanded(self):
        loop = [0x10500, 0x10504]
        self.assertEqual(expand(LOG.splitlines(True)), [0x10490, 0x10494] + loop + loop)

    def test_a_log_without_code_is_refused(self):
        with self.assertRaisesRegex(ValueError, "does not list the code"):
            expand(["Trace 0: 0x7f [0/00010490/0/0]\n"])

    def test_calls(self):
        back = 0x100
        addresses = [4, 8, back - 4, 0x200, 0x204, back, 4, back - 4, 0x300, back, 8]
        self.assertEqual(model.calls(addresses, back), [[0x200, 0x204], [0x300]])


class Digests(unittest.TestCase):
    def test_right(self):
        digest = digests.HASHES["sha3-256"](digests.MESSAGE[:5]).hexdigest()
        digests.compare(f"sha3-256\tcore\t5\t{digest}\n")

    def test_wrong(self):
        with self.assertRaisesRegex(digests.Wrong, "core computes a wrong sha3-256 of 5 bytes"):
            digests.compare(f"sha3-256\tcore\t5\t{'00' * 32}\n")
        with self.assertRaises(digests.Wrong):
            digests.compare("")


class Marks(unittest.TestCase):
    def test_met(self):
        self.assertEqual(figures.missed(all_marks_met()), [])

    def test_the_best_variant_counts(self):
        entries = all_marks_met() + [modelled("blake2b", "neon-shash slow", "a8", 99)]
        self.assertEqual(figures.missed(entries), [])

    def test_missed(self):
        entries = all_marks_met()
        entries[0]["value"] += 0.01
        entries += [modelled("blake2b", "rival", "a7", 1)]
        self.assertEqual(figures.missed(entries), ["blake2b on a7: 12.61 cycles/byte "
                                                   "(neon-shash neon), must be <= 12.6"])

    def test_no_figure_is_no_pass(self):
        self.assertEqual(len(figures.missed(all_marks_met()[1:])), 1)

    def test_what_is_measured_has_no_mark(self):
        self.assertEqual(figures.missed([entry("blake2b", "neon-shash", "a7", CYCLES, 99, "m")]), [])


class KernelFigures(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.json")
            with open(path, "w") as file:
                file.write(text)
            return figures.read(path)

    def test_read(self):
        entries = [in_kernel("neon-shash", 10)]
        self.assertEqual(self.read(json.dumps(entries)), entries)
        self.assertEqual(figures.read("/nonexistent/kernel.json"), [])

    def test_refused(self):
        with self.assertRaisesRegex(ValueError, "not an entry"):
            self.read('[{"hash": "blake2b"}]')
        with self.assertRaisesRegex(ValueError, "kernel.json is not a list of entries"):
            self.read("half a fi")


class Table(unittest.TestCase):
    def test_cores(self):
        entries = [modelled("blake2b", "neon-shash neon", "a7", 12.271),
                   entry("blake2b", "C", "any", INSTRUCTIONS, 40, "counted")]
        rows = [line.split() for line in table.text(entries).splitlines()]
        self.assertIn(["neon-shash", "neon", "12.27", "-"], rows)
        self.assertIn(["C", "-", "40"], rows)

    def test_ratios(self):
        entries = [in_kernel("neon-shash", 900), in_kernel("blake2b-256-neon", 1000)]
        self.assertRegex(table.text(entries), r"against blake2b-256-neon +900 +1,000 +0\.900\n")


class Chart(unittest.TestCase):
    def texts(self, entries):
        root = ElementTree.fromstring(chart.svg(entries))
        return [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]

    def test_our_best_variant_and_the_rivals(self):
        entries = [modelled("blake2b", "neon-shash neon", "a7", 12.3),
                   modelled("blake2b", "neon-shash neon_a8", "a7", 13.1),
                   modelled("blake2b", "Linux <neon>", "a7", 14.1)]
        texts = self.texts(entries)
        self.assertEqual([t for t in texts if "." in t], ["12.3", "14.1"])
        self.assertIn("Linux <neon>", texts)
        self.assertNotIn("Whole path in the kernel, less is better", texts)

    def test_the_whole_path(self):
        texts = self.texts(all_marks_met() + [in_kernel("neon-shash", 9000), in_kernel("b", 9500)])
        self.assertIn("Whole path in the kernel, less is better", texts)
        self.assertIn("9,500", texts)


class Hardware(unittest.TestCase):
    A7 = "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xc07\n"

    def test_the_core_is_named(self):
        cpuinfo = "processor\t: 0\nCPU implementer\t: 0x51\nCPU part\t: 0x06f\n\n" + self.A7
        self.assertEqual(hardware.core_name(cpuinfo, 1), "a7")
        self.assertEqual(hardware.core_name(cpuinfo, 0), "0x51:0x06f")

    def test_an_emulated_program_is_refused(self):
        with self.assertRaisesRegex(hardware.Refused, "emulated"):
            hardware.core_name("processor\t: 0\nvendor_id\t: GenuineIntel\n", 0)

    def test_units(self):
        cycles = hardware.parse("blake2b\tcore\t4096\tcycles\t40960.0", "a7")
        time = hardware.parse("blake2b\tcore\t4096\tns\t4096.0", "a7")
        self.assertEqual((cycles["metric"], cycles["value"]), ("cycles/byte", 10))
        self.assertEqual((time["metric"], time["value"]), ("ns/byte", 1))


if __name__ == "__main__":
    unittest.main()
