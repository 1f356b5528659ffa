// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Emulated boards: start one with a task, show what it prints, and believe only what it writes to
//! its result port.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{bail, Context as _, Result};

use crate::cpio::Archive;
use crate::exec::{self, Running};
use crate::kernel::Kernel;
use crate::progress::Ui;
use crate::workdir::WorkDir;

/// A board that QEMU emulates.
pub(crate) struct Board {
    /// What `BOARD=` says.
    pub(crate) name: &'static str,
    /// Its machine, processor and memory, as QEMU's options.
    machine: &'static [&'static str],
    /// Its serial console, as the kernel names it.
    console: &'static str,
    /// Its device tree among those of the kernel's package; QEMU makes that of `virt`.
    tree: Option<&'static str>,
    channel: Channel,
}

/// How a board is talked to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Channel {
    /// A port and a disk for each purpose.
    Virtio,
    /// Real boards have a serial console that works with every kernel, and little else that does:
    /// the guest sends what the script prints through the kernel's log, which keeps lines whole,
    /// and finds its disks in memory.
    Log,
}

pub(crate) const BOARDS: &[Board] = &[
    Board {
        name: "virt-a7",
        machine: &["-M", "virt", "-cpu", "cortex-a7", "-smp", "2", "-m", "1G"],
        console: "ttyAMA0",
        tree: None,
        channel: Channel::Virtio,
    },
    Board {
        name: "virt-a15",
        machine: &["-M", "virt", "-cpu", "cortex-a15", "-smp", "2", "-m", "1G"],
        console: "ttyAMA0",
        tree: None,
        channel: Channel::Virtio,
    },
    Board {
        name: "cubieboard",
        machine: &["-M", "cubieboard", "-m", "1G"],
        console: "ttyS0,115200",
        tree: Some("sun4i-a10-cubieboard.dtb"),
        channel: Channel::Log,
    },
    Board {
        name: "vexpress-a9",
        machine: &["-M", "vexpress-a9", "-smp", "4", "-m", "1G"],
        console: "ttyAMA0",
        tree: Some("vexpress-v2p-ca9.dtb"),
        channel: Channel::Log,
    },
    Board {
        name: "raspi2b",
        machine: &["-M", "raspi2b", "-m", "1G"],
        console: "ttyAMA0",
        tree: Some("bcm2836-rpi-2-b.dtb"),
        channel: Channel::Log,
    },
    Board {
        name: "orangepi-pc",
        machine: &["-M", "orangepi-pc", "-m", "1G"],
        console: "ttyS0",
        tree: Some("sun8i-h3-orangepi-pc.dtb"),
        channel: Channel::Log,
    },
];

/// What begins a line that the script printed, and the one with its result, in the kernel's log.
const OUTPUT_MARK: &str = "neon.out: ";
const RESULT_MARK: &str = "neon.result: ";

/// How long a board may take to restart after its result. Some cannot: the kernel then says
/// "Reboot failed" and halts, and the emulator would go on.
const RESTART_LIMIT: Duration = Duration::from_secs(5);

pub(crate) fn board(name: &str) -> Result<&'static Board> {
    BOARDS.iter().find(|board| board.name == name).with_context(|| {
        let known: Vec<&str> = BOARDS.iter().map(|board| board.name).collect();
        format!("unknown board {name}; known: {}", known.join(", "))
    })
}

/// A disk of the board. The image itself is never changed: writes last as long as the run.
pub(crate) struct Disk {
    pub(crate) path: PathBuf,
    /// At most 20 bytes; the guest finds the disk by it, in `/sys/block/*/serial`.
    pub(crate) serial: String,
    pub(crate) readonly: bool,
}

/// What a board is started with.
pub(crate) struct Machine<'a> {
    pub(crate) board: &'a Board,
    pub(crate) kernel: &'a Kernel,
    /// The base root file system.
    pub(crate) base: &'a Path,
    /// The guest's `/init`.
    pub(crate) init: &'a Path,
    /// Becomes `/job/neon_shash.ko`.
    pub(crate) module: &'a Path,
}

