// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Types that are no more than their bytes.

use core::{mem, slice};

/// Types without padding or invalid values: any bytes make one, and all its bytes are initialised.
///
/// Upstream has two traits, `FromBytes` and `AsBytes`; everything here is both.
///
/// # Safety
///
/// Every bit pattern is a valid value, there is no padding and no interior mutability.
pub unsafe trait Plain: Copy {}

// SAFETY: Integers have no padding and no invalid value.
unsafe impl Plain for u8 {}
// SAFETY: As for `u8`.
unsafe impl Plain for u32 {}
// SAFETY: As for `u8`.
unsafe impl Plain for u64 {}
// SAFETY: An array is its elements without anything between them.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
// SAFETY: There are no bytes.
unsafe impl Plain for () {}

/// The bytes of a value, in memory order, to be changed at will.
pub fn as_bytes_mut<T: Plain>(value: &mut T) -> &mut [u8] {
    // SAFETY: `Plain` says that all `size_of::<T>()` bytes behind the reference are initialised,
    // and that whatever is written is a valid value. The borrow is exclusive.
    unsafe { slice::from_raw_parts_mut(core::ptr::from_mut(value).cast(), mem::size_of::<T>()) }
}

/// The first `N` bytes of a value, in memory order.
pub fn prefix<T: Plain, const N: usize>(value: &T) -> &[u8; N] {
    const { assert!(N <= mem::size_of::<T>()) };
    // SAFETY: `Plain` says that all bytes behind the reference are initialised; there are at least
    // `N`.
    unsafe { &*core::ptr::from_ref(value).cast() }
}

/// A value of zero bytes.
pub const fn zeroed<T: Plain>() -> T {
    // SAFETY: `Plain` says that every bit pattern is valid.
    unsafe { mem::zeroed() }
}

/// Declares `repr(C)` structures and makes them [`Plain`], after checking that they are.
#[macro_export]
macro_rules! plain_struct {
    ($(
        $(#[$attr:meta])*
        $vis:vis struct $name:ident {
            $($(#[$fattr:meta])* $fvis:vis $field:ident: $type:ty,)+
        }
    )+) => {$(
        $(#[$attr])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        $vis struct $name { $($(#[$fattr])* $fvis $field: $type,)+ }

        const _: () = {
            const fn plain<T: $crate::transmute::Plain>() -> usize { core::mem::size_of::<T>() }
            assert!(0 $(+ plain::<$type>())+ == core::mem::size_of::<$name>(), "there is padding");
        };
        // SAFETY: All fields are `Plain` and, by the assertion above, nothing lies between or
        // behind them.
        unsafe impl $crate::transmute::Plain for $name {}
    )+};
}
