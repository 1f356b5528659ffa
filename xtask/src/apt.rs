// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Debian packages of another architecture, and of source, through a private apt state: nothing of
//! the machine's own apt is changed. The mirror is the one that the machine is configured with,
//! and signatures are checked as always.

use std::cell::OnceCell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, Context as _, Result};

use crate::cache::{Cache, Lock};
use crate::exec;
use crate::host::Host;
use crate::progress::{Step, Ui};

/// The boards' architecture.
const BOARD: &str = "armhf";

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// What a private state knows of: packages to unpack, or the sources that they are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lists {
    Packages,
    Sources,
}

impl Lists {
    /// The folder of the state.
    fn folder(self, codename: &str) -> String {
        match self {
            Self::Packages => format!("apt-{codename}"),
            Self::Sources => format!("apt-sources-{codename}"),
        }
    }

    /// What a list's file name ends with, before the suffix of its compression.
    fn suffix(self) -> &'static str {
        match self {
            Self::Packages => "_Packages",
            Self::Sources => "_Sources",
        }
    }
}

/// Opens the private state when it is first needed: a run from a full cache never does.
pub(crate) struct LazyApt<'a> {
    ui: &'a Ui,
    cache: &'a Cache,
    host: &'a Host,
    lists: Lists,
    opened: OnceCell<Apt<'a>>,
}

impl<'a> LazyApt<'a> {
    pub(crate) fn new(ui: &'a Ui, cache: &'a Cache, host: &'a Host) -> Self {
        Self { ui, cache, host, lists: Lists::Packages, opened: OnceCell::new() }
    }

    /// For source packages alone.
    pub(crate) fn sources(ui: &'a Ui, cache: &'a Cache, host: &'a Host) -> Self {
        Self { lists: Lists::Sources, ..Self::new(ui, cache, host) }
    }

    pub(crate) fn open(&self) -> Result<&Apt<'a>> {
        if let Some(apt) = self.opened.get() {
            return Ok(apt);
        }
        let apt = Apt::open(self.ui, self.cache, self.host, self.lists)?;
        Ok(self.opened.get_or_init(|| apt))
    }
}

/// The private state. Other runs wait as long as it is held.
pub(crate) struct Apt<'a> {
    ui: &'a Ui,
    dir: PathBuf,
    lists: Lists,
    /// Why the lists could not be fetched, once that has been tried.
    updated: OnceCell<Option<String>>,
    _lock: Lock,
}

impl<'a> Apt<'a> {
    /// Makes the configuration; nothing is fetched yet.
    fn open(ui: &'a Ui, cache: &Cache, host: &Host, lists: Lists) -> Result<Self> {
        let codename = host.release.codename;
        let (dir, lock) = cache.state(&lists.folder(codename))?;
        let mirrors = mirrors(ui, codename)?;
        for folder in ["lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(dir.join(folder)).context("cannot make the private apt state")?;
        }
        // No package counts as installed, so that a dependency closure is complete.
        write(&dir.join("status"), "")?;
        let known = architectures(host);
        write(&dir.join("sources.list"), &sources(&mirrors, codename, lists, &known))?;
        write(&dir.join("apt.conf"), &configuration(&dir, &known))?;
        Ok(Self { ui, dir, lists, updated: OnceCell::new(), _lock: lock })
    }

    /// Fetches the package lists, once per run, also when that fails.
    fn update(&self) -> Result<()> {
        let failure = match self.updated.get() {
            Some(failure) => failure,
            None => {
                let failure = self.fetch_lists()?;
                self.updated.get_or_init(|| failure)
            }
        };
        match failure {
            Some(failure) => bail!("{failure}"),
            None => Ok(()),
        }
    }

    /// A mirror in the middle of its own update serves one suite wrongly: that is tried again, and
    /// then the run goes on without it, since what is wanted may well be in another.
    fn fetch_lists(&self) -> Result<Option<String>> {
        let step = self.ui.step("fetching package lists");
        // Without the option a lost network is not an error.
        let arguments = ["update", "--error-on=any"];
        let mut errors = self.run(&step, self.command("apt-get").args(arguments))?;
        if errors.is_some() {
            errors = self.run(&step, self.command("apt-get").args(arguments))?;
        }
        drop(step);
        let Some(errors) = errors else { return Ok(None) };
        let failed = failed_lists(&errors);
        let suites = read(&self.dir.join("sources.list"))?.lines().count();
        let unreached = failed.iter().filter(|line| line.contains("InRelease")).count();
        if !self.has_lists() || unreached == suites {
            let first = failed.first().copied().unwrap_or(errors.trim());
            return Ok(Some(format!(
                "no package list can be fetched; is the network up? ({first})"
            )));
        }
        self.ui.warn(&format!("some package lists are missing or old:\n{}", failed.join("\n")));
        Ok(None)
    }

