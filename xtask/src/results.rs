// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Test results in one form: those of a KTAP stream (Documentation/dev-tools/ktap.rst), of `cargo
//! test`, and of Python's `unittest -v`.

/// How many tests ended in which way, and why some did not run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u32,
    pub(crate) failed: u32,
    /// A test and the reason, for each that was skipped.
    pub(crate) skipped: Vec<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend(other.skipped);
    }

    pub(crate) fn failure() -> Self {
        Self { failed: 1, ..Self::default() }
    }

    /// The closing line, in the form that test runners know.
    pub(crate) fn summary(&self) -> String {
        let mut text = format!("{} passed, {} failed", self.passed, self.failed);
        if !self.skipped.is_empty() {
            text += &format!(", {} skipped", self.skipped.len());
        }
        text
    }
}

/// Reads a KTAP stream line by line.
#[derive(Default)]
pub(crate) struct Ktap {
    tally: Tally,
    planned: Option<u32>,
    /// Remarks since the last result; they belong to the next one.
    remarks: Vec<String>,
}

impl Ktap {
    /// Takes a line; returns what of it, and of the lines before, is worth showing.
    pub(crate) fn line(&mut self, line: &str) -> Vec<String> {
        if line.starts_with("not ok ") {
            self.tally.failed += 1;
            return self.remarks.drain(..).chain([line.to_string()]).collect();
        }
        if let Some(test) = line.strip_prefix("ok ") {
            self.remarks.clear();
            match test.split_once("# SKIP") {
                Some((name, reason)) => {
                    self.tally.skipped.push(format!("{}:{reason}", test_name(name)));
                }
                None => self.tally.passed += 1,
            }
        } else if let Some(plan) = line.strip_prefix("1..") {
            // "1..0 # SKIP reason" is a plan too.
            self.planned = plan.split_whitespace().next().and_then(|n| n.parse().ok());
        } else if line.starts_with('#') {
            self.remarks.push(line.to_string());
        } else if !line.starts_with("KTAP version") && !line.trim().is_empty() {
            // A program's last words, such as a Python traceback, explain a missing result.
            return vec![line.to_string()];
        }
        Vec::new()
    }

    /// How much of the plan is done, in percent.
    pub(crate) fn percent(&self) -> f64 {
        match self.planned {
            Some(planned) if planned > 0 => 100.0 * f64::from(self.reported()) / f64::from(planned),
            _ => 0.0,
        }
    }

    fn reported(&self) -> u32 {
        self.tally.passed + self.tally.failed + self.tally.skipped.len() as u32
    }

    /// The result, given the exit status of the program. Tests that were planned and did not
    /// report have failed, and so has a program that says so without naming a test.
    pub(crate) fn end(mut self, exit_status: i32) -> Tally {
        let reported = self.reported();
        match self.planned {
            Some(planned) => self.tally.failed += planned.saturating_sub(reported),
            None => self.tally.failed += 1,
        }
        if exit_status != 0 && self.tally.failed == 0 {
            self.tally.failed = 1;
        }
        self.tally
    }
}

/// The name in "3 - name ".
fn test_name(text: &str) -> &str {
    text.split_once(" - ").map_or(text, |(_, name)| name).trim()
}

/// Counts the results in the output of `cargo test`.
pub(crate) fn libtest(output: &str) -> Tally {
    let mut tally = Tally::default();
    for line in output.lines() {
        if let Some(counts) = line.strip_prefix("test result: ") {
            tally.passed += count(counts, "passed");
            tally.failed += count(counts, "failed");
        } else if let Some(test) = line.strip_prefix("test ") {
            let ignored = test.split_once(" ... ignored");
            tally.skipped.extend(ignored.map(|(name, reason)| {
                format!("{name}: {}", reason.trim_start_matches(',').trim())
            }));
        }
    }
    tally
}

