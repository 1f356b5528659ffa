// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! `neon_shash`: BLAKE2b and SHA-3 for the crypto API of 32-bit ARM kernels, NEON accelerated.
//!
//! Data flows one way: crypto API, C thunk, [`kernel::crypto::shash`], an algorithm ([`blake2b`],
//! [`sha3`]), `dispatch`, an implementation (`neon` or `generic` of that algorithm). `select` picks
//! the implementation at load, `register` brings the algorithms to the kernel under their names.

#![no_std]

pub mod blake2b;
mod bytes;
mod dispatch;
mod known_answers;
mod measure;
mod register;
#[doc(hidden)]
pub mod select;
pub mod sha3;

use kernel::{crypto::shash::Algorithm, module::Params, prelude::*, system};

pub use dispatch::{Choice, Implementation, Variant};

/// Every algorithm of the module; registration goes in this order.
pub static ALGORITHMS: [Algorithm; 8] = [
    Algorithm::new::<blake2b::Blake2b160>(),
    Algorithm::new::<blake2b::Blake2b256>(),
    Algorithm::new::<blake2b::Blake2b384>(),
    Algorithm::new::<blake2b::Blake2b512>(),
    Algorithm::new::<sha3::Sha3_224>(),
    Algorithm::new::<sha3::Sha3_256>(),
    Algorithm::new::<sha3::Sha3_384>(),
    Algorithm::new::<sha3::Sha3_512>(),
];

/// The family of an algorithm.
fn family(algorithm: &Algorithm) -> &'static select::Family {
    if algorithm.name().to_bytes().starts_with(b"sha3-") {
        &sha3::FAMILY
    } else {
        &blake2b::FAMILY
    }
}

/// The loaded module.
pub struct NeonShash {
    _registrations: register::Registrations,
}

impl Module for NeonShash {
    // What can fail comes before the first registration: an algorithm is in use from the moment it
    // is registered.
    fn init(params: &Params<'_>) -> Result<Self> {
        let names = register::Names::from_params(params)?;
        check_machine()?;
        let plan =
            |wanted| select::Plan { wanted, measure: params.measure(), priority: names.priority };
        let wanted = plan(params.blake2b_impl());
        select::choose(&blake2b::FAMILY, known_answers::blake2b, &wanted)?;
        let wanted = plan(params.sha3_impl());
        select::choose(&sha3::FAMILY, known_answers::sha3, &wanted)?;
        Ok(Self { _registrations: register::register_all(&names)? })
    }
}

kernel::module! {
    type: NeonShash,
    implementation: {
        BLAKE2B: blake2b::FAMILY.choice.get().name(),
        SHA3: sha3::FAMILY.choice.get().name(),
    },
}

/// Refuses a machine on which the module is of no use or would do harm.
fn check_machine() -> Result {
    if !system::cpu_has_neon() {
        pr_err!(
            "this CPU has no NEON, without which the kernel's own hashes are as good: not loaded"
        );
        return Err(ENODEV);
    }
    if system::fips() == system::Fips::Unsigned {
        pr_err!(
            "the kernel runs with fips=1, where a crypto module without a valid signature ",
            "makes it panic: not loaded; sign the module or boot without fips=1"
        );
        return Err(EPERM);
    }
    Ok(())
}
