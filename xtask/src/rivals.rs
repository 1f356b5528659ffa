// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! The cores that ours are compared with: some files out of Debian source packages, in the cache.
//! They have licences of their own and are never part of this project.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail, Context as _, Result};

use crate::apt::{Apt, LazyApt};
use crate::cache::{self, Cache};
use crate::exec;
use crate::host::{Host, Need};
use crate::kernel;
use crate::progress::Ui;

struct Source {
    name: &'static str,
    /// Source packages that may have it.
    packages: &'static [&'static str],
    /// What its version begins with.
    series: &'static str,
    files: &'static [&'static str],
}

const SOURCES: &[Source] = &[
    Source {
        name: "linux",
        // Debian 12 has the second.
        packages: &["linux", "linux-6.12"],
        // The last whose BLAKE2b and SHA-3 are drivers of the crypto API.
        series: "6.12.",
        files: &[
            "arch/arm/crypto/blake2b-neon-core.S",
            "crypto/blake2b_generic.c",
            "crypto/sha3_generic.c",
        ],
    },
    Source {
        name: "openssl",
        packages: &["openssl"],
        series: "3.",
        files: &["crypto/sha/asm/keccak1600-armv4.pl", "crypto/perlasm/arm-xlate.pl"],
    },
    Source {
        name: "libgcrypt",
        packages: &["libgcrypt20"],
        series: "1.",
        files: &["cipher/keccak-armv7-neon.S"],
    },
];

/// A rival's files, at their paths in its source, below a folder.
pub(crate) struct Rival {
    pub(crate) name: &'static str,
    /// Package and version, as Debian says.
    pub(crate) version: String,
    pub(crate) dir: PathBuf,
}

/// What the archives are unpacked, and the files made into assembly, with.
pub(crate) fn tools() -> Vec<Need> {
    vec![
        Need::program("xz", "xz-utils"),
        Need::program("bzip2", "bzip2"),
        Need::program("perl", "perl"),
    ]
}

/// All rivals, from the cache or the mirror. What was fetched once is good for ever.
pub(crate) fn fetch(ui: &Ui, cache: &Cache, host: &Host) -> Result<Vec<Rival>> {
    let apt = LazyApt::sources(ui, cache, host);
    SOURCES.iter().map(|source| rival(ui, cache, &apt, host, source)).collect()
}

fn rival(
    ui: &Ui,
    cache: &Cache,
    apt: &LazyApt,
    host: &Host,
    source: &'static Source,
) -> Result<Rival> {
    let codename = host.release.codename;
    let recipe = cache::key((source.packages, source.series, source.files));
    let dir = cache.entry(&format!("rival-{}-{codename}-{recipe}", source.name), |dir| {
        let downloads = dir.join("downloads");
        fs::create_dir(&downloads).context("cannot make the download folder")?;
        let (version, archive) = download(ui, apt.open()?, source, &downloads)?;
        extract(ui, source, &archive, dir)?;
        fs::write(dir.join(VERSION), version).context("cannot write into the cache")?;
        cache::remove_tree(&downloads)
    })?;
    let version =
        fs::read_to_string(dir.join(VERSION)).context("cannot read the version of a rival")?;
    Ok(Rival { name: source.name, version, dir })
}

const VERSION: &str = "VERSION";

/// The newest version that is really there: the lists of a mirror may name what it does not have
/// yet, or any longer. Returns what it is and where.
fn download(ui: &Ui, apt: &Apt, source: &Source, into: &Path) -> Result<(String, PathBuf)> {
    let mut missing = Vec::new();
    let mut failure = None;
    for (package, version) in candidates(apt, source)? {
        // A folder for each: what a failed download leaves must not be taken for an archive.
        let dir = into.join(&version);
        fs::create_dir_all(&dir).context("cannot make the download folder")?;
        match apt.download_source(package, &version, &dir) {
            Ok(()) => {
                if !missing.is_empty() {
                    let missing = missing.join(", ");
                    ui.warn(&format!("the mirror does not have {missing}; taking {version}"));
                }
                return Ok((format!("{package} {version}"), archive(&dir)?));
            }
            Err(error) if error.to_string().contains("Failed to fetch") => failure = Some(error),
            Err(error) => return Err(error),
        }
        missing.push(version);
    }
    Err(failure.unwrap_or_else(|| {
        let names = source.packages.join(" or ");
        anyhow!("the mirror lists no source package {names} {}*", source.series)
    }))
}

