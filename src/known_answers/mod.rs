// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Known answers, checked at every load whatever the kernel's own self-tests are configured to do.

mod digests;

use crate::{
    blake2b::{self, Blake2b160, Blake2b256, Blake2b384, Blake2b512},
    dispatch::{Choice, Implementation},
    sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512},
};
use digests::*;
use kernel::{crypto::shash::Shash, transmute::zeroed};

/// Without a period that divides a block, so that swapped or skipped blocks show.
static MESSAGE: [u8; MESSAGE_SIZE] = {
    let mut message = [0; MESSAGE_SIZE];
    let mut i = 0;
    while i < MESSAGE_SIZE {
        message[i] = ((i * i + 7 * i) >> 3) as u8;
        i += 1;
    }
    message
};

/// Where the message is cut: the first part ends within a block of every size, after a whole one.
const CUT: usize = 203;

static KEY: [u8; 32] = {
    let mut key = [0; 32];
    let mut i = 0;
    while i < key.len() {
        key[i] = i as u8;
        i += 1;
    }
    key
};

/// BLAKE2b's answers, the first part of each message by `first`, the rest by `second`.
pub(crate) fn blake2b(choice: &Choice, first: Implementation, second: Implementation) -> bool {
    let none = zeroed();
    let mut key: blake2b::Key = zeroed();
    let keyed = Blake2b512::set_key(&mut key, &KEY).is_ok();
    keyed
        && answer::<Blake2b160>(choice, first, second, &none, &BLAKE2B_160)
        && answer::<Blake2b256>(choice, first, second, &none, &BLAKE2B_256)
        && answer::<Blake2b384>(choice, first, second, &none, &BLAKE2B_384)
        && answer::<Blake2b512>(choice, first, second, &none, &BLAKE2B_512)
        && answer::<Blake2b512>(choice, first, second, &key, &BLAKE2B_512_KEYED)
}

/// SHA-3's answers, the first part of each message by `first`, the rest by `second`.
pub(crate) fn sha3(choice: &Choice, first: Implementation, second: Implementation) -> bool {
    answer::<Sha3_224>(choice, first, second, &(), &SHA3_224)
        && answer::<Sha3_256>(choice, first, second, &(), &SHA3_256)
        && answer::<Sha3_384>(choice, first, second, &(), &SHA3_384)
        && answer::<Sha3_512>(choice, first, second, &(), &SHA3_512)
}

// Not inlined: one state on the stack at a time.
#[inline(never)]
fn answer<T: Shash>(
    choice: &Choice,
    first: Implementation,
    second: Implementation,
    key: &T::Key,
    expected: &[u8],
) -> bool {
    let (head, rest) = crate::bytes::split(&MESSAGE, CUT);
    let mut state = zeroed();
    T::init(&mut state, key);
    choice.set(first);
    T::update(&mut state, head);
    choice.set(second);
    T::finup(&mut state, rest);
    T::digest(&state).get(..T::DIGEST_SIZE) == Some(expected)
}
