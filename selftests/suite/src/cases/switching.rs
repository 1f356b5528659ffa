// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! One implementation goes on where another has left off.

use super::splits::in_parts;
use crate::{
    bench::{part, same, Bench, Verdict},
    hash::{Hash, Simd},
};

const TRIES: usize = 40;

/// Whole messages without SIMD.
pub(super) fn refused<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    bench.hash.set_simd(Simd::Usable)?;
    bench.fill();
    for step in 0..TRIES {
        let (at, len) = bench.draw(5000);
        bench.at(len, at, step);
        bench.hash.set_simd(Simd::Usable)?;
        let expected = bench.one_shot(at, len)?;
        bench.hash.set_simd(Simd::Refused)?;
        let digest = bench.one_shot(at, len)?;
        same("the digest without SIMD", digest.bytes(), expected.bytes())?;
    }
    Ok(())
}

/// SIMD comes and goes while a message is hashed.
pub(super) fn midway<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    bench.hash.set_simd(Simd::Usable)?;
    bench.fill();
    for step in 0..TRIES {
        let (at, len) = bench.draw(9000);
        bench.at(len, at, step);
        bench.hash.set_simd(Simd::Usable)?;
        let expected = bench.one_shot(at, len)?;
        bench.hash.set_simd(Simd::Random(bench.random.next_u32()))?;
        let data = part(bench.data, at, len)?;
        let digest = in_parts(bench.hash, data, bench.vectors.digest_size, &mut bench.random)?;
        same("the digest with both", digest.bytes(), expected.bytes())?;
    }
    Ok(())
}

/// Every implementation does a part of each message.
pub(super) fn implementations<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    bench.hash.set_implementation(0)?;
    bench.fill();
    let mut digest = bench.digest();
    for step in 0..TRIES {
        let (at, len) = bench.draw(5000);
        bench.at(len, at, step);
        bench.hash.set_implementation(0)?;
        let expected = bench.one_shot(at, len)?;
        bench.hash.init(0)?;
        let mut done = 0;
        for turn in 0..6 {
            bench.hash.set_implementation(step as u32 + turn)?;
            let more = bench.random.length(len - done);
            bench.hash.update(0, part(bench.data, at + done, more)?)?;
            done += more;
        }
        bench.hash.finup(0, part(bench.data, at + done, len - done)?, digest.bytes_mut())?;
        same("the digest by all of them", digest.bytes(), expected.bytes())?;
    }
    Ok(())
}
