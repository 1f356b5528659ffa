// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Kernel errors.

use core::{ffi::c_int, num::NonZeroI32};

/// A negative errno value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Error(NonZeroI32);

/// What a function that may fail returns.
pub type Result<T = (), E = Error> = core::result::Result<T, E>;

impl Error {
    const fn from_errno(errno: i32) -> Self {
        match NonZeroI32::new(-errno) {
            Some(value) => Self(value),
            None => code::EINVAL,
        }
    }

    /// The value as C functions return it.
    pub const fn to_errno(self) -> c_int {
        self.0.get()
    }
}

/// Reads a C function's return value: negative is an error.
pub fn to_result(value: c_int) -> Result {
    match NonZeroI32::new(value) {
        Some(error) if value < 0 => Err(Error(error)),
        _ => Ok(()),
    }
}

/// What an `extern "C"` function returns for a result.
pub fn from_result(result: Result) -> c_int {
    match result {
        Ok(()) => 0,
        Err(error) => error.to_errno(),
    }
}

/// The error values in use here, from the kernel's `errno-base.h` and `errno.h`.
pub mod code {
    use super::Error;
    use core::num::NonZeroI32;

    macro_rules! declare {
        ($($name:ident = $value:literal, $doc:literal;)*) => {
            $(#[doc = $doc] pub const $name: Error = Error::from_errno($value);)*
        };
    }

    /// Invalid argument.
    pub const EINVAL: Error = match NonZeroI32::new(-22) {
        Some(value) => Error(value),
        None => unreachable!(),
    };

    declare! {
        EPERM = 1, "Operation not permitted.";
        ENOENT = 2, "No such file or directory.";
        EINTR = 4, "Interrupted system call.";
        EEXIST = 17, "File exists.";
        ENODEV = 19, "No such device.";
        ENOSYS = 38, "Function not implemented.";
        ELIBBAD = 80, "In the crypto API: the algorithm failed its self-test.";
        ETIMEDOUT = 110, "Connection timed out.";
        ENOTRECOVERABLE = 131, "State not recoverable.";
    }
}
