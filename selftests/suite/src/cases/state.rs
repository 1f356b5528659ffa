// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The state of a message: where it may go, and what is left of it.

use crate::{
    bench::{check, part, same, Bench, Verdict},
    hash::{Hash, ONE_SHOT},
};

const INTERLEAVED: usize = 3;

/// By each of the calls that end a message, after short and long ones.
pub(super) fn wiped<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    bench.fill();
    let mut digest = bench.digest();
    for len in [0, 1, bench.vectors.block_size, 300, 5000] {
        bench.at(len, 0, 0);
        let data = part(bench.data, 0, len)?;
        bench.hash.init(0)?;
        bench.hash.update(0, data)?;
        bench.hash.finish(0, digest.bytes_mut())?;
        check("zeros after final", bench.hash.wiped(0)?)?;
        bench.hash.init(0)?;
        bench.hash.finup(0, data, digest.bytes_mut())?;
        check("zeros after finup", bench.hash.wiped(0)?)?;
        bench.hash.digest(data, digest.bytes_mut())?;
        check("zeros after digest", bench.hash.wiped(ONE_SHOT)?)?;
    }
    Ok(())
}

/// The copy gives the digest, and so does the original.
pub(super) fn copied<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    bench.fill();
    let len = 2 * bench.vectors.block_size + 1;
    let expected = bench.one_shot(0, len)?;
    let mut digest = bench.digest();
    for cut in 0..=len {
        bench.at(len, cut, 0);
        let (head, tail) = (part(bench.data, 0, cut)?, part(bench.data, cut, len - cut)?);
        bench.hash.init(0)?;
        bench.hash.update(0, head)?;
        // Something else was there.
        bench.hash.init(1)?;
        bench.hash.update(1, tail)?;
        bench.hash.copy(0, 1)?;
        bench.hash.finup(1, tail, digest.bytes_mut())?;
        same("the copy's digest", digest.bytes(), expected.bytes())?;
        bench.hash.finup(0, tail, digest.bytes_mut())?;
        same("the original's digest", digest.bytes(), expected.bytes())?;
    }
    Ok(())
}

/// Three messages of one transform, in turns.
pub(super) fn interleaved<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    bench.fill();
    for step in 0..12 {
        let mut messages = [(0, 0); INTERLEAVED];
        for (request, message) in messages.iter_mut().enumerate() {
            *message = bench.draw(3000);
            bench.hash.init(request)?;
        }
        let mut done = [0; INTERLEAVED];
        for _ in 0..20 {
            let request = bench.random.below(INTERLEAVED);
            let (Some((at, len)), Some(done)) = (messages.get(request), done.get_mut(request))
            else {
                continue;
            };
            let more = bench.random.length(len - *done);
            bench.hash.update(request, part(bench.data, at + *done, more)?)?;
            *done += more;
        }
        let mut digest = bench.digest();
        for (request, ((at, len), done)) in messages.into_iter().zip(done).enumerate() {
            bench.at(len, request, step);
            bench.hash.finup(
                request,
                part(bench.data, at + done, len - done)?,
                digest.bytes_mut(),
            )?;
            let expected = bench.one_shot(at, len)?;
            same("a message's digest", digest.bytes(), expected.bytes())?;
        }
    }
    Ok(())
}