/// What a board does once it runs.
pub(crate) struct Task {
    /// Whether init loads the module before the script runs.
    pub(crate) load: bool,
    /// The script; without one the user gets a shell.
    pub(crate) script: Option<Vec<u8>>,
    /// Files and folders of the host, each with its place below `/job`.
    pub(crate) files: Vec<(PathBuf, String)>,
    pub(crate) disks: Vec<Disk>,
    /// More words for the kernel's command line.
    pub(crate) append: Vec<String>,
    /// When a script must have ended.
    pub(crate) timeout: Duration,
    /// One CPU, on which every instruction takes one nanosecond: time counts instructions.
    pub(crate) count_instructions: bool,
}

/// Runs `task` with its logs in `dir`, hands on each line that its script prints, and returns the
/// script's exit status. Anything but an orderly end is an error that says what happened.
pub(crate) fn run(
    ui: &Ui,
    machine: &Machine,
    task: &Task,
    dir: &WorkDir,
    on_line: &mut dyn FnMut(&str),
) -> Result<i32> {
    let files = Files::new(dir.path());
    let token = token()?;
    write_initrd(machine, task, &files.initrd)?;
    // What an earlier run has left is no result of this one.
    for log in [&files.console, &files.output, &files.result, &files.errors] {
        File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    }
    check_tree(machine)?;
    let mut qemu = qemu(machine, task, &files, &token);
    let channel = machine.board.channel;
    let end = match task.script {
        Some(_) => run_script(ui, &mut qemu, channel, task.timeout, &files, on_line)?,
        None => run_shell(ui, &mut qemu)?,
    };
    verdict(end, task, &files, &token)
}

fn check_tree(machine: &Machine) -> Result<()> {
    let Some(name) = machine.board.tree else { return Ok(()) };
    if !machine.kernel.device_tree(name).exists() {
        bail!("Linux {} has no device tree {name}", machine.kernel.release);
    }
    Ok(())
}

/// The files of one run.
struct Files {
    initrd: PathBuf,
    /// The kernel's messages.
    console: PathBuf,
    /// What the script printed.
    output: PathBuf,
    result: PathBuf,
    /// QEMU's own messages.
    errors: PathBuf,
}

impl Files {
    fn new(dir: &Path) -> Self {
        Self {
            initrd: dir.join("initrd.cpio"),
            console: dir.join("console.log"),
            output: dir.join("output.log"),
            result: dir.join("result"),
            errors: dir.join("qemu.log"),
        }
    }
}

/// How the emulator ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Exit,
    Failure,
    Timeout,
}

/// A value that no log of an earlier run can hold.
fn token() -> Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .context("cannot read /dev/urandom")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The kernel unpacks archives that follow each other in one file.
fn write_initrd(machine: &Machine, task: &Task, path: &Path) -> Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let mut out = BufWriter::new(File::create(path).with_context(cannot)?);
    let mut base = File::open(machine.base).context("cannot read the base root file system")?;
    std::io::copy(&mut base, &mut out).with_context(cannot)?;
    let mut archive = Archive::new(out);
    let init = fs::read(machine.init)
        .with_context(|| format!("cannot read {}", machine.init.display()))?;
    archive.file("init", 0o755, &init)?;
    archive.directory("job")?;
    archive.tree("job/neon_shash.ko", machine.module)?;
    if let Some(script) = &task.script {
        archive.file("job/run", 0o755, script)?;
    }
    for (path, name) in &task.files {
        add_below_job(&mut archive, name, path)?;
    }
    if machine.board.channel == Channel::Log {
        for disk in &task.disks {
            add_below_job(&mut archive, &format!("disks/{}", disk.serial), &disk.path)?;
        }
    }
    archive.finish()?;
    Ok(())
}

