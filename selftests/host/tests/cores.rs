// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The NEON cores against the portable code, at every length and alignment, right up to memory that
//! is not there.
#![cfg(target_arch = "arm")]

use kernel::host::{sections, set_simd, Simd, Transform};
use neon_shash::{Implementation, Variant};
use selftests_host::{algorithms_by, message, Guarded};
use std::sync::{Mutex, PoisonError};

fn lengths() -> impl Iterator<Item = usize> {
    (0..=1025).chain(4096 - 145..=4096 + 145)
}

/// Runs a check with every core; one at a time, since the choice is the whole program's.
fn with_every_core(check: impl Fn(&str, &mut Transform)) {
    static CHOICE: Mutex<()> = Mutex::new(());
    let _choice = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
    for variant in [Variant::A7, Variant::A8] {
        for (name, algorithm) in algorithms_by(Implementation::Neon(variant)) {
            check(&format!("{name}, {variant:?}"), &mut algorithm.transform());
        }
    }
}

/// Compares NEON with portable code.
fn compare(what: &str, transform: &mut Transform, part: &[u8]) {
    set_simd(Simd::Refused);
    let portable = transform.digest(part);
    set_simd(Simd::Usable);
    let before = sections();
    assert_eq!(transform.digest(part), portable, "{what}");
    assert!(sections() > before, "{what} did not use NEON");
}

/// Every length at every alignment; data of odd lengths ends at an odd address, so the end is
/// shifted instead.
#[test]
fn neon_equals_portable_everywhere() {
    let mut memory = Guarded::new(2);
    let bytes = memory.bytes();
    let end = bytes.len();
    bytes.copy_from_slice(&message(1, end));
    with_every_core(|name, transform| {
        for len in lengths() {
            // At 0 the data ends where the memory does.
            for shift in 0..16 {
                let what = format!("{name}, {len} bytes, {shift} before the end");
                compare(&what, transform, &bytes[end - shift - len..end - shift]);
            }
        }
    });
}

/// The data begins where the memory does.
#[test]
fn nothing_before_the_data_is_read() {
    let mut memory = Guarded::new(2);
    let bytes = memory.bytes();
    bytes.copy_from_slice(&message(2, bytes.len()));
    with_every_core(|name, transform| {
        for len in lengths() {
            compare(&format!("{name}, {len} bytes"), transform, &bytes[..len]);
        }
    });
}
