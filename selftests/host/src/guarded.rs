// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Memory with nothing beside it.

use nix::sys::mman::{mmap_anonymous, mprotect, MapFlags, ProtFlags};
use std::{num::NonZeroUsize, ptr::NonNull, slice};

/// A page of memory.
pub const PAGE: usize = 4096;

/// Memory between two pages that fault.
pub struct Guarded {
    start: NonNull<u8>,
    len: usize,
}

impl Guarded {
    /// Maps so many pages, and two more.
    pub fn new(pages: usize) -> Self {
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

    /// All of it.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: Ours alone, readable and writable; it is never unmapped.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}
