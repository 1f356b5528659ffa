// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! What the suite asks of a runner.

use core::ops::Range;

/// How many messages a runner has under way at a time, numbered from 0.
pub const REQUESTS: usize = 4;

/// The request that [`Hash::digest`] uses; cases leave it to that.
pub const ONE_SHOT: usize = REQUESTS - 1;

/// Why a call was not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The runner has no such thing, for this reason.
    Missing(&'static str),
    /// The hash gave this error, a negative errno value.
    Errno(i32),
}

/// What a runner's call comes to.
pub type Done<T = ()> = Result<T, Trouble>;

/// When the hash may use SIMD.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simd {
    /// Whenever the runner's context has it.
    Usable,
    /// Never.
    Refused,
    /// At random, from this seed on.
    Random(u32),
}

/// One transform of a hash, and [`REQUESTS`] messages that are hashed with it.
///
/// Output slices have the digest's size. Empty data is to reach the hash as the runner's callers
/// pass it: in the kernel that is NULL.
pub trait Hash {
    /// Digest size in bytes, as the hash states it.
    fn digest_size(&mut self) -> Done<usize>;

    /// Block size in bytes, as the hash states it.
    fn block_size(&mut self) -> Done<usize>;

    /// The digest of a whole message, in one call if there is one for that.
    fn digest(&mut self, data: &[u8], out: &mut [u8]) -> Done;

    /// Begins a message, whatever became of the one before, in memory that holds garbage.
    fn init(&mut self, request: usize) -> Done;

    /// Adds to the message.
    fn update(&mut self, request: usize, data: &[u8]) -> Done;

    /// Ends the message and writes its digest.
    fn finish(&mut self, request: usize, out: &mut [u8]) -> Done;

    /// Adds the last of the message and writes its digest.
    fn finup(&mut self, request: usize, data: &[u8], out: &mut [u8]) -> Done;

    /// Sets the transform's key.
    fn set_key(&mut self, key: &[u8]) -> Done;

    /// Takes the message under way in `from` over into `to`, by export and import or what stands
    /// for them; both can go on.
    fn copy(&mut self, from: usize, to: usize) -> Done;

    /// [`Hash::finup`], or [`Hash::digest`] if there is no request, with data and output in one
    /// buffer, where they may overlap. Both lie within it.
    fn overlapping(
        &mut self,
        request: Option<usize>,
        memory: &mut [u8],
        data: Range<usize>,
        out: usize,
    ) -> Done;

    /// Whether all memory of a request is zero; it has just ended.
    fn wiped(&mut self, request: usize) -> Done<bool>;

    /// Decides about SIMD from now on.
    fn set_simd(&mut self, simd: Simd) -> Done;

    /// Changes to one of the hash's implementations, for messages under way too. Any number means
    /// one of them.
    fn set_implementation(&mut self, number: u32) -> Done;
}
