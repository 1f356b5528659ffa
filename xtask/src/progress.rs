// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! What the user sees while something runs: a spinner on a terminal, one plain line per step in a
//! log. All of it goes to standard error, so that standard output carries results only.

use std::io::{IsTerminal, Write as _};
use std::process::Command;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Prints a line of results. A reader that has gone away, or a full disk behind it, ends the run,
/// and with it every child.
pub(crate) fn say(line: &str) {
    if let Err(error) = writeln!(std::io::stdout(), "{line}") {
        eprintln!("error: cannot write to standard output: {error}");
        std::process::exit(1);
    }
}

/// The user's terminal or log.
pub(crate) struct Ui {
    terminal: bool,
    verbose: bool,
}

impl Ui {
    /// `V=1` shows the commands, as it does in the kernel's own build.
    pub(crate) fn new() -> Self {
        Self {
            terminal: std::io::stderr().is_terminal(),
            verbose: std::env::var_os("V").is_some_and(|v| v == "1"),
        }
    }

    /// Begins a step; it ends when the returned value is dropped.
    pub(crate) fn step(&self, what: impl Into<String>) -> Step {
        let what = what.into();
        if !self.terminal {
            eprintln!("{what}");
            return Step { what, bar: None, begun: Instant::now() };
        }
        let bar = ProgressBar::new(100);
        bar.set_style(spinner());
        bar.set_message(what.clone());
        bar.enable_steady_tick(Duration::from_millis(120));
        Step { what, bar: Some(bar), begun: Instant::now() }
    }

    pub(crate) fn warn(&self, text: &str) {
        eprintln!("warning: {text}");
    }

    pub(crate) fn command(&self, command: &Command) {
        if self.verbose {
            eprintln!("+ {}", shown(command));
        }
    }

    pub(crate) fn verbose(&self) -> bool {
        self.verbose
    }
}

/// One running step.
pub(crate) struct Step {
    what: String,
    bar: Option<ProgressBar>,
    begun: Instant,
}

impl Step {
    /// Turns the spinner into a bar at `percent`.
    pub(crate) fn percent(&self, percent: f64) {
        if let Some(bar) = &self.bar {
            if bar.position() == 0 && percent > 0.0 {
                bar.set_style(percent_bar());
            }
            bar.set_position(percent.clamp(0.0, 100.0) as u64);
        }
    }

    /// Prints a line of results while the step goes on.
    pub(crate) fn print(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| println!("{line}")),
            None => println!("{line}"),
        }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        // In a log the step's name stands already.
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            eprintln!("{} ({:.1} s)", self.what, self.begun.elapsed().as_secs_f64());
        }
    }
}

fn spinner() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg} ({elapsed})")
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn percent_bar() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg} [{bar:30}] {percent}% ({elapsed})")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn shown(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|a| a.to_string_lossy().into_owned()));
    words.join(" ")
}
