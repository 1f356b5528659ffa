// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! What the Makefile calls: builds the object and the module, fetches kernels, runs emulated
//! boards. Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

mod abi;
mod apt;
mod audit;
mod bench;
mod board;
mod cache;
mod check;
mod count;
mod cpio;
mod demo;
mod disks;
mod emulation;
mod exec;
mod exports;
mod host;
mod kernel;
mod modpost;
mod module;
mod object;
mod progress;
mod reproduce;
mod results;
mod rivals;
mod rootfs;
mod rules;
mod setup;
mod toolchain;
mod workdir;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{bail, Context as _, Result};
use clap::{Args, Parser, Subcommand};

use crate::board::{Board, Task};
use crate::host::Install;
use crate::kernel::Series;
use crate::progress::Ui;
use crate::setup::{Options, Setup};

/// Builds and tests neon-shash; the Makefile's targets call this.
#[derive(Parser)]
#[command(name = "xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build neon_shash_core.o, the part of the module that fits every kernel
    Object,
    /// Build neon_shash.ko for one of the emulated boards' kernels
    Module {
        /// The kernel series
        #[arg(long, default_value = DEFAULT_KERNEL, value_parser = kernel::series)]
        kernel: &'static Series,
    },
    /// Start an emulated board: with a shell, or with a script whose exit status is returned
    Board {
        #[command(flatten)]
        target: Target,
        /// The script to run on the board, as root, after the module is loaded
        #[arg(long, value_name = "SCRIPT")]
        run: Option<PathBuf>,
        /// A folder to copy to the board, where the script runs
        #[arg(long, value_name = "FOLDER")]
        files: Option<PathBuf>,
        /// Words for the kernel's command line
        #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
        append: Vec<String>,
        /// Leave loading the module to the script
        #[arg(long)]
        no_load: bool,
        /// Seconds after which a script has failed
        #[arg(long, default_value_t = 600, value_name = "SECONDS")]
        timeout: u64,
    },
    /// Show the module at work on an emulated board
    Demo {
        #[command(flatten)]
        target: Target,
    },
    /// Count the instructions that hashing takes inside the kernel, ours and the kernel's own
    Count {
        #[command(flatten)]
        target: Target,
    },
    /// Compare the cores with those of Linux, OpenSSL and libgcrypt, and count inside the kernel
    Bench {
        #[command(flatten)]
        target: Target,
    },
    /// Check that the object fits every kernel, and that it comes out the same anywhere
    Audit {
        /// The kernel series that the module is built for
        #[arg(long, default_value = DEFAULT_KERNEL, value_parser = kernel::series)]
        kernel: &'static Series,
    },
    /// Run all tests
    Check {
        #[command(flatten)]
        target: Target,
        /// Only the steps whose name contains this, in any case
        #[arg(long, value_name = "WORD")]
        only: Option<String>,
    },
}

const DEFAULT_BOARD: &str = "virt-a7";
const DEFAULT_KERNEL: &str = "6.12";

#[derive(Args)]
struct Target {
    /// The board
    #[arg(long, default_value = DEFAULT_BOARD, value_parser = board::board)]
    board: &'static Board,
    /// The kernel series
    #[arg(long, default_value = DEFAULT_KERNEL, value_parser = kernel::series)]
    kernel: &'static Series,
}

fn main() {
    let ui = Ui::new();
    let status = exec::end_children_on_interrupt().and_then(|()| run(&ui, Cli::parse().command));
    let status = status.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        1
    });
    std::process::exit(status);
}

fn run(ui: &Ui, command: Command) -> Result<i32> {
    match command {
        Command::Object => {
            // This alone needs no Debian machine.
            let toolchain = setup::require(ui, host::object_tools(), Install::Never)?;
            println!("{}", setup::build_object(ui, &toolchain)?.display());
            Ok(0)
        }
        Command::Module { kernel } => {
            println!("{}", setup::build_module(ui, kernel)?.display());
            Ok(0)
        }
        Command::Board { target, run, files, append, no_load, timeout } => {
            let script = run.as_deref().map(read_script).transpose()?;
            let task = Task {
                load: !no_load,
                files: files.as_deref().map(folder).transpose()?.into_iter().collect(),
                disks: Vec::new(),
                append,
                timeout: Duration::from_secs(timeout),
                count_instructions: false,
                script,
            };
            start_board(ui, &target, task)
        }
        Command::Demo { target } => demo::run(ui, target.board, target.kernel),
        Command::Count { target } => count::run(ui, target.board, target.kernel),
        Command::Bench { target } => {
            // A board measures; an emulated one beside it has nothing to add.
            let on_arm = std::env::consts::ARCH == "arm";
            let counted = if on_arm { 0 } else { count::run(ui, target.board, target.kernel)? };
            Ok(counted.max(bench::run(ui)?))
        }
        Command::Audit { kernel } => audit::run(ui, kernel),
        Command::Check { target, only } => {
            check::run(ui, target.board, target.kernel, only.as_deref())
        }
    }
}

fn start_board(ui: &Ui, target: &Target, task: Task) -> Result<i32> {
    if task.script.is_none() && !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal())
    {
        bail!(
            "the board's shell needs a terminal; without one, give a script: make board RUN=script"
        );
    }
    let options = Options {
        board: target.board,
        series: target.kernel,
        needs: Vec::new(),
        install: Install::Never,
    };
    let setup = Setup::new(ui, options)?;
    setup.run(ui, task, &mut progress::say)
}

fn read_script(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read the script {}", path.display()))
}

fn folder(path: &Path) -> Result<(PathBuf, String)> {
    if !path.is_dir() {
        bail!("{} is not a folder", path.display());
    }
    Ok((path.to_path_buf(), "files".to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_known() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
        assert!(Cli::try_parse_from(["xtask", "demo"]).is_ok());
        assert!(Cli::try_parse_from(["xtask", "demo", "--kernel", "2.4"]).is_err());
    }
}
