// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! What neon-shash needs of Rust for Linux's `kernel` crate, for kernels that have none.
//!
//! Paths that upstream has are kept ([`error`], [`prelude`], [`transmute`], [`module!`],
//! [`pr_info!`]), so that the module reads, and one day compiles, like an in-tree one.
//! [`crypto::shash`] and [`neon`] are ours: upstream has no provider side for hashes and no NEON
//! guard.
//!
//! With the feature `module` the functions of `shims.h` come from the C seam, compiled by the
//! target kernel's Kbuild. Without it `host` stands in for them and for the crypto core, so that
//! `cargo test` drives every callback.

#![no_std]

#[cfg(not(target_endian = "little"))]
compile_error!("state and digests are used as little-endian bytes");

#[cfg(not(feature = "module"))]
extern crate std;

#[doc(hidden)]
pub mod bindings;
pub mod crypto;
pub mod error;
#[cfg(not(feature = "module"))]
pub mod host;
pub mod module;
pub mod neon;
pub mod prelude;
pub mod print;
pub mod system;
pub mod transmute;

/// A kernel has nobody to unwind to. No panic is reachable in the object; the audit of the object
/// shows that.
#[cfg(feature = "module")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: `BUG()` may be called from any context; it does not return.
    unsafe { bindings::shim_bug() }
}
