// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! `neon_shash_core.o`: Rust and NEON cores in one relocatable object that no kernel header has
//! shaped. The same file is linked into the module of every kernel.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context as _, Result};

use crate::exec;
use crate::progress::Ui;
use crate::toolchain::Toolchain;
use crate::workdir;

pub(crate) const NAME: &str = "neon_shash_core.o";

/// Soft float, and plain `memcpy` and `memset`, which every kernel exports.
pub(crate) const TARGET: &str = "armv7-unknown-linux-gnueabi";

/// What the C seam calls. Everything that they do not reach is left out.
pub(crate) const ENTRIES: [&str; 3] =
    ["neon_shash_init", "neon_shash_exit", "neon_shash_implementation"];

/// One section a kind: the loader registers each, and rustc makes one for every function.
const SECTIONS: &str = "SECTIONS {
    .text : { *(.text .text.*) }
    .rodata : { *(.rodata .rodata.*) }
    .data : { *(.data .data.*) }
    .bss : { *(.bss .bss.*) }
    .ARM.extab : { *(.ARM.extab .ARM.extab.*) }
    .ARM.exidx : { *(.ARM.exidx .ARM.exidx.*) }
    /DISCARD/ : { *(.llvmbc .llvmcmd .comment .note.*) }
}
";

/// The folder of the object that goes into modules.
pub(crate) fn target() -> PathBuf {
    workdir::target().join("object")
}

/// Builds the object from `source` in the folder `target` and returns its path.
pub(crate) fn build(
    ui: &Ui,
    toolchain: &Toolchain,
    cross: &str,
    source: &Path,
    target: &Path,
) -> Result<PathBuf> {
    let _step = ui.step(format!("building the object with rustc {}", toolchain.version));
    let archive = compile(ui, toolchain, cross, source, target)?;
    let object = target.join(NAME);
    link(ui, cross, &archive, &object)?;
    Ok(object)
}

/// Runs cargo and returns the static library.
fn compile(
    ui: &Ui,
    toolchain: &Toolchain,
    cross: &str,
    source: &Path,
    target: &Path,
) -> Result<PathBuf> {
    let mut cargo = toolchain.cargo();
    cargo.current_dir(source).args(["rustc", "--locked", "--package", "neon-shash", "--lib"]);
    // The static library alone: with the rlib beside it cargo would leave out the optimisation
    // over all crates, and with it much that is not needed.
    cargo.args(["--crate-type", "staticlib", "--features", "module", "--profile", "module"]);
    cargo.args(["--target", TARGET, "-Zbuild-std=core"]).arg("--target-dir").arg(target);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags(toolchain, source));
    cargo.env("CC_armv7_unknown_linux_gnueabi", format!("{cross}gcc"));
    cargo.env("AR_armv7_unknown_linux_gnueabi", format!("{cross}ar"));
    exec::logged(ui, &mut cargo, &log(target)?).context("the object does not compile")?;
    Ok(target.join(TARGET).join("module/libneon_shash.a"))
}

fn log(target: &Path) -> Result<PathBuf> {
    fs::create_dir_all(target).with_context(|| format!("cannot make {}", target.display()))?;
    Ok(target.join("build.log"))
}

/// Flags for the target alone, in the form that allows spaces in paths.
fn flags(toolchain: &Toolchain, source: &Path) -> String {
    let map = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    [
        // The loader knows no GOT.
        "-Crelocation-model=static".to_string(),
        // Kernel backtraces go through our frames; kernels without the unwinder drop the tables.
        "-Cforce-unwind-tables=yes".to_string(),
        // The same object wherever the tree and the toolchain lie.
        map(source, "/neon-shash"),
        map(&toolchain.source(), "/rust"),
    ]
    .join("\x1f")
}

/// Links what the entries reach into one object and hides every other symbol.
fn link(ui: &Ui, cross: &str, archive: &Path, object: &Path) -> Result<()> {
    let parts = object.with_extension("parts");
    let members = unpack(ui, cross, archive, &parts)?;
    let script = parts.join("sections.lds");
    fs::write(&script, SECTIONS).context("cannot write the linker script")?;
    let mut ld = exec::command(&format!("{cross}ld"));
    ld.args(["-r", "--gc-sections", "-T"]).arg(&script);
    ld.args(ENTRIES.iter().flat_map(|entry| ["-u", entry]));
    ld.arg("-o").arg(object).args(members);
    exec::output(ui, &mut ld).context("the object does not link")?;

    let mut objcopy = exec::command(&format!("{cross}objcopy"));
    objcopy.args(ENTRIES.map(|entry| format!("--keep-global-symbol={entry}")));
    // Names of sections and of the assembler's own are of no use; those of functions make a
    // backtrace readable.
    objcopy.args(["--strip-debug", "--discard-locals"]).arg(object);
    exec::output(ui, &mut objcopy).context("the object cannot be stripped")?;
    Ok(())
}

/// Unpacks the archive's members, all but `compiler_builtins`: its weak `memcpy` and `memset`
/// would take the place of the kernel's, and nothing else of it is needed.
fn unpack(ui: &Ui, cross: &str, archive: &Path, into: &Path) -> Result<Vec<PathBuf>> {
    if into.exists() {
        fs::remove_dir_all(into).with_context(|| format!("cannot remove {}", into.display()))?;
    }
    fs::create_dir_all(into).with_context(|| format!("cannot make {}", into.display()))?;
    let ar = format!("{cross}ar");
    exec::output(ui, exec::command(&ar).arg("x").arg(archive).current_dir(into))?;
    let list = exec::output(ui, exec::command(&ar).arg("t").arg(archive))?;
    let members: Vec<PathBuf> = list
        .lines()
        .filter(|member| !member.starts_with("compiler_builtins"))
        .map(|member| into.join(member))
        .collect();
    if members.is_empty() {
        bail!("{} is empty", archive.display());
    }
    Ok(members)
}
