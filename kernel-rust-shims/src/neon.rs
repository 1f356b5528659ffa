// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The NEON guard (ours, not upstream's): the registers are the module's while a [`KernelNeon`]
//! lives.

use crate::bindings;
use core::marker::PhantomData;

/// Proof that NEON may be used, and the section itself: it ends when the value is dropped.
///
/// Inside a section preemption or softirqs are off: keep it short, do not sleep. Sections must not
/// nest.
///
/// # Invariants
///
/// `shim_neon_begin()` has been called in this context and `shim_neon_end()` has not.
pub struct KernelNeon {
    // The section belongs to the CPU and context that began it: neither `Send` nor `Sync`.
    _context: PhantomData<*mut ()>,
}

impl KernelNeon {
    /// Begins a section, unless the kernel says that SIMD is not usable here and now.
    pub fn try_begin() -> Option<Self> {
        // SAFETY: May be asked in any context.
        if !unsafe { bindings::shim_simd_usable() } {
            return None;
        }
        // SAFETY: The kernel has just said that SIMD is usable in this context; no section is open,
        // for callers keep at most one guard and this function makes the only ones.
        unsafe { bindings::shim_neon_begin() };
        // INVARIANT: Begun above, ended only by `drop`.
        Some(Self { _context: PhantomData })
    }
}

impl Drop for KernelNeon {
    fn drop(&mut self) {
        // SAFETY: By the type invariant this context has a section open.
        unsafe { bindings::shim_neon_end() }
    }
}

/// Calls a NEON core: `neon_call!(guard, function(arguments))`, an unsafe operation.
///
/// Cores leave d8-d15 changed. The kernel's section allows that and its code does not use them.
#[cfg(not(all(target_arch = "arm", not(feature = "module"))))]
#[macro_export]
macro_rules! neon_call {
    ($guard:expr, $core:ident($($arg:expr),+)) => {{
        let _: &$crate::neon::KernelNeon = $guard;
        $core($($arg),+)
    }};
}

/// Calls a NEON core: `neon_call!(guard, function(arguments))`, an unsafe operation.
///
/// Cores leave d8-d15 changed. User space may not: its ABI keeps them over calls, so the compiler
/// is told.
#[cfg(all(target_arch = "arm", not(feature = "module")))]
#[macro_export]
macro_rules! neon_call {
    ($guard:expr, $core:ident($a:expr)) => {
        $crate::neon_call!($guard, $core($a, 0usize, 0usize, 0usize))
    };
    ($guard:expr, $core:ident($a:expr, $b:expr, $c:expr, $d:expr)) => {{
        let _: &$crate::neon::KernelNeon = $guard;
        core::arch::asm!(
            "blx {core}",
            core = in(reg) $core,
            inout("r0") $a => _, inout("r1") $b => _, inout("r2") $c => _, inout("r3") $d => _,
            out("d8") _, out("d9") _, out("d10") _, out("d11") _,
            out("d12") _, out("d13") _, out("d14") _, out("d15") _,
            clobber_abi("C"),
        );
    }};
}
