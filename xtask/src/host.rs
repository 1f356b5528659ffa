// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! The developer's machine: its Debian release, its architecture, the tools that it must have.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, Context as _, Result};

use crate::exec;
use crate::progress::Ui;

/// A Debian release that packages are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Release {
    pub(crate) codename: &'static str,
    /// The compiler that this release's kernel headers name.
    pub(crate) gcc: &'static str,
}

const BOOKWORM: Release = Release { codename: "bookworm", gcc: "12" };
const TRIXIE: Release = Release { codename: "trixie", gcc: "14" };

pub(crate) struct Host {
    pub(crate) release: Release,
    pub(crate) architecture: String,
}

impl Host {
    pub(crate) fn detect(ui: &Ui) -> Result<Self> {
        let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let architecture = exec::output(ui, exec::command("dpkg").arg("--print-architecture"))
            .context("this needs a Debian machine")?;
        Ok(Self { release: release(&text)?, architecture: architecture.trim().to_string() })
    }

    /// What fetching a kernel and building a module for it needs.
    pub(crate) fn build_tools(&self) -> Vec<Need> {
        // By its versioned name: the kernel headers ask for exactly that.
        let gcc = self.release.gcc;
        let cross = format!("gcc-{gcc}-arm-linux-gnueabihf");
        let package = if self.architecture == "armhf" { format!("gcc-{gcc}") } else { cross };
        let mut needs = vec![
            Need::program("make", "make"),
            Need::program("depmod", "kmod"),
            Need::program(format!("arm-linux-gnueabihf-gcc-{gcc}"), package),
        ];
        needs.extend(object_tools());
        needs
    }

    /// What every emulated board needs.
    pub(crate) fn board_tools(&self) -> Vec<Need> {
        let mut needs = self.build_tools();
        needs.push(Need::program("qemu-system-arm", "qemu-system-arm"));
        needs
    }
}

/// The prefix of the compiler's programs, as the kernel's build takes it.
pub(crate) fn cross_compile() -> String {
    match std::env::var("CROSS_COMPILE") {
        Ok(prefix) => prefix,
        Err(_) if std::env::consts::ARCH == "arm" => String::new(),
        Err(_) => "arm-linux-gnueabihf-".to_string(),
    }
}

/// What generates the bindings, assembles and links the object.
pub(crate) fn object_tools() -> Vec<Need> {
    let cross = cross_compile();
    let package = if cross.is_empty() { "gcc" } else { "gcc-arm-linux-gnueabihf" };
    vec![Need::program(format!("{cross}gcc"), package), Need::library("libclang", "libclang1")]
}

/// What makes the demo's and the check's disks.
pub(crate) fn disk_tools() -> Vec<Need> {
    vec![Need::program("python3", "python3"), Need::program("mke2fs", "e2fsprogs")]
}

/// The release whose packages suit the host described by `os_release`. On anything newer than
/// Debian 13 those of Debian 13 are taken: its programs run there.
fn release(os_release: &str) -> Result<Release> {
    let value = |key: &str| {
        let line = os_release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        line.unwrap_or_default().trim_matches('"').to_string()
    };
    let supported = "emulated boards need Debian 12 or later on this machine";
    if value("ID") != "debian" {
        bail!("{supported}; this is {}", value("PRETTY_NAME"));
    }
    // Testing and unstable have no number.
    match value("VERSION_ID").parse().unwrap_or(u32::MAX) {
        12 => Ok(BOOKWORM),
        13.. => Ok(TRIXIE),
        _ => bail!("{supported}; this is {}", value("PRETTY_NAME")),
    }
}

/// Something that a Debian package brings.
pub(crate) struct Need {
    name: String,
    kind: Kind,
    package: String,
}

#[derive(PartialEq, Eq)]
enum Kind {
    Program,
    Library,
    File,
    /// Found missing by means of its own.
    Missing,
}

impl Need {
    /// A program on the search path.
    pub(crate) fn program(name: impl Into<String>, package: impl Into<String>) -> Self {
        Self { name: name.into(), kind: Kind::Program, package: package.into() }
    }

    /// A shared library by the beginning of its file's name, in any version.
    pub(crate) fn library(name: impl Into<String>, package: impl Into<String>) -> Self {
        Self { name: name.into(), kind: Kind::Library, package: package.into() }
    }

    /// A file by its path.
    pub(crate) fn file(path: impl Into<String>, package: impl Into<String>) -> Self {
        Self { name: path.into(), kind: Kind::File, package: package.into() }
    }

    /// A package that is known to be missing.
    pub(crate) fn missing(package: impl Into<String>) -> Self {
        Self { name: String::new(), kind: Kind::Missing, package: package.into() }
    }

