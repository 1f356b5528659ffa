// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Stock Debian kernels for the emulated boards, with the headers to build a module for them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context as _, Result};

use crate::apt::{self, Apt, LazyApt};
use crate::cache::{self, Cache};
use crate::exec;
use crate::host::{Host, Need};
use crate::modpost;
use crate::progress::Ui;

/// A line of kernels, of which the newest available is taken.
pub(crate) struct Series {
    /// What `KERNEL=` says.
    pub(crate) name: &'static str,
    /// What its releases begin with.
    prefix: &'static str,
    /// What its releases end with.
    flavour: &'static str,
    packaging: Packaging,
}

/// How Debian divides a kernel into packages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packaging {
    /// `linux-image` has all of it, and all releases of a series share one `linux-kbuild`.
    SharedKbuild,
    /// `linux-image` has all of it.
    Whole,
    /// From 7.2 on `linux-image` is empty and depends on the parts.
    Split,
}

pub(crate) const SERIES: &[Series] = &[
    Series { name: "6.1", prefix: "6.1.", flavour: "-armmp", packaging: Packaging::SharedKbuild },
    Series { name: "6.12", prefix: "6.12.", flavour: "-armmp", packaging: Packaging::Whole },
    Series { name: "6.12-rt", prefix: "6.12.", flavour: "-rt-armmp", packaging: Packaging::Whole },
    Series { name: "7.2", prefix: "7.2.", flavour: "-armmp", packaging: Packaging::Split },
];

/// Further supported kernels, of which only the export tables are fetched.
pub(crate) const EXPORTS_ONLY: &[Series] = &[
    Series { name: "6.1", prefix: "6.1.", flavour: "-armmp", packaging: Packaging::SharedKbuild },
    Series { name: "7.x", prefix: "7.", flavour: "-armmp", packaging: Packaging::Split },
];

const SYMVERS: &str = "Module.symvers";

pub(crate) fn series(name: &str) -> Result<&'static Series> {
    SERIES.iter().find(|series| series.name == name).with_context(|| {
        let known: Vec<&str> = SERIES.iter().map(|series| series.name).collect();
        format!("unknown kernel {name}; known: {}", known.join(", "))
    })
}

/// An unpacked kernel in the cache.
pub(crate) struct Kernel {
    /// As `uname -r` says on the board.
    pub(crate) release: String,
    root: PathBuf,
    compiler: Option<String>,
}

impl Kernel {
    pub(crate) fn image(&self) -> PathBuf {
        let split = self.modules().join("vmlinuz");
        if split.exists() {
            return split;
        }
        self.root.join(format!("boot/vmlinuz-{}", self.release))
    }

    /// The device tree of a real board, by its file name.
    pub(crate) fn device_tree(&self, name: &str) -> PathBuf {
        let split = self.modules().join("dtb").join(name);
        if split.exists() {
            return split;
        }
        self.root.join(format!("usr/lib/linux-image-{}", self.release)).join(name)
    }

    /// The compiler for modules of this kernel, where its headers name one that this host's Debian
    /// does not have.
    pub(crate) fn compiler(&self) -> Option<&str> {
        self.compiler.as_deref()
    }

    /// The build folder, for `make -C`.
    pub(crate) fn headers(&self) -> PathBuf {
        self.root.join("usr/src").join(headers(&self.release))
    }

    /// The table of what the kernel and its modules export.
    pub(crate) fn exports(&self) -> PathBuf {
        self.headers().join(SYMVERS)
    }

    /// The part of the headers that all flavours share: a large tree of ordinary files.
    pub(crate) fn common_headers(&self, series: &Series) -> PathBuf {
        self.root.join("usr/src").join(common_headers(&self.release, series))
    }

    /// The folder of modules, with its index made.
    pub(crate) fn modules(&self) -> PathBuf {
        self.root.join("lib/modules").join(&self.release)
    }
}

/// The newest kernel of `series`, from the cache or the mirror.
pub(crate) fn fetch(
    ui: &Ui,
    cache: &Cache,
    apt: &LazyApt,
    host: &Host,
    series: &Series,
) -> Result<Kernel> {
    // The headers hold programs for this machine, so a cache shared by several has one for each.
    let id = format!("{}-{}", host.release.codename, host.architecture);
    let entry = |release: &str| format!("kernel-{release}-{id}");
    let make = |release: &str| {
        cache.entry(&entry(release), |dir| {
            let packages = packages(release, host, series);
            unpack(ui, apt.open()?, host, release, series, &packages, dir)
        })
    };
    let ask = || newest(ui, apt.open()?, host, series, &|release| make(release).map(drop));
    let mut release = cache.answer(
        ui,
        &format!("kernel-{}-{id}", series.name),
        |release| cache.has(&entry(release)),
        ask,
    )?;
    let root = match make(&release) {
        Ok(root) => root,
        // An entry has lost something, and the mirror has that release no longer.
        Err(error) => {
            ui.warn(&format!("{error:#}\nlooking for another {} kernel", series.name));
            release = ask()?;
            make(&release)?
        }
    };
    let mut kernel = Kernel { release, root, compiler: None };
    kernel.compiler = foreign_compiler(&kernel, host)?;
    Ok(kernel)
}

