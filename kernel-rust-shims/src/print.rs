// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Log lines without formatting machinery.
//!
//! Upstream's `pr_info!` takes a format string; `core::fmt` brings panics and 64-bit division into
//! the object, so here the macros join pieces: `pr_info!("priority ", priority, ", suffix ",
//! suffix)`.

use crate::bindings;
use core::ffi::CStr;

/// Importance of a line.
#[derive(Clone, Copy)]
pub enum Level {
    /// `KERN_ERR`
    Err,
    /// `KERN_WARNING`
    Warn,
    /// `KERN_INFO`
    Info,
}

/// Bytes that one line can hold; what exceeds them is cut off.
const LINE_SIZE: usize = 256;

/// A line being joined.
pub struct Line {
    text: [u8; LINE_SIZE],
    len: usize,
}

impl Line {
    /// Appends bytes as they are.
    pub fn push(&mut self, bytes: &[u8]) {
        for (to, from) in self.text.iter_mut().skip(self.len).zip(bytes) {
            *to = *from;
            self.len += 1;
        }
    }
}

/// Joins pieces and hands the line to the kernel's log.
// Never inlined: the line is the largest thing on the stack, and callers print in several places.
#[inline(never)]
pub fn print(level: Level, pieces: &[&dyn Piece]) {
    let mut line = Line { text: [0; LINE_SIZE], len: 0 };
    for piece in pieces {
        piece.put(&mut line);
    }
    let level = match level {
        Level::Err => bindings::SHIM_ERR,
        Level::Warn => bindings::SHIM_WARN,
        Level::Info => bindings::SHIM_INFO,
    };
    // SAFETY: `text` has `LINE_SIZE` bytes and `len` never exceeds that; the callee only reads
    // them.
    unsafe { bindings::shim_print(level, line.text.as_ptr().cast(), line.len) }
}

/// What can be part of a line.
pub trait Piece {
    /// Appends the text of `self`.
    fn put(&self, line: &mut Line);
}

impl Piece for &str {
    fn put(&self, line: &mut Line) {
        line.push(self.as_bytes());
    }
}

impl Piece for &CStr {
    fn put(&self, line: &mut Line) {
        line.push(self.to_bytes());
    }
}

impl Piece for u32 {
    fn put(&self, line: &mut Line) {
        let mut digits = [0; 10];
        let mut rest = *self;
        let mut used = 0;
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
            used += 1;
            if rest == 0 {
                break;
            }
        }
        for digit in digits.iter().skip(10 - used) {
            line.push(&[*digit]);
        }
    }
}

/// A number in hexadecimal.
pub struct Hex(pub u32);

impl Piece for Hex {
    fn put(&self, line: &mut Line) {
        line.push(b"0x");
        for shift in (0..8).rev() {
            let digit = (self.0 >> (4 * shift) & 0xf) as u8;
            line.push(&[digit + if digit < 10 { b'0' } else { b'a' - 10 }]);
        }
    }
}

impl Piece for i32 {
    fn put(&self, line: &mut Line) {
        if *self < 0 {
            line.push(b"-");
        }
        self.unsigned_abs().put(line);
    }
}

/// Prints an error: what is wrong and what to do about it.
#[macro_export]
macro_rules! pr_err {
    ($($piece:expr),+ $(,)?) => {
        $crate::print::print($crate::print::Level::Err, &[$(&$piece),+])
    };
}

/// Prints a warning.
#[macro_export]
macro_rules! pr_warn {
    ($($piece:expr),+ $(,)?) => {
        $crate::print::print($crate::print::Level::Warn, &[$(&$piece),+])
    };
}

/// Prints an information.
#[macro_export]
macro_rules! pr_info {
    ($($piece:expr),+ $(,)?) => {
        $crate::print::print($crate::print::Level::Info, &[$(&$piece),+])
    };
}
