// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! One suite of hash tests for every runner: without a kernel, inside of one, and beside one.
//!
//! A runner implements [`Hash`] for one transform, gives [`Memory`] that ends where its pages do,
//! and calls [`run`] for an algorithm of [`VECTORS`], or [`run_case`] for one case. What a runner
//! lacks it says by [`Trouble::Missing`], and the case is skipped for that reason.
//!
//! The digests of [`VECTORS`] are from an implementation that is not ours. Cases that draw lengths
//! and cuts at random compare with the one-shot digest of the same hash, which the vectors vouch
//! for; so their seed may be any.
//!
//! No allocation, formatting or panic: the kernel's runner links this as it is.

#![no_std]

mod bench;
mod cases;
mod hash;
mod random;
mod vectors;

pub use crate::{
    bench::{Detail, Memory, Outcome, Place, DATA_SIZE, OUT_SIZE},
    cases::{run_case, CASES},
    hash::{Done, Hash, Simd, Trouble, ONE_SHOT, REQUESTS},
    random::Random,
    vectors::VECTORS,
};

/// What the random cases draw from unless told otherwise.
pub const DEFAULT_SEED: u32 = 20_240_229;

/// An algorithm, and what it must give.
pub struct Vectors {
    /// Its generic name.
    pub name: &'static str,
    /// Digest size in bytes.
    pub digest_size: usize,
    /// Block size in bytes.
    pub block_size: usize,
    /// Single messages.
    pub messages: &'static [Message],
    /// The digest of the digests of all lengths from 0 to 4096.
    pub all_lengths: &'static [u8],
    /// The digest of the digests with keys of all lengths; `None` for a hash without keys.
    pub all_keys: Option<&'static [u8]>,
}

/// A message by its seed, and its digest.
pub struct Message {
    /// For [`Random::new`].
    pub seed: u32,
    /// Bytes.
    pub len: usize,
    /// What hashing it gives.
    pub digest: &'static [u8],
}

/// Where results go.
pub trait Reporter {
    /// How the case `name` ended.
    fn report(&mut self, name: &'static str, outcome: Outcome);
}

/// The vectors of an algorithm by its generic name.
pub fn vectors(name: &str) -> Option<&'static Vectors> {
    VECTORS.iter().find(|vectors| vectors.name == name)
}

/// Runs all cases. `keyed` is a second transform of the same hash: a key stays where it was set.
pub fn run<H: Hash>(
    vectors: &'static Vectors,
    seed: u32,
    hash: &mut H,
    keyed: &mut H,
    memory: &mut Memory<'_>,
    reporter: &mut impl Reporter,
) {
    for (index, name) in CASES.iter().enumerate() {
        reporter.report(name, run_case(index, vectors, seed, hash, Some(&mut *keyed), memory));
    }
}
