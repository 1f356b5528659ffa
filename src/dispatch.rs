// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The only policy: NEON or portable code, now? and how much in one NEON section?

use core::sync::atomic::{AtomicU8, Ordering};
use kernel::{neon::KernelNeon, prelude::*};

/// Bytes of the caller's data that one NEON section takes. Preemption or softirqs are off
/// meanwhile, so this bounds the latency that hashing adds: mainline's 4 KiB. The block that these
/// bytes complete and the padded last block come on top, so that a salted 4 KiB dm-verity block is
/// one section.
pub(crate) const SECTION_BYTES: usize = 4096;

/// An implementation of a family's block function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Implementation {
    /// Portable Rust.
    Generic,
    /// The NEON core.
    Neon,
}

impl Implementation {
    /// All of them, the one to prefer last.
    pub const ALL: [Self; 2] = [Self::Generic, Self::Neon];

    /// Its name in parameters, sysfs and the log.
    pub const fn name(self) -> &'static CStr {
        match self {
            Self::Generic => c"generic",
            Self::Neon => c"neon",
        }
    }
}

/// The implementation that a family uses; written at load only, read at every call.
pub struct Choice(AtomicU8);

impl Choice {
    /// Portable code, until `select` has found better.
    pub(crate) const fn new() -> Self {
        Self(AtomicU8::new(Implementation::Generic as u8))
    }

    /// The current one.
    pub fn get(&self) -> Implementation {
        // Relaxed: nothing is published with it, and any implementation continues any state.
        if self.0.load(Ordering::Relaxed) == Implementation::Neon as u8 {
            Implementation::Neon
        } else {
            Implementation::Generic
        }
    }

    /// Changes it; messages under way go on with the new one.
    pub fn set(&self, implementation: Implementation) {
        self.0.store(implementation as u8, Ordering::Relaxed);
    }
}

/// One call's way through its data: hands out NEON sections, or says that there is none to be had.
///
/// The algorithm goes through the data in pieces and asks before each; the pieces of one section
/// follow each other.
pub(crate) struct Run {
    wanted: bool,
    neon: Option<KernelNeon>,
    /// Caller's bytes that the section, or the stretch without one, may still take.
    room: usize,
}

impl Run {
    pub(crate) fn new(choice: &Choice) -> Self {
        Self { wanted: choice.get() == Implementation::Neon, neon: None, room: 0 }
    }

    /// The section for a piece with `bytes` of the caller's data, `None` for portable code. The
    /// decision falls before any state is touched and holds for the piece.
    pub(crate) fn piece(&mut self, bytes: usize) -> Option<&KernelNeon> {
        if self.wanted && (self.room < bytes || self.neon.is_none()) {
            // End the old section before the new one begins: the scheduler gets its chance in
            // between.
            self.neon = None;
            self.neon = KernelNeon::try_begin();
            self.room = SECTION_BYTES;
        }
        self.room = self.room.saturating_sub(bytes);
        self.neon.as_ref()
    }

    /// Goes through whole blocks of `block` bytes, as many at a time as one section takes.
    pub(crate) fn blocks(
        &mut self,
        mut data: &[u8],
        block: usize,
        mut compress: impl FnMut(Option<&KernelNeon>, &[u8]),
    ) {
        while data.len() >= block {
            let room = if self.room < block { SECTION_BYTES } else { self.room };
            let whole = room.min(data.len());
            let (blocks, rest) = crate::bytes::split(data, whole - whole % block);
            compress(self.piece(blocks.len()), blocks);
            data = rest;
        }
    }
}
