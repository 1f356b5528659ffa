// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! BLAKE2b (RFC 7693), sequential mode: parameters, counter, key block, and the last block held
//! back.

mod generic;
mod neon;

use crate::{
    bytes::{copy_at, split},
    dispatch::{Run, Section},
    select::Family,
};
use kernel::{
    crypto::shash::{Shash, MAX_DIGEST_SIZE},
    plain_struct,
    prelude::*,
    transmute::{prefix, zeroed},
};

/// Bytes of a block.
pub const BLOCK_SIZE: usize = 128;
/// The longest key in bytes.
pub const MAX_KEY_SIZE: usize = 64;

/// What is chosen and checked for BLAKE2b as a whole.
pub static FAMILY: Family = Family::new::<Blake2b256>(c"blake2b");

const IV: [u64; 8] = [
    0x6a09e667f3bcc908,
    0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1,
    0x510e527fade682d1,
    0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179,
];

plain_struct! {
    /// What the compression function F reads and writes. The layout is the assembly's `u64
    /// state[12]`.
    pub struct Chain {
        /// Chained state.
        pub h: [u64; 8],
        /// Bytes compressed, low word first.
        pub t: [u64; 2],
        /// Finalisation flags.
        pub f: [u64; 2],
    }

    /// A message being hashed.
    pub struct State {
        /// Chained state, counter and flags.
        pub chain: Chain,
        buf: [u8; BLOCK_SIZE],
        /// Bytes in `buf`. From outside it may be anything: never trust it as an index.
        len: u32,
        _unused: u32,
    }

    /// The key of a transform; all zero without one.
    pub struct Key {
        bytes: [u8; MAX_KEY_SIZE],
        len: u32,
    }
}

impl State {
    /// The parameter block of sequential mode: digest length, key length, fanout 1, depth 1, the
    /// rest zero.
    fn begin(&mut self, digest_size: usize, key: &Key) {
        self.chain.h = IV;
        self.chain.h[0] ^= 0x0101_0000 | (u64::from(key.len) << 8) | digest_size as u64;
        if key.len > 0 {
            copy_at(&mut self.buf, 0, &key.bytes);
            self.len = BLOCK_SIZE as u32;
        }
    }

    /// The number of bytes in `buf`.
    fn buffered(&self) -> usize {
        (self.len as usize).min(BLOCK_SIZE)
    }

    fn buffer(&mut self, data: &[u8]) {
        let at = self.buffered();
        copy_at(&mut self.buf, at, data);
        self.len = (at + data.len()).min(BLOCK_SIZE) as u32;
    }

    /// Compresses all but the last 1..=128 bytes: the last block is compressed differently, and
    /// whether more data follows is not known yet.
    fn absorb(&mut self, run: &mut Run, data: &[u8]) {
        let (head, rest) = split(data, BLOCK_SIZE - self.buffered());
        if rest.is_empty() {
            return self.buffer(head);
        }
        if self.len > 0 {
            self.buffer(head);
            compress(run.piece(head.len()), &mut self.chain, &self.buf, BLOCK_SIZE as u32);
            self.len = 0;
            self.absorb_aligned(run, rest);
        } else {
            self.absorb_aligned(run, data);
        }
    }

    /// The same with an empty buffer and at least one byte of data.
    fn absorb_aligned(&mut self, run: &mut Run, data: &[u8]) {
        let last = (data.len().wrapping_sub(1) % BLOCK_SIZE) + 1;
        let (blocks, last) = split(data, data.len().saturating_sub(last));
        let chain = &mut self.chain;
        run.blocks(blocks, BLOCK_SIZE, |section, blocks| {
            compress(section, chain, blocks, BLOCK_SIZE as u32)
        });
        self.buffer(last);
    }

    fn update(&mut self, data: &[u8]) {
        self.absorb(&mut Run::new(&FAMILY.choice), data);
    }

    fn finup(&mut self, data: &[u8]) {
        let mut run = Run::new(&FAMILY.choice);
        self.absorb(&mut run, data);
        let len = self.buffered();
        if let Some(padding) = self.buf.get_mut(len..) {
            padding.fill(0);
        }
        self.chain.f[0] = u64::MAX;
        compress(run.piece(len.min(data.len())), &mut self.chain, &self.buf, len as u32);
    }
}

/// Compresses whole blocks, adding `inc` to the counter before each.
fn compress(section: Option<&Section>, chain: &mut Chain, blocks: &[u8], inc: u32) {
    match section {
        Some(section) => neon::compress(section, chain, blocks, inc),
        None => generic::compress(chain, blocks, inc),
    }
}

impl Key {
    fn set(&mut self, bytes: &[u8]) -> Result {
        if bytes.is_empty() || bytes.len() > MAX_KEY_SIZE {
            return Err(EINVAL);
        }
        *self = zeroed();
        copy_at(&mut self.bytes, 0, bytes);
        self.len = bytes.len() as u32;
        Ok(())
    }
}

macro_rules! algorithms {
    ($($name:ident = $cname:literal, $digest:literal;)+) => {$(
        #[doc = concat!("BLAKE2b with a digest of ", $digest, " bytes.")]
        pub struct $name;

        impl Shash for $name {
            const NAME: &'static CStr = $cname;
            const BLOCK_SIZE: usize = BLOCK_SIZE;
            const DIGEST_SIZE: usize = $digest;
            const KEYED: bool = true;
            type Key = Key;
            type State = State;

            fn set_key(key: &mut Key, bytes: &[u8]) -> Result {
                key.set(bytes)
            }

            fn init(state: &mut State, key: &Key) {
                state.begin($digest, key);
            }

            fn update(state: &mut State, data: &[u8]) {
                state.update(data);
            }

            fn finup(state: &mut State, data: &[u8]) {
                state.finup(data);
            }

            fn digest(state: &State) -> &[u8; MAX_DIGEST_SIZE] {
                // The digest is h as little-endian bytes, which is how this target stores it.
                prefix(&state.chain.h)
            }
        }
    )+};
}

algorithms! {
    Blake2b160 = c"blake2b-160", 20;
    Blake2b256 = c"blake2b-256", 32;
    Blake2b384 = c"blake2b-384", 48;
    Blake2b512 = c"blake2b-512", 64;
}