    fn has_lists(&self) -> bool {
        let entries = fs::read_dir(self.dir.join("lists")).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| is_list(&entry.file_name().to_string_lossy(), self.lists))
    }

    /// The names of all packages that begin with `prefix`.
    pub(crate) fn names(&self, prefix: &str) -> Result<Vec<String>> {
        self.update()?;
        let text = exec::output(self.ui, self.command("apt-cache").args(["pkgnames", prefix]))?;
        Ok(text.lines().map(str::to_string).collect())
    }

    /// Whether every one of `packages` (`name` or `name:architecture`) can be downloaded.
    pub(crate) fn has_all(&self, packages: &[String]) -> Result<bool> {
        self.update()?;
        let text = exec::output(self.ui, self.command("apt-cache").arg("madison").args(packages))?;
        Ok(packages.iter().all(|package| lists(&text, package)))
    }

    /// Downloads exactly `packages` into the folder `into`. The user is told of `what`.
    pub(crate) fn download(
        &self,
        what: &str,
        packages: &[String],
        into: &Path,
    ) -> Result<Vec<PathBuf>> {
        self.update()?;
        let step = self.ui.step(format!("downloading {what}"));
        let mut command = self.command("apt-get");
        command.arg("download").args(packages).current_dir(into);
        self.run_download(&step, &mut command)?;
        packages_in(into)
    }

    /// Downloads `packages` and all that they depend on into the folder `into`.
    pub(crate) fn download_closure(
        &self,
        what: &str,
        packages: &[&str],
        into: &Path,
    ) -> Result<Vec<PathBuf>> {
        self.update()?;
        let step = self.ui.step(format!("downloading {what}"));
        fs::create_dir_all(into.join("partial")).context("cannot make the download folder")?;
        let mut command = self.install(packages, &["--download-only"]);
        command.arg("-o").arg(format!("Dir::Cache::archives={}", into.display()));
        self.run_download(&step, &mut command)?;
        packages_in(into)
    }

    /// The file names of what [`Self::download_closure`] would fetch: they tell the versions.
    pub(crate) fn closure(&self, packages: &[&str]) -> Result<Vec<String>> {
        self.update()?;
        let text = exec::output(self.ui, &mut self.install(packages, &["--print-uris"]))?;
        Ok(closure_files(&text))
    }

    /// The versions in which `package` (`name` or `name:architecture`) is listed, newest first.
    pub(crate) fn versions(&self, package: &str) -> Result<Vec<String>> {
        self.update()?;
        let text = exec::output(self.ui, self.command("apt-cache").args(["madison", package]))?;
        Ok(madison_versions(&text, package))
    }

    /// The versions in which the source package `name` is listed.
    pub(crate) fn source_versions(&self, name: &str) -> Result<Vec<String>> {
        self.update()?;
        let text = exec::output(self.ui, self.command("apt-cache").args(["madison", name]))?;
        Ok(madison_versions(&text, name))
    }

    /// Downloads the upstream archive of a source package into the folder `into`.
    pub(crate) fn download_source(&self, name: &str, version: &str, into: &Path) -> Result<()> {
        self.update()?;
        let step = self.ui.step(format!("downloading the source of {name} {version}"));
        let mut command = self.command("apt-get");
        command.args(["source", "-q", "--only-source", "--download-only", "--tar-only"]);
        command.arg(format!("{name}={version}")).current_dir(into);
        self.run_download(&step, &mut command)
    }

    fn install(&self, packages: &[&str], options: &[&str]) -> Command {
        let mut command = self.command("apt-get");
        command.args(["install", "-q", "-y", "--no-install-recommends"]);
        command.args(options).args(packages);
        command
    }

    fn run_download(&self, step: &Step, command: &mut Command) -> Result<()> {
        match self.run(step, command)? {
            None => Ok(()),
            Some(errors) => bail!("apt cannot download the packages:\n{}", exec::reason(&errors)),
        }
    }

    /// Runs an apt command with its progress in `step`; returns its errors when it fails.
    fn run(&self, step: &Step, command: &mut Command) -> Result<Option<String>> {
        command.args(["-o", "APT::Status-Fd=1"]);
        let mut on_line = |line: &str| {
            if let Some(percent) = percent(line) {
                step.percent(percent);
            }
        };
        let (status, errors) = exec::lines(self.ui, command, &mut on_line)?;
        Ok((!status.success()).then_some(errors))
    }

    fn command(&self, program: &str) -> Command {
        let mut command = exec::command(program);
        // After the machine's own configuration, which may name a proxy.
        command.arg("-c").arg(self.dir.join("apt.conf"));
        command
    }
}

