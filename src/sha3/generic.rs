// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Keccak-f[1600] in portable Rust (FIPS 202, section 3.3).
//!
//! The step mappings work in place and are not inlined: unrolled together they are hardly faster
//! where registers are 32 bits wide, and take a stack frame of several hundred bytes.

use super::Lanes;

/// Round constants of iota.
const RC: [u64; 24] = [
    0x0000000000000001,
    0x0000000000008082,
    0x800000000000808a,
    0x8000000080008000,
    0x000000000000808b,
    0x0000000080000001,
    0x8000000080008081,
    0x8000000000008009,
    0x000000000000008a,
    0x0000000000000088,
    0x0000000080008009,
    0x000000008000000a,
    0x000000008000808b,
    0x800000000000008b,
    0x8000000000008089,
    0x8000000000008003,
    0x8000000000008002,
    0x8000000000000080,
    0x000000000000800a,
    0x800000008000000a,
    0x8000000080008081,
    0x8000000000008080,
    0x0000000080000001,
    0x8000000080008008,
];

/// Absorbs the whole blocks of `data`.
pub(super) fn absorb<const RATE: usize>(lanes: &mut Lanes, data: &[u8]) {
    for block in data.chunks_exact(RATE) {
        for (lane, bytes) in lanes.iter_mut().zip(block.chunks_exact(8)) {
            let mut le = [0; 8];
            le.copy_from_slice(bytes);
            *lane ^= u64::from_le_bytes(le);
        }
        permute(lanes);
    }
}

/// Keccak-f[1600].
pub(super) fn permute(lanes: &mut Lanes) {
    for rc in RC {
        theta(lanes);
        rho_pi(lanes);
        chi(lanes);
        lanes[0] ^= rc;
    }
}

#[inline(never)]
fn theta(a: &mut Lanes) {
    let mut c = [0; 5];
    for (x, parity) in c.iter_mut().enumerate() {
        *parity = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    }
    for x in 0..5 {
        let d = c[(x + 4) % 5] ^ c[(x + 1) % 5].rotate_left(1);
        for y in 0..5 {
            a[x + 5 * y] ^= d;
        }
    }
}

/// Pi is one cycle over all lanes but lane 0: here in its order, beginning behind lane 1, each lane
/// with rho's rotation of what moves there.
#[inline(never)]
fn rho_pi(a: &mut Lanes) {
    let mut moving = a[1];
    macro_rules! moves {
        // Unrolled, for constant indices and rotations.
        ($($to:literal $rotation:literal,)+) => {
            $(moving = core::mem::replace(&mut a[$to], moving.rotate_left($rotation));)+
        };
    }
    moves! {
        10 1, 7 3, 11 6, 17 10, 18 15, 3 21,
        5 28, 16 36, 8 45, 21 55, 24 2, 4 14,
        15 27, 23 41, 19 56, 13 8, 12 25, 2 43,
        20 62, 14 18, 22 39, 9 61, 6 20, 1 44,
    }
    // Back at lane 1, from where the cycle began.
    let _ = moving;
}

#[inline(never)]
fn chi(a: &mut Lanes) {
    for row in a.chunks_exact_mut(5) {
        let b: [u64; 5] = [row[0], row[1], row[2], row[3], row[4]];
        for x in 0..5 {
            row[x] = b[x] ^ (!b[(x + 1) % 5] & b[(x + 2) % 5]);
        }
    }
}
