// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! What the object may not contain: anything that a kernel would not load, or that has no place in
//! one. Each rule reads the output of one of the binutils, and finds fault with an empty one too:
//! a tool that sees nothing has checked nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{bail, Context as _, Result};

use crate::exec;
use crate::object::ENTRIES;
use crate::progress::Ui;

/// What the kernel provides. The audit compares it with what the kernels export.
pub(crate) const IMPORTS: [&str; 16] = [
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

/// The seam's own functions begin so.
const SEAM: &str = "shim_";

/// What only the panic handler calls.
const BUG: &str = "shim_bug";

/// Parts of the mangled names of what a panic and its message are made of.
const PANICS: [&str; 3] = ["core9panicking", "core3fmt", "rust_begin_unwind"];

/// Functions that compilers call without being told to. A definition in the object would take the
/// place of the kernel's, or do what a kernel must not: `__aeabi_` has 64-bit division and all of
/// soft float, for instance.
const RUNTIME: [&str; 12] = [
    "memcpy",
    "memset",
    "memmove",
    "memcmp",
    "bcmp",
    "strlen",
    "__udivdi3",
    "__umoddi3",
    "__udivmoddi4",
    "__divdi3",
    "__moddi3",
    "__divmoddi4",
];
const RUNTIME_PARTS: [&str; 2] = ["__aeabi_", "compiler_builtins"];

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

type Faults = BTreeSet<String>;

/// A rule and what the object has against it.
pub(crate) struct Finding {
    pub(crate) rule: &'static str,
    pub(crate) faults: Faults,
}

/// Applies every rule to `object`, made from the source tree `source`.
pub(crate) fn apply(ui: &Ui, cross: &str, source: &Path, object: &Path) -> Result<Vec<Finding>> {
    let run = |tool: &str, flags: &[&str]| {
        exec::output(ui, exec::command(&format!("{cross}{tool}")).args(flags).arg(object))
    };
    let nm = run("nm", &[])?;
    let code = run("objdump", &["--disassemble", "--no-show-raw-insn"])?;
    let finding = |rule, faults| Finding { rule, faults };
    Ok(vec![
        finding("it asks for nothing but the kernel's and the seam's", {
            imports(&nm, &seam(source)?)
        }),
        finding("it exports the seam's entries and no more", exports(&nm)),
        finding("it defines none of the functions that compilers call", runtime(&nm)),
        finding("nothing in it can panic or format text", panics(&nm)),
        finding("the module loader knows its relocations", {
            relocations(&run("readelf", &["--relocs", "--wide"])?)
        }),
        finding("no section is bitcode, or both writable and executable", {
            sections(&run("readelf", &["--sections", "--wide"])?)
        }),
        finding("NEON is in the cores alone, a divide instruction nowhere", instructions(&code)),
        finding("no stack frame is above 512 bytes, or of variable size", frames(&code)),
    ])
}

/// Checks the object; the error lists all that is wrong.
pub(crate) fn check(ui: &Ui, cross: &str, source: &Path, object: &Path) -> Result<()> {
    let findings = apply(ui, cross, source, object)?;
    let faults: Vec<String> = findings
        .into_iter()
        .flat_map(|finding| finding.faults)
        .map(|fault| format!("  {fault}"))
        .collect();
    if faults.is_empty() {
        return Ok(());
    }
    bail!("{} is not fit for a kernel:\n{}", object.display(), faults.join("\n"))
}

/// The seam's functions that are declared in its header and defined in its C files.
fn seam(source: &Path) -> Result<Faults> {
    let folder = source.join("kernel-rust-shims");
    let read = |path: &Path| {
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let declared = functions(&read(&folder.join("shims.h"))?);
    let mut defined = Faults::new();
    let files = folder.join("c");
    for entry in fs::read_dir(&files).with_context(|| format!("no folder {}", files.display()))? {
        defined.extend(functions(&read(&entry?.path())?));
    }
    Ok(declared.intersection(&defined).cloned().collect())
}

/// The seam's functions that `c` declares or defines: in kernel style their lines begin with the
/// type.
fn functions(c: &str) -> Faults {
    let head = |line: &str| {
        let (before, _) = line.split_once('(')?;
        let (_, name) = before.rsplit_once([' ', '*'])?;
        let is_head = before.starts_with(|c: char| c.is_ascii_alphabetic());
        (is_head && name.starts_with(SEAM)).then(|| name.to_string())
    };
    c.lines().filter_map(head).collect()
}

/// Kind and name of each symbol that `nm` lists.
fn symbols(nm: &str) -> impl Iterator<Item = (&str, &str)> {
    nm.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [.., kind, name] if kind.len() == 1 => Some((kind, name)),
            _ => None,
        }
    })
}

