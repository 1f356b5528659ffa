// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Facts about the machine and the kernel run on (ours, not upstream's).

use crate::bindings;

/// FIPS mode of the running kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fips {
    /// The usual case.
    Off,
    /// On, and this module carries a valid signature.
    Signed,
    /// On, and registering an algorithm from this unsigned module would make the kernel panic.
    Unsigned,
}

/// Whether the CPU has NEON.
pub fn cpu_has_neon() -> bool {
    // SAFETY: Reads a variable that the kernel set at boot.
    unsafe { bindings::shim_cpu_has_neon() }
}

/// The kernel's FIPS mode, as far as it concerns this module.
pub fn fips() -> Fips {
    // SAFETY: Reads variables that the kernel set at boot and when it loaded this module.
    match unsafe { bindings::shim_fips() } {
        bindings::SHIM_FIPS_OFF => Fips::Off,
        bindings::SHIM_FIPS_SIGNED => Fips::Signed,
        _ => Fips::Unsigned,
    }
}

/// Sleeps, uninterruptibly. From module init and exit only: hash callbacks may not sleep.
pub fn msleep(ms: u32) {
    // SAFETY: The only callers are in process context without locks, as the documentation asks.
    unsafe { bindings::shim_msleep(ms) }
}
