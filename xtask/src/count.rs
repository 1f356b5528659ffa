// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! How many instructions a hash takes inside the kernel, ours beside the kernel's own drivers in
//! one boot, on an emulated board where every instruction takes a nanosecond.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{bail, Context as _, Result};
use serde::Serialize;

use crate::board::{Board, Task};
use crate::host::Install;
use crate::kernel::Series;
use crate::module;
use crate::progress::Ui;
use crate::setup::{Options, Setup};
use crate::workdir::{self, WorkDir};

const TIMEOUT: Duration = Duration::from_secs(600);

/// What our implementations are called in driver names.
const OURS: [&str; 2] = ["neon-a7", "neon-a8"];

/// A limit on what an operation may take with the better of our cores, as a share of what a rival
/// takes. Which core is better on a board is not a matter of instructions alone: this one bounds
/// what surrounds the cores.
struct Limit {
    hash: &'static str,
    rival: &'static str,
    operation: &'static str,
    share: f64,
}

const LIMITS: [Limit; 6] = [
    limit("blake2b-256", "blake2b-256-neon", "verity-4096", 0.88),
    limit("blake2b-256", "blake2b-256-neon", "verity-1024", 0.88),
    limit("blake2b-256", "blake2b-256-neon", "digest-64", 1.0),
    limit("sha3-256", "sha3-256-generic", "verity-4096", 0.25),
    limit("sha3-256", "sha3-256-generic", "verity-1024", 0.25),
    limit("sha3-256", "sha3-256-generic", "digest-64", 1.0),
];

const fn limit(
    hash: &'static str,
    rival: &'static str,
    operation: &'static str,
    share: f64,
) -> Limit {
    Limit { hash, rival, operation, share }
}

/// Instructions by driver and operation.
type Counts = BTreeMap<(String, String), u64>;

/// A figure, in the form of the benchmark's other figures.
#[derive(Serialize)]
struct Entry<'a> {
    hash: &'a str,
    r#impl: String,
    core: &'a str,
    metric: String,
    value: u64,
    how: String,
}

/// Counts, prints a table, writes `target/bench/kernel.json` and returns the exit status: 1 if a
/// limit is exceeded.
pub(crate) fn run(ui: &Ui, board: &'static Board, series: &'static Series) -> Result<i32> {
    let options = Options { board, series, needs: Vec::new(), install: Install::IfRoot };
    let setup = Setup::new(ui, options)?;
    let counts = count(ui, &setup)?;
    let path = write(&counts, &setup.kernel.release)?;
    println!("Instructions inside Linux {}, counted by QEMU -icount", setup.kernel.release);
    print!("{}", table(&counts));
    println!("written to {}", path.display());
    let exceeded = exceeded(&counts);
    for line in &exceeded {
        println!("{line}");
    }
    Ok(i32::from(!exceeded.is_empty()))
}

fn count(ui: &Ui, setup: &Setup) -> Result<Counts> {
    let source = workdir::source();
    let dir = WorkDir::claim("count")?;
    let bench = module::build_bench(ui, &setup.kernel, &source, dir.path())?;
    let script = source.join("selftests/bench/kernel/count.sh");
    let task = Task {
        // The script loads it with several sets of parameters.
        load: false,
        script: Some(fs::read(&script).with_context(|| format!("no {}", script.display()))?),
        files: vec![(bench, "neon_shash_bench.ko".to_string())],
        disks: Vec::new(),
        append: Vec::new(),
        timeout: TIMEOUT,
        count_instructions: true,
    };
    let mut lines = Vec::new();
    let status = setup.run(ui, task, &mut |line| lines.push(line.to_string()))?;
    let counts = parse(&lines);
    if status != 0 || counts.is_empty() {
        bail!("counting failed on the board (status {status}):\n{}", lines.join("\n"));
    }
    Ok(counts)
}

fn parse(lines: &[String]) -> Counts {
    let mut counts = Counts::new();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [driver, operation, value] = words[..] else { continue };
        if let Ok(value) = value.parse() {
            counts.insert((driver.to_string(), operation.to_string()), value);
        }
    }
    counts
}

/// Splits a driver's name behind the digest's size.
fn split(driver: &str) -> (&str, &str) {
    let end = driver.match_indices('-').nth(1).map_or(driver.len(), |(at, _)| at);
    (&driver[..end], driver[end..].trim_start_matches('-'))
}

