# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The parser of contracts, and what it refuses."""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

import contract
from contract import Contract, Wrong

HERE = os.path.dirname(os.path.abspath(__file__))

BLOCK = """\
Name: f
Description: does something: quickly
Signature: void f(u64 state[4], const u8 *data, size_t nblocks, size_t rate)
Requires:
  - nblocks >= 2
  - rate is 144, 136 or 72 (not checked)
Registers:
  r0: {c_name: state, bytes: 32, permission: read/write, alignment: 8, layout: "h[2], t[2]"}
  r1: {c_name: data, bytes: 128 * nblocks + 8, permission: read-only, alignment: 1}
  r2: {c_name: nblocks, permission: value}
  r3: {c_name: rate, permission: value}
Clobbers: [r0-r3, flags, d0-d3, d31]
Preserves: [r4-r11, sp]
Stack: {bytes: 16, reason: "r4-r6, and lr"}
ConstantTime: true
"""


def edited(old, new):
    assert old in BLOCK
    return BLOCK.replace(old, new)


class Parser(unittest.TestCase):
    def test_all_forms(self):
        keys = contract.parse(BLOCK)
        self.assertEqual(keys["Description"], "does something: quickly")
        self.assertEqual(keys["Requires"][0], "nblocks >= 2")
        self.assertEqual(keys["Clobbers"], ["r0-r3", "flags", "d0-d3", "d31"])
        self.assertEqual(keys["Stack"], {"bytes": "16", "reason": "r4-r6, and lr"})
        self.assertEqual(keys["Registers"]["r0"]["layout"], "h[2], t[2]")

    def test_refused(self):
        for text in ["Name f\n", "  - x\n", "A: 1\nA: 2\n", "A: [r0,\n", "A: 1\n  - x\n",
                     "A: {b: 1, b: 2}\n", "A:1\n"]:
            with self.assertRaises(Wrong, msg=text):
                contract.parse(text)

    def test_blocks(self):
        source = f"/* text */\n/*yaml\n{BLOCK}*/\ncode\n/*yaml\nName: g\n*/\n"
        self.assertEqual(contract.blocks(source), [BLOCK, "Name: g\n"])


class Registers(unittest.TestCase):
    def test_ranges(self):
        self.assertEqual(contract.registers(["r4-r6", "sp", "d30-d31"]),
                         {"r4", "r5", "r6", "sp", "d30", "d31"})

    def test_refused(self):
        for names in [["r13"], ["d32"], ["q0"], ["r1-d2"], ["r6-r4"], ["r4", "r3-r5"]]:
            with self.assertRaises(Wrong, msg=names):
                contract.registers(names)

    def test_masks(self):
        self.assertEqual(contract.mask({"r0", "lr", "flags"}, contract.CORE), 0xc001)
        self.assertEqual(contract.mask({"d0", "d31"}, contract.NEON), 0x80000001)


class Contracts(unittest.TestCase):
    def test_table(self):
        text = contract.table("cores", [Contract(BLOCK)])
        self.assertIn("return 128 * r[2] + 8;", text)
        self.assertIn(".clobbers = 0x800f, .neon_clobbers = 0x8000000fu", text)
        self.assertIn(".stack = 16", text)
        self.assertIn(f".least = 2, .most = {1 + contract.BLOCKS}u", text)
        self.assertIn(".choices = {144, 136, 72}, .n_choices = 3", text)
        self.assertRegex(text, r'"state", .bytes = \w+, .alignment = 8, .writable = 1')
        self.assertRegex(text, r'"data", .bytes = \w+, .alignment = 1, .writable = 0')

    def test_a_value_without_a_rule_is_any_number(self):
        text = contract.table("cores", [Contract(edited("rate is 144", "speed is 144"))])
        self.assertIn(".least = 0, .most = 4294967295u", text)

    def refused(self, block, reason):
        with self.assertRaisesRegex(Wrong, f"contract of .*: .*{reason}"):
            Contract(block)

    def test_refused(self):
        self.refused(edited("Stack: {bytes: 16", "Stack: {byte: 16"), "bytes")
        self.refused(edited("bytes: 16", "bytes: some"), "some")
        self.refused(edited("ConstantTime: true\n", ""), "missing keys: .'ConstantTime'")
        self.refused(BLOCK + "Speed: high\n", "unknown keys: .'Speed'")
        self.refused(edited("[r4-r11, sp]", "[r3-r11, sp]"), "both .*'r3'")
        self.refused(edited("[r0-r3, ", "[r1-r3, "), "r0 must be clobbered")
        self.refused(edited("read-only", "none"), "permission 'none'")
        self.refused(edited("alignment: 8", "alignment: 7"), "not an alignment")
        self.refused(edited("128 * nblocks", "128 * blocks"), "'blocks' .* is neither")
        self.refused(edited("128 * nblocks", "128 / nblocks"), "not a formula")

    def test_signature(self):
        self.refused(edited("void f(", "void g("), "not that of a void f")
        self.refused(edited("size_t rate)", "size_t speed)"), "'speed'")
        self.refused(edited("  r2:", "  r4:"), "the signature has")


class Pairs(unittest.TestCase):
    def paired(self, symbols):
        contract.pair_up([Contract(BLOCK)], symbols)

    def test_paired(self):
        self.paired("\ncore.o:\n00000000 T f\n00000010 t local\n00000020 r table\n")

    def test_an_entry_without_contract(self):
        with self.assertRaisesRegex(Wrong, "^g has no contract$"):
            self.paired("00000000 T f\n00000040 T g\n")

    def test_a_contract_without_entry(self):
        with self.assertRaisesRegex(Wrong, "^f has a contract and no code$"):
            self.paired("00000000 t f\n")

    def test_two_contracts(self):
        with self.assertRaisesRegex(Wrong, "f has two contracts"):
            contract.pair_up([Contract(BLOCK)] * 2, "00000000 T f\n")

    def test_nothing(self):
        with self.assertRaisesRegex(Wrong, "no contract in the sources"):
            contract.pair_up([], "")


class Program(unittest.TestCase):
    def run_on(self, symbols):
        """What contract.py makes of the cores' sources."""
        sources = glob.glob(os.path.join(HERE, "../../asm/*.S"))
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(symbols)
            file.flush()
            return subprocess.run(
                [sys.executable, os.path.join(HERE, "contract.py"), "--symbols", file.name,
                 "--table", "cores", *sources], capture_output=True, text=True, check=False)

    def test_an_error_is_said(self):
        result = self.run_on("00000000 T nobody\n")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, "")
        self.assertIn("error: nobody has no contract", result.stderr)


if __name__ == "__main__":
    unittest.main()