fn add_below_job(
    archive: &mut Archive<impl std::io::Write>,
    name: &str,
    path: &Path,
) -> Result<()> {
    // The kernel makes no parent folders by itself.
    for (end, _) in name.match_indices('/') {
        archive.directory(&format!("job/{}", &name[..end]))?;
    }
    archive.tree(&format!("job/{name}"), path)
}

fn qemu(machine: &Machine, task: &Task, files: &Files, token: &str) -> Command {
    // setpriv: should this program be killed outright, the emulator ends with it.
    let mut qemu = exec::command("setpriv");
    qemu.args(["--pdeathsig", "TERM", "--", "qemu-system-arm"]);
    qemu.args(machine.board.machine).args(["-nodefaults", "-display", "none", "-no-reboot"]);
    if task.count_instructions {
        qemu.args(["-smp", "1", "-icount", "shift=0,sleep=off"]);
    }
    qemu.arg("-kernel").arg(machine.kernel.image()).arg("-initrd").arg(&files.initrd);
    if let Some(name) = machine.board.tree {
        qemu.arg("-dtb").arg(machine.kernel.device_tree(name));
    }
    qemu.args(["-append", &command_line(machine.board, task, token)]);
    let output = match task.script {
        // Not stdio: that would be closed, and its output lost, when standard input ends.
        Some(_) => "file,id=output,path=/dev/stdout",
        // signal=off: Ctrl-C is for the board's shell.
        None => "stdio,id=output,signal=off",
    };
    match machine.board.channel {
        Channel::Virtio => {
            qemu.args(["-chardev", output]);
            add_virtio(&mut qemu, task, files);
        }
        Channel::Log => {
            let log = option_value(&files.console);
            qemu.args(["-chardev", &format!("{output},logfile={log}")]);
            qemu.args(["-serial", "chardev:output"]);
        }
    }
    qemu
}

fn add_virtio(qemu: &mut Command, task: &Task, files: &Files) {
    qemu.args(["-chardev", &chardev("console", &files.console), "-serial", "chardev:console"]);
    qemu.args(["-device", "virtio-rng-device", "-device", "virtio-serial-device"]);
    qemu.args(["-device", "virtconsole,chardev=output"]);
    qemu.args(["-chardev", &chardev("result", &files.result)]);
    qemu.args(["-device", "virtserialport,chardev=result,name=neon.result"]);
    for (index, disk) in task.disks.iter().enumerate() {
        qemu.args(["-drive", &drive(index, disk)]);
        qemu.args([
            "-device",
            &format!("virtio-blk-device,drive=disk{index},serial={}", disk.serial),
        ]);
    }
}

fn chardev(id: &str, path: &Path) -> String {
    format!("file,id={id},path={}", option_value(path))
}

fn drive(index: usize, disk: &Disk) -> String {
    let access = if disk.readonly { "readonly=on" } else { "snapshot=on" };
    let path = option_value(&disk.path);
    format!("if=none,id=disk{index},format=raw,{access},file={path}")
}

/// QEMU's options are lists with commas.
fn option_value(path: &Path) -> String {
    path.display().to_string().replace(',', ",,")
}

fn command_line(board: &Board, task: &Task, token: &str) -> String {
    let mut words = vec![
        format!("console={}", board.console),
        // A warning is a failure, a failure ends the board at once.
        "panic=-1 oops=panic panic_on_warn=1".to_string(),
        // The console's log holds everything, whatever the script does to the log level.
        "ignore_loglevel".to_string(),
        format!("neon.token={token}"),
        format!("neon.load={}", u8::from(task.load)),
    ];
    if board.channel == Channel::Log {
        let terminal = board.console.split(',').next().unwrap_or_default();
        // The kernel limits how fast programs may write to its log unless it is told not to.
        words.push(format!("neon.terminal={terminal} printk.devkmsg=on"));
    }
    match task.script {
        Some(_) => words.push("neon.run=1".to_string()),
        None => {
            words.push("neon.shell=1".to_string());
            words.extend(terminal_size().map(|size| format!("neon.size={size}")));
        }
    }
    words.extend(task.append.iter().cloned());
    words.join(" ")
}

