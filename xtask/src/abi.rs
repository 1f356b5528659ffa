// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Whether the cores keep their contracts (asm/README.md): selftests/abi, built and run here, by
//! qemu-arm where this is no ARM machine.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use nix::fcntl::FlockArg;

use crate::cache;
use crate::exec;
use crate::progress::Ui;
use crate::results::{Ktap, Tally};
use crate::workdir;

/// Where the sources are, below the top folder.
pub(crate) const FOLDER: &str = "selftests/abi";

/// Builds the program with the compiler `{cross}gcc` and counts its results.
pub(crate) fn run(ui: &Ui, cross: &str) -> Result<Tally> {
    let out = workdir::target().join("abi");
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let _lock = cache::lock(&out.join("lock"), FlockArg::LockExclusive)?;
    let program = build(ui, cross, &out)?;
    check(ui, cross, &program)
}

fn build(ui: &Ui, cross: &str, out: &Path) -> Result<PathBuf> {
    let mut make = exec::command("make");
    make.arg("-C").arg(workdir::source().join(FOLDER));
    // A make that runs this program has left its own flags.
    make.env_remove("MAKEFLAGS").env_remove("MFLAGS");
    make.arg(format!("CROSS_COMPILE={cross}")).arg(format!("OUT={}", out.display()));
    let _step = ui.step("building the cores' ABI check");
    exec::logged(ui, &mut make, &out.join("build.log"))
        .context("the ABI check does not build (make distclean starts afresh)")?;
    Ok(out.join("abi"))
}

fn check(ui: &Ui, cross: &str, program: &Path) -> Result<Tally> {
    let mut command = if cross.is_empty() {
        exec::command(&program.to_string_lossy())
    } else {
        let mut emulator = exec::command("qemu-arm");
        emulator.arg(program);
        emulator
    };
    let mut ktap = Ktap::default();
    let step = ui.step("calling the cores");
    let (status, errors) = exec::lines(ui, &mut command, &mut |line| {
        for shown in ktap.line(line) {
            step.print(&shown);
        }
    })?;
    drop(step);
    eprint!("{errors}");
    Ok(ktap.end(status.code().unwrap_or(1)))
}
