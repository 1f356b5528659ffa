// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Brings the algorithms to the kernel: driver names, what happens when one is taken, and the
//! kernel's own self-tests.

use crate::{family, ALGORITHMS};
use kernel::{
    crypto::shash::{probe, Algorithm, Holder, Registration, NAME_SIZE, SLOTS},
    module::Params,
    prelude::*,
    system,
};

/// The suffix for a driver name that another module has, and, given as parameter, always and
/// everywhere ours.
const OWN_SUFFIX: &CStr = c"neon-rs";

/// The longest suffix: what leaves room for every algorithm's name in `NAME_SIZE`.
const MAX_SUFFIX: usize = 32;

/// How long an error path waits for the kernel's self-tests to let go of our algorithms. Each has a
/// minute by the kernel's own limit; emulated and overloaded machines are slow.
const SETTLE_MS: u32 = 120_000;
const SETTLE_STEP_MS: u32 = 10;

const _: () = assert!(ALGORITHMS.len() <= SLOTS);

/// What the algorithms are called and how they rank.
pub(crate) struct Names<'a> {
    suffix: &'a CStr,
    /// The priority asked for; what a family gets also depends on how fast it is.
    pub(crate) priority: u32,
}

impl<'a> Names<'a> {
    /// Checks the parameters.
    pub(crate) fn from_params(params: &Params<'a>) -> Result<Self> {
        let suffix = params.suffix();
        let bytes = suffix.to_bytes();
        let plain =
            |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(byte);
        if bytes.is_empty() || bytes.len() > MAX_SUFFIX || !bytes.iter().all(plain) {
            pr_err!(
                "suffix=",
                suffix,
                ": use 1 to 32 characters of a-z, 0-9, - and _, for example neon-rs"
            );
            return Err(EINVAL);
        }
        if [c"generic", c"lib"].contains(&suffix) {
            pr_err!("suffix=", suffix, ": the kernel's own drivers are called so; use neon-rs");
            return Err(EINVAL);
        }
        let Ok(priority) = u32::try_from(params.priority()) else {
            pr_err!(
                "priority=",
                params.priority(),
                ": use 0 or more; the kernel's own drivers have 0 to 300"
            );
            return Err(EINVAL);
        };
        Ok(Self { suffix, priority })
    }
}

/// The NUL-terminated name of a driver.
struct DriverName([u8; NAME_SIZE]);

impl DriverName {
    fn new(algorithm: &Algorithm, suffix: &CStr) -> Self {
        let mut name = [0; NAME_SIZE];
        let parts = algorithm.name().to_bytes().iter().chain(b"-").chain(suffix.to_bytes());
        // The last byte stays NUL; `MAX_SUFFIX` sees to it that nothing is cut off.
        for (to, from) in name.iter_mut().take(NAME_SIZE - 1).zip(parts) {
            *to = *from;
        }
        Self(name)
    }

    fn get(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"")
    }
}

/// A registered algorithm, and whether it is called by [`OWN_SUFFIX`] because the wanted name was
/// taken.
struct Registered {
    registration: Registration,
    own: bool,
}

/// The registered algorithms, by index in [`ALGORITHMS`]. Dropping unregisters them: see
/// [`Registration`].
pub(crate) struct Registrations([Option<Registered>; ALGORITHMS.len()]);

/// Registers every algorithm that may be, and waits for the kernel's verdict on each.
pub(crate) fn register_all(names: &Names<'_>) -> Result<Registrations> {
    let mut all = Registrations([const { None }; ALGORITHMS.len()]);
    for ((slot, algorithm), registered) in (0..).zip(&ALGORITHMS).zip(&mut all.0) {
        if system::fips() != system::Fips::Off && !fips_approved(algorithm) {
            continue;
        }
        match register(slot, algorithm, names) {
            Ok(done) => *registered = Some(done),
            // No name is left for this one; the others can still be had.
            Err(EEXIST) => {}
            Err(error) => {
                pr_err!(
                    algorithm.name(),
                    ": the kernel refused to register it, error ",
                    error.to_errno()
                );
                return all.undo(error);
            }
        }
    }
    if all.iter().next().is_none() {
        pr_err!("no algorithm could be registered: not loaded");
        return Err(EEXIST);
    }
    all.confirm(names)
}

/// FIPS 140 knows SHA-3 and no BLAKE2b; the kernel disables what it does not know.
fn fips_approved(algorithm: &Algorithm) -> bool {
    let approved = algorithm.name().to_bytes().starts_with(b"sha3-");
    if !approved {
        pr_warn!(algorithm.name(), ": not approved for fips=1: not registered");
    }
    approved
}