/// The symbols that something else must define.
pub(crate) fn undefined(nm: &str) -> impl Iterator<Item = &str> {
    symbols(nm).filter(|(kind, _)| ["U", "w", "v"].contains(kind)).map(|(_, name)| name)
}

fn defined(nm: &str) -> impl Iterator<Item = &str> {
    symbols(nm).filter(|(kind, _)| !["U", "w", "v"].contains(kind)).map(|(_, name)| name)
}

fn imports(nm: &str, seam: &Faults) -> Faults {
    let mut faults: Faults = undefined(nm)
        .filter(|name| !IMPORTS.contains(name) && !seam.contains(*name))
        .map(|name| format!("undefined symbol {name}"))
        .collect();
    if !undefined(nm).any(|name| name.starts_with(SEAM)) {
        faults.insert("no call of the seam is seen".to_string());
    }
    faults
}

fn exports(nm: &str) -> Faults {
    let is_global = |kind: &str| kind != "U" && kind.chars().all(char::is_uppercase);
    let mut global: BTreeSet<&str> =
        symbols(nm).filter(|(kind, _)| is_global(kind)).map(|(_, name)| name).collect();
    let mut faults = Faults::new();
    for entry in ENTRIES {
        if !global.remove(entry) {
            faults.insert(format!("the entry {entry} is missing"));
        }
    }
    faults.extend(global.into_iter().map(|name| format!("exported symbol {name}")));
    for core in CORES {
        if !defined(nm).any(|name| name.starts_with(core)) {
            faults.insert(format!("no core {core}*"));
        }
    }
    faults
}

/// Local definitions count as well: calls from within the object would go there.
fn runtime(nm: &str) -> Faults {
    defined(nm)
        .filter(|name| {
            RUNTIME.contains(name) || RUNTIME_PARTS.iter().any(|part| name.contains(part))
        })
        .map(|name| format!("definition of {name}"))
        .collect()
}

fn panics(nm: &str) -> Faults {
    symbols(nm)
        .map(|(_, name)| name)
        .filter(|name| *name == BUG || PANICS.iter().any(|part| name.contains(part)))
        .map(|name| format!("panic or formatting code: {name}"))
        .collect()
}

fn relocations(readelf: &str) -> Faults {
    let all: BTreeSet<&str> =
        readelf.split_whitespace().filter(|word| word.starts_with("R_ARM_")).collect();
    if all.is_empty() {
        return Faults::from(["no relocation is seen".to_string()]);
    }
    let refused = all.into_iter().filter(|word| !RELOCATIONS.contains(word));
    refused.map(|word| format!("relocation {word}")).collect()
}

fn sections(readelf: &str) -> Faults {
    let mut faults = Faults::new();
    let mut has_code = false;
    for line in readelf.lines() {
        let Some((_, section)) =
            line.trim_start().strip_prefix('[').and_then(|l| l.split_once(']'))
        else {
            continue;
        };
        let words: Vec<&str> = section.split_whitespace().collect();
        // Name, type, address, offset, size, entry size, and flags if there are any.
        let [name, _, _, _, _, _, flags, _, _, _] = words[..] else {
            if words.first().is_some_and(|name| name.starts_with(".llvm")) {
                faults.insert(format!("section {}", words[0]));
            }
            continue;
        };
        has_code |= flags.contains('X');
        if name.starts_with(".llvm") || (flags.contains('W') && flags.contains('X')) {
            faults.insert(format!("section {name} ({flags})"));
        }
    }
    if !has_code {
        faults.insert("no section with code is seen".to_string());
    }
    faults
}

