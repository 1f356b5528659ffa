// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! SHA-3 (FIPS 202): the sponge over Keccak-f[1600], its padding, the four algorithms.

mod generic;
mod neon;

use crate::{
    bytes::{split, xor_at},
    dispatch::{Run, Section},
    select::Family,
};
use kernel::{
    crypto::shash::{Shash, MAX_DIGEST_SIZE},
    plain_struct,
    prelude::*,
    transmute::{as_bytes_mut, prefix},
};

/// The permutation's state: lane x + 5y, little-endian.
pub type Lanes = [u64; 25];

/// What is chosen and checked for SHA-3 as a whole.
pub static FAMILY: Family = Family::new::<Sha3_256>(c"sha3");

plain_struct! {
    /// A message being hashed. Partial blocks are XORed into the state at once, so there is no
    /// buffer.
    pub struct State {
        lanes: Lanes,
        /// Bytes of the current block that are in `lanes`. From outside it may be anything: never
        /// trust it as an index.
        pos: u32,
        _unused: u32,
    }
}

impl State {
    /// Bytes of the current block that are in the state, less than a block.
    fn pos<const RATE: usize>(&self) -> usize {
        (self.pos as usize).min(RATE - 1)
    }

    fn xor(&mut self, at: usize, data: &[u8]) {
        xor_at(as_bytes_mut(&mut self.lanes), at, data);
    }

    fn absorb<const RATE: usize>(&mut self, run: &mut Run, data: &[u8]) {
        let pos = self.pos::<RATE>();
        if pos == 0 {
            return self.absorb_aligned::<RATE>(run, data);
        }
        let (head, rest) = split(data, RATE - pos);
        self.xor(pos, head);
        if pos + head.len() < RATE {
            self.pos = (pos + head.len()) as u32;
            return;
        }
        permute(run.piece(head.len()), &mut self.lanes);
        self.absorb_aligned::<RATE>(run, rest);
    }

    /// The same at the beginning of a block.
    fn absorb_aligned<const RATE: usize>(&mut self, run: &mut Run, data: &[u8]) {
        let tail = data.len() % RATE;
        let (blocks, tail) = split(data, data.len().saturating_sub(tail));
        let lanes = &mut self.lanes;
        run.blocks(blocks, RATE, |section, blocks| absorb::<RATE>(section, lanes, blocks));
        self.xor(0, tail);
        self.pos = tail.len() as u32;
    }

    fn update<const RATE: usize>(&mut self, data: &[u8]) {
        self.absorb::<RATE>(&mut Run::new(&FAMILY.choice), data);
    }

    fn finup<const RATE: usize>(&mut self, data: &[u8]) {
        let mut run = Run::new(&FAMILY.choice);
        self.absorb::<RATE>(&mut run, data);
        let pos = self.pos::<RATE>();
        // The suffix 01 of SHA-3, then pad10*1 to the end of the block.
        self.xor(pos, &[0x06]);
        self.xor(RATE - 1, &[0x80]);
        permute(run.piece(pos.min(data.len())), &mut self.lanes);
    }
}

/// Absorbs whole blocks: XOR a block, permute, and so on.
fn absorb<const RATE: usize>(section: Option<&Section>, lanes: &mut Lanes, blocks: &[u8]) {
    match section {
        Some(section) => neon::absorb::<RATE>(section, lanes, blocks),
        None => generic::absorb::<RATE>(lanes, blocks),
    }
}

/// Keccak-f[1600] alone, for blocks that were XORed in piecemeal.
fn permute(section: Option<&Section>, lanes: &mut Lanes) {
    match section {
        Some(section) => neon::permute(section, lanes),
        None => generic::permute(lanes),
    }
}

macro_rules! algorithms {
    ($($name:ident = $cname:literal, $digest:literal;)+) => {$(
        #[doc = concat!("SHA-3 with a digest of ", $digest, " bytes.")]
        #[allow(non_camel_case_types, reason = "the standard's own spelling, SHA3-256 and so on")]
        pub struct $name;

        impl $name {
            /// The capacity is twice the digest's size; the rest of the 200 bytes is the rate.
            const RATE: usize = 200 - 2 * $digest;
        }

        impl Shash for $name {
            const NAME: &'static CStr = $cname;
            const BLOCK_SIZE: usize = Self::RATE;
            const DIGEST_SIZE: usize = $digest;
            type Key = ();
            type State = State;

            // The sponge begins all zero.
            fn init(_: &mut State, _: &()) {}

            fn update(state: &mut State, data: &[u8]) {
                state.update::<{ Self::RATE }>(data);
            }

            fn finup(state: &mut State, data: &[u8]) {
                state.finup::<{ Self::RATE }>(data);
            }

            fn digest(state: &State) -> &[u8; MAX_DIGEST_SIZE] {
                // Every digest is shorter than its rate: one squeeze, the state's first bytes.
                prefix(&state.lanes)
            }
        }
    )+};
}

algorithms! {
    Sha3_224 = c"sha3-224", 28;
    Sha3_256 = c"sha3-256", 32;
    Sha3_384 = c"sha3-384", 48;
    Sha3_512 = c"sha3-512", 64;
}
