// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Where the source tree is, and where things are made: `target/boards/<board>-<kernel>`, with a
//! number behind the name when another run holds that folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use nix::fcntl::FlockArg;

use crate::cache::{lock, Lock};

/// The top of the source tree.
pub(crate) fn source() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_path_buf()
}

/// cargo's folder for what is made.
pub(crate) fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").filter(|value| !value.is_empty());
    source().join(target.map_or_else(|| PathBuf::from("target"), PathBuf::from))
}

/// A folder that this process alone uses.
pub(crate) struct WorkDir {
    path: PathBuf,
    _lock: Lock,
}

impl WorkDir {
    pub(crate) fn claim(name: &str) -> Result<Self> {
        Self::claim_in(&target().join("boards"), name)
    }

    fn claim_in(parent: &Path, name: &str) -> Result<Self> {
        let mut path = parent.join(name);
        let mut number = 1;
        loop {
            fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
            match lock(&path.join("lock"), FlockArg::LockExclusiveNonblock) {
                Ok(lock) => return Ok(Self { path, _lock: lock }),
                Err(error) if is_held(&error) => {
                    number += 1;
                    path = parent.join(format!("{name}-{number}"));
                }
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

fn is_held(error: &anyhow::Error) -> bool {
    error.root_cause().downcast_ref() == Some(&nix::errno::Errno::EWOULDBLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_get_two_folders() {
        let parent = std::env::temp_dir().join(format!("xtask-workdir-{}", std::process::id()));
        let first = WorkDir::claim_in(&parent, "a").unwrap();
        let second = WorkDir::claim_in(&parent, "a").unwrap();
        assert_eq!(first.path(), parent.join("a"));
        assert_eq!(second.path(), parent.join("a-2"));
        drop(first);
        assert_eq!(WorkDir::claim_in(&parent, "a").unwrap().path(), parent.join("a"));
        fs::remove_dir_all(parent).unwrap();
    }
}
