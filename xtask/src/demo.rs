// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! `make demo`: the module at work on a stock kernel, from nothing to the last line.

use std::time::Duration;

use anyhow::Result;

use crate::board::{Board, Task};
use crate::disks;
use crate::host::{self, Install};
use crate::kernel::Series;
use crate::progress::{self, Ui};
use crate::setup::{Options, Setup};

/// Far above what the slowest machine needs; a board that hangs must not hang the user.
const TIMEOUT: Duration = Duration::from_secs(600);

const SCRIPT: &str = "#!/bin/sh\nexec python3 -u /job/guest/demo.py\n";

/// Runs the demo and returns its exit status.
pub(crate) fn run(ui: &Ui, board: &'static Board, series: &'static Series) -> Result<i32> {
    let options = Options { board, series, needs: host::disk_tools(), install: Install::IfRoot };
    let setup = Setup::new(ui, options)?;
    let prepared = disks::prepare(ui, &setup)?;
    let task = Task {
        // The demo shows how it is loaded.
        load: false,
        script: Some(SCRIPT.into()),
        files: prepared.files,
        disks: prepared.disks,
        append: Vec::new(),
        timeout: TIMEOUT,
        count_instructions: false,
    };
    setup.run(ui, task, &mut progress::say)
}
