// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Slice helpers that cannot panic: they do what fits.

/// The first `n` bytes, or as many as there are, and the rest.
pub(crate) fn split(data: &[u8], n: usize) -> (&[u8], &[u8]) {
    data.split_at(n.min(data.len()))
}

/// Copies from `src` what fits behind the first `at` bytes of `dst`.
pub(crate) fn copy_at(dst: &mut [u8], at: usize, src: &[u8]) {
    let Some(dst) = dst.get_mut(at..) else { return };
    let n = dst.len().min(src.len());
    dst[..n].copy_from_slice(&src[..n]);
}

/// XORs into what lies behind the first `at` bytes of `dst` as much of `src` as fits.
pub(crate) fn xor_at(dst: &mut [u8], at: usize, src: &[u8]) {
    let Some(dst) = dst.get_mut(at..) else { return };
    let n = dst.len().min(src.len());
    let (dst, src) = (&mut dst[..n], &src[..n]);
    let (mut to, mut from) = (dst.chunks_exact_mut(4), src.chunks_exact(4));
    for (to, from) in to.by_ref().zip(from.by_ref()) {
        for (to, from) in to.iter_mut().zip(from) {
            *to ^= from;
        }
    }
    for (to, from) in to.into_remainder().iter_mut().zip(from.remainder()) {
        *to ^= from;
    }
}