/// Packages and versions of the series, newest first.
fn candidates(apt: &Apt, source: &Source) -> Result<Vec<(&'static str, String)>> {
    let mut found = Vec::new();
    for &package in source.packages {
        let versions = apt.source_versions(package)?;
        found.extend(versions.into_iter().map(|version| (package, version)));
    }
    Ok(newest_first(found, source.series))
}

fn newest_first<'a>(mut found: Vec<(&'a str, String)>, series: &str) -> Vec<(&'a str, String)> {
    found.retain(|(_, version)| version.starts_with(series));
    found.sort_by_key(|(_, version)| Reverse(kernel::numbers(version)));
    found.dedup();
    found
}

fn archive(downloads: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(downloads).context("cannot read the download folder")?;
    let is_archive = |path: &PathBuf| path.to_string_lossy().contains(".orig.tar.");
    let mut archives = entries.flatten().map(|entry| entry.path()).filter(is_archive);
    archives.next().ok_or_else(|| anyhow!("apt has downloaded no archive of the source"))
}

/// Takes the wanted files out of `archive`, and stops reading it at the last one.
fn extract(ui: &Ui, source: &Source, archive: &Path, into: &Path) -> Result<()> {
    let _step = ui.step(format!("unpacking what is compared of {}", source.name));
    let mut tar = exec::command("tar");
    tar.arg("-x").arg("-f").arg(archive).arg("-C").arg(into);
    tar.args(["--strip-components=1", "--occurrence=1", "--no-same-owner"]);
    tar.args(["--wildcards", "--no-wildcards-match-slash"]);
    // The name of the top folder differs.
    tar.args(source.files.iter().map(|file| format!("*/{file}")));
    exec::output(ui, &mut tar)
        .with_context(|| format!("cannot unpack the source of {}", source.name))?;
    match source.files.iter().find(|file| !into.join(file).is_file()) {
        Some(file) => bail!("{file} is not in {}", archive.display()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_the_series_newest_first() {
        let version = |text: &str| ("linux", text.to_string());
        let listed = ["6.1.192-3", "6.12.95-1~bpo12+1", "6.12.117-1~deb12u1", "6.12.95-1~bpo12+1"];
        let found = newest_first(listed.map(version).to_vec(), "6.12.");
        assert_eq!(found, ["6.12.117-1~deb12u1", "6.12.95-1~bpo12+1"].map(version));
    }

    #[test]
    fn files_are_taken_out_of_an_archive() {
        let folder = std::env::temp_dir().join(format!("xtask-rivals-{}", std::process::id()));
        let files = SOURCES[0].files;
        for file in files.iter().copied().chain(["lib/crypto/sha3_generic.c"]) {
            let path = folder.join("linux-6.12").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        let archive = folder.join("linux_6.12.orig.tar");
        let tar = |names: &[&str]| {
            let mut tar = exec::command("tar");
            tar.arg("-c").arg("-f").arg(&archive).arg("-C").arg(&folder).args(names);
            exec::output(&Ui::new(), &mut tar).unwrap();
        };
        let into = folder.join("into");
        fs::create_dir(&into).unwrap();
        tar(&["linux-6.12"]);
        extract(&Ui::new(), &SOURCES[0], &archive, &into).unwrap();
        assert_eq!(fs::read_to_string(into.join(files[2])).unwrap(), files[2]);
        assert!(!into.join("lib").exists());
        // One file less: nothing half-made is accepted.
        tar(&["linux-6.12/lib"]);
        assert!(extract(&Ui::new(), &SOURCES[0], &archive, &into).is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
