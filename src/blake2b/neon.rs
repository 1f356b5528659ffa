// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The door to `asm/blake2b-neon-core.S`.

use super::{Chain, BLOCK_SIZE};
use core::mem::{offset_of, size_of};
use kernel::{neon::KernelNeon, neon_call};

#[cfg(target_arch = "arm")]
extern "C" {
    fn neon_shash_blake2b_compress_neon(state: *mut u64, data: *const u8, nblocks: usize, inc: u32);
}

/// Stand-in on machines without the core, so that the state machines around it can be tested there.
///
/// # Safety
///
/// As the core's contract: `state` is a `Chain`, `data` has `nblocks` blocks.
#[cfg(not(target_arch = "arm"))]
unsafe fn neon_shash_blake2b_compress_neon(
    state: *mut u64,
    data: *const u8,
    nblocks: usize,
    inc: u32,
) {
    // SAFETY: By this function's contract.
    let (chain, data) = unsafe {
        (&mut *state.cast::<Chain>(), core::slice::from_raw_parts(data, nblocks * BLOCK_SIZE))
    };
    super::generic::compress(chain, data, inc);
}

const _: () = {
    assert!(size_of::<Chain>() == 12 * 8);
    assert!(offset_of!(Chain, h) == 0 && offset_of!(Chain, t) == 64 && offset_of!(Chain, f) == 80);
};

/// Compresses the whole blocks of `data`, adding `inc` to the counter before each.
pub(super) fn compress(section: &KernelNeon, chain: &mut Chain, data: &[u8], inc: u32) {
    let nblocks = data.len() / BLOCK_SIZE;
    // The core's loop is do-while.
    if nblocks == 0 {
        return;
    }
    let state = core::ptr::from_mut(chain).cast::<u64>();
    // SAFETY: The section witnesses that NEON is ours. `state` has the layout asserted above and is
    // ours alone; `data` has `nblocks` > 0 whole blocks; the core reads no more and asks for no
    // alignment of it.
    unsafe {
        neon_call!(section, neon_shash_blake2b_compress_neon(state, data.as_ptr(), nblocks, inc))
    }
}