/// Makes the folder `root` with Debian's merged layout, in which /bin, /sbin and /lib are links
/// into /usr. Packages differ in which of the two names they use.
pub(crate) fn make_root(root: &Path) -> Result<()> {
    let cannot = || format!("cannot make {}", root.display());
    for name in ["bin", "sbin", "lib"] {
        let target = format!("usr/{name}");
        fs::create_dir_all(root.join(&target)).with_context(cannot)?;
        symlink(target, root.join(name)).with_context(cannot)?;
    }
    Ok(())
}

/// Unpacks a package into `root`, made by [`make_root`], without what matches `exclude` (paths
/// from `./`).
pub(crate) fn unpack(ui: &Ui, package: &Path, root: &Path, exclude: &[&str]) -> Result<()> {
    let mut tar = exec::command("tar");
    tar.arg("-x").arg("-C").arg(root).arg("--no-same-owner");
    // The root's links stay when a package has a folder in their place.
    tar.arg("--keep-directory-symlink");
    tar.args(exclude.iter().map(|path| format!("--exclude={path}")));
    exec::pipe(ui, exec::command("dpkg-deb").arg("--fsys-tarfile").arg(package), &mut tar)
        .with_context(|| format!("cannot unpack {}", package.display()))
}

/// Unpacks from a package the one file with that name, wherever it lies there, into `folder`.
pub(crate) fn unpack_file(ui: &Ui, package: &Path, name: &str, folder: &Path) -> Result<()> {
    let mut tar = exec::command("tar");
    tar.args(["-x", "--wildcards", "--no-same-owner", "--transform=s,.*/,,"]);
    tar.arg("-C").arg(folder).arg(format!("*/{name}"));
    exec::pipe(ui, exec::command("dpkg-deb").arg("--fsys-tarfile").arg(package), &mut tar)
        .with_context(|| format!("cannot take {name} out of {}", package.display()))
}

#[derive(Debug, PartialEq, Eq)]
struct Mirror {
    uri: String,
    keyring: String,
}

#[derive(Debug, PartialEq, Eq)]
struct Mirrors {
    main: Mirror,
    security: Option<Mirror>,
}

fn mirrors(ui: &Ui, codename: &str) -> Result<Mirrors> {
    let format = "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)|$(LABEL)|$(SIGNED_BY)";
    let mut command = exec::command("apt-get");
    command.args(["indextargets", "--format", format, "Identifier: Packages"]);
    parse_mirrors(&exec::output(ui, &mut command)?, codename).context(
        "this machine's apt names no Debian mirror (component main); \
         add one to /etc/apt/sources.list.d, since packages are fetched from there",
    )
}

/// Reads one `uri|release|component|origin|label|keyring` per line. Origin and label are known only
/// after the machine's own `apt-get update`; without them the release's name must do.
fn parse_mirrors(targets: &str, codename: &str) -> Option<Mirrors> {
    let (mut main, mut security) = (None, None);
    for line in targets.lines() {
        let fields: Vec<&str> = line.split('|').map(known).collect();
        let &[uri, release, "main", origin, label, keyring] = fields.as_slice() else { continue };
        let mirror = || Mirror { uri: uri.to_string(), keyring: keyring_or_default(keyring) };
        match (origin, label) {
            ("Debian", "Debian") => main = main.or_else(|| Some(mirror())),
            ("Debian", "Debian-Security") => security = security.or_else(|| Some(mirror())),
            ("", _) if release == codename => main = main.or_else(|| Some(mirror())),
            ("", _) if release.strip_suffix("-security") == Some(codename) => {
                security = security.or_else(|| Some(mirror()));
            }
            _ => {}
        }
    }
    Some(Mirrors { main: main?, security })
}

/// apt leaves a name that it cannot fill in as it stands.
fn known(field: &str) -> &str {
    if field.starts_with("$(") {
        ""
    } else {
        field
    }
}

/// A key may also be given in the source itself or by its fingerprint.
fn keyring_or_default(keyring: &str) -> String {
    if keyring.starts_with('/') {
        keyring.to_string()
    } else {
        KEYRING.to_string()
    }
}