/// Rows and columns of the user's terminal, which a serial line does not carry.
fn terminal_size() -> Option<String> {
    let output = Command::new("stty").arg("size").stdin(Stdio::inherit()).output().ok()?;
    let size = String::from_utf8(output.stdout).ok()?;
    let (rows, columns) = size.trim().split_once(' ')?;
    Some(format!("{rows}x{columns}"))
}

fn run_script(
    ui: &Ui,
    qemu: &mut Command,
    channel: Channel,
    timeout: Duration,
    files: &Files,
    on_line: &mut dyn FnMut(&str),
) -> Result<End> {
    let errors = File::create(&files.errors).context("cannot write the emulator's log")?;
    let mut output = File::create(&files.output).context("cannot write the output's log")?;
    let mut running = Running::start(ui, qemu.stdout(Stdio::piped()).stderr(errors))?;
    let lines = read_lines(&mut running);
    let mut deadline = Instant::now() + timeout;
    let mut ending = false;
    loop {
        match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                if let Some(result) = marked(channel, &line, RESULT_MARK) {
                    fs::write(&files.result, format!("{result}\n"))
                        .context("cannot write the board's result")?;
                    (ending, deadline) = (true, Instant::now() + RESTART_LIMIT);
                } else if let Some(line) = printed(channel, &line) {
                    writeln!(output, "{line}").context("cannot write the output's log")?;
                    on_line(line);
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                running.kill();
                return Ok(if ending { End::Exit } else { End::Timeout });
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(if running.wait()?.success() { End::Exit } else { End::Failure })
}

/// What of a line of the board's output the script has printed.
fn printed(channel: Channel, line: &str) -> Option<&str> {
    match channel {
        Channel::Virtio => Some(line),
        Channel::Log => marked(channel, line, OUTPUT_MARK),
    }
}

/// What follows `mark` in a line of the kernel's log: "[    1.234567] neon.out: text".
fn marked<'a>(channel: Channel, line: &'a str, mark: &str) -> Option<&'a str> {
    if channel == Channel::Virtio {
        return None;
    }
    let (_, text) = line.strip_prefix('[')?.split_once("] ")?;
    text.strip_prefix(mark)
}

/// The lines of the board's output, until it ends. A thread, so that a silent board can time out.
fn read_lines(running: &mut Running) -> Receiver<String> {
    let (sender, receiver) = channel();
    if let Some(pipe) = running.child().stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).trim_end_matches('\r').to_string();
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
    }
    receiver
}

fn run_shell(ui: &Ui, qemu: &mut Command) -> Result<End> {
    qemu.stdin(Stdio::inherit());
    let status = Running::start_in_foreground(ui, qemu)?.wait()?;
    Ok(if status.success() { End::Exit } else { End::Failure })
}

fn verdict(end: End, task: &Task, files: &Files, token: &str) -> Result<i32> {
    let read =
        |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
    let log = files.console.display();
    if let Some(line) = kernel_trouble(&read(&files.console)) {
        bail!("the board's kernel said: {line}\nthe whole log: {log}");
    }
    match (end, exit_status(&read(&files.result), token)) {
        (End::Timeout, _) => {
            let limit = task.timeout.as_secs();
            bail!("the board was stopped after {limit} s, its time limit\nits log: {log}")
        }
        (End::Failure, _) => bail!("the emulator failed:\n{}", exec::tail(&read(&files.errors))),
        (End::Exit, Some(status)) => Ok(status),
        // A user may leave the shell by switching the board off.
        (End::Exit, None) if task.script.is_none() => Ok(0),
        (End::Exit, None) => bail!("the board ended without a result\nits log: {log}"),
    }
}

