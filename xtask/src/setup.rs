// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! All that a board needs before it can start: fetched, built, and where it is.

use std::path::PathBuf;

use anyhow::{anyhow, Result};

use crate::apt::LazyApt;
use crate::board::{self, Board, Machine, Task};
use crate::cache::Cache;
use crate::host::{self, Host, Install, Need};
use crate::kernel::{self, Kernel, Series};
use crate::progress::Ui;
use crate::toolchain::{self, Toolchain};
use crate::workdir::{self, WorkDir};
use crate::{module, object, rootfs, rules};

/// What the user chose, and what the command at hand adds.
pub(crate) struct Options {
    pub(crate) board: &'static Board,
    pub(crate) series: &'static Series,
    /// What the command needs beyond an emulated board.
    pub(crate) needs: Vec<Need>,
    pub(crate) install: Install,
}

/// A board that is ready to start.
pub(crate) struct Setup {
    pub(crate) cache: Cache,
    pub(crate) series: &'static Series,
    pub(crate) kernel: Kernel,
    board: &'static Board,
    module: PathBuf,
    base: PathBuf,
    dir: WorkDir,
}

impl Setup {
    pub(crate) fn new(ui: &Ui, options: Options) -> Result<Self> {
        let Options { board, series, .. } = options;
        let host = Host::detect(ui)?;
        let mut needs = host.board_tools();
        needs.extend(options.needs);
        needs.extend(kernel::tools(&host, series));
        let toolchain = require(ui, needs, options.install)?;
        let cache = Cache::open()?;
        let dir = WorkDir::claim(&format!("{}-{}", board.name, series.name))?;
        let object = build_object(ui, &toolchain)?;
        let apt = LazyApt::new(ui, &cache, &host);
        let kernel = kernel::fetch(ui, &cache, &apt, &host, series)?;
        let stage = dir.path().join("module");
        let module = module::build(ui, &kernel, &workdir::source(), &object, &stage)?;
        let base = rootfs::base(ui, &cache, &apt, &host, &kernel)?;
        drop(apt);
        Ok(Self { cache, series, kernel, board, module, base, dir })
    }

    /// Starts the board; see [`board::run`].
    pub(crate) fn run(&self, ui: &Ui, task: Task, on_line: &mut dyn FnMut(&str)) -> Result<i32> {
        let machine = Machine {
            board: self.board,
            kernel: &self.kernel,
            base: &self.base,
            init: &workdir::source().join("selftests/boards/guest/init"),
            module: &self.module,
        };
        let what = format!("starting the board {}: Linux {}", self.board.name, self.kernel.release);
        let mut starting = Some(ui.step(what));
        if task.script.is_none() {
            // The user's shell has the terminal to itself.
            starting = None;
        }
        board::run(ui, &machine, &task, &self.dir, &mut |line| {
            starting = None;
            on_line(line);
        })
    }
}

/// Sees to it that `needs` and a toolchain are there: all that is missing is installed, or asked
/// for, in one go.
pub(crate) fn require(ui: &Ui, mut needs: Vec<Need>, install: Install) -> Result<Toolchain> {
    if let Some(toolchain) = Toolchain::find(ui) {
        host::require(ui, &needs, install)?;
        return Ok(toolchain);
    }
    needs.extend(toolchain::debian_packages().iter().copied().map(Need::missing));
    host::require(ui, &needs, install).map_err(|error| error.context(toolchain::missing()))?;
    Toolchain::find(ui).ok_or_else(|| anyhow!(toolchain::missing()))
}

/// `neon_shash_core.o` by a toolchain that [`require`] has given.
pub(crate) fn build_object(ui: &Ui, toolchain: &Toolchain) -> Result<PathBuf> {
    let cross = host::cross_compile();
    let source = workdir::source();
    let object = object::build(ui, toolchain, &cross, &source, &object::target())?;
    rules::check(ui, &cross, &source, &object)?;
    Ok(object)
}

/// `neon_shash.ko` for a kernel of `series`.
pub(crate) fn build_module(ui: &Ui, series: &Series) -> Result<PathBuf> {
    let host = Host::detect(ui)?;
    let mut needs = host.build_tools();
    needs.extend(kernel::tools(&host, series));
    let toolchain = require(ui, needs, Install::Never)?;
    let object = build_object(ui, &toolchain)?;
    let cache = Cache::open()?;
    let apt = LazyApt::new(ui, &cache, &host);
    let kernel = kernel::fetch(ui, &cache, &apt, &host, series)?;
    let dir = WorkDir::claim(&format!("module-{}", series.name))?;
    module::build(ui, &kernel, &workdir::source(), &object, dir.path())
}