/// Registers one algorithm, under the wanted name or, if that is taken, under our own.
// Not inlined: its names need not stay on the stack.
#[inline(never)]
fn register(slot: u32, algorithm: &'static Algorithm, names: &Names<'_>) -> Result<Registered> {
    let wanted = DriverName::new(algorithm, names.suffix);
    let holder = match try_register(slot, algorithm, &wanted) {
        Ok(registration) => return Ok(Registered { registration, own: false }),
        Err(Refusal::Error(error)) => return Err(error),
        Err(Refusal::Taken(holder)) => holder,
    };
    let holder = holder.as_ref().map_or(c"another module", Holder::name);
    let own = DriverName::new(algorithm, OWN_SUFFIX);
    match try_register(slot, algorithm, &own) {
        Ok(registration) => {
            pr_info!(wanted.get(), " is taken by ", holder, ": registered as ", own.get());
            Ok(Registered { registration, own: true })
        }
        Err(Refusal::Taken(_)) => {
            pr_warn!(
                wanted.get(),
                " is taken by ",
                holder,
                ", and ",
                own.get(),
                " too: not registered"
            );
            Err(EEXIST)
        }
        Err(Refusal::Error(error)) => Err(error),
    }
}

/// Why a driver name did not work out.
enum Refusal {
    /// Somebody has it; who, if that is known.
    Taken(Option<Holder>),
    Error(Error),
}

fn try_register(
    slot: u32,
    algorithm: &'static Algorithm,
    driver: &DriverName,
) -> Result<Registration, Refusal> {
    // Linux 6.1 does not compare driver names and would register a second one without a word: look
    // first.
    match probe(driver.get()) {
        Err(ENOENT) => {}
        Ok(holder) => return Err(Refusal::Taken(Some(holder))),
        // Whatever else a look-up says (failed its self-test, no answer in time), somebody has the
        // name.
        Err(_) => return Err(Refusal::Taken(None)),
    }
    let priority = family(algorithm).priority();
    Registration::new(slot, algorithm, driver.get(), priority).map_err(|error| match error {
        EEXIST => Refusal::Taken(None),
        error => Refusal::Error(error),
    })
}

impl Registrations {
    fn iter(&self) -> impl Iterator<Item = &Registered> + Clone {
        self.0.iter().flatten()
    }

    /// Waits for the kernel's self-tests, which run asynchronously from 6.12 on, and drops what
    /// they rejected.
    #[inline(never)]
    fn confirm(mut self, names: &Names<'_>) -> Result<Self> {
        let (mut accepted, mut pending) = (0u32, 0u32);
        for (algorithm, registered) in ALGORITHMS.iter().zip(&mut self.0) {
            let Some(own) = registered.as_ref().map(|registered| registered.own) else { continue };
            let driver = DriverName::new(algorithm, if own { OWN_SUFFIX } else { names.suffix });
            match probe(driver.get()) {
                Ok(_) => accepted += 1,
                Err(ELIBBAD) => {
                    pr_err!(driver.get(), ": rejected by the kernel's self-test");
                    // If it cannot be unregistered safely it stays: the kernel lets nobody use it.
                    if settled(registered.iter()) {
                        *registered = None;
                    }
                }
                // Killed while waiting, or no answer in time: not rejected.
                Err(_) => pending += 1,
            }
        }
        if accepted + pending == 0 {
            pr_err!("the kernel's self-tests rejected every algorithm: not loaded");
            return self.undo(ENOTRECOVERABLE);
        }
        report(accepted, pending);
        Ok(self)
    }

    /// Unregisters everything and gives the error; or, if the kernel will not let go, stays loaded
    /// and says so, since unregistering now would pull the algorithm from under a running
    /// self-test.
    fn undo(self, error: Error) -> Result<Self> {
        if settled(self.iter()) {
            return Err(error);
        }
        pr_err!(
            "the kernel still uses what was registered: staying loaded with it, try rmmod later"
        );
        Ok(self)
    }
}

/// The last line of a load that went well.
fn report(accepted: u32, pending: u32) {
    let blake2b = crate::blake2b::FAMILY.priority();
    let sha3 = crate::sha3::FAMILY.priority();
    pr_info!("the kernel accepted ", accepted, " hashes; priority ", blake2b, ", sha3 ", sha3);
    if pending > 0 {
        pr_warn!("its self-test of ", pending, " hashes has not ended; /proc/crypto will show it");
    }
}

/// Waits, uninterruptibly but not for ever, until nobody refers to these; whether that came.
fn settled<'a>(registered: impl Iterator<Item = &'a Registered> + Clone) -> bool {
    let mut waited = 0;
    while !registered.clone().all(|registered| registered.registration.idle()) {
        if waited >= SETTLE_MS {
            return false;
        }
        system::msleep(SETTLE_STEP_MS);
        waited += SETTLE_STEP_MS;
    }
    true
}
