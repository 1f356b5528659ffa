// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! What the object may not contain: anything that a kernel would not load, or that has no place in
//! one.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{bail, Result};

use crate::exec;
use crate::object::ENTRIES;
use crate::progress::Ui;

/// What the kernel or the C seam provides. Every kernel from 6.1 on exports the former.
const IMPORTS: [&str; 16] = [
    "memcpy",
    "memset",
    "memmove",
    "memcmp",
    "bcmp",
    "strlen",
    "__aeabi_unwind_cpp_pr0",
    "__aeabi_unwind_cpp_pr1",
    "__aeabi_lmul",
    "__aeabi_llsl",
    "__aeabi_llsr",
    "__aeabi_lasr",
    "__aeabi_uidiv",
    "__aeabi_uidivmod",
    "__aeabi_idiv",
    "__aeabi_idivmod",
];

/// The seam's own functions, all of `shims.h`.
const SEAM: &str = "shim_";

/// Relocations that the module loader of every supported kernel applies.
const RELOCATIONS: [&str; 9] = [
    "R_ARM_NONE",
    "R_ARM_ABS32",
    "R_ARM_REL32",
    "R_ARM_CALL",
    "R_ARM_JUMP24",
    "R_ARM_PREL31",
    "R_ARM_MOVW_ABS_NC",
    "R_ARM_MOVT_ABS",
    "R_ARM_V4BX",
];

/// A kernel thread has 8 KiB for everything that is on its way.
const MAX_FRAME: u32 = 512;

/// Prefixes of the assembly cores, the only functions that may use NEON.
const CORES: [&str; 2] = ["neon_shash_blake2b_", "neon_shash_sha3_"];

/// Checks the object; the error lists all that is wrong.
pub(crate) fn check(ui: &Ui, cross: &str, object: &Path) -> Result<()> {
    let run = |tool: &str, flags: &[&str]| {
        exec::output(ui, exec::command(&format!("{cross}{tool}")).args(flags).arg(object))
    };
    let mut faults = symbols(&run("nm", &[])?);
    faults.extend(relocations(&run("readelf", &["--relocs", "--wide"])?));
    faults.extend(sections(&run("readelf", &["--sections", "--wide"])?));
    faults.extend(instructions(&run("objdump", &["--disassemble", "--no-show-raw-insn"])?));
    if faults.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = faults.into_iter().map(|fault| format!("  {fault}")).collect();
    bail!("{} is not fit for a kernel:\n{}", object.display(), list.join("\n"))
}

/// Undefined symbols that no kernel exports, definitions that would replace the kernel's, a way to
/// panic, and what is exported or missing of the seam's entries.
fn symbols(nm: &str) -> BTreeSet<String> {
    let mut faults = BTreeSet::new();
    let mut global = BTreeSet::new();
    for line in nm.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [.., kind, name] = words[..] else { continue };
        if kind.eq_ignore_ascii_case("u") || kind == "w" || kind == "v" {
            if !IMPORTS.contains(&name) && !name.starts_with(SEAM) {
                faults.insert(format!("undefined symbol {name}"));
            }
        } else if kind.chars().all(char::is_uppercase) {
            global.insert(name);
        }
        if ["core9panicking", "core3fmt"].iter().any(|part| name.contains(part)) {
            faults.insert(format!("panic or formatting code: {name}"));
        }
    }
    for entry in ENTRIES {
        if !global.remove(entry) {
            faults.insert(format!("the entry {entry} is missing"));
        }
    }
    faults.extend(global.into_iter().map(|name| format!("exported symbol {name}")));
    for core in CORES {
        if !nm.contains(core) {
            faults.insert(format!("no core {core}*"));
        }
    }
    faults
}

fn relocations(readelf: &str) -> BTreeSet<String> {
    readelf
        .split_whitespace()
        .filter(|word| word.starts_with("R_ARM_") && !RELOCATIONS.contains(word))
        .map(|word| format!("relocation {word}"))
        .collect()
}

