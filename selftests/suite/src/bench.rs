// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! What every case works with: a hash, memory, a place to name, and comparisons.

use crate::{
    hash::{Hash, Trouble},
    random::Random,
    Vectors,
};

/// How long [`Memory::data`] is.
pub const DATA_SIZE: usize = 16_384;
/// How long [`Memory::out`] is.
pub const OUT_SIZE: usize = 4096;
/// The largest digest.
pub(crate) const MAX_DIGEST: usize = 64;

/// Memory of the sizes above. Where the runner can, pages that fault lie on both sides of both.
pub struct Memory<'a> {
    /// For messages.
    pub data: &'a mut [u8],
    /// For digests.
    pub out: &'a mut [u8],
}

/// Where a case is.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Place {
    /// Bytes of the message.
    pub len: usize,
    /// Where something special is: a cut, an alignment, an output. The case's name tells what.
    pub offset: usize,
    /// Which try it is, or which key length.
    pub step: usize,
}

/// The first thing that was wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Detail {
    /// What was expected, or which call failed.
    pub what: &'static str,
    /// A negative errno value, or 0.
    pub errno: i32,
    /// Where.
    pub place: Place,
    /// The seed of the random cases.
    pub seed: u32,
}

/// How a case ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// As it should.
    Passed,
    /// The runner cannot do it, for this reason.
    Skipped(&'static str),
    /// Something was wrong.
    Failed(Detail),
}

/// Why a case stops early.
pub(crate) enum Stop {
    Trouble(Trouble),
    Wrong(&'static str),
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

/// What a case returns.
pub(crate) type Verdict = Result<(), Stop>;

/// What a case has.
pub(crate) struct Bench<'a, H> {
    pub(crate) vectors: &'static Vectors,
    pub(crate) hash: &'a mut H,
    /// A second transform, for keys. `None`: others use the transforms too.
    pub(crate) keyed: Option<&'a mut H>,
    pub(crate) data: &'a mut [u8],
    pub(crate) out: &'a mut [u8],
    pub(crate) random: Random,
    pub(crate) place: Place,
}

/// A digest of any size.
pub(crate) struct Digest {
    bytes: [u8; MAX_DIGEST],
    size: usize,
}

impl Digest {
    pub(crate) fn new(size: usize) -> Self {
        // No digest begins so, and a hash that writes nothing is found out.
        Self { bytes: [0x5c; MAX_DIGEST], size: size.min(MAX_DIGEST) }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.size).unwrap_or(&[])
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes.get_mut(..self.size).unwrap_or(&mut [])
    }
}

const TOO_SMALL: Stop = Stop::Wrong("the runner's memory is smaller than the suite asks for");

/// Part of a buffer.
pub(crate) fn part(bytes: &[u8], at: usize, len: usize) -> Result<&[u8], Stop> {
    bytes.get(at..at.wrapping_add(len)).ok_or(TOO_SMALL)
}

/// Part of a buffer, to be written.
pub(crate) fn part_mut(bytes: &mut [u8], at: usize, len: usize) -> Result<&mut [u8], Stop> {
    bytes.get_mut(at..at.wrapping_add(len)).ok_or(TOO_SMALL)
}

/// Fails with `what` unless both are equal.
pub(crate) fn same(what: &'static str, seen: &[u8], expected: &[u8]) -> Verdict {
    check(what, seen == expected)
}

/// Fails with `what` unless it holds.
pub(crate) fn check(what: &'static str, holds: bool) -> Verdict {
    if holds {
        Ok(())
    } else {
        Err(Stop::Wrong(what))
    }
}

impl<H: Hash> Bench<'_, H> {
    /// Notes where the case is.
    pub(crate) fn at(&mut self, len: usize, offset: usize, step: usize) {
        self.place = Place { len, offset, step };
    }

    /// An empty digest of this hash's size.
    pub(crate) fn digest(&self) -> Digest {
        Digest::new(self.vectors.digest_size)
    }

    /// The one-shot digest of a part of the data, by a call of its own.
    pub(crate) fn one_shot(&mut self, at: usize, len: usize) -> Result<Digest, Stop> {
        let mut digest = self.digest();
        self.hash.digest(part(self.data, at, len)?, digest.bytes_mut())?;
        Ok(digest)
    }

    /// Fills the whole data with a message from the case's numbers.
    pub(crate) fn fill(&mut self) {
        self.random.fill(self.data);
    }

    /// A random message: where in the data, and how long.
    pub(crate) fn draw(&mut self, max: usize) -> (usize, usize) {
        let len = self.random.length(max);
        let room = self.data.len().saturating_sub(len);
        // Every other one ends where the memory does.
        let at = if self.random.below(2) == 0 { room } else { self.random.below(room + 1) };
        (at, len)
    }
}