    fn is_met(&self) -> bool {
        let is_program = |folder: &str| Path::new(folder).join(&self.name).is_file();
        match self.kind {
            Kind::Program => exec::search_path().split(':').any(is_program),
            Kind::Library => library_folders().iter().any(|at| has_library(at, &self.name)),
            Kind::File => Path::new(&self.name).exists(),
            Kind::Missing => false,
        }
    }
}

/// Where distributions keep shared libraries: the usual folders and those one level below.
fn library_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::env::var_os("LIBCLANG_PATH").map(PathBuf::from).into_iter().collect();
    for top in ["/usr/lib", "/usr/lib64", "/usr/local/lib"] {
        folders.push(top.into());
        let below = std::fs::read_dir(top).into_iter().flatten().flatten();
        // /usr/lib/llvm-14/lib, /usr/lib/x86_64-linux-gnu
        folders.extend(below.flat_map(|entry| [entry.path().join("lib"), entry.path()]));
    }
    folders
}

fn has_library(folder: &Path, name: &str) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).any(|file| {
        // "libclang-14.so.1", not "libclang-cpp.so.14"
        let rest = file.strip_prefix(name).unwrap_or_default();
        rest.split_once(".so").is_some_and(|(version, _)| {
            version.chars().all(|c| c.is_ascii_digit() || c == '-' || c == '.')
        })
    })
}

/// Whether missing packages may be installed: only the commands that promise it, and only as root.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Install {
    IfRoot,
    Never,
}

/// Succeeds when all of `needs` are there, after installing what is missing if that is allowed.
pub(crate) fn require(ui: &Ui, needs: &[Need], install: Install) -> Result<()> {
    let mut missing: Vec<&str> =
        needs.iter().filter(|need| !need.is_met()).map(|need| need.package.as_str()).collect();
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() {
        return Ok(());
    }
    require_packages(ui, &missing, install)?;
    match needs.iter().find(|need| need.kind != Kind::Missing && !need.is_met()) {
        Some(need) => {
            bail!("the package {} is installed, but {} is not there", need.package, need.name)
        }
        None => Ok(()),
    }
}

/// Installs `packages`, or says how to.
fn require_packages(ui: &Ui, packages: &[&str], install: Install) -> Result<()> {
    let list = packages.join(" ");
    if install == Install::Never || !nix::unistd::geteuid().is_root() {
        bail!("packages are missing; install them with\n  sudo apt-get install {list}");
    }
    let _step = ui.step(format!("installing {list}"));
    if exec::output(ui, apt_get_install().args(packages)).is_ok() {
        return Ok(());
    }
    // A fresh machine has no package lists, an old one has stale ones.
    exec::output(ui, apt_get().arg("update"))
        .and_then(|_| exec::output(ui, apt_get_install().args(packages)))
        .with_context(|| format!("cannot install {list}"))?;
    Ok(())
}

fn apt_get() -> Command {
    let mut command = exec::command("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").arg("-q");
    command
}

fn apt_get_install() -> Command {
    let mut command = apt_get();
    command.args(["install", "-y", "--no-install-recommends"]);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases() {
        let debian = |id: &str| release(&format!("ID=debian\n{id}\n"));
        assert_eq!(debian("VERSION_ID=\"12\"").unwrap(), BOOKWORM);
        assert_eq!(debian("VERSION_ID=\"13\"").unwrap(), TRIXIE);
        assert_eq!(debian("VERSION_ID=\"14\"").unwrap(), TRIXIE);
        assert_eq!(debian("VERSION_CODENAME=sid").unwrap(), TRIXIE);
        let old = release("ID=debian\nVERSION_ID=\"11\"\nPRETTY_NAME=\"Debian GNU/Linux 11\"\n");
        assert!(old.unwrap_err().to_string().ends_with("this is Debian GNU/Linux 11"));
        assert!(release("ID=fedora\nVERSION_ID=42\n").is_err());
        assert!(release("").is_err());
    }

    #[test]
    fn a_missing_tool_names_its_package() {
        let needs = [Need::program("sh", "dash"), Need::program("no-such-tool", "no-such-package")];
        let message = require(&Ui::new(), &needs, Install::Never).unwrap_err().to_string();
        assert!(message.ends_with("sudo apt-get install no-such-package"), "{message}");
        assert!(require(&Ui::new(), &needs[..1], Install::Never).is_ok());
    }

    #[test]
    fn libraries_in_any_version() {
        let folder = std::env::temp_dir().join(format!("xtask-library-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("libclang-cpp.so.14"), "").unwrap();
        assert!(!has_library(&folder, "libclang"));
        std::fs::write(folder.join("libclang-14.so.1"), "").unwrap();
        assert!(has_library(&folder, "libclang") && !has_library(&folder, "libclan"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
