// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! `make audit`: the object by the rules, the module's and the object's needs by what kernels
//! export, the object built elsewhere, and built by the oldest rustc. `make check` has the part
//! that takes seconds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::apt::LazyApt;
use crate::cache::Cache;
use crate::exec;
use crate::exports::Exports;
use crate::host::{self, Host, Install, Need};
use crate::kernel::{self, Series};
use crate::object;
use crate::progress::{say, Ui};
use crate::results::Tally;
use crate::setup;
use crate::toolchain::{self, Toolchain};
use crate::workdir::{self, WorkDir};
use crate::{module, reproduce, rules};

/// The whole audit; returns the exit status.
pub(crate) fn run(ui: &Ui, series: &Series) -> Result<i32> {
    let mut needs = Host::detect(ui)?.build_tools();
    needs.push(Need::program("git", "git"));
    let toolchain = setup::require(ui, needs, Install::IfRoot)?;
    let mut audit = Audit::new(ui);
    audit.object_and_module(&toolchain, series)?;
    audit.other_kernels()?;
    audit.elsewhere(&toolchain);
    audit.oldest(&toolchain);
    say(&audit.tally.summary());
    Ok(i32::from(audit.tally.failed > 0))
}

/// The part for `make check`: no other kernel is fetched and nothing is built twice.
pub(crate) fn quick(ui: &Ui, toolchain: &Toolchain, series: &Series) -> Result<Tally> {
    let mut audit = Audit::new(ui);
    audit.object_and_module(toolchain, series)?;
    Ok(audit.tally)
}

struct Audit<'a> {
    ui: &'a Ui,
    cross: String,
    tally: Tally,
}

impl<'a> Audit<'a> {
    fn new(ui: &'a Ui) -> Self {
        Self { ui, cross: host::cross_compile(), tally: Tally::default() }
    }

    /// Reports one check by the faults that it has found, or by why it could not be made.
    fn report(&mut self, name: &str, found: Result<BTreeSet<String>>) {
        let (lines, tally) = verdict(name, found);
        say(&lines);
        self.tally.add(tally);
    }

    fn skip(&mut self, name: &str, reason: &str) {
        say(&format!("ok - {name} # SKIP {reason}"));
        self.tally.skipped.push(format!("{name}: {reason}"));
    }

    /// The object by the rules, and the module for a kernel of `series`.
    fn object_and_module(&mut self, toolchain: &Toolchain, series: &Series) -> Result<()> {
        let object = self.build(toolchain, &object::target())?;
        self.apply_rules(&toolchain.version, &object)?;
        if let Err(error) = self.module(series, &object) {
            self.report("a module of it", Err(error));
        }
        Ok(())
    }

    fn build(&self, toolchain: &Toolchain, target: &Path) -> Result<PathBuf> {
        object::build(self.ui, toolchain, &self.cross, &workdir::source(), target)
    }

    fn apply_rules(&mut self, rustc: &str, object: &Path) -> Result<()> {
        for finding in rules::apply(self.ui, &self.cross, &workdir::source(), object)? {
            self.report(&format!("object by rustc {rustc}: {}", finding.rule), Ok(finding.faults));
        }
        Ok(())
    }

    /// What the module and the object may ask for, by what the module's kernel exports.
    fn module(&mut self, series: &Series, object: &Path) -> Result<()> {
        let host = Host::detect(self.ui)?;
        let cache = Cache::open()?;
        let apt = LazyApt::new(self.ui, &cache, &host);
        let kernel = kernel::fetch(self.ui, &cache, &apt, &host, series)?;
        let exports = Exports::read(&kernel.exports())?;
        self.imports(&kernel.release, &exports);

        let dir = WorkDir::claim(&format!("module-{}", series.name))?;
        let module = module::build(self.ui, &kernel, &workdir::source(), object, dir.path())?;
        let nm = exec::output(self.ui, exec::command(&format!("{}nm", self.cross)).arg(module))?;
        let mut faults = exports.lack(rules::undefined(&nm));
        if rules::undefined(&nm).next().is_none() {
            faults.insert("no undefined symbol is seen".to_string());
        }
        let name = format!("Linux {} exports all that its module asks for", kernel.release);
        self.report(&name, Ok(faults));
        Ok(())
    }

    /// The list that every object is held to must be right for every kernel.
    fn imports(&mut self, release: &str, exports: &Exports) {
        let name = format!("Linux {release} exports all that the object may ask for");
        self.report(&name, Ok(exports.lack(rules::IMPORTS.into_iter())));
    }

    fn other_kernels(&mut self) -> Result<()> {
        let host = Host::detect(self.ui)?;
        let cache = Cache::open()?;
        let apt = LazyApt::new(self.ui, &cache, &host);
        for series in kernel::EXPORTS_ONLY {
            let name = format!("exports of Linux {}", series.name);
            let fetched = kernel::fetch_exports(self.ui, &cache, &apt, &host, series);
            let read = fetched.and_then(|found| {
                found.map(|(release, table)| Ok((release, Exports::read(&table)?))).transpose()
            });
            let suites = host.release.codename;
            match read {
                Ok(Some((release, exports))) => self.imports(&release, &exports),
                Ok(None) => self.skip(&name, &format!("Debian's {suites} suites have none")),
                Err(error) => self.report(&name, Err(error)),
            }
        }
        Ok(())
    }

    fn elsewhere(&mut self, toolchain: &Toolchain) {
        let object = object::target().join(object::NAME);
        let same = reproduce::compare(self.ui, toolchain, &self.cross, &object);
        self.report("the object is bit-identical when built in another folder", same);
    }

    fn oldest(&mut self, chosen: &Toolchain) {
        let Some(toolchain) = Toolchain::older(self.ui, chosen) else {
            self.skip("object by the oldest rustc", &toolchain::no_older(chosen));
            return;
        };
        let built = self.build(&toolchain, &workdir::target().join("object-oldest"));
        let applied = built.and_then(|object| self.apply_rules(&toolchain.version, &object));
        if let Err(error) = applied {
            self.report(&format!("object by rustc {}", toolchain.version), Err(error));
        }
    }
}

/// The lines that report a check, and how it counts.
fn verdict(name: &str, found: Result<BTreeSet<String>>) -> (String, Tally) {
    let faults = found.unwrap_or_else(|error| BTreeSet::from([format!("{error:#}")]));
    if faults.is_empty() {
        return (format!("ok - {name}"), Tally { passed: 1, ..Tally::default() });
    }
    let list: String = faults.iter().map(|fault| format!("\n{fault}")).collect();
    (format!("not ok - {name}{}", list.replace('\n', "\n  ")), Tally::failure())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_or_cannot_be_checked_fails() {
        let (lines, tally) = verdict("sound", Ok(BTreeSet::new()));
        assert_eq!((lines.as_str(), tally.passed, tally.failed), ("ok - sound", 1, 0));
        let (lines, tally) = verdict("faulty", Ok(BTreeSet::from(["a".into(), "b".into()])));
        assert_eq!(lines, "not ok - faulty\n  a\n  b");
        assert_eq!((tally.passed, tally.failed), (0, 1));
        let (lines, tally) = verdict("unchecked", Err(anyhow::anyhow!("no network")));
        assert_eq!(lines, "not ok - unchecked\n  no network");
        assert_eq!((tally.passed, tally.failed), (0, 1));
    }
}
