// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! BLAKE2b's compression function F in portable Rust (RFC 7693, section 3).

use super::{Chain, BLOCK_SIZE, IV};

/// Message schedule: the words that each round takes, in order.
const SIGMA: [[u8; 16]; 12] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
];

/// Compresses the whole blocks of `data`, adding `inc` to the counter before each.
pub(super) fn compress(chain: &mut Chain, data: &[u8], inc: u32) {
    for block in data.chunks_exact(BLOCK_SIZE) {
        let (low, carry) = chain.t[0].overflowing_add(u64::from(inc));
        chain.t[0] = low;
        chain.t[1] = chain.t[1].wrapping_add(u64::from(carry));
        compress_block(chain, &words(block));
    }
}

/// The block as little-endian words.
fn words(block: &[u8]) -> [u64; 16] {
    let mut m = [0; 16];
    for (word, bytes) in m.iter_mut().zip(block.chunks_exact(8)) {
        let mut le = [0; 8];
        le.copy_from_slice(bytes);
        *word = u64::from_le_bytes(le);
    }
    m
}

fn compress_block(chain: &mut Chain, m: &[u64; 16]) {
    let mut v = [0; 16];
    v[..8].copy_from_slice(&chain.h);
    v[8..].copy_from_slice(&IV);
    v[12] ^= chain.t[0];
    v[13] ^= chain.t[1];
    v[14] ^= chain.f[0];
    v[15] ^= chain.f[1];

    for s in &SIGMA {
        // The mask tells the compiler what the table already guarantees, and so spares a bounds
        // check.
        let word = |i: usize| m[usize::from(s[i] & 15)];
        g(&mut v, [0, 4, 8, 12], word(0), word(1));
        g(&mut v, [1, 5, 9, 13], word(2), word(3));
        g(&mut v, [2, 6, 10, 14], word(4), word(5));
        g(&mut v, [3, 7, 11, 15], word(6), word(7));
        g(&mut v, [0, 5, 10, 15], word(8), word(9));
        g(&mut v, [1, 6, 11, 12], word(10), word(11));
        g(&mut v, [2, 7, 8, 13], word(12), word(13));
        g(&mut v, [3, 4, 9, 14], word(14), word(15));
    }
    for (i, h) in chain.h.iter_mut().enumerate() {
        *h ^= v[i] ^ v[i + 8];
    }
}

/// The mixing function G on four words of v.
#[inline(always)]
fn g(v: &mut [u64; 16], [a, b, c, d]: [usize; 4], x: u64, y: u64) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(32);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(24);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(63);
}
