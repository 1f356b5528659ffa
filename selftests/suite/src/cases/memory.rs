// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Where data and digest lie.

use crate::{
    bench::{check, part, part_mut, same, Bench, Stop, Verdict},
    hash::Hash,
    random::Random,
};

const CANARY: u8 = 0xc3;
const OVERLAPS: usize = 60;

/// Lengths around a block and a page.
fn lengths(block: usize) -> [usize; 8] {
    [0, 1, 33, block - 1, block, block + 1, 4096 - block + 1, 4096]
}

/// The same message at every alignment, its digest too.
pub(super) fn alignments<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    let size = bench.vectors.digest_size;
    for len in lengths(bench.vectors.block_size) {
        let source = Random::new(len as u32);
        source.clone().fill(part_mut(bench.data, 0, len)?);
        let expected = bench.one_shot(0, len)?;
        for offset in 1..=32 {
            bench.at(len, offset, 0);
            source.clone().fill(part_mut(bench.data, offset, len)?);
            let out = part_mut(bench.out, offset, size)?;
            bench.hash.digest(part(bench.data, offset, len)?, out)?;
            same("the digest", out, expected.bytes())?;
        }
    }
    Ok(())
}

/// Data and digest begin where their pages begin, then end where those end.
pub(super) fn edges<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    let size = bench.vectors.digest_size;
    let (data_end, out_end) = (bench.data.len(), bench.out.len());
    let short = 0..=2 * bench.vectors.block_size + 2;
    for len in short.chain(4096 - 3..=4096 + 3).chain([data_end - 1, data_end]) {
        let source = Random::new(len as u32);
        source.clone().fill(part_mut(bench.data, 0, len)?);
        bench.at(len, 0, 0);
        let out = part_mut(bench.out, 0, size)?;
        bench.hash.digest(part(bench.data, 0, len)?, out)?;
        let mut first = bench.digest();
        first.bytes_mut().copy_from_slice(part(bench.out, 0, size)?);

        let at = data_end - len;
        bench.at(len, at, 0);
        source.clone().fill(part_mut(bench.data, at, len)?);
        let data = part(bench.data, at, len)?;
        let (head, tail) = (part(data, 0, len / 2)?, part(data, len / 2, len - len / 2)?);
        let out = part_mut(bench.out, out_end - size, size)?;
        bench.hash.init(0)?;
        bench.hash.update(0, head)?;
        bench.hash.finup(0, tail, out)?;
        same("the digest at the end", out, first.bytes())?;
    }
    Ok(())
}

/// The bytes around the digest, and the message, stay as they were.
pub(super) fn beside<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    let size = bench.vectors.digest_size;
    for len in lengths(bench.vectors.block_size) {
        for at in [1, 8, 67] {
            bench.at(len, at, 0);
            let source = Random::new(len as u32 + 1);
            source.clone().fill(bench.data);
            bench.out.fill(CANARY);
            let data = part(bench.data, at, len)?;
            bench.hash.digest(data, part_mut(bench.out, at, size)?)?;
            beside_one(bench.out, at, size)?;
            bench.hash.init(0)?;
            bench.hash.update(0, data)?;
            bench.hash.finish(0, part_mut(bench.out, at, size)?)?;
            beside_one(bench.out, at, size)?;
            check("the message is as it was", is_stream(source, bench.data))?;
        }
    }
    Ok(())
}

fn beside_one(out: &[u8], at: usize, size: usize) -> Verdict {
    let intact = |bytes: &[u8]| bytes.iter().all(|byte| *byte == CANARY);
    check("the bytes before the digest", intact(part(out, 0, at)?))?;
    let after = at + size;
    check("the bytes after the digest", intact(part(out, after, out.len() - after)?))
}

fn is_stream(mut source: Random, bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == (source.next_u32() >> 24) as u8)
}

/// Before, within, across both ends, after: digest and message share a buffer.
pub(super) fn overlap<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    let size = bench.vectors.digest_size;
    for step in 0..OVERLAPS {
        let len = bench.random.length(4200);
        let start = 64 + bench.random.below(64);
        // From just before the message to just behind it.
        let out = start - size + bench.random.below(len + size + 1);
        bench.at(len, out, step);
        let source = Random::new(bench.random.next_u32());
        source.clone().fill(bench.data);
        let expected = bench.one_shot(start, len)?;
        let request = if bench.random.below(2) == 0 { None } else { Some(0) };
        if let Some(request) = request {
            bench.hash.init(request)?;
        }
        bench.hash.overlapping(request, bench.data, start..start + len, out)?;
        same("the digest", part(bench.data, out, size)?, expected.bytes())?;
        untouched(source, bench.data, out, size)?;
    }
    Ok(())
}

/// All but the digest is the message still.
fn untouched(mut source: Random, data: &mut [u8], out: usize, size: usize) -> Result<(), Stop> {
    let mut intact = true;
    for (at, byte) in data.iter().enumerate() {
        let expected = (source.next_u32() >> 24) as u8;
        intact &= *byte == expected || (out..out + size).contains(&at);
    }
    check("what lies beside the digest", intact)
}
