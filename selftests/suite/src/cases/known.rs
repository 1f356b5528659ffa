// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Against digests by another implementation.

use crate::{
    bench::{check, part, part_mut, same, Bench, Verdict},
    hash::Hash,
    random::Random,
};

const ALL_LENGTHS: usize = 4096;
const ALL_LENGTHS_SEED: u32 = 0x5eed;

/// A runner that does not know one of them is skipped only once the other was right.
pub(super) fn sizes<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    let size = bench.hash.digest_size()?;
    check("the digest's size", size == bench.vectors.digest_size)?;
    let size = bench.hash.block_size()?;
    check("the block's size", size == bench.vectors.block_size)
}

pub(super) fn messages<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    for message in bench.vectors.messages {
        bench.at(message.len, 0, 0);
        let at = bench.data.len().saturating_sub(message.len);
        Random::new(message.seed).fill(part_mut(bench.data, at, message.len)?);
        same("a known digest", bench.one_shot(at, message.len)?.bytes(), message.digest)?;
    }
    Ok(())
}

/// Each message ends where the memory does; the digest of all digests is compared, and hashed by
/// the same hash meanwhile.
pub(super) fn all_lengths<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    let start = bench.data.len().saturating_sub(ALL_LENGTHS);
    Random::new(ALL_LENGTHS_SEED).fill(part_mut(bench.data, start, ALL_LENGTHS)?);
    bench.hash.init(0)?;
    for len in 0..=ALL_LENGTHS {
        bench.at(len, 0, 0);
        let size = bench.vectors.digest_size;
        let at = bench.out.len().saturating_sub(size);
        let out = part_mut(bench.out, at, size)?;
        bench.hash.digest(part(bench.data, start + ALL_LENGTHS - len, len)?, out)?;
        bench.hash.update(0, out)?;
    }
    let mut digest = bench.digest();
    bench.hash.finish(0, digest.bytes_mut())?;
    same("the digest of all lengths' digests", digest.bytes(), bench.vectors.all_lengths)
}
