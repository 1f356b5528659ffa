// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Every way to feed a message gives the reference's digest.

use kernel::{
    error::code::EINVAL,
    host::{sections, set_simd, Simd},
};
use selftests_host::{algorithm, algorithms, message, reference};

/// Lengths around the places where something changes: blocks, the 4096 bytes of a NEON section,
/// both.
fn edges(block: usize) -> Vec<usize> {
    let centres = [0, block, 2 * block, 3 * block, 4096 - block, 4096, 4096 + block, 8192, 12288];
    let mut lengths: Vec<usize> =
        centres.iter().flat_map(|centre| centre.saturating_sub(2)..=centre + 2).collect();
    lengths.dedup();
    lengths
}

#[test]
fn all_lengths() {
    for (name, algorithm) in algorithms() {
        let mut transform = algorithm.transform();
        let data = message(1, 4097 + 256);
        for len in (0..=1025).chain(4096 - 256..=4096 + 256) {
            for simd in [Simd::Usable, Simd::Refused] {
                set_simd(simd);
                assert_eq!(
                    transform.digest(&data[..len]),
                    reference(name, &[], &data[..len]),
                    "{name}, {len} bytes, {simd:?}"
                );
            }
        }
    }
}

#[test]
fn two_parts_cut_at_every_edge() {
    for (name, algorithm) in algorithms() {
        let mut transform = algorithm.transform();
        let lengths = edges(transform.block_size());
        let data = message(2, 13_000);
        for &cut in &lengths {
            for &len in lengths.iter().filter(|&&len| len >= cut) {
                let mut request = transform.request();
                request.update(&data[..cut]);
                let expected = reference(name, &[], &data[..len]);
                assert_eq!(
                    request.clone().finup(&data[cut..len]),
                    expected,
                    "{name}, {cut} of {len}"
                );
                // final alone: on newer kernels finup with nothing.
                request.update(&data[cut..len]);
                assert_eq!(request.finup(&[]), expected, "{name}, {cut} of {len}, final");
            }
        }
    }
}

#[test]
fn a_wrong_key_leaves_the_old_one() {
    let mut transform = algorithm("blake2b-256").transform();
    assert_eq!(transform.set_key(&[]), Err(EINVAL));
    assert_eq!(transform.digest(b"x"), reference("blake2b-256", &[], b"x"));
    transform.set_key(b"key").unwrap();
    for wrong in [0, 65, 128] {
        assert_eq!(transform.set_key(&vec![7; wrong]), Err(EINVAL));
        assert_eq!(transform.digest(b"x"), reference("blake2b-256", b"key", b"x"));
    }
}

#[test]
fn sha3_takes_no_key() {
    for (name, algorithm) in algorithms() {
        assert_eq!(algorithm.transform().has_setkey(), name.starts_with("blake2b"), "{name}");
    }
}

/// BLAKE2b's byte counter is 128 bits wide: start near the carries.
#[test]
fn counter_carries() {
    const COUNTER: usize = 64;
    let data = message(6, 1000);
    let mut transform = algorithm("blake2b-512").transform();
    for low in [u64::from(u32::MAX) - 200, u64::MAX - 200] {
        let mut after = |simd| {
            set_simd(simd);
            let mut request = transform.request();
            let mut state = request.export();
            state[COUNTER..COUNTER + 8].copy_from_slice(&low.to_le_bytes());
            request.import(&state);
            request.update(&data);
            let state = request.export();
            let word = |at: usize| u64::from_le_bytes(state[at..at + 8].try_into().unwrap());
            (word(COUNTER), word(COUNTER + 8), request.finup(&[]))
        };
        let (neon, portable) = (after(Simd::Usable), after(Simd::Refused));
        assert_eq!(neon, portable);
        // 1000 bytes are seven blocks and the one held back.
        let (sum, carry) = low.overflowing_add(7 * 128);
        assert_eq!((neon.0, neon.1), (sum, u64::from(carry)));
    }
}

/// The kernel promises nothing about an imported state: whatever it is, nothing may fault.
#[test]
fn imported_garbage_is_harmless() {
    for (name, algorithm) in algorithms() {
        let mut transform = algorithm.transform();
        for fill in [0x00, 0x7f, 0x80, 0xff] {
            let mut request = transform.request();
            let size = request.export().len();
            request.import(&vec![fill; size]);
            request.update(&message(7, 5000));
            assert_eq!(request.finup(&message(8, 300)).len(), transform.digest_size(), "{name}");
        }
    }
}

#[test]
fn a_verity_block_is_one_section() {
    set_simd(Simd::Usable);
    for (name, algorithm) in algorithms() {
        let mut transform = algorithm.transform();
        for salt in [0, 1, 20, 32, 64, 128, 136, 256] {
            let mut salted = transform.request();
            salted.update(&message(9, salt));
            let before = sections();
            salted.finup(&message(10, 4096));
            assert_eq!(sections() - before, 1, "{name}, salt of {salt} bytes");
        }
        // And longer messages take no more than one for each 4096 bytes, and one that such parts
        // leave over.
        for len in [4097, 8192, 65_536, 100_000] {
            let before = sections();
            transform.digest(&message(11, len));
            let used = sections() - before;
            assert!(
                (len.div_ceil(4096)..=len.div_ceil(3968)).contains(&used),
                "{name}, {len}: {used}"
            );
        }
    }
}

#[test]
fn no_section_without_simd() {
    set_simd(Simd::Refused);
    let before = sections();
    for (_, algorithm) in algorithms() {
        algorithm.transform().digest(&message(12, 10_000));
    }
    assert_eq!(sections(), before);
}
