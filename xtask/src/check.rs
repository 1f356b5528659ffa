// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! `make check`: every test, one after the other, and one closing line.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, Result};

use crate::abi;
use crate::audit;
use crate::board::{Board, Task};
use crate::disks;
use crate::emulation;
use crate::exec;
use crate::host::{self, Host, Install, Need};
use crate::kernel::Series;
use crate::progress::Ui;
use crate::results::{self, Ktap, Tally};
use crate::setup::{self, Options, Setup};
use crate::toolchain::Toolchain;
use crate::workdir::{self, WorkDir};

/// Far above what the slowest machine needs.
const BOARD_TIMEOUT: Duration = Duration::from_secs(900);

const BOARD_SCRIPT: &str = "#!/bin/sh\nexec python3 -u /job/guest/check.py\n";

/// What a step may use.
struct Context {
    board: &'static Board,
    kernel: &'static Series,
    toolchain: Toolchain,
}

/// A part of the check. An error of its own counts as one failed test.
struct Step {
    name: &'static str,
    run: fn(&Ui, &Context) -> Result<Tally>,
}

const STEPS: &[Step] = &[
    Step { name: "host tests", run: host_tests },
    Step { name: "NEON cores, emulated CPU", run: emulated_tests },
    Step { name: "ABI of the cores", run: abi_tests },
    Step { name: "hash tree tests", run: hash_tree_tests },
    Step { name: "benchmark tests", run: benchmark_tests },
    Step { name: "object audit", run: object_audit },
    Step { name: "emulated board", run: board_tests },
];

/// Runs all steps, or those whose name contains `only`, and returns the exit status.
pub(crate) fn run(
    ui: &Ui,
    board: &'static Board,
    kernel: &'static Series,
    only: Option<&str>,
) -> Result<i32> {
    let steps = chosen(only)?;
    let mut needs = Host::detect(ui)?.board_tools();
    needs.extend(host::disk_tools());
    needs.extend(emulation::tools(&host::cross_compile()));
    needs.push(Need::program("make", "make"));
    // The trees of hashtree.py are compared with its.
    needs.push(Need::program("veritysetup", "cryptsetup-bin"));
    let toolchain = setup::require(ui, needs, Install::IfRoot)?;
    Ok(run_steps(ui, &steps, &Context { board, kernel, toolchain }))
}

/// The steps to run.
fn chosen(only: Option<&str>) -> Result<Vec<&'static Step>> {
    let Some(only) = only else { return Ok(STEPS.iter().collect()) };
    let word = only.to_lowercase();
    let steps: Vec<_> =
        STEPS.iter().filter(|step| step.name.to_lowercase().contains(&word)).collect();
    if steps.is_empty() {
        let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        bail!("no step is called {only}; there are: {}", names.join("; "));
    }
    Ok(steps)
}

fn run_steps(ui: &Ui, steps: &[&Step], context: &Context) -> i32 {
    let mut total = Tally::default();
    for step in steps {
        println!("== {}", step.name);
        let tally = (step.run)(ui, context).unwrap_or_else(|error| {
            println!("{error:#}");
            Tally::failure()
        });
        for skipped in &tally.skipped {
            println!("skipped: {skipped}");
        }
        println!("{}: {}", step.name, tally.summary());
        total.add(tally);
    }
    println!("{}", total.summary());
    i32::from(total.failed > 0)
}

fn host_tests(ui: &Ui, _: &Context) -> Result<Tally> {
    let mut cargo = exec::command(&cargo());
    cargo.args(["test", "--locked", "--workspace", "--no-fail-fast"]);
    cargo_test(ui, cargo.current_dir(workdir::source()), "host tests")
}

fn emulated_tests(ui: &Ui, context: &Context) -> Result<Tally> {
    let mut cargo = emulation::cargo_test(&context.toolchain, &host::cross_compile());
    cargo_test(ui, &mut cargo, "emulated tests")
}

