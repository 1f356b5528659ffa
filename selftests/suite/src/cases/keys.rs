// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! BLAKE2b with a key.

use super::splits::in_parts;
use crate::{
    bench::{check, part, part_mut, same, Bench, Digest, Stop, Verdict},
    hash::{Done, Hash, Trouble},
    random::Random,
};

const KEY_SEED: u32 = 0x6ee7;
const MESSAGE_SEED: u32 = 0x3e55;
const LENGTHS: [usize; 7] = [0, 1, 127, 128, 129, 256, 300];
const MAX_KEY: usize = 64;
const EINVAL: i32 = -22;

const NO_KEYS: Stop = Stop::Trouble(Trouble::Missing("a hash without keys"));
const SHARED: Stop = Stop::Trouble(Trouble::Missing("others use the transform"));

fn key(size: usize) -> [u8; 2 * MAX_KEY] {
    let mut key = [0; 2 * MAX_KEY];
    let len = key.len();
    Random::new(KEY_SEED + size as u32).fill(key.get_mut(..size.min(len)).unwrap_or(&mut []));
    key
}

fn set_key<H: Hash>(hash: &mut H, size: usize) -> Done {
    hash.set_key(key(size).get(..size).unwrap_or(&[]))
}

/// The digest of the digests of all, by the transform without a key.
pub(super) fn all<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    let expected = bench.vectors.all_keys.ok_or(NO_KEYS)?;
    let keyed = bench.keyed.take().ok_or(SHARED)?;
    Random::new(MESSAGE_SEED).fill(part_mut(bench.data, 0, 300)?);
    bench.hash.init(0)?;
    let mut digest = bench.digest();
    for size in 1..=MAX_KEY {
        set_key(keyed, size)?;
        for len in LENGTHS {
            bench.at(len, 0, size);
            keyed.digest(part(bench.data, 0, len)?, digest.bytes_mut())?;
            bench.hash.update(0, digest.bytes())?;
        }
    }
    bench.hash.finish(0, digest.bytes_mut())?;
    same("the digest of all keys' digests", digest.bytes(), expected)
}

/// A wrong key is refused and leaves the old one; with that a message may come in parts, and the
/// other transform has none.
pub(super) fn wrong<H: Hash>(bench: &mut Bench<'_, H>) -> Verdict {
    bench.vectors.all_keys.ok_or(NO_KEYS)?;
    let keyed = bench.keyed.take().ok_or(SHARED)?;
    bench.fill();
    let size = bench.vectors.digest_size;
    let one_shot = |hash: &mut H, data: &[u8]| -> Result<Digest, Stop> {
        let mut digest = Digest::new(size);
        hash.digest(data, digest.bytes_mut())?;
        Ok(digest)
    };
    for step in 0..20 {
        let (at, len) = bench.draw(2000);
        bench.at(len, at, step);
        let data = part(bench.data, at, len)?;
        set_key(keyed, 1 + bench.random.below(MAX_KEY))?;
        let expected = one_shot(keyed, data)?;
        for wrong in [MAX_KEY + 1, 2 * MAX_KEY] {
            let refused = set_key(keyed, wrong) == Err(Trouble::Errno(EINVAL));
            check("a key that is too long is refused with EINVAL", refused)?;
        }
        let after = one_shot(keyed, data)?;
        same("the digest after a refused key", after.bytes(), expected.bytes())?;
        let parts = in_parts(keyed, data, size, &mut bench.random)?;
        same("the digest of the parts", parts.bytes(), expected.bytes())?;
        let plain = one_shot(bench.hash, data)?;
        check("the key is in the digest", plain.bytes() != expected.bytes())?;
    }
    Ok(())
}
