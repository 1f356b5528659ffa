// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The door to SHA-3's NEON cores, `asm/sha3-neon-*.S`.

use super::Lanes;
use crate::dispatch::{Section, Variant};
use kernel::neon_call;

/// `state` is [`Lanes`], `data` has `nblocks` blocks of `rate` bytes, at least one.
type Absorb = unsafe extern "C" fn(state: *mut u64, data: *const u8, nblocks: usize, rate: usize);

/// `state` is [`Lanes`].
type Permute = unsafe extern "C" fn(state: *mut u64);

#[cfg(target_arch = "arm")]
fn core(variant: Variant) -> (Absorb, Permute) {
    extern "C" {
        fn neon_shash_sha3_absorb_neon_a7(_: *mut u64, _: *const u8, _: usize, _: usize);
        fn neon_shash_sha3_absorb_neon_a8(_: *mut u64, _: *const u8, _: usize, _: usize);
        fn neon_shash_sha3_permute_neon_a7(_: *mut u64);
        fn neon_shash_sha3_permute_neon_a8(_: *mut u64);
    }
    match variant {
        Variant::A7 => (neon_shash_sha3_absorb_neon_a7, neon_shash_sha3_permute_neon_a7),
        Variant::A8 => (neon_shash_sha3_absorb_neon_a8, neon_shash_sha3_permute_neon_a8),
    }
}

/// Machines without the cores test the state machines around them with portable code.
#[cfg(not(target_arch = "arm"))]
fn core(_: Variant) -> (Absorb, Permute) {
    use super::generic;

    /// # Safety
    ///
    /// As for [`Absorb`].
    unsafe extern "C" fn absorb(state: *mut u64, data: *const u8, nblocks: usize, rate: usize) {
        // SAFETY: By this function's contract.
        let data = unsafe { core::slice::from_raw_parts(data, nblocks * rate) };
        // SAFETY: By this function's contract.
        let lanes = unsafe { &mut *state.cast::<Lanes>() };
        match rate {
            144 => generic::absorb::<144>(lanes, data),
            136 => generic::absorb::<136>(lanes, data),
            104 => generic::absorb::<104>(lanes, data),
            72 => generic::absorb::<72>(lanes, data),
            _ => unreachable!("no SHA-3 has a rate of {rate}"),
        }
    }

    /// # Safety
    ///
    /// As for [`Permute`].
    unsafe extern "C" fn permute(state: *mut u64) {
        // SAFETY: By this function's contract.
        generic::permute(unsafe { &mut *state.cast::<Lanes>() });
    }

    (absorb, permute)
}

/// Absorbs the whole blocks of `data`.
pub(super) fn absorb<const RATE: usize>(section: &Section, lanes: &mut Lanes, data: &[u8]) {
    const { assert!(matches!(RATE, 144 | 136 | 104 | 72), "the cores know these rates") };
    let nblocks = data.len() / RATE;
    // The cores' loop is do-while.
    if nblocks == 0 {
        return;
    }
    let (core, _) = core(section.variant);
    // SAFETY: The section witnesses that NEON is ours. The lanes are ours alone; `data` has
    // `nblocks` > 0 whole blocks of one of the cores' rates; the core reads no more and asks for no
    // alignment of it.
    unsafe { neon_call!(&section.neon, core(lanes.as_mut_ptr(), data.as_ptr(), nblocks, RATE)) }
}

/// Keccak-f[1600].
pub(super) fn permute(section: &Section, lanes: &mut Lanes) {
    let (_, core) = core(section.variant);
    // SAFETY: The section witnesses that NEON is ours; the lanes are ours alone.
    unsafe { neon_call!(&section.neon, core(lanes.as_mut_ptr())) }
}
