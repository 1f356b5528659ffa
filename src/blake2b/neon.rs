// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The door to BLAKE2b's NEON cores, `asm/blake2b-neon-*.S`.

use super::{Chain, BLOCK_SIZE};
use crate::dispatch::{Section, Variant};
use core::mem::{offset_of, size_of};
use kernel::neon_call;

/// `state` is a [`Chain`], `data` has `nblocks` blocks, at least one; `inc` goes into the counter
/// before each.
type Compress = unsafe extern "C" fn(state: *mut u64, data: *const u8, nblocks: usize, inc: u32);

#[cfg(target_arch = "arm")]
fn core(variant: Variant) -> Compress {
    extern "C" {
        fn neon_shash_blake2b_compress_neon_a7(_: *mut u64, _: *const u8, _: usize, _: u32);
        fn neon_shash_blake2b_compress_neon_a8(_: *mut u64, _: *const u8, _: usize, _: u32);
    }
    match variant {
        Variant::A7 => neon_shash_blake2b_compress_neon_a7,
        Variant::A8 => neon_shash_blake2b_compress_neon_a8,
    }
}

/// Machines without the cores test the state machines around them with portable code.
#[cfg(not(target_arch = "arm"))]
fn core(_: Variant) -> Compress {
    /// # Safety
    ///
    /// As for [`Compress`].
    unsafe extern "C" fn stand_in(state: *mut u64, data: *const u8, nblocks: usize, inc: u32) {
        let len = nblocks * BLOCK_SIZE;
        // SAFETY: By this function's contract.
        let data = unsafe { core::slice::from_raw_parts(data, len) };
        // SAFETY: By this function's contract.
        super::generic::compress(unsafe { &mut *state.cast::<Chain>() }, data, inc);
    }
    stand_in
}

const _: () = {
    assert!(size_of::<Chain>() == 12 * 8);
    assert!(offset_of!(Chain, h) == 0 && offset_of!(Chain, t) == 64 && offset_of!(Chain, f) == 80);
};

/// Compresses the whole blocks of `data`, adding `inc` to the counter before each.
pub(super) fn compress(section: &Section, chain: &mut Chain, data: &[u8], inc: u32) {
    let nblocks = data.len() / BLOCK_SIZE;
    // The cores' loop is do-while.
    if nblocks == 0 {
        return;
    }
    let core = core(section.variant);
    let state = core::ptr::from_mut(chain).cast::<u64>();
    // SAFETY: The section witnesses that NEON is ours. `state` has the layout asserted above and is
    // ours alone; `data` has `nblocks` > 0 whole blocks; the core reads no more and asks for no
    // alignment of it.
    unsafe { neon_call!(&section.neon, core(state, data.as_ptr(), nblocks, inc)) }
}
