// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Numbers from a seed, the same for every runner; `vectors.py` has the same generator.

/// xorshift32.
#[derive(Clone)]
pub struct Random(u32);

impl Random {
    /// Begins a stream. Neighbouring seeds give unlike ones.
    pub fn new(seed: u32) -> Self {
        Self(seed.wrapping_mul(2_654_435_761).wrapping_add(1).max(1))
    }

    /// The next number.
    pub fn next_u32(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// A number below `end`, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        // A multiplication: kernels have no 64-bit division. The high half is below `end`.
        ((u64::from(self.next_u32()) * end as u64) >> 32) as usize
    }

    /// A number up to `max`: often small, often near a power of two, at times any.
    pub fn length(&mut self, max: usize) -> usize {
        let len = match self.below(4) {
            0 => self.below(64),
            1 => (64 << self.below(8)) + self.below(5) - 2,
            2 => self.below(600),
            _ => self.below(max + 1),
        };
        len.min(max)
    }

    /// Fills a message.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = (self.next_u32() >> 24) as u8;
        }
    }
}