/// Counts the results in the output of `python3 -m unittest -v`. Without any it is a failure.
pub(crate) fn unittest(output: &str) -> Tally {
    let mut tally = Tally::default();
    for line in output.lines() {
        let Some((test, result)) = line.rsplit_once(" ... ") else { continue };
        match result.strip_prefix("skipped ") {
            Some(reason) => tally.skipped.push(format!("{test}: {}", reason.trim_matches('\''))),
            None if result == "ok" => tally.passed += 1,
            None => tally.failed += 1,
        }
    }
    // A program that does not even load reports nothing.
    if !output.lines().any(|line| line.starts_with("OK")) {
        tally.failed = tally.failed.max(1);
    }
    tally
}

/// The number before `what` in "ok. 3 passed; 0 failed; ...".
fn count(counts: &str, what: &str) -> u32 {
    let mut words = counts.split([' ', ';', '.']).filter(|word| !word.is_empty());
    let mut last = "";
    for word in words.by_ref() {
        if word == what {
            return last.parse().unwrap_or(0);
        }
        last = word;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, exit_status: i32) -> (Tally, Vec<String>) {
        let mut ktap = Ktap::default();
        let shown = text.lines().flat_map(|line| ktap.line(line)).collect();
        (ktap.end(exit_status), shown)
    }

    fn tally(passed: u32, failed: u32, skipped: &[&str]) -> Tally {
        Tally { passed, failed, skipped: skipped.iter().map(|s| s.to_string()).collect() }
    }

    #[test]
    fn results_are_counted() {
        let text = "KTAP version 1\n1..4\n# a remark\nok 1 - load\n# expected: aa\n# seen: bb\n\
            not ok 2 - digest\nok 3 - hmac # SKIP no hmac here\nok 4 - unload\n";
        let (result, shown) = read(text, 1);
        assert_eq!(result, tally(2, 1, &["hmac: no hmac here"]));
        assert_eq!(shown, ["# expected: aa", "# seen: bb", "not ok 2 - digest"]);
    }

    #[test]
    fn what_did_not_report_has_failed() {
        assert_eq!(read("KTAP version 1\n1..3\nok 1 - a\n", 0).0, tally(1, 2, &[]));
        assert_eq!(read("ok 1 - a\n", 0).0, tally(1, 1, &[]));
        assert_eq!(read("", 0).0, tally(0, 1, &[]));
        assert_eq!(read("1..1\nok 1 - a\n", 2).0, tally(1, 1, &[]));
    }

    #[test]
    fn last_words_are_shown() {
        let text = "1..2\nok 1 - a\nTraceback (most recent call last):\n  File x\nOSError\n";
        assert_eq!(read(text, 1).1.len(), 3);
    }

    #[test]
    fn libtest_results() {
        let text = "running 3 tests\ntest a ... ok\ntest b ... ignored, needs a board\n\
            test c ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured\n\
            test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(libtest(text), tally(13, 1, &["b: needs a board"]));
        assert_eq!(libtest("error: could not compile"), tally(0, 0, &[]));
    }

    #[test]
    fn unittest_results() {
        let text =
            "test_a (t.T.test_a) ... ok\ntest_b (t.T.test_b) ... skipped 'no veritysetup'\n\n\
            Ran 2 tests in 0.1s\n\nOK (skipped=1)\n";
        assert_eq!(unittest(text), tally(1, 0, &["test_b (t.T.test_b): no veritysetup"]));
        let text =
            "test_a (t.T.test_a) ... ok\ntest_b (t.T.test_b) ... FAIL\n\nFAILED (failures=1)\n";
        assert_eq!(unittest(text), tally(1, 1, &[]));
        assert_eq!(unittest("SyntaxError: invalid syntax\n"), tally(0, 1, &[]));
    }

    #[test]
    fn the_closing_line() {
        assert_eq!(tally(3, 0, &[]).summary(), "3 passed, 0 failed");
        assert_eq!(tally(3, 1, &["a: b"]).summary(), "3 passed, 1 failed, 1 skipped");
    }
}
