// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! `modpost` for a kernel whose own was built for a newer C library than the host has: built from
//! the matching source package, with the kernel's own build. Nothing else of Debian's kernel build
//! tools needs the newer library.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{bail, Context as _, Result};

use crate::apt::{self, Apt};
use crate::cache;
use crate::exec;
use crate::host::Need;
use crate::progress::Ui;

/// Debian's `modpost` is a front end to one program for each kind of object.
const PROGRAM: &str = "modpost.real-lsb-32";

/// Parts of the source that no host tool and no header comes from. The kernel's configuration
/// reads every Kconfig file, so only the code is left out.
const EXCLUDED: &[&str] = &[
    "drivers/*.[ch]",
    "sound/*.[ch]",
    "fs/*.[ch]",
    "net/*.[ch]",
    "arch/[b-z]*/*.[chS]",
    "arch/*.dts*",
    "Documentation/*.rst",
    "tools/testing/*",
];

/// What the build needs beyond the tools for building modules.
pub(crate) fn tools() -> Vec<Need> {
    vec![
        Need::program("gcc", "gcc"),
        Need::program("flex", "flex"),
        Need::program("bison", "bison"),
        Need::program("xz", "xz-utils"),
    ]
}

/// What is built, and from what.
pub(crate) struct Build<'a> {
    /// The folder of `modpost`.
    pub(crate) folder: &'a Path,
    /// The kernel's configuration.
    pub(crate) config: &'a Path,
    /// The package of the build tools, whose version the source must have.
    pub(crate) package: &'a str,
    /// The version in the name of the source package.
    pub(crate) series: &'a str,
    /// The cross compiler.
    pub(crate) compiler: &'a str,
}

impl Build<'_> {
    /// Replaces a `modpost` that does not run here. `work` is made and removed.
    pub(crate) fn ensure(&self, ui: &Ui, apt: &Apt, work: &Path) -> Result<()> {
        let program = self.folder.join(PROGRAM);
        if !program.exists() || runs(&program)? {
            return Ok(());
        }
        fs::create_dir(work).with_context(|| format!("cannot make {}", work.display()))?;
        self.fetch(ui, apt, work)?;
        let step = ui.step("building modpost, which needs a newer C library than is here");
        let built = self.make(ui, work)?;
        fs::copy(&built, &program)
            .with_context(|| format!("cannot replace {}", program.display()))?;
        drop(step);
        if !runs(&program)? {
            bail!("the modpost built from the kernel's source does not run either");
        }
        cache::remove_tree(work)
    }

    fn fetch(&self, ui: &Ui, apt: &Apt, work: &Path) -> Result<()> {
        let versions = apt.versions(self.package)?;
        let version = versions.first().context("the kernel's build tools have no version")?;
        let source = format!("linux-source-{}", self.series);
        let package = format!("{source}={version}");
        let files = apt.download(&format!("the source of Linux {version}"), &[package], work)?;
        let archive = format!("{source}.tar.xz");
        for file in &files {
            apt::unpack_file(ui, file, &archive, work)?;
        }
        let mut tar = exec::command("tar");
        tar.arg("-xf").arg(work.join(archive)).arg("-C").arg(work);
        tar.args(["--strip-components=1", "--wildcards", "--no-same-owner"]);
        tar.args(EXCLUDED.iter().map(|part| format!("--exclude={source}/{part}")));
        exec::output(ui, &mut tar).context("cannot unpack the kernel's source")?;
        Ok(())
    }

    /// Runs the part of the kernel's build that makes `modpost`.
    fn make(&self, ui: &Ui, work: &Path) -> Result<std::path::PathBuf> {
        let out = work.join("out");
        fs::create_dir(&out).context("cannot make the folder for modpost")?;
        fs::copy(self.config, out.join(".config"))
            .context("the kernel's headers have no .config")?;
        for target in ["olddefconfig", "prepare0"] {
            let mut make = exec::command("make");
            make.arg("-C").arg(work).arg(format!("O={}", out.display())).arg("-j2");
            let prefix = self.compiler.split("gcc").next().unwrap_or_default();
            make.args(["ARCH=arm", &format!("CROSS_COMPILE={prefix}")]);
            make.arg(format!("CC={}", self.compiler)).arg(target);
            make.env_remove("MAKEFLAGS").env_remove("MFLAGS").env_remove("MAKELEVEL");
            exec::logged(ui, &mut make, &out.join("build.log"))
                .context("modpost does not build from the kernel's source")?;
        }
        Ok(out.join("scripts/mod/modpost"))
    }
}

/// Whether the dynamic linker finds all that `program` needs.
fn runs(program: &Path) -> Result<bool> {
    let output = Command::new(program)
        .arg("--no-such-option")
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    Ok(linked(&String::from_utf8_lossy(&output.stderr)))
}

/// The dynamic linker's complaint, as against the program's own about its arguments.
fn linked(errors: &str) -> bool {
    !(errors.contains("not found") && errors.contains("required by"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linkers_complaint_is_told_from_the_programs() {
        let old = "modpost: /lib/libc.so.6: version `GLIBC_2.38' not found (required by modpost)\n";
        assert!(!linked(old));
        assert!(linked("modpost: invalid option -- '-'\n") && linked(""));
    }
}
