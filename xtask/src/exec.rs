// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Other programs: run them, keep their output, and leave none behind.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{bail, Context as _, Result};
use nix::sys::signal::{killpg, Signal};
use nix::unistd::Pid;

use crate::progress::Ui;

/// The exit status of a program that the user interrupted.
const INTERRUPTED: i32 = 130;

/// How much of a failed program's log is shown.
const LOG_TAIL_LINES: usize = 20;

/// The process groups that run now. Each child leads a group of its own, so that an interrupt
/// reaches all that it started.
static GROUPS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn groups() -> MutexGuard<'static, BTreeSet<i32>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all that runs when the user interrupts or ends this program.
pub(crate) fn end_children_on_interrupt() -> Result<()> {
    ctrlc::set_handler(|| {
        // The lock is kept: nothing new may start from here on.
        let groups = groups();
        for group in groups.iter() {
            // It may have ended by itself meanwhile.
            let _ = killpg(Pid::from_raw(*group), Signal::SIGTERM);
        }
        eprintln!("interrupted");
        std::process::exit(INTERRUPTED);
    })
    .context("cannot catch Ctrl-C")
}

/// A command without standard input, with English messages, that finds administrators' tools too.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).env("LC_ALL", "C.UTF-8").env("PATH", search_path());
    command
}

/// `PATH`, with the folders of depmod and mke2fs, which an ordinary user's lacks.
pub(crate) fn search_path() -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{path}:/usr/sbin:/sbin")
}

/// A child that is ended when it is dropped.
pub(crate) struct Running {
    child: Child,
    group: Option<i32>,
}

impl Running {
    /// Starts `command` in a process group of its own.
    pub(crate) fn start(ui: &Ui, command: &mut Command) -> Result<Self> {
        use std::os::unix::process::CommandExt as _;
        command.process_group(0);
        let mut groups = groups();
        let child = spawn(ui, command)?;
        let group = i32::try_from(child.id()).context("process number out of range")?;
        groups.insert(group);
        Ok(Self { child, group: Some(group) })
    }

