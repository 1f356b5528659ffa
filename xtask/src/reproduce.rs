// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! The object built a second time, from a copy of the source tree in another folder: whoever has
//! the same rustc must get the same bytes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context as _, Result};

use crate::cache;
use crate::exec;
use crate::object;
use crate::progress::Ui;
use crate::toolchain::Toolchain;
use crate::workdir;

/// Builds the object again elsewhere and compares it with `object`.
pub(crate) fn compare(
    ui: &Ui,
    toolchain: &Toolchain,
    cross: &str,
    object: &Path,
) -> Result<BTreeSet<String>> {
    let elsewhere = Elsewhere::make()?;
    let source = elsewhere.0.join("a folder with another name");
    copy_tree(ui, &workdir::source(), &source)?;
    let again = object::build(ui, toolchain, cross, &source, &elsewhere.0.join("made"))?;
    let (first, second) = (read(object)?, read(&again)?);
    if first == second {
        return Ok(BTreeSet::new());
    }
    let kept = object.with_extension("elsewhere.o");
    fs::copy(&again, &kept).with_context(|| format!("cannot write {}", kept.display()))?;
    Ok(BTreeSet::from([format!(
        "{}; {} is the other",
        difference(&first, &second),
        kept.display()
    )]))
}

/// Where and how much two objects differ.
fn difference(first: &[u8], second: &[u8]) -> String {
    let common = first.iter().zip(second).position(|(a, b)| a != b);
    let at = common.unwrap_or_else(|| first.len().min(second.len()));
    format!("they differ from byte {at} on ({} and {} bytes)", first.len(), second.len())
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

/// A temporary folder, outside the source tree: cargo would find the tree's configuration there.
struct Elsewhere(PathBuf);

impl Elsewhere {
    fn make() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("neon-shash-again-{}", std::process::id()));
        fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self(folder))
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        // What cannot be removed lies in the folder for temporary files.
        let _ = cache::remove_tree(&self.0);
    }
}

/// Copies the files that git tracks, or would: not what earlier builds have left.
fn copy_tree(ui: &Ui, from: &Path, to: &Path) -> Result<()> {
    let mut git = exec::command("git");
    git.arg("-C").arg(from).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let list = exec::output(ui, &mut git).context("git must list the files of the source tree")?;
    let names: Vec<&str> = list.split('\0').filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        bail!("git lists no file in {}", from.display());
    }
    // A file that is removed and not yet committed is still listed.
    for name in names.into_iter().filter(|name| from.join(name).exists()) {
        let file = to.join(name);
        let cannot = || format!("cannot write {}", file.display());
        fs::create_dir_all(file.parent().unwrap_or(to)).with_context(cannot)?;
        fs::copy(from.join(name), &file).with_context(cannot)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_found_where_it_is() {
        assert!(difference(b"abc", b"abd").starts_with("they differ from byte 2 on"));
        assert!(difference(b"abc", b"ab").ends_with("byte 2 on (3 and 2 bytes)"));
    }

    #[test]
    fn the_tree_is_copied_without_what_is_built() {
        let elsewhere = Elsewhere::make().unwrap();
        let source = workdir::source();
        if source.join(".git").exists() {
            copy_tree(&Ui::new(), &source, &elsewhere.0).unwrap();
            let copy = elsewhere.0.join("xtask/src/reproduce.rs");
            assert_eq!(fs::read(copy).unwrap(), include_bytes!("reproduce.rs"));
            assert!(!elsewhere.0.join("target").exists());
        }
        assert!(copy_tree(&Ui::new(), Path::new("/none"), &elsewhere.0).is_err());
        let folder = elsewhere.0.clone();
        drop(elsewhere);
        assert!(!folder.exists());
    }
}
