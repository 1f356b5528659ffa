// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! The boards' root file system: Debian's own programs for armhf and those of the kernel's modules
//! that the tests need, as one archive that the kernel unpacks into memory. What belongs to a
//! single run (init, the module, the script) is appended by `board.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufWriter;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context as _, Result};

use crate::apt::{self, LazyApt};
use crate::cache::{self, Cache};
use crate::cpio::Archive;
use crate::exec;
use crate::host::Host;
use crate::kernel::Kernel;
use crate::progress::Ui;

const PACKAGES: &[&str] = &[
    "busybox-static",
    "kmod",
    "kcapi-tools",
    "dmsetup",
    "cryptsetup-bin",
    "python3-minimal",
    "libpython3-stdlib",
];

/// What a board in memory has no use for.
const EXCLUDED: &[&str] = &[
    "./usr/share/bash-completion",
    "./usr/share/bug",
    "./usr/share/doc",
    "./usr/share/doc-base",
    "./usr/share/info",
    "./usr/share/lintian",
    "./usr/share/locale",
    "./usr/share/man",
    "./usr/share/zoneinfo",
    // Character sets beyond the C library's built-in ones.
    "./usr/lib/*/gconv",
    // Parts of Python's library that no test uses.
    "./usr/lib/python3*/idlelib",
    "./usr/lib/python3*/lib2to3",
    "./usr/lib/python3*/pydoc_data",
    "./usr/lib/python3*/sqlite3",
    "./usr/lib/python3*/tkinter",
    "./usr/lib/python3*/wsgiref",
    "./usr/lib/python3*/xmlrpc",
];

/// Modules by the beginning of their path below `kernel/`. What they depend on comes along.
const MODULES: &[&str] = &[
    "arch/arm/crypto/",
    "arch/arm/lib/",
    "crypto/",
    "drivers/block/loop.",
    "drivers/block/virtio_blk.",
    "drivers/char/hw_random/virtio-rng.",
    "drivers/char/virtio_console.",
    "drivers/md/dm-",
    "drivers/virtio/",
    "fs/ext4/",
    "fs/squashfs/",
    "lib/crypto/",
];

/// The archive for `kernel`, from the cache or made now.
pub(crate) fn base(
    ui: &Ui,
    cache: &Cache,
    apt: &LazyApt,
    host: &Host,
    kernel: &Kernel,
) -> Result<PathBuf> {
    let userland = userland(ui, cache, apt, host)?;
    let name = userland.file_name().unwrap_or_default().to_string_lossy();
    let entry = format!("rootfs-{}-{}", kernel.release, cache::key((&name, RECIPE)));
    let made = cache.entry(&entry, |dir| {
        let _step = ui.step("making the board's root file system");
        let tree = dir.join("modules");
        copy_modules(ui, kernel, &tree)?;
        archive(&userland, &tree, &dir.join(ARCHIVE))?;
        cache::remove_tree(&tree)
    })?;
    Ok(made.join(ARCHIVE))
}

const ARCHIVE: &str = "base.cpio";

/// A change of this file makes new entries: it says what goes into them.
const RECIPE: &str = include_str!("rootfs.rs");

/// The unpacked packages.
fn userland(ui: &Ui, cache: &Cache, apt: &LazyApt, host: &Host) -> Result<PathBuf> {
    let recipe = cache::key(RECIPE);
    let id = format!("userland-{}", host.release.codename);
    let entry = |versions: &str| format!("{id}-{recipe}-{versions}");
    let versions = cache.answer(
        ui,
        &id,
        |versions| cache.has(&entry(versions)),
        || Ok(cache::key(apt.open()?.closure(PACKAGES)?)),
    )?;
    cache.entry(&entry(&versions), |dir| {
        let downloads = dir.join("downloads");
        let what = "the board's programs";
        let files = apt.open()?.download_closure(what, PACKAGES, &downloads)?;
        let _step = ui.step("unpacking the board's programs");
        unpack(ui, &files, &dir.join("root"))?;
        cache::remove_tree(&downloads)
    })
}