/// Debian's headers name the compiler of the Debian that they come from.
fn foreign_compiler(kernel: &Kernel, host: &Host) -> Result<Option<String>> {
    let path = kernel.headers().join(".kernelvariables");
    let text = fs::read_to_string(&path)
        .with_context(|| format!("the headers of {} have no .kernelvariables", kernel.release))?;
    let own = format!("gcc-{}", host.release.gcc);
    let named = text.split_whitespace().any(|word| word.ends_with(&own));
    Ok((!named).then(|| format!("arm-linux-gnueabihf-{own}")))
}

/// What fetching a kernel of `series` needs beyond the tools for building modules.
pub(crate) fn tools(host: &Host, series: &Series) -> Vec<Need> {
    if series.packaging != Packaging::Split || host.release.codename != "bookworm" {
        return Vec::new();
    }
    modpost::tools()
}

/// The release of the newest kernel of `series` and its table of exports, alone of its headers
/// package. `None` where the host's Debian has no such kernel.
pub(crate) fn fetch_exports(
    ui: &Ui,
    cache: &Cache,
    apt: &LazyApt,
    host: &Host,
    series: &Series,
) -> Result<Option<(String, PathBuf)>> {
    let id = host.release.codename;
    let entry = |release: &str| format!("exports-{release}-{id}");
    let release = cache.answer(
        ui,
        &format!("exports-{}-{id}", series.name),
        // Nothing is an answer too.
        |release| release.is_empty() || cache.has(&entry(release)),
        || {
            let names = apt.open()?.names(&format!("linux-headers-{}", series.prefix))?;
            Ok(releases(&names, "linux-headers-", series).into_iter().next().unwrap_or_default())
        },
    )?;
    if release.is_empty() {
        return Ok(None);
    }
    let root = cache.entry(&entry(&release), |dir| {
        let what = format!("the exports of Linux {release}");
        let files = apt.open()?.download(&what, &[headers(&release)], dir)?;
        for package in &files {
            apt::unpack_file(ui, package, SYMVERS, dir)?;
            fs::remove_file(package).context("cannot remove a package")?;
        }
        Ok(())
    })?;
    Ok(Some((release, root.join(SYMVERS))))
}

/// The newest release of which all packages are there and `fetch` succeeds: a mirror may be in the
/// middle of an update, and its lists may name packages that are gone.
fn newest(
    ui: &Ui,
    apt: &Apt,
    host: &Host,
    series: &Series,
    fetch: &dyn Fn(&str) -> Result<()>,
) -> Result<String> {
    let names = apt.names(&format!("linux-image-{}", series.prefix))?;
    let mut failure = None;
    for release in releases(&names, "linux-image-", series) {
        if !apt.has_all(&packages(&release, host, series))? {
            continue;
        }
        match fetch(&release) {
            Ok(()) => return Ok(release),
            Err(error) => {
                ui.warn(&format!("Linux {release} cannot be had; trying an older one"));
                failure = failure.or(Some(error));
            }
        }
    }
    if let Some(error) = failure {
        return Err(error.context(format!("no {} kernel can be fetched", series.name)));
    }
    bail!(
        "no {} kernel is to be had for Debian {}: the package lists name none \
         that comes with its headers and its linux-kbuild",
        series.name,
        host.release.codename
    );
}

/// The releases of `series` among packages whose names begin with `kind`, newest first.
fn releases(packages: &[String], kind: &str, series: &Series) -> Vec<String> {
    let release = |package: &String| {
        let release = package.strip_prefix(kind)?;
        let version = release.strip_suffix(series.flavour)?.strip_prefix(series.prefix)?;
        // "6.12.9-rt-armmp" ends with "-armmp" too, and is another flavour; "6.1.0-50-armmp" is not.
        let is_plain = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
        version.split('-').all(is_plain).then(|| release.to_string())
    };
    let mut found: Vec<String> = packages.iter().filter_map(release).collect();
    found.sort_by_key(|release| std::cmp::Reverse(numbers(release)));
    found
}

