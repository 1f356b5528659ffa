// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! What the tests share: an independent implementation of every hash, and messages.

mod guarded;
mod runner;

pub use crate::{
    guarded::{Guarded, PAGE},
    runner::HostHash,
};

use blake2::digest::{consts, Mac, Update, VariableOutput};
use blake2::{Blake2bMac, Blake2bVar};
use kernel::crypto::shash::Algorithm;
use neon_shash::{blake2b, sha3, Implementation, Variant, ALGORITHMS};
use sha3_reference::Digest;

use ::sha3 as sha3_reference;

/// All algorithms by generic name, with a NEON implementation chosen (a stand-in on other machines
/// than ARM).
pub fn algorithms() -> impl Iterator<Item = (&'static str, &'static Algorithm)> {
    algorithms_by(Implementation::Neon(Variant::A7))
}

/// All algorithms by generic name, with one implementation chosen for the whole program.
pub fn algorithms_by(
    implementation: Implementation,
) -> impl Iterator<Item = (&'static str, &'static Algorithm)> {
    blake2b::FAMILY.choice.set(implementation);
    sha3::FAMILY.choice.set(implementation);
    ALGORITHMS.iter().map(|algorithm| (algorithm.name().to_str().expect("ASCII"), algorithm))
}

/// One algorithm by its generic name.
pub fn algorithm(name: &str) -> &'static Algorithm {
    algorithms().find(|(found, _)| *found == name).expect("a known name").1
}

/// The digest by RustCrypto's `blake2` and `sha3`. An empty key means none.
pub fn reference(name: &str, key: &[u8], data: &[u8]) -> Vec<u8> {
    match (name, key) {
        ("blake2b-160", []) => blake2b_unkeyed(20, data),
        ("blake2b-256", []) => blake2b_unkeyed(32, data),
        ("blake2b-384", []) => blake2b_unkeyed(48, data),
        ("blake2b-512", []) => blake2b_unkeyed(64, data),
        ("blake2b-160", _) => blake2b_keyed::<Blake2bMac<consts::U20>>(key, data),
        ("blake2b-256", _) => blake2b_keyed::<Blake2bMac<consts::U32>>(key, data),
        ("blake2b-384", _) => blake2b_keyed::<Blake2bMac<consts::U48>>(key, data),
        ("blake2b-512", _) => blake2b_keyed::<Blake2bMac<consts::U64>>(key, data),
        ("sha3-224", []) => sha3_reference::Sha3_224::digest(data).to_vec(),
        ("sha3-256", []) => sha3_reference::Sha3_256::digest(data).to_vec(),
        ("sha3-384", []) => sha3_reference::Sha3_384::digest(data).to_vec(),
        ("sha3-512", []) => sha3_reference::Sha3_512::digest(data).to_vec(),
        _ => panic!("{name} with a key of {} bytes", key.len()),
    }
}

fn blake2b_unkeyed(size: usize, data: &[u8]) -> Vec<u8> {
    let mut hash = Blake2bVar::new(size).expect("a valid size");
    hash.update(data);
    let mut digest = vec![0; size];
    hash.finalize_variable(&mut digest).expect("the size asked for");
    digest
}

fn blake2b_keyed<M: Mac + NewKeyed>(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut mac = M::keyed(key);
    Mac::update(&mut mac, data);
    mac.finalize().into_bytes().to_vec()
}

/// BLAKE2b with a key of any length; the `KeyInit` of the crate takes only full-length keys.
trait NewKeyed {
    fn keyed(key: &[u8]) -> Self;
}

macro_rules! new_keyed {
    ($($size:ident)+) => {$(
        impl NewKeyed for Blake2bMac<consts::$size> {
            fn keyed(key: &[u8]) -> Self {
                Self::new_with_salt_and_personal(key, &[], &[]).expect("a key of 1 to 64 bytes")
            }
        }
    )+};
}
new_keyed!(U20 U32 U48 U64);

/// A message of `len` bytes that depends on the seed; no period divides a block.
pub fn message(seed: u32, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..len).map(|_| next()).collect()
}
