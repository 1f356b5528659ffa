// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The whole suite on the host backend, or as an ARM program with the real cores, for each
//! implementation. `NEON_SHASH_SEED=` gives its random cases another seed.

use neon_shash::Implementation;
use selftests_host::{algorithms_by, Guarded, HostHash, PAGE};
use selftests_suite::{
    run, run_case, vectors, Memory, Outcome, Reporter, CASES, DATA_SIZE, DEFAULT_SEED, OUT_SIZE,
};
use std::sync::{Mutex, PoisonError};

/// A case's name, how it ended, and what for.
type Line = (String, Outcome);

#[derive(Default)]
struct Lines(Vec<Line>);

impl Reporter for Lines {
    fn report(&mut self, name: &'static str, outcome: Outcome) {
        self.0.push((name.to_string(), outcome));
    }
}

fn seed() -> u32 {
    match std::env::var("NEON_SHASH_SEED") {
        Ok(text) => text.parse().expect("NEON_SHASH_SEED is a number"),
        Err(_) => DEFAULT_SEED,
    }
}

/// The choice of implementation is the whole program's: one test at a time.
fn alone() -> impl Drop {
    static CHOICE: Mutex<()> = Mutex::new(());
    CHOICE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with_memory<T>(call: impl FnOnce(&mut Memory<'_>) -> T) -> T {
    let (mut data, mut out) = (Guarded::new(DATA_SIZE / PAGE), Guarded::new(OUT_SIZE / PAGE));
    call(&mut Memory { data: data.bytes(), out: out.bytes() })
}

/// Fails with all that failed; what the host skips must be what it cannot do.
fn all_passed(lines: &[Line]) {
    let failed: Vec<_> =
        lines.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Failed(_))).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    for (name, outcome) in lines {
        if let Outcome::Skipped(reason) = outcome {
            assert_eq!(*reason, "a hash without keys", "{name}");
        }
    }
}

fn whole_suite(implementation: Implementation) {
    let _alone = alone();
    let mut lines = Lines::default();
    let mut count = 0;
    for (name, algorithm) in algorithms_by(implementation) {
        let vectors = vectors(name).expect("the suite knows the algorithm");
        let (mut hash, mut keyed) = (HostHash::new(algorithm), HostHash::new(algorithm));
        let before = lines.0.len();
        with_memory(|memory| run(vectors, seed(), &mut hash, &mut keyed, memory, &mut lines));
        for (case, _) in &mut lines.0[before..] {
            *case = format!("{name}, {implementation:?}: {case}");
        }
        count += CASES.len();
        // A case has made them take turns.
        let _ = algorithms_by(implementation);
    }
    assert_eq!(lines.0.len(), count);
    all_passed(&lines.0);
}

#[test]
fn whole_suite_with_the_a7_cores() {
    whole_suite(Implementation::ALL[0]);
}

#[test]
fn whole_suite_with_the_a8_cores() {
    whole_suite(Implementation::ALL[1]);
}

#[test]
fn whole_suite_with_portable_code() {
    whole_suite(Implementation::Portable);
}

/// Several threads hash by one transform, each with a seed of its own.
#[test]
fn one_transform_in_several_threads() {
    let _alone = alone();
    for (name, algorithm) in algorithms_by(Implementation::ALL[0]) {
        let vectors = vectors(name).expect("the suite knows the algorithm");
        let shared = HostHash::new(algorithm);
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let mut hash = shared.clone();
                scope.spawn(move || {
                    with_memory(|memory| {
                        let lines: Vec<Line> = (0..CASES.len())
                            .filter(|&case| CASES[case] != "implementations taking turns")
                            .map(|case| {
                                let seed = seed() + 1000 * thread;
                                let outcome =
                                    run_case(case, vectors, seed, &mut hash, None, memory);
                                (format!("{name}, thread {thread}: {}", CASES[case]), outcome)
                            })
                            .collect();
                        let failed = |line: &&Line| matches!(line.1, Outcome::Failed(_));
                        let failed: Vec<_> = lines.iter().filter(failed).collect();
                        assert!(failed.is_empty(), "{failed:#?}");
                    });
                });
            }
        });
    }
}