    /// Starts `command` in the foreground group, which alone may read the terminal. The terminal
    /// sends its interrupts there as well.
    pub(crate) fn start_in_foreground(ui: &Ui, command: &mut Command) -> Result<Self> {
        Ok(Self { child: spawn(ui, command)?, group: None })
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    pub(crate) fn wait(&mut self) -> Result<ExitStatus> {
        let status = self.child.wait().context("cannot wait for a child process")?;
        self.forget();
        Ok(status)
    }

    /// Ends it at once, with all that it started.
    pub(crate) fn kill(&mut self) {
        if let Some(group) = self.group {
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        // Both fail only when the child has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.forget();
    }

    fn forget(&mut self) {
        if let Some(group) = self.group.take() {
            groups().remove(&group);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            self.forget();
        } else {
            self.kill();
        }
    }
}

fn spawn(ui: &Ui, command: &mut Command) -> Result<Child> {
    ui.command(command);
    command.spawn().map_err(|error| {
        let program = command.get_program().to_string_lossy().into_owned();
        match error.kind() {
            ErrorKind::NotFound => anyhow::anyhow!("the program {program} is not installed"),
            _ => anyhow::Error::new(error).context(format!("cannot start {program}")),
        }
    })
}

/// Runs `command` and returns its standard output.
pub(crate) fn output(ui: &Ui, command: &mut Command) -> Result<String> {
    let mut running = Running::start(ui, command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let errors = drain(running.child().stderr.take());
    let text = drain(running.child().stdout.take()).join().unwrap_or_default();
    let errors = errors.join().unwrap_or_default();
    let status = running.wait()?;
    if !status.success() {
        bail!("{} failed ({status}):\n{}", name(command), reason(&errors));
    }
    Ok(text)
}

fn drain(pipe: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is still worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Runs `command` with all its output in the file `log`.
pub(crate) fn logged(ui: &Ui, command: &mut Command, log: &Path) -> Result<()> {
    let status = logged_status(ui, command, log)?;
    if !status.success() {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        bail!(
            "{} failed ({status}):\n{}\nthe whole log: {}",
            name(command),
            reason(&text),
            log.display()
        );
    }
    Ok(())
}

/// As [`logged`], for a caller that judges the exit status by itself.
pub(crate) fn logged_status(ui: &Ui, command: &mut Command, log: &Path) -> Result<ExitStatus> {
    let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let errors = file.try_clone().context("cannot share the log file")?;
    Running::start(ui, command.stdout(file).stderr(errors))?.wait()
}

/// Runs `command`, hands on each line of its standard output, and returns its exit status and
/// what it wrote to standard error.
pub(crate) fn lines(
    ui: &Ui,
    command: &mut Command,
    on_line: &mut dyn FnMut(&str),
) -> Result<(ExitStatus, String)> {
    let mut running = Running::start(ui, command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let errors = drain(running.child().stderr.take());
    if let Some(pipe) = running.child().stdout.take() {
        for line in BufReader::new(pipe).split(b'\n') {
            let line = line.context("cannot read a program's output")?;
            on_line(&String::from_utf8_lossy(&line));
        }
    }
    let status = running.wait()?;
    Ok((status, errors.join().unwrap_or_default()))
}

/// Runs `first | second`.
pub(crate) fn pipe(ui: &Ui, first: &mut Command, second: &mut Command) -> Result<()> {
    let mut producer = Running::start(ui, first.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let producer_errors = drain(producer.child().stderr.take());
    if let Some(out) = producer.child().stdout.take() {
        second.stdin(out);
    }
    let mut consumer = Running::start(ui, second.stdout(Stdio::null()).stderr(Stdio::piped()))?;
    let errors = drain(consumer.child().stderr.take()).join().unwrap_or_default();
    let consumed = consumer.wait()?;
    // The command keeps its end of the pipe open; without this the producer never sees it closed.
    second.stdin(Stdio::null());
    let produced = producer.wait()?;
    // The consumer first: when it fails, the producer only reports a broken pipe.
    if !consumed.success() {
        bail!("{} failed ({consumed}):\n{}", name(second), reason(&errors));
    }
    if !produced.success() {
        let errors = producer_errors.join().unwrap_or_default();
        bail!("{} failed ({produced}):\n{}", name(first), reason(&errors));
    }
    Ok(())
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

/// Why a program failed, from what it said.
pub(crate) fn reason(errors: &str) -> String {
    // The second is what apt says before it begins.
    if ["No space left on device", "enough free space"].iter().any(|it| errors.contains(it)) {
        return "no space is left on the disk".to_string();
    }
    tail(errors)
}

/// The last lines of a log.
pub(crate) fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.len().saturating_sub(LOG_TAIL_LINES);
    lines[first..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_returned() {
        let text = output(&Ui::new(), command("sh").args(["-c", "echo a; echo b >&2"])).unwrap();
        assert_eq!(text, "a\n");
    }

    #[test]
    fn a_failure_shows_what_the_program_said() {
        let failed = output(&Ui::new(), command("sh").args(["-c", "echo why >&2; exit 3"]));
        let message = failed.unwrap_err().to_string();
        assert!(message.contains("why") && message.contains('3'), "{message}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let message = output(&Ui::new(), &mut command("no-such-program")).unwrap_err().to_string();
        assert_eq!(message, "the program no-such-program is not installed");
    }

    #[test]
    fn both_ends_of_a_pipe_can_fail() {
        let sh = |script: &str| {
            let mut command = command("sh");
            command.args(["-c", script]);
            command
        };
        assert!(pipe(&Ui::new(), &mut sh("echo a"), &mut sh("grep -q a")).is_ok());
        assert!(pipe(&Ui::new(), &mut sh("echo a; exit 1"), &mut sh("cat")).is_err());
        assert!(pipe(&Ui::new(), &mut sh("echo a"), &mut sh("grep -q b")).is_err());
        assert!(pipe(&Ui::new(), &mut sh("yes"), &mut sh("exit 1")).is_err());
    }

    #[test]
    fn a_dropped_child_is_gone() {
        let mut sleep = Running::start(&Ui::new(), command("sleep").arg("60")).unwrap();
        let group = Pid::from_raw(i32::try_from(sleep.child().id()).unwrap());
        drop(sleep);
        assert!(killpg(group, None).is_err());
    }

    #[test]
    fn a_full_disk_is_one_sentence() {
        let errors = "tar: a: Cannot write: No space left on device\n".repeat(9);
        assert_eq!(reason(&errors), "no space is left on the disk");
        assert_eq!(reason("other"), "other");
    }

    #[test]
    fn the_tail_is_the_end() {
        let text: String = (0..50).map(|n| format!("{n}\n")).collect();
        assert!(reason(&text).starts_with("30\n") && reason(&text).ends_with("49"));
    }
}