/// One line of a disassembly.
struct Instruction<'a> {
    function: &'a str,
    mnemonic: &'a str,
    operands: &'a str,
}

fn disassembly(objdump: &str) -> impl Iterator<Item = Instruction<'_>> {
    let mut function = "";
    objdump.lines().filter_map(move |line| {
        if let Some(name) = line.strip_suffix(">:").and_then(|line| line.split('<').nth(1)) {
            function = name;
            return None;
        }
        let mut fields = line.split('\t').skip(1).map(str::trim);
        let mnemonic = fields.next()?;
        Some(Instruction { function, mnemonic, operands: fields.next().unwrap_or_default() })
    })
}

/// NEON or VFP outside the cores, since the compiler may use neither where no section is open, and
/// division, which Cortex-A8 and A9 have no instruction for.
fn instructions(objdump: &str) -> Faults {
    let mut faults = Faults::new();
    let mut has_neon = false;
    for Instruction { function, mnemonic, .. } in disassembly(objdump) {
        let is_core = CORES.iter().any(|core| function.starts_with(core));
        let is_neon = mnemonic.starts_with('v');
        has_neon |= is_neon && is_core;
        if is_neon && !is_core || mnemonic.starts_with("udiv") || mnemonic.starts_with("sdiv") {
            faults.insert(format!("{mnemonic} in {function}"));
        }
    }
    if !has_neon {
        faults.insert("no NEON instruction is seen in the cores".to_string());
    }
    faults
}

/// A function's frame is all that it takes off the stack pointer anywhere: at worst more than it
/// has at a time, never less.
fn frames(objdump: &str) -> Faults {
    let mut faults = Faults::new();
    let mut sizes: BTreeMap<&str, u32> = BTreeMap::new();
    for instruction in disassembly(objdump) {
        let Instruction { function, mnemonic, operands } = instruction;
        match stack(&instruction) {
            Some(bytes) => *sizes.entry(function).or_default() += bytes,
            None => {
                faults.insert(format!("{mnemonic} {operands} in {function}"));
            }
        }
    }
    if sizes.values().all(|bytes| *bytes == 0) {
        faults.insert("no stack frame is seen".to_string());
    }
    let large = sizes.into_iter().filter(|(_, bytes)| *bytes > MAX_FRAME);
    faults.extend(large.map(|(name, bytes)| format!("a stack frame of {bytes} bytes in {name}")));
    faults
}

/// The bytes that an instruction takes off the stack pointer; `None` where the instruction does
/// not say how many.
fn stack(instruction: &Instruction) -> Option<u32> {
    let Instruction { mnemonic, operands, .. } = *instruction;
    let begins = |with: &[&str]| with.iter().any(|name| mnemonic.starts_with(name));
    if begins(&["push", "vpush"]) {
        let size = if mnemonic.starts_with('v') { 8 } else { 4 };
        return Some(registers(operands)? * size);
    }
    if begins(&["pop", "vpop"]) {
        return Some(0);
    }
    let written_back = operands.contains("sp!") || operands.contains("[sp],");
    if written_back || (operands.contains("[sp") && operands.ends_with('!')) {
        return None;
    }
    let (first, rest) = operands.split_once(", ").unwrap_or((operands, ""));
    // These read it only.
    if first != "sp" || begins(&["cmp", "cmn", "tst", "teq", "str", "stm", "ldm", "vstm", "vldm"]) {
        return Some(0);
    }
    match (begins(&["sub"]), begins(&["add", "mov"]), rest) {
        // Back to where the frame began.
        (true, _, rest) if rest.starts_with("fp, #") => Some(0),
        (_, true, "fp") => Some(0),
        (_, true, rest) if rest.starts_with("sp, #") => Some(0),
        (true, _, rest) => rest.strip_prefix("sp, #")?.parse().ok(),
        _ => None,
    }
}