/// Sections that a module must not bring: LLVM's bitcode, or memory both writable and executable.
fn sections(readelf: &str) -> BTreeSet<String> {
    let mut faults = BTreeSet::new();
    for line in readelf.lines().filter(|line| line.trim_start().starts_with('[')) {
        if line.contains(".llvm") || line.contains(" WAX ") {
            faults.insert(format!("section {}", line.trim()));
        }
    }
    faults
}

/// NEON or VFP outside the cores, since the compiler may use neither where no section is open, and
/// large stack frames.
fn instructions(objdump: &str) -> BTreeSet<String> {
    let mut faults = BTreeSet::new();
    let mut function = "";
    for line in objdump.lines() {
        if let Some(name) = line.strip_suffix(">:").and_then(|line| line.split('<').nth(1)) {
            function = name;
        } else if let Some(mnemonic) = line.split('\t').nth(1).map(str::trim) {
            if frame(line) > MAX_FRAME {
                faults.insert(format!("a stack frame of {} bytes in {function}", frame(line)));
            }
            let is_core = CORES.iter().any(|core| function.starts_with(core));
            if mnemonic.starts_with('v') && !is_core {
                faults.insert(format!("{mnemonic} in {function}"));
            }
        }
    }
    faults
}

/// The bytes that an instruction takes off the stack pointer.
fn frame(line: &str) -> u32 {
    let bytes =
        line.split_once("sub\tsp, sp, #").and_then(|(_, rest)| rest.split_whitespace().next());
    bytes.and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00000000 T neon_shash_init\n00000004 T neon_shash_exit\n\
        00000008 T neon_shash_implementation\n00000010 t neon_shash_blake2b_compress_neon\n\
        00000020 t neon_shash_sha3_absorb_neon\n         U memcpy\n         U shim_print\n";

    fn with(line: &str) -> Vec<String> {
        symbols(&format!("{GOOD}{line}\n")).into_iter().collect()
    }

    #[test]
    fn bad_symbols_are_found() {
        assert!(symbols(GOOD).is_empty());
        assert_eq!(with("         U __aeabi_uldivmod"), ["undefined symbol __aeabi_uldivmod"]);
        assert_eq!(with("00000000 W memset"), ["exported symbol memset"]);
        assert_eq!(with("00000000 t _ZN4core9panicking5panic17h0E").len(), 1);
        assert_eq!(symbols("").len(), 5);
    }

    #[test]
    fn bad_relocations_are_found() {
        let line = "00000018  0000161c R_ARM_CALL  00000000   memset\n";
        assert!(relocations(line).is_empty());
        assert_eq!(relocations("0 0 R_ARM_GOT_PREL 0 x").len(), 1);
    }

    #[test]
    fn neon_outside_a_core_is_found() {
        let dump = |name: &str| format!("00000000 <{name}>:\n   0:\tvadd.i64\tq0, q1, q2\n");
        assert!(instructions(&dump("neon_shash_sha3_absorb_neon")).is_empty());
        assert_eq!(instructions(&dump("memset")).len(), 1);
    }

    #[test]
    fn large_frames_are_found() {
        let dump = |n: u32| format!("00000000 <f>:\n   0:\tsub\tsp, sp, #{n}\t@ 0x0\n");
        assert!(instructions(&dump(512)).is_empty());
        assert_eq!(instructions(&dump(516)).len(), 1);
    }

    #[test]
    fn bad_sections_are_found() {
        assert!(sections("  [ 1] .text PROGBITS 0 34 400 00  AX  0   0 16").is_empty());
        assert_eq!(sections("  [ 2] .llvmbc PROGBITS 0 34 400 00      0   0  1").len(), 1);
        assert_eq!(sections("  [ 2] .x PROGBITS 0 34 400 00 WAX  0   0  1").len(), 1);
    }
}
