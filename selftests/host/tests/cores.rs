// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The NEON cores against the portable code, at every length and alignment, right up to memory that
//! is not there.
#![cfg(target_arch = "arm")]

use kernel::host::{sections, set_simd, Simd, Transform};
use neon_shash::{Implementation, Variant};
use nix::sys::mman::{mmap_anonymous, mprotect, MapFlags, ProtFlags};
use selftests_host::{algorithms_by, message};
use std::{
    num::NonZeroUsize,
    ptr::NonNull,
    slice,
    sync::{Mutex, PoisonError},
};

const PAGE: usize = 4096;

/// Memory between two pages that fault.
struct Guarded {
    start: NonNull<u8>,
    len: usize,
}

impl Guarded {
    fn new(pages: usize) -> Self {
        let all = NonZeroUsize::new((pages + 2) * PAGE).unwrap();
        // SAFETY: A fresh mapping harms no other.
        let base = unsafe {
            mmap_anonymous(
                None,
                all,
                ProtFlags::PROT_READ | ProtFlags::PROT_WRITE,
                MapFlags::MAP_PRIVATE,
            )
        };
        let base = base.expect("there is memory").cast::<u8>();
        for guard in [0, (pages + 1) * PAGE] {
            // SAFETY: Both pages lie within the mapping and nobody has looked at them yet.
            unsafe { mprotect(base.add(guard).cast(), PAGE, ProtFlags::PROT_NONE) }
                .expect("a page of ours");
        }
        // SAFETY: Within the mapping.
        Self { start: unsafe { base.add(PAGE) }, len: pages * PAGE }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: Ours alone, readable and writable; it is never unmapped.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

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
    let end = memory.len;
    memory.bytes().copy_from_slice(&message(1, end));
    let bytes = memory.bytes();
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
    let data = message(2, memory.len);
    memory.bytes().copy_from_slice(&data);
    let bytes = memory.bytes();
    with_every_core(|name, transform| {
        for len in lengths() {
            compare(&format!("{name}, {len} bytes"), transform, &bytes[..len]);
        }
    });
}
