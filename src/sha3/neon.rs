// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The door to `asm/sha3-neon-core.S`.

use super::Lanes;
use kernel::{neon::KernelNeon, neon_call};

#[cfg(target_arch = "arm")]
extern "C" {
    fn neon_shash_sha3_absorb_neon(state: *mut u64, data: *const u8, nblocks: usize, rate: usize);
    fn neon_shash_sha3_permute_neon(state: *mut u64);
}

#[cfg(not(target_arch = "arm"))]
use stand_in::{neon_shash_sha3_absorb_neon, neon_shash_sha3_permute_neon};

/// Stand-ins on machines without the core, so that the state machines around it can be tested
/// there.
#[cfg(not(target_arch = "arm"))]
mod stand_in {
    use super::Lanes;
    use crate::sha3::generic;

    /// # Safety
    ///
    /// As the core's contract: `state` is `Lanes`, `data` has `nblocks` blocks of `rate` bytes.
    pub(super) unsafe fn neon_shash_sha3_absorb_neon(
        state: *mut u64,
        data: *const u8,
        nblocks: usize,
        rate: usize,
    ) {
        // SAFETY: By this function's contract.
        let (lanes, data) = unsafe {
            (&mut *state.cast::<Lanes>(), core::slice::from_raw_parts(data, nblocks * rate))
        };
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
    /// As the core's contract: `state` is `Lanes`.
    pub(super) unsafe fn neon_shash_sha3_permute_neon(state: *mut u64) {
        // SAFETY: By this function's contract.
        generic::permute(unsafe { &mut *state.cast::<Lanes>() });
    }
}

/// Absorbs the whole blocks of `data`.
pub(super) fn absorb<const RATE: usize>(section: &KernelNeon, lanes: &mut Lanes, data: &[u8]) {
    const {
        assert!(
            RATE == 144 || RATE == 136 || RATE == 104 || RATE == 72,
            "the core knows these rates"
        )
    };
    let nblocks = data.len() / RATE;
    // The core's loop is do-while.
    if nblocks == 0 {
        return;
    }
    // SAFETY: The section witnesses that NEON is ours. The lanes are ours alone; `data` has
    // `nblocks` > 0 whole blocks of one of the core's rates; the core reads no more and asks for no
    // alignment of it.
    unsafe {
        neon_call!(
            section,
            neon_shash_sha3_absorb_neon(lanes.as_mut_ptr(), data.as_ptr(), nblocks, RATE)
        )
    }
}

/// Keccak-f[1600].
pub(super) fn permute(section: &KernelNeon, lanes: &mut Lanes) {
    // SAFETY: The section witnesses that NEON is ours; the lanes are ours alone.
    unsafe { neon_call!(section, neon_shash_sha3_permute_neon(lanes.as_mut_ptr())) }
}
