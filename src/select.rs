// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Which implementation serves a family: those that pass the known answers, the best of them, or
//! the one asked for.

use crate::dispatch::{Choice, Implementation};
use kernel::{neon::KernelNeon, prelude::*};

/// Algorithms that share a block function, and so an implementation.
pub struct Family {
    /// Its name in the log.
    pub name: &'static CStr,
    /// The implementation in use.
    pub choice: Choice,
}

/// Whether every algorithm of a family gives its known answers while it goes from one
/// implementation to another within messages (the two may be the same).
type KnownAnswers = fn(&Choice, Implementation, Implementation) -> bool;

/// Checks the implementations and settles on one. An empty `wanted` leaves the choice to us.
pub(crate) fn choose(family: &Family, known_answers: KnownAnswers, wanted: &CStr) -> Result {
    let wanted = parse(family, wanted)?;
    let mut best = None;
    for implementation in Implementation::ALL {
        let name = implementation.name();
        if !can_run(implementation) {
            pr_err!(family.name, ": the kernel does not let ", name, " run here: not used");
        } else if !sound(family, known_answers, implementation) {
            pr_err!(family.name, ": ", name, " gives wrong digests on this machine: not used");
        } else if wanted.is_none_or(|wanted| wanted == implementation) {
            best = Some(implementation);
        }
    }
    let Some(best) = best else {
        pr_err!(family.name, ": no implementation is left: not loaded");
        return Err(ENOTRECOVERABLE);
    };
    family.choice.set(best);
    Ok(())
}

/// The implementation that a parameter names, `None` for an empty one.
fn parse(family: &Family, wanted: &CStr) -> Result<Option<Implementation>> {
    if wanted.is_empty() {
        return Ok(None);
    }
    let found =
        Implementation::ALL.into_iter().find(|implementation| implementation.name() == wanted);
    if found.is_none() {
        pr_err!(
            family.name,
            "_impl=",
            wanted,
            ": no such implementation; there are neon and generic"
        );
    }
    found.map(Some).ok_or(EINVAL)
}

/// Whether an implementation can run here and now. What cannot run cannot be checked.
fn can_run(implementation: Implementation) -> bool {
    implementation != Implementation::Neon || KernelNeon::try_begin().is_some()
}

/// Whether an implementation gives the known answers, alone and taking turns with the portable one.
fn sound(family: &Family, known_answers: KnownAnswers, implementation: Implementation) -> bool {
    let turns = [
        (implementation, implementation),
        (implementation, Implementation::Generic),
        (Implementation::Generic, implementation),
    ];
    turns.into_iter().all(|(first, second)| known_answers(&family.choice, first, second))
}
