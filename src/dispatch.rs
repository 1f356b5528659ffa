// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The only policy: NEON or portable code, now? and how much in one NEON section?

use core::sync::atomic::{AtomicU8, Ordering};
use kernel::{neon::KernelNeon, prelude::*};

/// Bytes of the caller's data that one NEON section takes. Preemption or softirqs are off
/// meanwhile, so this bounds the latency that hashing adds: mainline's 4 KiB. The block that these
/// bytes complete and the padded last block come on top, so that a salted 4 KiB dm-verity block is
/// one section.
pub(crate) const SECTION_BYTES: usize = 4096;

/// A schedule of the NEON core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// For cores that take two cycles for a Q operation: Cortex-A5, A7.
    A7,
    /// For cores that take one: Cortex-A8, A9, A15, A17.
    A8,
}

/// An implementation of a family's block function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Implementation {
    /// A NEON core.
    Neon(Variant),
    /// Portable Rust.
    Portable,
}

impl Implementation {
    /// All of them. Where nothing else decides, the first that is sound serves.
    pub const ALL: [Self; 3] = [Self::Neon(Variant::A7), Self::Neon(Variant::A8), Self::Portable];

    /// Its name in parameters, sysfs and the log.
    pub const fn name(self) -> &'static CStr {
        match self {
            Self::Neon(Variant::A7) => c"neon-a7",
            Self::Neon(Variant::A8) => c"neon-a8",
            Self::Portable => c"portable",
        }
    }

    const fn to_u8(self) -> u8 {
        match self {
            Self::Portable => 0,
            Self::Neon(Variant::A7) => 1,
            Self::Neon(Variant::A8) => 2,
        }
    }

    const fn from_u8(value: u8) -> Self {
        match value {
            1 => Self::Neon(Variant::A7),
            2 => Self::Neon(Variant::A8),
            _ => Self::Portable,
        }
    }
}

/// The implementation that a family uses; written at load only, read at every call.
pub struct Choice(AtomicU8);

impl Choice {
    /// Portable code, until `select` has found better.
    pub(crate) const fn new() -> Self {
        Self(AtomicU8::new(Implementation::Portable.to_u8()))
    }

    /// The current one.
    pub fn get(&self) -> Implementation {
        // Relaxed: nothing is published with it, and any implementation continues any state.
        Implementation::from_u8(self.0.load(Ordering::Relaxed))
    }

    /// Changes it; messages under way go on with the new one.
    pub fn set(&self, implementation: Implementation) {
        self.0.store(implementation.to_u8(), Ordering::Relaxed);
    }
}

/// An open NEON section, and the core to be used in it.
pub(crate) struct Section {
    /// Proof that it is open.
    pub(crate) neon: KernelNeon,
    /// Which core.
    pub(crate) variant: Variant,
}

/// One call's way through its data: hands out NEON sections, or says that there is none to be had.
///
/// The algorithm goes through the data in pieces and asks before each; the pieces of one section
/// follow each other.
pub(crate) struct Run {
    variant: Option<Variant>,
    section: Option<Section>,
    /// Caller's bytes that the section, or the stretch without one, may still take.
    room: usize,
}

impl Run {
    pub(crate) fn new(choice: &Choice) -> Self {
        let variant = match choice.get() {
            Implementation::Neon(variant) => Some(variant),
            Implementation::Portable => None,
        };
        Self { variant, section: None, room: 0 }
    }

    /// The section for a piece with `bytes` of the caller's data, `None` for portable code. The
    /// decision falls before any state is touched and holds for the piece.
    pub(crate) fn piece(&mut self, bytes: usize) -> Option<&Section> {
        let variant = self.variant?;
        if self.room < bytes || self.section.is_none() {
            // End the old section before the new one begins: the scheduler gets its chance between.
            self.section = None;
            self.section = KernelNeon::try_begin().map(|neon| Section { neon, variant });
            self.room = SECTION_BYTES;
        }
        self.room = self.room.saturating_sub(bytes);
        self.section.as_ref()
    }

    /// Goes through whole blocks of `block` bytes, as many at a time as one section takes.
    pub(crate) fn blocks(
        &mut self,
        mut data: &[u8],
        block: usize,
        mut compress: impl FnMut(Option<&Section>, &[u8]),
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
