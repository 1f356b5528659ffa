# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The issue model on short sequences whose cycles were worked out by hand from its rules."""
import unittest

from neonmodel import A7, A8, A9, Instruction, Unknown, cycles, mix, parse


def count(core, *lines):
    return cycles([parse(line) for line in lines], core())


class CortexA7(unittest.TestCase):
    def test_d_takes_one_cycle_and_q_two(self):
        self.assertEqual(count(A7, "veor d0, d1, d2", "veor d3, d4, d5"), 2)
        self.assertEqual(count(A7, "veor q0, q1, q2", "veor q3, q4, q5"), 4)

    def test_a_result_can_be_used_after_four(self):
        # Issued at 0 and 4.
        self.assertEqual(count(A7, "veor d0, d1, d2", "vadd.i64 d3, d0, d2"), 5)
        # Two others fit between: at 0, 1, 2 and 4.
        self.assertEqual(count(A7, "veor d0, d1, d2", "veor d4, d1, d2", "veor d5, d1, d2",
                               "veor d3, d0, d2"), 5)

    def test_half_of_a_q_register_depends_on_the_whole(self):
        self.assertEqual(count(A7, "veor q0, q1, q2", "veor d6, d1, d7"), 5)
        self.assertEqual(count(A7, "veor q0, q1, q2", "veor d6, d2, d7"), 3)

    def test_what_accumulates_reads_its_destination(self):
        self.assertEqual(count(A7, "vshl.i64 d0, d1, #8", "vsri.64 d0, d2, #56"), 5)
        self.assertEqual(count(A7, "vshl.i64 d0, d1, #8", "vmov d0, d2"), 2)

    def test_a_load_takes_a_cycle_per_register_and_two_more(self):
        # 4 cycles for the registers, readable at 6.
        self.assertEqual(count(A7, "vld1.8 {d0-d3}, [r1]!", "veor d8, d0, d9"), 7)
        self.assertEqual(count(A7, "vld1.8 {d0-d3}, [r1]!", "veor d8, d9, d9"), 5)

    def test_a_core_instruction_takes_a_slot(self):
        self.assertEqual(count(A7, "subs r2, r2, #1", "veor d0, d1, d2"), 2)


class CortexA8(unittest.TestCase):
    def test_arithmetic_and_a_permute_go_together(self):
        self.assertEqual(count(A8, "veor q0, q1, q2", "vext.8 d6, d7, d7, #3"), 1)
        self.assertEqual(count(A8, "veor q0, q1, q2", "veor q3, q4, q5"), 2)

    def test_latency_depends_on_the_stage_of_the_reader(self):
        # Exists after N3: an arithmetic reader waits 2 cycles, a shift or permute 3.
        self.assertEqual(count(A8, "veor d0, d1, d2", "veor d3, d0, d4"), 3)
        self.assertEqual(count(A8, "veor d0, d1, d2", "vshl.i64 d3, d0, #1"), 4)
        self.assertEqual(count(A8, "veor d0, d1, d2", "vext.8 d3, d0, d0, #1"), 4)
        # A permute's exists after N2: 1 and 2.
        self.assertEqual(count(A8, "vext.8 d0, d1, d1, #1", "veor d3, d0, d4"), 2)
        self.assertEqual(count(A8, "vext.8 d0, d1, d1, #1", "vext.8 d3, d0, d0, #1"), 3)

    def test_costly_shifts(self):
        self.assertEqual(count(A8, "vsli.64 q0, q1, #8", "veor d8, d9, d10"), 3)
        self.assertEqual(count(A8, "vsli.64 d0, d1, #8", "veor d8, d9, d10"), 2)
        # vsra has its result after N6: 5 cycles for an arithmetic reader.
        self.assertEqual(count(A8, "vsra.u64 d0, d1, #63", "veor d2, d0, d3"), 6)

    def test_costly_permutes(self):
        self.assertEqual(count(A8, "vext.8 q0, q1, q1, #8", "vext.8 d8, d9, d9, #1"), 3)
        self.assertEqual(count(A8, "vtbl.8 d0, {d1}, d2", "vext.8 d8, d9, d9, #1"), 3)
        self.assertEqual(count(A8, "vrev64.32 q0, q1", "vext.8 d8, d9, d9, #1"), 2)

    def test_loads(self):
        self.assertEqual(count(A8, "vldr d0, [sp]", "vld1.8 {d2-d3}, [r1]!"), 4)
        self.assertEqual(count(A8, "vld1.8 {d0-d3}, [r1]!", "vldr d4, [sp]"), 5)

    def test_a_transfer_to_the_core_takes_twenty(self):
        self.assertEqual(count(A8, "vmov r0, r1, d0", "add r2, r0, #1"), 21)
        self.assertEqual(count(A8, "vmov d0, r0, r1", "add r2, r0, #1"), 1)


class CortexA9(unittest.TestCase):
    def test_one_slot_for_neon(self):
        self.assertEqual(count(A9, "veor q0, q1, q2", "vext.8 d6, d7, d7, #3"), 2)

    def test_the_core_has_its_own(self):
        self.assertEqual(count(A9, "subs r2, r2, #1", "veor d0, d1, d2"), 1)


class Reading(unittest.TestCase):
    def test_registers(self):
        i = Instruction("vld1.64", "{d0-d2, q4}, [r1 :64]!")
        self.assertEqual((i.writes, i.count), ([0, 1, 2, 8, 9], 5))
        self.assertEqual((i.core_reads, i.core_writes), (["r1"], ["r1"]))
        self.assertEqual(Instruction("vmov", "s5, r0").writes, [2])

    def test_two_operands(self):
        self.assertEqual(Instruction("veor", "d0, d1").reads, [1, 0])
        self.assertEqual(Instruction("vrev64.32", "q0, q1").reads, [2, 3])
        self.assertEqual(Instruction("vswp", "d0, d1").writes, [0, 1])

    def test_core_instructions(self):
        self.assertEqual(Instruction("str", "r0, [sp, #4]").core_writes, [])
        self.assertEqual(Instruction("pop", "{r4, pc}").core_writes, ["r4", "pc"])
        self.assertEqual(Instruction("bic", "ip, ip, #31").core_writes, ["ip"])

    def test_comments_are_no_operands(self):
        self.assertEqual(parse("add\tr3, pc, #16\t@ r4").core_reads, ["pc"])

    def test_an_unknown_instruction_is_refused(self):
        with self.assertRaisesRegex(Unknown, "vmull"):
            Instruction("vmull.u32", "q0, d1, d2")

    def test_mix(self):
        trace = [parse("veor q0, q1, q2"), parse("veor d0, d1, d2"), parse("nop")]
        self.assertEqual(mix(trace), {"D arithmetic": 1, "Q arithmetic": 1, "core": 1})


if __name__ == "__main__":
    unittest.main()