/// The numbers of a release in order: 6.12.90+deb12.1 is newer than 6.12.90+deb12 and 6.12.9+deb12.
pub(crate) fn numbers(release: &str) -> Vec<u32> {
    release.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
}

fn version<'a>(release: &'a str, series: &Series) -> &'a str {
    release.strip_suffix(series.flavour).unwrap_or(release)
}

fn headers(release: &str) -> String {
    format!("linux-headers-{release}")
}

fn common_headers(release: &str, series: &Series) -> String {
    // The real-time patches change headers.
    let suffix = if series.flavour.starts_with("-rt") { "-rt" } else { "" };
    format!("linux-headers-{}-common{suffix}", version(release, series))
}

fn kbuild(release: &str, series: &Series) -> String {
    match series.packaging {
        Packaging::SharedKbuild => format!("linux-kbuild-{}", series.name),
        Packaging::Whole | Packaging::Split => {
            format!("linux-kbuild-{}", version(release, series))
        }
    }
}

fn packages(release: &str, host: &Host, series: &Series) -> Vec<String> {
    let kbuild = kbuild(release, series);
    // The board's architecture is the one that apt takes without being told.
    let kbuild = match host.architecture.as_str() {
        "armhf" => kbuild,
        other => format!("{kbuild}:{other}"),
    };
    let image: &[&str] = match series.packaging {
        Packaging::SharedKbuild | Packaging::Whole => &["image"],
        Packaging::Split => &["base", "binary", "modules"],
    };
    let mut names: Vec<String> =
        image.iter().map(|part| format!("linux-{part}-{release}")).collect();
    names.extend([headers(release), common_headers(release, series), kbuild]);
    names
}

fn unpack(
    ui: &Ui,
    apt: &Apt,
    host: &Host,
    release: &str,
    series: &Series,
    packages: &[String],
    into: &Path,
) -> Result<()> {
    let downloads = into.join("downloads");
    fs::create_dir(&downloads).context("cannot make the download folder")?;
    let files = apt.download(&format!("Linux {release}"), packages, &downloads)?;
    let step = ui.step(format!("unpacking Linux {release}"));
    apt::make_root(into)?;
    for file in files {
        apt::unpack(ui, &file, into, &["./usr/share"])?;
    }
    cache::remove_tree(&downloads)?;
    relocate(into, release, series)?;
    // A package's modules get their index when it is installed.
    exec::output(ui, exec::command("depmod").arg("-b").arg(into).arg(release))?;
    drop(step);
    let kbuild = kbuild(release, series);
    let built = modpost::Build {
        folder: &into.join("usr/lib").join(&kbuild).join("scripts/mod"),
        config: &into.join("usr/src").join(headers(release)).join(".config"),
        package: &packages[packages.len() - 1],
        series: series.name,
        compiler: &format!("arm-linux-gnueabihf-gcc-{}", host.release.gcc),
    };
    built.ensure(ui, apt, &into.join("source"))
}

/// Debian's headers find each other by absolute paths. Relative ones keep the host's `/usr/src` out
/// of it, and stay right when the entry gets its final name.
fn relocate(root: &Path, release: &str, series: &Series) -> Result<()> {
    let makefile = root.join("usr/src").join(headers(release)).join("Makefile");
    let text = fs::read_to_string(&makefile)
        .with_context(|| format!("the headers of {release} have no Makefile"))?;
    fs::write(&makefile, relative_includes(&text))
        .context("cannot rewrite the headers' Makefile")?;
    let modules = root.join("lib/modules").join(release);
    for (link, target) in [("build", headers(release)), ("source", common_headers(release, series))]
    {
        let link = modules.join(link);
        if link.symlink_metadata().is_ok() {
            fs::remove_file(&link).context("cannot rewrite a link of the kernel's modules")?;
        }
        // From usr/lib/modules/<release>, where the link really is.
        symlink(format!("../../../src/{target}"), link)
            .context("cannot rewrite a link of the kernel's modules")?;
    }
    Ok(())
}