/// The exit status in the result file: the token of this very run, then the number.
fn exit_status(result: &str, token: &str) -> Option<i32> {
    let (found, status) = result.strip_suffix('\n')?.split_once(' ')?;
    (found == token).then(|| status.parse().ok())?
}

/// The first line of the kernel's log that tells of a bug. The first is the cause; a panic is often
/// only what follows from it.
fn kernel_trouble(log: &str) -> Option<&str> {
    const SIGNS: &[&str] = &[
        "WARNING: ",
        "BUG: ",
        "kernel BUG at",
        "Internal error: ",
        "Unable to handle kernel",
        "Kernel panic",
        "INFO: possible ",
    ];
    // What the script prints may quote such a line.
    let trouble = |line: &&str| {
        marked(Channel::Log, line, OUTPUT_MARK).is_none()
            && SIGNS.iter().any(|sign| line.contains(sign))
    };
    let line = log.lines().find(trouble)?;
    Some(line.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_of_the_run_counts() {
        assert_eq!(exit_status("abc 0\n", "abc"), Some(0));
        assert_eq!(exit_status("abc 17\n", "abc"), Some(17));
        for bad in ["", "abc", "abc 0", "abc \n", "abd 0\n", "abc 0\nabc 0\n", "abc zero\n", "0\n"]
        {
            assert_eq!(exit_status(bad, "abc"), None, "{bad:?}");
        }
    }

    #[test]
    fn the_cause_comes_before_the_panic() {
        let log = "[ 1.0] Linux version 6.12\n\
            [ 2.0] WARNING: CPU: 0 PID: 1 at crypto/x.c:12\n\
            [ 2.1] Kernel panic - not syncing: kernel: panic_on_warn set\n";
        assert_eq!(kernel_trouble(log), Some("[ 2.0] WARNING: CPU: 0 PID: 1 at crypto/x.c:12"));
        assert_eq!(kernel_trouble("[ 1.0] Warning: unable to open an initial console.\n"), None);
        assert_eq!(kernel_trouble(""), None);
    }

    #[test]
    fn an_unknown_board_is_met_with_the_known_ones() {
        assert_eq!(board("virt-a7").unwrap().name, "virt-a7");
        let message = board("pdp-11").err().unwrap().to_string();
        assert_eq!(
            message,
            "unknown board pdp-11; known: virt-a7, virt-a15, cubieboard, vexpress-a9, raspi2b, \
             orangepi-pc"
        );
    }

    #[test]
    fn what_the_script_printed_is_told_from_the_kernels_messages() {
        let line = "[    9.104041] neon.out: WARNING: quoted";
        assert_eq!(printed(Channel::Log, line), Some("WARNING: quoted"));
        assert_eq!(kernel_trouble(line), None);
        assert_eq!(printed(Channel::Log, "[    9.104041] neon_shash: neon.out: x"), None);
        assert_eq!(printed(Channel::Log, "neon.out: x"), None);
        assert_eq!(printed(Channel::Virtio, "neon.out: x"), Some("neon.out: x"));
        let result = "[    9.2] neon.result: abc 0";
        assert_eq!(marked(Channel::Log, result, RESULT_MARK), Some("abc 0"));
        assert_eq!(marked(Channel::Virtio, result, RESULT_MARK), None);
    }

    #[test]
    fn disks_are_never_changed() {
        let disk = |readonly| Disk { path: "/a,b.img".into(), serial: "data".into(), readonly };
        assert_eq!(
            drive(0, &disk(false)),
            "if=none,id=disk0,format=raw,snapshot=on,file=/a,,b.img"
        );
        assert!(drive(1, &disk(true)).contains("id=disk1,format=raw,readonly=on,"));
    }

    #[test]
    fn tokens_differ() {
        let (a, b) = (token().unwrap(), token().unwrap());
        assert!(a.len() == 32 && a != b);
    }
}