fn unpack(ui: &Ui, packages: &[PathBuf], root: &Path) -> Result<()> {
    apt::make_root(root)?;
    // Programs look for a shell by this name.
    symlink("busybox", root.join("bin/sh")).context("cannot make the root file system")?;
    for package in packages {
        apt::unpack(ui, package, root, EXCLUDED)?;
    }
    Ok(())
}

/// Copies the chosen modules and makes their index anew, so that modprobe finds them all.
fn copy_modules(ui: &Ui, kernel: &Kernel, tree: &Path) -> Result<()> {
    let from = kernel.modules();
    apt::make_root(tree)?;
    let to = tree.join("lib/modules").join(&kernel.release);
    let index =
        fs::read_to_string(from.join("modules.dep")).context("the kernel has no modules.dep")?;
    let chosen = closure(&parse_dependencies(&index));
    if chosen.is_empty() {
        bail!("none of the wanted modules is in {}", from.display());
    }
    let names = ["modules.builtin", "modules.builtin.modinfo", "modules.order"];
    for name in chosen.into_iter().chain(names) {
        copy(&from.join(name), &to.join(name))?;
    }
    exec::output(ui, exec::command("depmod").arg("-b").arg(tree).arg(&kernel.release))?;
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let cannot = || format!("cannot copy {}", from.display());
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).with_context(cannot)?;
    }
    fs::copy(from, to).with_context(cannot)?;
    Ok(())
}

/// `modules.dep`: each line is a module, a colon, and all that it needs.
fn parse_dependencies(index: &str) -> BTreeMap<&str, Vec<&str>> {
    let line = |line| {
        let (module, needed) = str::split_once(line, ':')?;
        Some((module, needed.split_whitespace().collect()))
    };
    index.lines().filter_map(line).collect()
}

fn closure<'a>(dependencies: &BTreeMap<&'a str, Vec<&'a str>>) -> BTreeSet<&'a str> {
    let mut chosen = BTreeSet::new();
    for (module, needed) in dependencies {
        let path = module.strip_prefix("kernel/").unwrap_or(module);
        if MODULES.iter().any(|prefix| path.starts_with(prefix)) {
            chosen.insert(*module);
            chosen.extend(needed);
        }
    }
    chosen
}

fn archive(userland: &Path, modules: &Path, path: &Path) -> Result<()> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut archive = Archive::new(BufWriter::new(file));
    for name in ["dev", "proc", "sys", "tmp", "run", "root", "mnt", "job"] {
        archive.directory(name)?;
    }
    let root = userland.join("root");
    let mut names = Vec::new();
    for entry in fs::read_dir(&root).context("cannot read the unpacked programs")? {
        names.push(entry.context("cannot read the unpacked programs")?.file_name());
    }
    names.sort();
    for name in names {
        archive.tree(&name.to_string_lossy(), &root.join(&name))?;
    }
    // /lib is a link: an archive's own "lib" would replace it.
    archive.tree("usr/lib/modules", &modules.join("lib/modules"))?;
    archive.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = "\
kernel/crypto/blake2b_generic.ko.xz:
kernel/arch/arm/crypto/blake2b-neon.ko.xz: kernel/crypto/blake2b_generic.ko.xz
kernel/drivers/md/dm-verity.ko.xz: kernel/drivers/md/dm-bufio.ko.xz kernel/lib/reed.ko.xz
kernel/drivers/md/dm-bufio.ko.xz:
kernel/lib/reed.ko.xz:
kernel/drivers/net/dummy.ko.xz: kernel/net/core.ko.xz
";

    #[test]
    fn dependencies_are_read() {
        let dependencies = parse_dependencies(INDEX);
        assert_eq!(dependencies.len(), 6);
        assert_eq!(
            dependencies["kernel/drivers/md/dm-verity.ko.xz"],
            ["kernel/drivers/md/dm-bufio.ko.xz", "kernel/lib/reed.ko.xz"]
        );
    }

    #[test]
    fn what_is_chosen_brings_what_it_needs() {
        let dependencies = parse_dependencies(INDEX);
        let chosen = closure(&dependencies);
        assert!(chosen.contains("kernel/lib/reed.ko.xz"));
        assert!(!chosen.contains("kernel/drivers/net/dummy.ko.xz"));
        assert!(!chosen.contains("kernel/net/core.ko.xz"));
        assert_eq!(chosen.len(), 5);
    }
}