/// The benchmark's name for an implementation: the driver's unless it is ours.
fn implementation(driver: &str, suffix: &str) -> String {
    if OURS.contains(&suffix) || suffix == "portable" {
        format!("neon-shash {suffix}")
    } else {
        driver.to_string()
    }
}

fn title(operation: &str) -> String {
    match operation.split_once('-') {
        Some(("verity", bytes)) => format!("{bytes}-byte dm-verity block"),
        Some((_, bytes)) => format!("{bytes}-byte message"),
        None => operation.to_string(),
    }
}

fn write(counts: &Counts, release: &str) -> Result<PathBuf> {
    let entry = |((driver, operation), value): (&(String, String), &u64)| {
        let (hash, suffix) = split(driver);
        serde_json::to_value(Entry {
            hash,
            r#impl: implementation(driver, suffix),
            core: "any",
            metric: format!("instructions, {}", title(operation)),
            value: *value,
            how: format!("counted inside Linux {release}, QEMU -icount shift=0"),
        })
    };
    let entries: Result<Vec<_>, _> = counts.iter().map(entry).collect();
    let dir = workdir::target().join("bench");
    fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let path: &Path = &dir.join("kernel.json");
    fs::write(path, serde_json::to_vec_pretty(&entries?)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path.to_path_buf())
}

fn table(counts: &Counts) -> String {
    let operations = ["verity-4096", "verity-1024", "digest-4096", "digest-64"];
    let mut text = format!("{:22}", "driver");
    for operation in operations {
        text += &format!("{operation:>14}");
    }
    text += "\n";
    let mut drivers: Vec<&String> = counts.keys().map(|(driver, _)| driver).collect();
    drivers.dedup();
    for driver in drivers {
        text += &format!("{driver:22}");
        for operation in operations {
            let value = counts.get(&(driver.clone(), operation.to_string()));
            text += &format!("{:>14}", value.map_or("-".to_string(), u64::to_string));
        }
        text += "\n";
    }
    text
}

/// The limits that are exceeded, or that cannot be judged.
fn exceeded(counts: &Counts) -> Vec<String> {
    let mut lines = Vec::new();
    for limit in &LIMITS {
        let get = |name: &str| counts.get(&(name.to_string(), limit.operation.to_string()));
        let ours = OURS.iter().filter_map(|ours| get(&format!("{}-{ours}", limit.hash))).min();
        let what = format!("{}: {} by ours / {}", limit.operation, limit.hash, limit.rival);
        match (ours, get(limit.rival)) {
            (Some(ours), Some(theirs)) => {
                let share = *ours as f64 / *theirs as f64;
                println!("{what}: {share:.3} (at most {})", limit.share);
                if share > limit.share {
                    lines.push(format!("exceeded: {what} is {share:.3}, not {}", limit.share));
                }
            }
            _ => lines.push(format!("{what}: not counted")),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(ours: u64) -> Counts {
        let mut lines = Vec::new();
        for limit in &LIMITS {
            lines.push(format!("{} {} 1000", limit.rival, limit.operation));
            for variant in OURS {
                let share = if limit.share < 0.5 { ours / 4 } else { ours };
                lines.push(format!("{}-{variant} {} {share}", limit.hash, limit.operation));
            }
        }
        parse(&lines)
    }

    #[test]
    fn limits_hold_and_break() {
        assert!(exceeded(&counts(880)).is_empty());
        // 0.999 of BLAKE2b and 0.249 of SHA-3 exceed the two limits of 0.88 only.
        assert_eq!(exceeded(&counts(999)).len(), 2);
        assert_eq!(exceeded(&counts(1004)).len(), 6);
        assert_eq!(exceeded(&Counts::new()).len(), 6);
    }

    #[test]
    fn drivers_are_split() {
        assert_eq!(split("blake2b-256-neon-a7"), ("blake2b-256", "neon-a7"));
        assert_eq!(split("sha3-512-generic"), ("sha3-512", "generic"));
        assert_eq!(split("sha3-512"), ("sha3-512", ""));
    }

    #[test]
    fn other_lines_are_passed_over() {
        assert!(parse(&["a b c".to_string(), "one two".to_string()]).is_empty());
    }
}