fn abi_tests(ui: &Ui, _: &Context) -> Result<Tally> {
    let mut tally = python_tests(ui, "contract tests", abi::FOLDER)?;
    tally.add(abi::run(ui, &host::cross_compile())?);
    Ok(tally)
}

/// The cargo that runs this program.
fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string())
}

/// Runs a `cargo test` command and counts its results. Its output goes to a log.
fn cargo_test(ui: &Ui, command: &mut Command, name: &str) -> Result<Tally> {
    let dir = WorkDir::claim(&name.replace(' ', "-"))?;
    let log = dir.path().join("test.log");
    let step = ui.step(format!("running {name}"));
    let status = exec::logged_status(ui, command, &log)?;
    drop(step);
    let output = fs::read_to_string(&log).unwrap_or_default();
    let mut tally = results::libtest(&output);
    if !status.success() {
        // A build that fails and a test that crashes report no failed test.
        tally.failed = tally.failed.max(1);
        println!("{}\nthe whole log: {}", exec::tail(&output), log.display());
    }
    if tally == Tally::default() {
        println!("no test ran; the log: {}", log.display());
        return Ok(Tally::failure());
    }
    Ok(tally)
}

fn hash_tree_tests(ui: &Ui, _: &Context) -> Result<Tally> {
    python_tests(ui, "hash tree tests", "selftests/boards")
}

fn benchmark_tests(ui: &Ui, _: &Context) -> Result<Tally> {
    python_tests(ui, "benchmark tests", "selftests/bench")
}

/// Runs the tests that lie beside the Python programs in `folder`.
fn python_tests(ui: &Ui, name: &str, folder: &str) -> Result<Tally> {
    let dir = WorkDir::claim(&name.replace(' ', "-"))?;
    let log = dir.path().join("test.log");
    let mut python = exec::command("python3");
    python.args(["-m", "unittest", "discover", "-v"]).env("PYTHONDONTWRITEBYTECODE", "1");
    python.current_dir(workdir::source().join(folder));
    let _step = ui.step(format!("running {name}"));
    let status = exec::logged_status(ui, &mut python, &log)?;
    let output = fs::read_to_string(&log).unwrap_or_default();
    if !status.success() {
        println!("{}\nthe whole log: {}", exec::tail(&output), log.display());
    }
    Ok(results::unittest(&output))
}

fn object_audit(ui: &Ui, context: &Context) -> Result<Tally> {
    audit::quick(ui, &context.toolchain, context.kernel)
}

fn board_tests(ui: &Ui, context: &Context) -> Result<Tally> {
    let options = Options {
        board: context.board,
        series: context.kernel,
        needs: host::disk_tools(),
        install: Install::IfRoot,
    };
    let setup = Setup::new(ui, options)?;
    let prepared = disks::prepare(ui, &setup)?;
    let task = Task {
        load: false,
        script: Some(BOARD_SCRIPT.into()),
        files: prepared.files,
        disks: prepared.disks,
        append: Vec::new(),
        timeout: BOARD_TIMEOUT,
        count_instructions: false,
    };
    let mut step = None;
    let mut ktap = Ktap::default();
    let ended = setup.run(ui, task, &mut |line| {
        let step = step.get_or_insert_with(|| ui.step("running the board's tests"));
        for shown in ktap.line(line) {
            step.print(&shown);
        }
        step.percent(ktap.percent());
    });
    drop(step);
    // What passed before a crash is counted, the crash is a failure of its own.
    match ended {
        Ok(status) => Ok(ktap.end(status)),
        Err(error) => {
            println!("{error:#}");
            Ok(ktap.end(1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_by_a_word_of_their_names() {
        assert_eq!(chosen(None).unwrap().len(), STEPS.len());
        let audit = chosen(Some("Audit")).unwrap();
        assert_eq!(audit.iter().map(|step| step.name).collect::<Vec<_>>(), ["object audit"]);
        assert!(chosen(Some("weather")).is_err());
    }
}
