// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! A rustc that can compile `core` for the kernel: one that has its own library source beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::exec;
use crate::progress::Ui;

/// The oldest rustc that compiles this project.
const MINIMUM: (u32, u32) = (1, 85);

/// Where a toolchain keeps the source of `core`, seen from its root.
const SOURCE: &str = "lib/rustlib/src/rust/library";

/// A rustc and its cargo, by the folder that holds `bin` and `lib`.
pub(crate) struct Toolchain {
    root: PathBuf,
    pub(crate) version: String,
}

impl Toolchain {
    /// The first that will do of: the rustc in use, rustup's toolchains, Debian's.
    pub(crate) fn find(ui: &Ui) -> Option<Self> {
        candidates(ui).into_iter().find_map(|root| Self::at(ui, root))
    }

    /// The oldest that will do, if there is one older than `chosen`.
    pub(crate) fn older(ui: &Ui, chosen: &Self) -> Option<Self> {
        let all = candidates(ui).into_iter().filter_map(|root| Self::at(ui, root));
        oldest_before(all.collect(), chosen)
    }

    /// The toolchain in `root`, if it is new enough and complete.
    fn at(ui: &Ui, root: PathBuf) -> Option<Self> {
        let source = root.join(SOURCE).join("core/src/lib.rs");
        if !source.is_file() || !program(&root, "cargo").is_file() {
            return None;
        }
        let rustc = program(&root, "rustc");
        let said =
            exec::output(ui, exec::command(&rustc.to_string_lossy()).arg("--version")).ok()?;
        let version = said.split_whitespace().nth(1)?.to_string();
        (parse(&version)? >= MINIMUM).then_some(Self { root, version })
    }

    /// The library source, as it appears in the paths that rustc may put into its output.
    pub(crate) fn source(&self) -> PathBuf {
        let source = self.root.join(SOURCE);
        source.canonicalize().unwrap_or(source)
    }

    /// `cargo`, set up to compile `core` too (`-Zbuild-std`), which a released toolchain allows
    /// only so.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = exec::command(&program(&self.root, "cargo").to_string_lossy());
        // The cargo that runs this program has left its own settings.
        for inherited in ["RUSTUP_TOOLCHAIN", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO"] {
            command.env_remove(inherited);
        }
        command
            .env("RUSTC", program(&self.root, "rustc"))
            .env("RUSTDOC", program(&self.root, "rustdoc"))
            .env("RUSTC_BOOTSTRAP", "1");
        command
    }
}

fn oldest_before(mut all: Vec<Toolchain>, chosen: &Toolchain) -> Option<Toolchain> {
    all.retain(|toolchain| parse(&toolchain.version) < parse(&chosen.version));
    all.into_iter().min_by_key(|toolchain| parse(&toolchain.version))
}

fn program(root: &Path, name: &str) -> PathBuf {
    root.join("bin").join(name)
}

/// Folders that may hold a toolchain, in the order of preference.
fn candidates(ui: &Ui) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    if let Ok(root) = exec::output(ui, exec::command("rustc").args(["--print", "sysroot"])) {
        roots.push(PathBuf::from(root.trim()));
    }
    if let Ok(list) = exec::output(ui, exec::command("rustup").args(["toolchain", "list", "-v"])) {
        roots.extend(rustup_folders(&list));
    }
    roots.push(PathBuf::from("/usr"));
    roots
}

/// The folders in the output of `rustup toolchain list -v`, the last word of each line.
fn rustup_folders(list: &str) -> Vec<PathBuf> {
    list.lines()
        .filter_map(|line| line.split_whitespace().last())
        .filter(|word| word.starts_with('/'))
        .map(PathBuf::from)
        .collect()
}

fn parse(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The packages that bring a toolchain with its source. Debian 12's plain rustc is too old.
pub(crate) fn debian_packages() -> &'static [&'static str] {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    if release.lines().any(|line| line.trim() == "VERSION_ID=\"12\"") {
        &["rustc-web", "cargo-web", "rust-web-src"]
    } else {
        &["rustc", "cargo", "rust-src"]
    }
}

/// Why there is nothing older than `chosen`.
pub(crate) fn no_older(chosen: &Toolchain) -> String {
    format!(
        "no rustc from {}.{} on and older than {} is here with its library source",
        MINIMUM.0, MINIMUM.1, chosen.version
    )
}

/// What to say where there is none.
pub(crate) fn missing() -> String {
    format!(
        "no rustc {}.{} or later with its library source is here (rustup: `rustup component add \
         rust-src`; Debian: {})",
        MINIMUM.0,
        MINIMUM.1,
        debian_packages().join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(parse("1.85.1"), Some((1, 85)));
        assert_eq!(parse("1.96.0-nightly"), Some((1, 96)));
        assert!(parse("1.100.0") > parse("1.85.0"));
        assert_eq!(parse("nonsense"), None);
    }

    #[test]
    fn the_oldest_is_taken() {
        let toolchain = |version: &str| Toolchain { root: "/".into(), version: version.into() };
        let all = || ["1.96.0", "1.85.1", "1.90.0"].map(toolchain).into();
        let older = |than: &str| oldest_before(all(), &toolchain(than)).map(|found| found.version);
        assert_eq!(older("1.96.0").as_deref(), Some("1.85.1"));
        assert_eq!(older("1.85.1"), None);
    }

    #[test]
    fn rustup_lists() {
        let list = "stable-x86_64 (active, default) /home/u/.rustup/toolchains/stable\nnone\n";
        assert_eq!(rustup_folders(list), [PathBuf::from("/home/u/.rustup/toolchains/stable")]);
    }
}
