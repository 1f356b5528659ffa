// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! `neon_shash.ko` for a fetched kernel, through that kernel's own Kbuild.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context as _, Result};

use crate::exec;
use crate::host;
use crate::kernel::Kernel;
use crate::progress::Ui;

/// What Kbuild needs of the source tree. The object comes beside it, ready made.
const STAGED: &[&str] =
    &["Kbuild", "kernel-check.mk", "kernel-rust-shims/c", "kernel-rust-shims/shims.h"];

/// The name under which Kbuild expects the object.
const OBJECT: &str = "neon_shash_core.o_shipped";

const MODULE: &str = "neon_shash.ko";

/// Builds the module from the source tree `source` and the object `object` in the folder `into`.
pub(crate) fn build(
    ui: &Ui,
    kernel: &Kernel,
    source: &Path,
    object: &Path,
    into: &Path,
) -> Result<PathBuf> {
    let step = ui.step(format!("building the module for Linux {}", kernel.release));
    for name in STAGED {
        stage(&source.join(name), &into.join(name))?;
    }
    stage(object, &into.join(OBJECT))?;
    let module = kbuild(ui, kernel, into, MODULE)?;
    drop(step);
    Ok(module)
}

/// Builds the module that times hashes inside the kernel.
pub(crate) fn build_bench(ui: &Ui, kernel: &Kernel, source: &Path, into: &Path) -> Result<PathBuf> {
    let _step = ui.step("building the module that times hashes");
    stage(&source.join("selftests/bench/kernel"), into)?;
    kbuild(ui, kernel, into, "neon_shash_bench.ko")
}

/// Runs the kernel's build for the external module in the folder `dir`, which makes `module`.
fn kbuild(ui: &Ui, kernel: &Kernel, dir: &Path, module: &str) -> Result<PathBuf> {
    let made = dir.join(module);
    remove_stale(&made)?;
    let mut make = exec::command("make");
    make.arg("-C").arg(kernel.headers()).arg(format!("M={}", dir.display()));
    make.args(["ARCH=arm", &format!("CROSS_COMPILE={}", host::cross_compile()), "modules"]);
    if let Some(compiler) = kernel.compiler() {
        make.arg(format!("CC={compiler}"));
    }
    if ui.verbose() {
        make.arg("V=1");
    }
    // The make that runs this program hands down its own flags and jobs.
    make.env_remove("MAKEFLAGS").env_remove("MFLAGS").env_remove("MAKELEVEL");
    let log = dir.join("build.log");
    exec::logged(ui, &mut make, &log).context("the module does not build")?;
    if !made.exists() {
        bail!("the kernel's build made no {module}; its log: {}", log.display());
    }
    Ok(made)
}

/// Copies a file or a folder, and leaves alone what is the same: make goes by the dates.
fn stage(from: &Path, to: &Path) -> Result<()> {
    let cannot = || format!("cannot copy {} to {}", from.display(), to.display());
    if from.is_dir() {
        fs::create_dir_all(to).with_context(cannot)?;
        for entry in fs::read_dir(from).with_context(cannot)? {
            let name = entry.with_context(cannot)?.file_name();
            stage(&from.join(&name), &to.join(&name))?;
        }
        return Ok(());
    }
    let content = fs::read(from).with_context(cannot)?;
    if fs::read(to).is_ok_and(|present| present == content) {
        return Ok(());
    }
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).with_context(cannot)?;
    }
    fs::write(to, content).with_context(cannot)
}

/// The module of an earlier build must not stand for this one.
fn remove_stale(module: &Path) -> Result<()> {
    match fs::remove_file(module) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", module.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn staging_keeps_the_date_of_what_is_the_same() {
        let dir = std::env::temp_dir().join(format!("xtask-stage-{}", std::process::id()));
        let (from, to) = (dir.join("from"), dir.join("to"));
        fs::create_dir_all(from.join("c")).unwrap();
        fs::write(from.join("c/a"), "1").unwrap();
        stage(&from, &to).unwrap();
        let date = || fs::metadata(to.join("c/a")).unwrap().modified().unwrap();
        let first = date();
        stage(&from, &to).unwrap();
        assert_eq!(date(), first);
        fs::write(from.join("c/a"), "2").unwrap();
        stage(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("c/a")).unwrap(), "2");
        assert!(stage(&dir.join("none"), &to).is_err());
        fs::remove_dir_all(dir).unwrap();
    }
}
