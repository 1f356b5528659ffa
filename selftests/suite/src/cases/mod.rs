// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The cases, in the order in which they are best read when several fail.

mod keys;
mod known;
mod memory;
mod splits;
mod state;
mod switching;

use crate::{
    bench::{Bench, Detail, Memory, Outcome, Place, Stop, Verdict},
    hash::{Hash, Simd, Trouble},
    random::Random,
    Vectors,
};

/// Their names.
pub const CASES: [&str; 17] = [
    "sizes",
    "known messages",
    "all lengths from 0 to 4096",
    "cut at every byte",
    "random cuts",
    "every alignment",
    "pages that fault on both sides",
    "nothing written beside the digest",
    "output overlapping input",
    "state wiped",
    "exported and imported at every byte",
    "interleaved messages",
    "SIMD refused",
    "SIMD coming and going",
    "implementations taking turns",
    "keys of all lengths",
    "wrong keys, and keyed cuts",
];

fn dispatch<H: Hash>(index: usize, bench: &mut Bench<'_, H>) -> Verdict {
    match index {
        0 => known::sizes(bench),
        1 => known::messages(bench),
        2 => known::all_lengths(bench),
        3 => splits::every_cut(bench),
        4 => splits::random(bench),
        5 => memory::alignments(bench),
        6 => memory::edges(bench),
        7 => memory::beside(bench),
        8 => memory::overlap(bench),
        9 => state::wiped(bench),
        10 => state::copied(bench),
        11 => state::interleaved(bench),
        12 => switching::refused(bench),
        13 => switching::midway(bench),
        14 => switching::implementations(bench),
        15 => keys::all(bench),
        16 => keys::wrong(bench),
        _ => Err(Stop::Wrong("there is no such case")),
    }
}

/// Runs one case of [`CASES`]. Without `keyed`, a second transform of the same hash, keys are left
/// alone.
pub fn run_case<H: Hash>(
    index: usize,
    vectors: &'static Vectors,
    seed: u32,
    hash: &mut H,
    keyed: Option<&mut H>,
    memory: &mut Memory<'_>,
) -> Outcome {
    let random = Random::new(seed.wrapping_add(index as u32));
    let Memory { data, out } = memory;
    let place = Place::default();
    let mut bench = Bench { vectors, hash, keyed, data, out, random, place };
    let verdict = dispatch(index, &mut bench);
    let place = bench.place;
    // A case that stopped early must not decide for the next one. What cannot be set need not be.
    let _ = bench.hash.set_simd(Simd::Usable);
    let failed = |what, errno| Outcome::Failed(Detail { what, errno, place, seed });
    match verdict {
        Ok(()) => Outcome::Passed,
        Err(Stop::Trouble(Trouble::Missing(reason))) => Outcome::Skipped(reason),
        Err(Stop::Trouble(Trouble::Errno(errno))) => failed("a call failed", errno),
        Err(Stop::Wrong(what)) => failed(what, 0),
    }
}
