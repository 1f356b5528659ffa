// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! How long things take on this machine, by the kernel's clock.

use kernel::system::time_ns;

/// Samples of one thing; the shortest counts, for interrupts and other tasks only add.
const SAMPLES: u32 = 3;

/// A sample should span this many steps of the clock, or its grain decides and not the code.
const GRAINS: u64 = 16;

/// The most runs of one thing in a sample.
const MAX_RUNS: u32 = 64;

/// What takes longer is sampled twice only: loading must not take long on a slow machine.
const LONG_NS: u64 = 2_000_000;

/// A clock with larger steps tells nothing in the time that there is.
const MAX_GRAIN_NS: u64 = 100_000;

/// Clock readings that are looked at for a step.
const MAX_READINGS: u32 = 20_000;

/// A clock that has been found to work.
pub(crate) struct Clock {
    grain_ns: u64,
}

impl Clock {
    /// `None` if the clock stands still, goes backwards or has too coarse steps.
    pub(crate) fn new() -> Option<Self> {
        // The smallest: an interrupt makes a step longer, nothing makes it shorter.
        let mut grain_ns = u64::MAX;
        for _ in 0..SAMPLES {
            grain_ns = step()?.min(grain_ns);
        }
        (grain_ns <= MAX_GRAIN_NS).then_some(Self { grain_ns })
    }

    /// Nanoseconds that one run takes; `None` if the clock says what cannot be.
    pub(crate) fn time(&self, mut run: impl FnMut()) -> Option<u32> {
        let mut shortest = None;
        for taken in 1..=SAMPLES {
            let (ns, total_ns) = self.sample(&mut run)?;
            shortest = Some(shortest.map_or(ns, |shortest: u32| shortest.min(ns)));
            // One long sample may have met another task.
            if total_ns > LONG_NS && taken > 1 {
                break;
            }
        }
        shortest
    }

    /// The time of one run, out of as many as the clock's grain asks for, and that of all.
    fn sample(&self, run: &mut impl FnMut()) -> Option<(u32, u64)> {
        let mut shift = 0;
        loop {
            let begun = time_ns();
            for _ in 0..1u32 << shift {
                run();
            }
            let total_ns = time_ns().checked_sub(begun)?;
            if total_ns >= GRAINS * self.grain_ns || 1 << shift >= MAX_RUNS {
                // Rounded up: nothing takes no time.
                let ns = u32::try_from(total_ns >> shift).ok()?;
                return Some((ns.max(1), total_ns));
            }
            shift += 1;
        }
    }
}

/// One step of the clock, or the time that reading it takes if that is longer.
fn step() -> Option<u64> {
    let begun = time_ns();
    for _ in 0..MAX_READINGS {
        match time_ns().checked_sub(begun)? {
            0 => {}
            step => return Some(step),
        }
    }
    None
}
