// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! The user's cache. An entry is a folder that is made under another name and renamed into place
//! when it is complete: an interrupted run, a full disk or a lost network leave nothing that a
//! later run would take for whole. Any entry may be deleted at any time.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use crate::progress::Ui;

/// How long an answer of the network is good.
const FRESH_FOR: Duration = Duration::from_secs(7 * 24 * 3600);

pub(crate) struct Cache {
    root: PathBuf,
}

/// What the network said last, and when.
#[derive(Serialize, Deserialize)]
struct Answer {
    value: String,
    asked: u64,
}

impl Cache {
    /// `$XDG_CACHE_HOME/neon-shash`, or below `~/.cache`.
    pub(crate) fn open() -> Result<Self> {
        let base = match std::env::var_os("XDG_CACHE_HOME").filter(|v| !v.is_empty()) {
            Some(base) => PathBuf::from(base),
            None => {
                PathBuf::from(std::env::var_os("HOME").context("HOME is not set")?).join(".cache")
            }
        };
        Self::at(base.join("neon-shash"))
    }

    fn at(root: PathBuf) -> Result<Self> {
        fs::create_dir_all(&root).with_context(|| format!("cannot make {}", root.display()))?;
        Ok(Self { root })
    }

    /// A folder that a program of its own keeps up to date, held for this process.
    pub(crate) fn state(&self, name: &str) -> Result<(PathBuf, Lock)> {
        let lock = self.lock(name)?;
        let dir = self.root.join(name);
        fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        Ok((dir, lock))
    }

    /// The entry `name`, made by `make` if it is not there yet or has lost something since.
    pub(crate) fn entry(
        &self,
        name: &str,
        make: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<PathBuf> {
        let entry = self.root.join(name);
        let stamp = self.root.join(format!("{name}.stamp"));
        if is_whole(&entry, &stamp) {
            return Ok(entry);
        }
        let _lock = self.lock(name)?;
        // Another run may have made it while this one waited.
        if is_whole(&entry, &stamp) {
            return Ok(entry);
        }
        remove_tree(&entry)?;
        let partial = self.root.join(format!("{name}.partial"));
        remove_tree(&partial)?;
        fs::create_dir(&partial).with_context(|| format!("cannot make {}", partial.display()))?;
        let made = make(&partial).and_then(|()| {
            fs::write(&stamp, size(&partial)?)
                .and_then(|()| fs::rename(&partial, &entry))
                .with_context(|| format!("cannot make {}", entry.display()))
        });
        if let Err(error) = made {
            // The next run removes what cannot be removed now.
            let _ = remove_tree(&partial);
            return Err(error);
        }
        Ok(entry)
    }

    /// What `ask` says, asked at most once a week as long as `usable` accepts the last answer.
    /// When it cannot be asked, an older answer does, with a warning.
    pub(crate) fn answer(
        &self,
        ui: &Ui,
        name: &str,
        usable: impl Fn(&str) -> bool,
        ask: impl FnOnce() -> Result<String>,
    ) -> Result<String> {
        let file = self.root.join(format!("{name}.json"));
        let last = read_answer(&file).filter(|answer| usable(&answer.value));
        if let Some(answer) = last.as_ref().filter(|answer| is_fresh(answer.asked, now())) {
            return Ok(answer.value.clone());
        }
        match (ask(), last) {
            (Ok(value), _) => {
                write_answer(&file, &Answer { value: value.clone(), asked: now() })?;
                Ok(value)
            }
            (Err(error), Some(last)) => {
                ui.warn(&format!("{error:#}\ngoing on with {name} from the cache"));
                Ok(last.value)
            }
            (Err(error), None) => Err(error),
        }
    }

    /// Whether the entry `name` is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.root.join(name).exists()
    }

    fn lock(&self, name: &str) -> Result<Lock> {
        let path = self.root.join(format!("{name}.lock"));
        lock(&path, FlockArg::LockExclusive)
    }
}

/// A lock on a file, given back when it is dropped and when the process ends.
pub(crate) struct Lock {
    _file: Flock<File>,
}

pub(crate) fn lock(path: &Path, how: FlockArg) -> Result<Lock> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let file = Flock::lock(file, how)
        .map_err(|(_, error)| anyhow::Error::new(error))
        .with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(Lock { _file: file })
}

