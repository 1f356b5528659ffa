// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! `make bench`: our cores and the rivals' in one program, measured where this runs on ARM, else
//! run under qemu-arm and put through the issue model. docs/bench.md has the method.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use nix::fcntl::FlockArg;

use crate::cache::{self, Cache};
use crate::emulation;
use crate::exec;
use crate::host::{self, Host, Install, Need};
use crate::progress::Ui;
use crate::rivals::{self, Rival};
use crate::workdir;

/// Builds, measures and reports; returns the exit status.
pub(crate) fn run(ui: &Ui) -> Result<i32> {
    let host = Host::detect(ui)?;
    let cross = host::cross_compile();
    host::require(ui, &needs(&cross), Install::IfRoot)?;
    let rivals = rivals::fetch(ui, &Cache::open()?, &host)?;
    let out = workdir::target().join("bench");
    let cannot = || format!("cannot make {}", out.display());
    fs::create_dir_all(out.join("build")).with_context(cannot)?;
    let _lock = cache::lock(&out.join("lock"), FlockArg::LockExclusive)?;
    let program = build(ui, &cross, &rivals, &out.join("build"))?;
    let status = report(ui, &cross, &rivals, &program, &out)?;
    println!("figures: {0}/bench.json; chart: {0}/bench.svg", out.display());
    Ok(status)
}

fn needs(cross: &str) -> Vec<Need> {
    let mut needs = emulation::tools(cross);
    needs.extend(rivals::tools());
    needs.push(Need::program("make", "make"));
    needs.push(Need::program("python3", "python3"));
    needs
}

fn source() -> PathBuf {
    workdir::source().join("selftests/bench")
}

fn build(ui: &Ui, cross: &str, rivals: &[Rival], out: &Path) -> Result<PathBuf> {
    let mut make = exec::command("make");
    make.arg("-C").arg(source());
    // A make that runs this program has left its own flags.
    make.env_remove("MAKEFLAGS").env_remove("MFLAGS");
    make.arg(format!("CROSS_COMPILE={cross}")).arg(format!("OUT={}", out.display()));
    for rival in rivals {
        make.arg(format!("{}={}", rival.name.to_uppercase(), rival.dir.display()));
    }
    let _step = ui.step("building the cores and the rivals'");
    exec::logged(ui, &mut make, &out.join("build.log"))
        .context("the benchmark does not build (make clean starts afresh)")?;
    Ok(out.join("cores"))
}

/// Runs bench.py, which prints the table.
fn report(ui: &Ui, cross: &str, rivals: &[Rival], program: &Path, out: &Path) -> Result<i32> {
    let versions: Vec<&str> = rivals.iter().map(|rival| rival.version.as_str()).collect();
    let mut python = exec::command("python3");
    python.env("PYTHONDONTWRITEBYTECODE", "1").arg(source().join("bench.py"));
    python.arg(program).arg("--out").arg(out).args(["--rivals", &versions.join(", ")]);
    if !cross.is_empty() {
        python.args(["--emulator", "qemu-arm", "--cross", cross]);
    }
    let step = ui.step("running the cores and the rivals'");
    let (status, errors) = exec::lines(ui, &mut python, &mut |line| step.print(line))?;
    drop(step);
    eprint!("{errors}");
    Ok(status.code().unwrap_or(1))
}