fn relative_includes(makefile: &str) -> String {
    // MAKEFILE_LIST: make is also run from other folders, with this file by its path.
    let above = "$(dir $(lastword $(MAKEFILE_LIST)))../";
    let line = |line: &str| {
        if let Some(path) = line.strip_prefix("include /usr/src/") {
            return format!("include {above}{path}\n");
        }
        match line.strip_prefix("KBUILD_OUTPUT=/usr/src/") {
            // At once: when it is used, the list is longer.
            Some(path) => format!("KBUILD_OUTPUT:=$(abspath {above}{path})\n"),
            None => format!("{line}\n"),
        }
    };
    makefile.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn newest_first_and_only_the_plain_flavour() {
        let images = names(&[
            "linux-image-6.12.90+deb12-armmp",
            "linux-image-6.12.9+deb12-armmp",
            "linux-image-6.12.113+deb12-armmp",
            "linux-image-6.12.90+deb12.1-armmp",
            "linux-image-6.12.114+deb12-rt-armmp",
            "linux-image-6.12.115+deb12-armmp-lpae",
            "linux-image-6.12.116+deb12-armmp-dbg",
            "linux-image-6.1.200-armmp",
        ]);
        let expected = [
            "6.12.113+deb12-armmp",
            "6.12.90+deb12.1-armmp",
            "6.12.90+deb12-armmp",
            "6.12.9+deb12-armmp",
        ];
        assert_eq!(releases(&images, "linux-image-", series("6.12").unwrap()), expected);
        let rt = ["6.12.114+deb12-rt-armmp"];
        assert_eq!(releases(&images, "linux-image-", series("6.12-rt").unwrap()), rt);
        let headers = names(&[
            "linux-headers-6.1.0-9-armmp",
            "linux-headers-6.1.0-50-armmp",
            "linux-headers-6.1.0-50-rt-armmp",
            "linux-headers-6.1.0-50-common",
        ]);
        let expected = ["6.1.0-50-armmp", "6.1.0-9-armmp"];
        assert_eq!(releases(&headers, "linux-headers-", &EXPORTS_ONLY[0]), expected);
    }

    #[test]
    fn packages_of_a_release() {
        let host = |architecture: &str| Host {
            release: crate::host::Release { codename: "bookworm", gcc: "12" },
            architecture: architecture.into(),
        };
        let release = "6.12.113+deb12-armmp";
        let expected = [
            "linux-image-6.12.113+deb12-armmp",
            "linux-headers-6.12.113+deb12-armmp",
            "linux-headers-6.12.113+deb12-common",
            "linux-kbuild-6.12.113+deb12:amd64",
        ];
        assert_eq!(packages(release, &host("amd64"), series("6.12").unwrap()), expected);
        assert_eq!(
            packages(release, &host("armhf"), series("6.12").unwrap())[3],
            "linux-kbuild-6.12.113+deb12"
        );
    }

    #[test]
    fn packages_as_each_series_divides_them() {
        let host = Host {
            release: crate::host::Release { codename: "bookworm", gcc: "12" },
            architecture: "amd64".into(),
        };
        let of = |release, name| packages(release, &host, series(name).unwrap());
        let old = of("6.1.0-57-armmp", "6.1");
        assert_eq!(old[2..], ["linux-headers-6.1.0-57-common", "linux-kbuild-6.1:amd64"]);
        let rt = of("6.12.9+deb12-rt-armmp", "6.12-rt");
        let expected = ["linux-headers-6.12.9+deb12-common-rt", "linux-kbuild-6.12.9+deb12:amd64"];
        assert_eq!(rt[2..], expected);
        let split = of("7.2.9+deb13-armmp", "7.2");
        assert!(split[..3].iter().all(|name| name.ends_with("-7.2.9+deb13-armmp")));
        assert_eq!((split.len(), split[1].as_str()), (6, "linux-binary-7.2.9+deb13-armmp"));
    }

    #[test]
    fn an_unknown_series_is_met_with_the_known_ones() {
        assert_eq!(series("6.12").unwrap().name, "6.12");
        let message = series("2.4").err().unwrap().to_string();
        assert_eq!(message, "unknown kernel 2.4; known: 6.1, 6.12, 6.12-rt, 7.2");
    }

    #[test]
    fn includes_become_relative() {
        let text =
            relative_includes("include /usr/src/linux-headers-6.12.113+deb12-common/Makefile\n");
        assert_eq!(
            text,
            "include $(dir $(lastword $(MAKEFILE_LIST)))../linux-headers-6.12.113+deb12-common/Makefile\n"
        );
        assert_eq!(
            relative_includes("KBUILD_OUTPUT=/usr/src/linux-headers-7.2.9+deb13-armmp\n"),
            "KBUILD_OUTPUT:=$(abspath $(dir $(lastword $(MAKEFILE_LIST)))../\
             linux-headers-7.2.9+deb13-armmp)\n"
        );
        assert_eq!(relative_includes("a: b\n"), "a: b\n");
    }
}
