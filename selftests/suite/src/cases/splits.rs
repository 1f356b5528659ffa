// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! A message in parts is the same message.

use crate::{
    bench::{part, same, Bench, Digest, Stop, Verdict},
    hash::Hash,
    random::Random,
};

const TRIES: usize = 60;
const MAX: usize = 9000;

/// In two parts, ended by each of the calls that can.
pub(super) fn every_cut<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    bench.fill();
    let len = 2 * bench.vectors.block_size + 1;
    let at = bench.data.len().saturating_sub(len);
    let expected = bench.one_shot(at, len)?;
    let mut digest = bench.digest();
    for cut in 0..=len {
        bench.at(len, cut, 0);
        let (head, tail) = (part(bench.data, at, cut)?, part(bench.data, at + cut, len - cut)?);
        bench.hash.init(0)?;
        bench.hash.update(0, head)?;
        bench.hash.finup(0, tail, digest.bytes_mut())?;
        same("finup's digest", digest.bytes(), expected.bytes())?;
        bench.hash.init(0)?;
        bench.hash.update(0, head)?;
        bench.hash.update(0, tail)?;
        bench.hash.finish(0, digest.bytes_mut())?;
        same("final's digest", digest.bytes(), expected.bytes())?;
    }
    Ok(())
}

pub(super) fn random<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    bench.fill();
    for step in 0..TRIES {
        let (at, len) = bench.draw(MAX);
        bench.at(len, at, step);
        let expected = bench.one_shot(at, len)?;
        let data = part(bench.data, at, len)?;
        let digest = in_parts(bench.hash, data, bench.vectors.digest_size, &mut bench.random)?;
        same("the digest of the parts", digest.bytes(), expected.bytes())?;
    }
    Ok(())
}

/// Hashes data in parts of random lengths, some of them empty, in request 0.
pub(super) fn in_parts<H: Hash>(
    hash: &mut H,
    mut data: &[u8],
    size: usize,
    random: &mut Random,
) -> Result<Digest, Stop> {
    let mut digest = Digest::new(size);
    hash.init(0)?;
    // One of eight goes on with all that is left.
    while !data.is_empty() && random.below(8) > 0 {
        let len = random.length(data.len());
        hash.update(0, part(data, 0, len)?)?;
        data = part(data, len, data.len() - len)?;
    }
    if random.below(2) == 0 {
        hash.finup(0, data, digest.bytes_mut())?;
    } else {
        hash.update(0, data)?;
        hash.finish(0, digest.bytes_mut())?;
    }
    Ok(digest)
}