/// A short name for what an entry was made from.
pub(crate) fn key(inputs: impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    inputs.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

pub(crate) fn remove_tree(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

fn read_answer(file: &Path) -> Option<Answer> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

fn write_answer(file: &Path, answer: &Answer) -> Result<()> {
    let partial = file.with_extension("json.partial");
    fs::write(&partial, serde_json::to_vec(answer)?)
        .and_then(|()| fs::rename(&partial, file))
        .with_context(|| format!("cannot write {}", file.display()))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// An answer from the future is not fresh: the clock was wrong once.
fn is_fresh(asked: u64, now: u64) -> bool {
    now.checked_sub(asked).is_some_and(|age| age < FRESH_FOR.as_secs())
}

/// Whether an entry is there with as many files and bytes as when it was made.
fn is_whole(entry: &Path, stamp: &Path) -> bool {
    let made = fs::read_to_string(stamp).unwrap_or_default();
    entry.exists() && size(entry).is_ok_and(|size| size == made)
}

/// The number of files below a folder and of the bytes in them.
fn size(folder: &Path) -> Result<String> {
    let (mut files, mut bytes) = (0u64, 0u64);
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let cannot = || format!("cannot read {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(cannot)? {
            let entry = entry.with_context(cannot)?;
            let kind = entry.metadata().with_context(cannot)?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else {
                files += 1;
                bytes += kind.len();
            }
        }
    }
    Ok(format!("{files} files, {bytes} bytes\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    fn cache(name: &str) -> Cache {
        let root = std::env::temp_dir().join(format!("xtask-cache-{name}-{}", std::process::id()));
        remove_tree(&root).unwrap();
        Cache::at(root).unwrap()
    }

    #[test]
    fn an_entry_is_made_once() {
        let cache = cache("once");
        let made = cache.entry("a", |dir| Ok(fs::write(dir.join("f"), "1")?)).unwrap();
        let again = cache.entry("a", |_| bail!("made twice")).unwrap();
        assert_eq!(made, again);
        assert_eq!(fs::read_to_string(again.join("f")).unwrap(), "1");
        remove_tree(&cache.root).unwrap();
    }

    #[test]
    fn a_failed_or_interrupted_entry_leaves_nothing() {
        let cache = cache("failed");
        assert!(cache.entry("a", |_| bail!("no network")).is_err());
        assert!(!cache.has("a") && !cache.has("a.partial"));
        // As a killed run leaves it.
        fs::create_dir(cache.root.join("a.partial")).unwrap();
        fs::write(cache.root.join("a.partial/half"), "").unwrap();
        let made = cache.entry("a", |_| Ok(())).unwrap();
        assert!(!made.join("half").exists());
        remove_tree(&cache.root).unwrap();
    }

    #[test]
    fn an_answer_is_kept_while_it_is_usable() {
        let (cache, ui) = (cache("answer"), Ui::new());
        let ask = |value: &'static str| move || Ok(value.to_string());
        assert_eq!(cache.answer(&ui, "v", |_| true, ask("1")).unwrap(), "1");
        assert_eq!(cache.answer(&ui, "v", |_| true, ask("2")).unwrap(), "1");
        assert_eq!(cache.answer(&ui, "v", |_| false, ask("2")).unwrap(), "2");
        assert!(cache.answer(&ui, "v", |_| false, || bail!("no network")).is_err());
        remove_tree(&cache.root).unwrap();
    }

    #[test]
    fn an_old_answer_does_without_a_network() {
        let (cache, ui) = (cache("old"), Ui::new());
        write_answer(&cache.root.join("v.json"), &Answer { value: "1".into(), asked: 0 }).unwrap();
        assert_eq!(cache.answer(&ui, "v", |_| true, || bail!("no network")).unwrap(), "1");
        assert_eq!(cache.answer(&ui, "v", |_| true, || Ok("2".into())).unwrap(), "2");
        remove_tree(&cache.root).unwrap();
    }

    #[test]
    fn freshness_has_two_ends() {
        let week = FRESH_FOR.as_secs();
        assert!(is_fresh(1000, 1000) && is_fresh(1000, 1000 + week - 1));
        assert!(!is_fresh(1000, 1000 + week) && !is_fresh(1000, 999));
    }

    #[test]
    fn a_damaged_entry_is_made_again() {
        let root = std::env::temp_dir().join(format!("xtask-damaged-{}", std::process::id()));
        let cache = Cache::at(root.clone()).unwrap();
        let mut made = 0;
        let mut entry = || {
            let make = |dir: &Path| {
                made += 1;
                fs::create_dir(dir.join("a"))?;
                Ok(fs::write(dir.join("a/b"), "whole")?)
            };
            let path = cache.entry("x", make).unwrap();
            (path, made)
        };
        let (path, _) = entry();
        assert_eq!(entry().1, 1);
        fs::write(path.join("a/b"), "cut").unwrap();
        assert_eq!(entry().1, 2);
        fs::remove_file(path.join("a/b")).unwrap();
        assert_eq!(entry().1, 3);
        assert_eq!(fs::read_to_string(path.join("a/b")).unwrap(), "whole");
        fs::remove_dir_all(root).unwrap();
    }
}