fn architectures(host: &Host) -> Vec<&str> {
    let mut all = vec![BOARD, host.architecture.as_str()];
    all.dedup();
    all
}

fn sources(mirrors: &Mirrors, codename: &str, lists: Lists, architectures: &[&str]) -> String {
    let line = |mirror: &Mirror, suite: &str| {
        // Only the package lists: no translations, icons or file lists.
        let Mirror { uri, keyring } = mirror;
        let (kind, options) = match lists {
            Lists::Packages => {
                ("deb", format!("arch={} lang=none target=Packages", architectures.join(",")))
            }
            Lists::Sources => ("deb-src", "target=Sources".to_string()),
        };
        format!("{kind} [{options} signed-by={keyring}] {uri} {suite} main\n")
    };
    let mut text = String::new();
    for suffix in ["", "-updates", "-backports"] {
        text += &line(&mirrors.main, &format!("{codename}{suffix}"));
    }
    if let Some(security) = &mirrors.security {
        text += &line(security, &format!("{codename}-security"));
    }
    if lists == Lists::Packages {
        for suite in kernel_suites(codename) {
            match (&mirrors.security, suite.ends_with("-security")) {
                (Some(security), true) => text += &line(security, suite),
                (None, true) => {}
                (_, false) => text += &line(&mirrors.main, suite),
            }
        }
    }
    text
}

/// Suites of other releases, for the kernels that only they have. apt still prefers the host's own
/// release for every package that is in both: backports yield to it, and an older release has the
/// lower versions.
fn kernel_suites(codename: &str) -> &'static [&'static str] {
    match codename {
        "bookworm" => &["trixie-backports"],
        _ => &["bookworm", "bookworm-security"],
    }
}

fn configuration(dir: &Path, architectures: &[&str]) -> String {
    let dir = dir.display();
    let foreign: String = architectures.iter().map(|name| format!("\"{name}\"; ")).collect();
    format!(
        r#"// The machine's hooks are about the machine's own packages.
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
#clear DPkg::Pre-Install-Pkgs;
#clear APT::Architectures;
#clear APT::Default-Release;
APT::Architecture "{BOARD}";
APT::Architectures {{ {foreign}}};
// The cache is in the user's home, which apt's own user may not enter.
APT::Sandbox::User "";
Acquire::Retries "2";
Acquire::GzipIndexes "true";
Dir::State "{dir}";
Dir::State::lists "{dir}/lists";
Dir::State::status "{dir}/status";
Dir::State::extended_states "{dir}/extended_states";
Dir::Cache "{dir}/cache";
Dir::Cache::archives "{dir}/cache/archives";
Dir::Etc::SourceList "{dir}/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::Log "{dir}";
"#
    )
}

/// The percentage in a line of apt's status output, `dlstatus:4:93.1:Retrieving file 4 of 4`.
fn percent(line: &str) -> Option<f64> {
    line.strip_prefix("dlstatus:")?.split(':').nth(1)?.parse().ok()
}

/// The lines of apt's error output that name a list it could not fetch.
fn failed_lists(errors: &str) -> Vec<&str> {
    let failed = |line: &&str| line.starts_with("E: Failed") || line.starts_with("W: Failed");
    errors.lines().filter(failed).collect()
}

/// Whether `apt-cache madison` printed a line for `package`.
fn lists(madison: &str, package: &str) -> bool {
    madison.lines().any(|line| line.split('|').next().map(str::trim) == Some(package))
}

/// The versions in which `apt-cache madison` names `package`.
fn madison_versions(madison: &str, package: &str) -> Vec<String> {
    let version = |line: &str| {
        let mut fields = line.split('|').map(str::trim);
        (fields.next()? == package).then(|| fields.next().map(str::to_string))?
    };
    madison.lines().filter_map(version).collect()
}

/// Whether a file of the state's folder `lists` is one that was asked for.
fn is_list(file: &str, lists: Lists) -> bool {
    file.contains(lists.suffix())
}

/// The file names in `apt-get install --print-uris`: `'uri' name size hash` per line.
fn closure_files(uris: &str) -> Vec<String> {
    let quoted = uris.lines().filter(|line| line.starts_with('\''));
    let mut names: Vec<String> =
        quoted.filter_map(|line| line.split_whitespace().nth(1)).map(str::to_string).collect();
    names.sort();
    names
}

