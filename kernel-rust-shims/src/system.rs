// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Facts about the machine and the kernel run on (ours, not upstream's).

use crate::{bindings, print::Hex};
use core::marker::PhantomData;

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

/// Nanoseconds of a clock that only goes forward.
pub fn time_ns() -> u64 {
    // SAFETY: May be asked in any context.
    unsafe { bindings::shim_time_ns() }
}

/// Keeps the task on the CPU that it runs on, with preemption on, until dropped.
pub struct Pinned {
    midr: u32,
    // The pin is the task's own: neither `Send` nor `Sync`.
    _task: PhantomData<*mut ()>,
}

impl Pinned {
    /// From process context.
    #[allow(clippy::new_without_default, reason = "pinning is an action, not a value")]
    pub fn new() -> Self {
        // SAFETY: Unpinned by `drop`.
        Self { midr: unsafe { bindings::shim_cpu_pin() }, _task: PhantomData }
    }

    /// The kind of this CPU, its main ID register.
    pub fn kind(&self) -> Hex {
        Hex(self.midr)
    }

    /// Whether all CPUs that are online are of this kind.
    pub fn all_alike(&self) -> bool {
        // SAFETY: Process context with interrupts on, since only module init pins.
        unsafe { bindings::shim_cpus_alike(self.midr) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: Pinned by `new`, on the same task.
        unsafe { bindings::shim_cpu_unpin() }
    }
}