/// How many registers `{r4, r5, lr}` or `{d8-d15}` names.
fn registers(list: &str) -> Option<u32> {
    let list = list.strip_prefix('{')?.strip_suffix('}')?;
    let number = |register: &str| register.trim().get(1..)?.parse::<u32>().ok();
    list.split(',').try_fold(0, |sum, part| match part.split_once('-') {
        Some((first, last)) => Some(sum + 1 + number(last)?.checked_sub(number(first)?)?),
        None => Some(sum + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00000000 T neon_shash_init\n00000004 T neon_shash_exit\n\
        00000008 T neon_shash_implementation\n00000010 t neon_shash_blake2b_compress_neon\n\
        00000020 t neon_shash_sha3_absorb_neon\n         U memcpy\n         U shim_print\n";

    fn with(rule: impl Fn(&str) -> Faults, line: &str) -> Vec<String> {
        assert!(rule(GOOD).is_empty());
        rule(&format!("{GOOD}{line}\n")).into_iter().collect()
    }

    fn import_rule(nm: &str) -> Faults {
        imports(nm, &Faults::from(["shim_print".to_string()]))
    }

    #[test]
    fn imports_that_nobody_provides_are_found() {
        let fault = ["undefined symbol __aeabi_uldivmod"];
        assert_eq!(with(import_rule, "         U __aeabi_uldivmod"), fault);
        assert_eq!(with(import_rule, "         w weak"), ["undefined symbol weak"]);
        assert_eq!(with(import_rule, "         U shim_none"), ["undefined symbol shim_none"]);
        assert_eq!(import_rule("").len(), 1);
    }

    #[test]
    fn exports_that_are_too_many_or_missing_are_found() {
        assert_eq!(with(exports, "00000000 W memset"), ["exported symbol memset"]);
        assert_eq!(with(exports, "00000000 D table"), ["exported symbol table"]);
        assert_eq!(exports("").len(), 5);
    }

    #[test]
    fn compiler_functions_are_found_even_when_local() {
        assert_eq!(with(runtime, "00000000 t memset"), ["definition of memset"]);
        assert_eq!(with(runtime, "00000000 t __aeabi_uldivmod").len(), 1);
        assert_eq!(with(runtime, "00000000 t __aeabi_dadd").len(), 1);
        assert_eq!(with(runtime, "00000000 t __udivmoddi4").len(), 1);
        assert_eq!(with(runtime, "00000000 t _ZN17compiler_builtins3int17h0E").len(), 1);
    }

    #[test]
    fn panics_are_found() {
        assert_eq!(with(panics, "00000000 t _ZN4core9panicking5panic17h0E").len(), 1);
        assert_eq!(with(panics, "00000000 t _RNvNtCs0_4core9panicking5panic").len(), 1);
        assert_eq!(with(panics, "00000000 t _ZN4core3fmt5write17h0E").len(), 1);
        assert_eq!(with(panics, "         U shim_bug").len(), 1);
    }

    #[test]
    fn the_seam_is_read_as_c() {
        let c = "/* shim_a() */\nbool shim_b(void);\nconst char *shim_c(int x)\n\tshim_d(x);\n\
            static int other(void)\n * shim_e(x)\n";
        assert_eq!(functions(c), Faults::from(["shim_b".to_string(), "shim_c".to_string()]));
        let seam = seam(&crate::workdir::source()).unwrap();
        assert!(seam.contains("shim_print") && seam.contains("shim_shash_register"));
    }

    #[test]
    fn bad_relocations_are_found() {
        let line = "00000018  0000161c R_ARM_CALL  00000000   memset\n";
        assert!(relocations(line).is_empty());
        assert_eq!(relocations("0 0 R_ARM_GOT_PREL 0 x").len(), 1);
        assert_eq!(relocations("").len(), 1);
    }

    #[test]
    fn bad_sections_are_found() {
        let text = "  [ 1] .text PROGBITS 0 34 400 00  AX  0   0 16\n";
        let with = |line: &str| sections(&format!("{text}{line}")).len();
        assert_eq!(with("  [ 0]    NULL 0 0 0 00  0  0  0"), 0);
        assert_eq!(with("  [ 2] .llvmbc PROGBITS 0 34 400 00      0   0  1"), 1);
        assert_eq!(with("  [ 2] .llvmcmd PROGBITS 0 34 400 00   E  0   0  1"), 1);
        assert_eq!(with("  [ 2] .x PROGBITS 0 34 400 00 WAX  0   0  1"), 1);
        assert_eq!(with("  [ 2] .x PROGBITS 0 34 400 00 WAXG  0   0  1"), 1);
        assert_eq!(sections("").len(), 1);
    }

    #[test]
    fn neon_outside_a_core_and_division_are_found() {
        let core = "0 <neon_shash_sha3_absorb_neon>:\n   0:\tvadd.i64\tq0, q1, q2\n";
        let with = |line: &str| instructions(&format!("{core}0 <f>:\n   0:\t{line}\n")).len();
        assert_eq!(with("add\tr0, r1, r2"), 0);
        assert_eq!(with("vadd.i64\tq0, q1, q2"), 1);
        assert_eq!(with("vmul.f64\td0, d1, d2"), 1);
        assert_eq!(with("udiv\tr0, r1, r2"), 1);
        assert_eq!(with("sdivne\tr0, r1, r2"), 1);
        assert_eq!(instructions("").len(), 1);
    }

    fn frames_of(lines: &[&str]) -> Vec<String> {
        let dump: String = lines.iter().map(|line| format!("   0:\t{line}\n")).collect();
        // A function before it has a frame of its own.
        frames(&format!("0 <e>:\n   0:\tpush\t{{lr}}\n0 <f>:\n{dump}")).into_iter().collect()
    }

    #[test]
    fn large_frames_are_found() {
        assert!(frames_of(&["sub\tsp, sp, #512\t@ 0x200"]).is_empty());
        assert_eq!(frames_of(&["sub\tsp, sp, #516"]), ["a stack frame of 516 bytes in f"]);
        assert_eq!(frames_of(&["sub\tsp, sp, #260", "sub\tsp, sp, #256"]).len(), 1);
        assert_eq!(frames_of(&["push\t{r4, r5, lr}", "sub\tsp, sp, #504"]).len(), 1);
        assert!(frames_of(&["push\t{r4, r5}", "sub\tsp, sp, #504"]).is_empty());
        assert_eq!(frames_of(&["vpush\t{d8-d15}", "sub\tsp, sp, #452"]).len(), 1);
        assert_eq!(frames("").len(), 1);
    }

    #[test]
    fn frames_of_variable_size_are_found() {
        for line in [
            "sub\tsp, sp, r3",
            "sub\tsp, r4, #8",
            "mov\tsp, r4",
            "add\tsp, r4, #8",
            "bic\tsp, sp, #15",
            "bfc\tsp, #0, #4",
            "ldr\tsp, [r0]",
            "str\tr0, [sp, #-8]!",
            "ldr\tr0, [sp], #8",
            "stmia\tsp!, {r0, r1}",
        ] {
            let shown = line.replace('\t', " ");
            assert_eq!(frames_of(&[line]), [format!("{shown} in f")]);
        }
        for line in [
            "add\tsp, sp, #516",
            "sub\tsp, fp, #28",
            "mov\tsp, fp",
            "mov\tr0, sp",
            "cmp\tsp, r0",
            "stm\tsp, {r2, r3}",
            "str\tr0, [sp, #4]",
            "str\tr0, [r1, #4]!",
            "pop\t{r4, pc}",
            "vpop\t{d8-d15}",
        ] {
            assert!(frames_of(&[line]).is_empty(), "{line}");
        }
    }
}
