// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Loading and unloading.

use crate::{bindings, error::Result};
use core::ffi::CStr;

/// A kernel module: `init` runs at load, dropping the value is unloading.
pub trait Module: Sized + Send {
    /// Everything that loading does. An error makes it fail, with nothing left behind.
    fn init(params: &Params<'_>) -> Result<Self>;
}

/// The load-time parameters (upstream has them in `module!`; here C declares them and hands them
/// over).
pub struct Params<'a>(&'a bindings::shim_params);

impl<'a> Params<'a> {
    /// Priority wanted for the algorithms; not checked yet.
    pub fn priority(&self) -> i32 {
        self.0.priority
    }

    /// What follows the algorithm's name in driver names; not checked yet.
    pub fn suffix(&self) -> &'a CStr {
        // SAFETY: See `Params::from_c`.
        unsafe { CStr::from_ptr(self.0.suffix) }
    }

    /// The BLAKE2b implementation asked for, or nothing; not checked yet.
    pub fn blake2b_impl(&self) -> &'a CStr {
        // SAFETY: See `Params::from_c`.
        unsafe { CStr::from_ptr(self.0.blake2b_impl) }
    }

    /// The SHA-3 implementation asked for, or nothing; not checked yet.
    pub fn sha3_impl(&self) -> &'a CStr {
        // SAFETY: See `Params::from_c`.
        unsafe { CStr::from_ptr(self.0.sha3_impl) }
    }

    /// Whether the implementations are to be measured.
    pub fn measure(&self) -> bool {
        self.0.measure
    }

    /// # Safety
    ///
    /// `params` and its strings are valid, NUL-terminated and unchanged for `'a`.
    #[doc(hidden)]
    pub unsafe fn from_c(params: *const bindings::shim_params) -> Self {
        // SAFETY: Valid for `'a` by the caller's promise.
        Self(unsafe { &*params })
    }
}

/// Declares the module's type and how to tell which implementation serves a family.
///
/// Upstream's macro also writes the metadata; here `c/module.c` does, as modpost wants it in C.
#[macro_export]
macro_rules! module {
    (type: $type:ty, implementation: { BLAKE2B: $blake2b:expr, SHA3: $sha3:expr $(,)? } $(,)?) => {
        // Taken by init and exit only, which the kernel never runs at the same time; no hash
        // callback comes here.
        static MODULE: spin::Mutex<Option<$type>> = spin::Mutex::new(None);

        /// Module entry, called by the C seam.
        ///
        /// # Safety
        ///
        /// `params` is valid, its strings too, for the duration of the call.
        #[no_mangle]
        pub unsafe extern "C" fn neon_shash_init(
            params: *const $crate::bindings::shim_params,
        ) -> core::ffi::c_int {
            // SAFETY: Valid by this function's own contract.
            let params = unsafe { $crate::module::Params::from_c(params) };
            $crate::error::from_result(<$type as $crate::module::Module>::init(&params).map(
                |module| {
                    *MODULE.lock() = Some(module);
                },
            ))
        }

        /// Module exit, called by the C seam.
        #[no_mangle]
        pub extern "C" fn neon_shash_exit() {
            // Unregistering may sleep: the lock is released first.
            let module = MODULE.lock().take();
            drop(module);
        }

        /// The name of the implementation in use, called by the C seam for sysfs.
        #[no_mangle]
        pub extern "C" fn neon_shash_implementation(
            family: $crate::bindings::shim_family,
        ) -> *const core::ffi::c_char {
            let name: &'static core::ffi::CStr = match family {
                $crate::bindings::SHIM_FAMILY_BLAKE2B => $blake2b,
                _ => $sha3,
            };
            name.as_ptr()
        }

        // The header's prototypes and these definitions are of one type, or this does not compile.
        const _: [unsafe extern "C" fn(*const $crate::bindings::shim_params) -> core::ffi::c_int;
            2] = [neon_shash_init, $crate::bindings::neon_shash_init];
        const _: [unsafe extern "C" fn(); 2] = [neon_shash_exit, $crate::bindings::neon_shash_exit];
        const _: [unsafe extern "C" fn($crate::bindings::shim_family) -> *const core::ffi::c_char;
            2] = [neon_shash_implementation, $crate::bindings::neon_shash_implementation];
    };
}