fn packages_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut packages = Vec::new();
    for entry in fs::read_dir(folder).context("cannot read the download folder")? {
        let path = entry.context("cannot read the download folder")?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            packages.push(path);
        }
    }
    packages.sort();
    Ok(packages)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mirror(uri: &str, keyring: &str) -> Mirror {
        Mirror { uri: uri.into(), keyring: keyring.into() }
    }

    #[test]
    fn mirrors_by_origin_and_label() {
        let targets = "\
http://packages.example/|stable|main|Vendor|Vendor|/vendor.gpg
http://mirror.example/debian/|bookworm|main|Debian|Debian|/keys/debian.gpg
http://mirror.example/debian/|bookworm|contrib|Debian|Debian|/keys/debian.gpg
http://mirror.example/debian/|bookworm-updates|main|Debian|Debian|$(SIGNED_BY)
http://security.example/|bookworm-security|main|Debian|Debian-Security|$(SIGNED_BY)
";
        let expected = Mirrors {
            main: mirror("http://mirror.example/debian/", "/keys/debian.gpg"),
            security: Some(mirror("http://security.example/", KEYRING)),
        };
        assert_eq!(parse_mirrors(targets, "bookworm"), Some(expected));
    }

    #[test]
    fn mirrors_before_the_first_update() {
        let targets = "\
http://vendor.example/|trixie|stable|$(ORIGIN)|$(LABEL)|/vendor.gpg
http://mirror.example/debian/|trixie|main|$(ORIGIN)|$(LABEL)|$(SIGNED_BY)
http://security.example/|trixie-security|main|$(ORIGIN)|$(LABEL)|$(SIGNED_BY)
";
        let expected = Mirrors {
            main: mirror("http://mirror.example/debian/", KEYRING),
            security: Some(mirror("http://security.example/", KEYRING)),
        };
        assert_eq!(parse_mirrors(targets, "trixie"), Some(expected));
    }

    #[test]
    fn no_mirror() {
        assert_eq!(parse_mirrors("", "trixie"), None);
        let other = "http://vendor.example/|trixie|main|Vendor|Vendor|/vendor.gpg\n";
        assert_eq!(parse_mirrors(other, "trixie"), None);
    }

    #[test]
    fn one_source_line_per_suite() {
        let mirrors = Mirrors { main: mirror("http://m.example/", "/k"), security: None };
        let text = sources(&mirrors, "trixie", Lists::Packages, &["armhf", "amd64"]);
        let suites: Vec<_> = text.lines().map(|line| line.split(' ').nth_back(1)).collect();
        let own = [Some("trixie"), Some("trixie-updates"), Some("trixie-backports")];
        assert_eq!(suites, [&own[..], &[Some("bookworm")]].concat());
        let text_of_bookworm = sources(&mirrors, "bookworm", Lists::Packages, &["armhf"]);
        assert!(text_of_bookworm.ends_with(" trixie-backports main\n"));
        assert!(text.contains("arch=armhf,amd64 ") && text.contains("signed-by=/k]"));
        let text = sources(&mirrors, "trixie", Lists::Sources, &["armhf"]);
        assert!(text.starts_with("deb-src [") && text.contains("signed-by=/k]"));
        assert!(!text.contains("armhf"));
    }

    #[test]
    fn status_lines() {
        assert_eq!(percent("dlstatus:4:93.0629:Retrieving file 4 of 4"), Some(93.0629));
        assert_eq!(percent("Get:4 some package"), None);
        assert_eq!(percent("dlstatus:4"), None);
    }

    #[test]
    fn madison_lines() {
        let text = "linux-kbuild-6.12:amd64 | 6.12.9-1 | uri suite/main amd64 Packages\n";
        assert!(lists(text, "linux-kbuild-6.12:amd64"));
        assert!(!lists(text, "linux-kbuild-6.12") && !lists("", "a"));
        assert_eq!(madison_versions(text, "linux-kbuild-6.12:amd64"), ["6.12.9-1"]);
        assert!(madison_versions(text, "linux").is_empty());
    }

    #[test]
    fn closure_names() {
        let text = "Reading package lists...\n\
            'http://m.example/k.deb' kmod_30_armhf.deb 84160 SHA256:aa\n\
            'http://m.example/b.deb' busybox_1%3a1.35_armhf.deb 815288 SHA256:bb\n";
        assert_eq!(closure_files(text), ["busybox_1%3a1.35_armhf.deb", "kmod_30_armhf.deb"]);
    }

    #[test]
    fn failed_list_lines() {
        let text = "E: Failed to fetch a\n   Hashes\nE: Some index files failed\n";
        assert_eq!(failed_lists(text), ["E: Failed to fetch a"]);
    }
}
