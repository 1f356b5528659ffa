// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Which implementation serves a family, and at which priority: of those that give the known
//! answers the fastest on this machine, or the one asked for.

use crate::{
    dispatch::{Choice, Implementation},
    measure::Clock,
};
use core::sync::atomic::{AtomicU32, Ordering};
use kernel::{
    crypto::shash::{Provider, Shash},
    neon::KernelNeon,
    prelude::*,
    print::{Line, Piece},
    system::Pinned,
    transmute::zeroed,
};

/// Bytes of the messages that are timed: a dm-verity block, and one shorter than any hash's block.
const LONG: usize = 4096;
const SHORT: usize = 64;

/// What is hashed. All zero, so that it takes no room in the module's file.
static MESSAGE: spin::Mutex<[u8; LONG]> = spin::Mutex::new([0; LONG]);

/// Algorithms that share a block function, and so an implementation and a priority.
pub struct Family {
    /// Its name in the log.
    pub name: &'static CStr,
    /// The implementation in use.
    pub choice: Choice,
    priority: AtomicU32,
    /// The hash that is measured for all, by its generic name.
    measured: &'static CStr,
    hash: fn(&[u8]),
}

impl Family {
    /// `T` is the hash that is measured for all.
    pub(crate) const fn new<T: Shash>(name: &'static CStr) -> Self {
        Self {
            name,
            choice: Choice::new(),
            priority: AtomicU32::new(0),
            measured: T::NAME,
            hash: hash::<T>,
        }
    }

    /// The priority that the choice earned.
    pub(crate) fn priority(&self) -> u32 {
        self.priority.load(Ordering::Relaxed)
    }
}

/// How a family is to be chosen for.
pub(crate) struct Plan<'a> {
    /// The implementation asked for, nothing for any.
    pub(crate) wanted: &'a CStr,
    /// Whether to measure if nothing is asked for.
    pub(crate) measure: bool,
    /// The priority asked for.
    pub(crate) priority: u32,
}

/// Whether every algorithm of a family gives its known answers while it goes from one
/// implementation to another within messages (the two may be the same).
type KnownAnswers = fn(&Choice, Implementation, Implementation) -> bool;

/// What was measured: nanoseconds for a long and for a short message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Figures {
    /// 4096 bytes.
    pub long: u32,
    /// 64 bytes.
    pub short: u32,
}

impl Figures {
    /// What is compared. The long message decides unless it is nearly a draw: the short one weighs
    /// as much as it does among the blocks and the metadata of a verified file system.
    fn total(self) -> u64 {
        u64::from(self.long) + u64::from(self.short)
    }

    const fn ns_per_kib(self) -> u32 {
        self.long / (LONG as u32 / 1024)
    }
}

/// An implementation and what was measured of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The implementation.
    pub implementation: Implementation,
    /// Its figures, unless the clock gave none.
    pub figures: Option<Figures>,
}

/// What the kernel has for the same hash already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Incumbent {
    /// Its priority.
    pub priority: u32,
    /// Its figures, unless the clock gave none.
    pub figures: Option<Figures>,
}

/// The fastest of `candidates`, the first of equals; the first of all where nothing was measured.
/// `None` if there is no candidate.
pub fn fastest(candidates: &[Candidate]) -> Option<Candidate> {
    let measured = candidates.iter().filter(|candidate| candidate.figures.is_some());
    let fastest = measured.min_by_key(|candidate| candidate.figures.map(Figures::total));
    fastest.or(candidates.first()).copied()
}

/// The priority that the choice earns: the one asked for if it beats the incumbent or if there is
/// nothing to compare, else one below the incumbent's.
pub fn earned_priority(chosen: Candidate, incumbent: Option<Incumbent>, wanted: u32) -> u32 {
    let Some(incumbent) = incumbent else { return wanted };
    match (chosen.figures, incumbent.figures) {
        (Some(ours), Some(theirs)) if ours.total() >= theirs.total() => {
            wanted.min(incumbent.priority.saturating_sub(1))
        }
        _ => wanted,
    }
}

/// Checks the implementations and settles on one.
pub(crate) fn choose(family: &Family, known_answers: KnownAnswers, plan: &Plan<'_>) -> Result {
    let wanted = parse(family, plan.wanted)?;
    let mut candidates = Candidates::sound(family, known_answers, wanted);
    let measurement = match wanted {
        Some(_) => Err(c"asked for"),
        None if !plan.measure => Err(c"not measured"),
        None => measure(family, &mut candidates),
    };
    let Some(chosen) = fastest(candidates.get()) else {
        pr_err!(family.name, ": no implementation is left: not loaded");
        return Err(ENOTRECOVERABLE);
    };
    family.choice.set(chosen.implementation);
    let (reason, measurement) = match measurement {
        Ok(measurement) => (c"", measurement),
        Err(reason) => (reason, None),
    };
    let incumbent = measurement.as_ref().map(|(_, incumbent)| *incumbent);
    let priority = earned_priority(chosen, incumbent, plan.priority);
    family.priority.store(priority, Ordering::Relaxed);
    report(family, candidates.get(), measurement.as_ref(), chosen, reason);
    if let (Some((provider, _)), true) = (&measurement, priority < plan.priority) {
        report_defeat(family, provider, priority);
    }
    Ok(())
}

/// The implementation that a parameter names, `None` for an empty one.
fn parse(family: &Family, wanted: &CStr) -> Result<Option<Implementation>> {
    if wanted.is_empty() {
        return Ok(None);
    }
    let mut all = Implementation::ALL.into_iter();
    let found = all.find(|implementation| implementation.name() == wanted);
    if found.is_none() {
        let known = "; there are neon-a7, neon-a8 and portable";
        pr_err!(family.name, "_impl=", wanted, ": no such implementation", known);
    }
    found.map(Some).ok_or(EINVAL)
}

/// The implementations that may serve a family, in the order of [`Implementation::ALL`].
struct Candidates {
    list: [Candidate; Implementation::ALL.len()],
    len: usize,
}

impl Candidates {
    /// Those that run and give the known answers; only the wanted one, if one is.
    fn sound(family: &Family, known_answers: KnownAnswers, wanted: Option<Implementation>) -> Self {
        let none = Candidate { implementation: Implementation::Portable, figures: None };
        let mut candidates = Self { list: [none; Implementation::ALL.len()], len: 0 };
        for implementation in Implementation::ALL {
            let name = implementation.name();
            if !can_run(implementation) {
                pr_err!(family.name, ": the kernel does not let ", name, " run here: not used");
            } else if !is_sound(family, known_answers, implementation) {
                pr_err!(family.name, ": ", name, " gives wrong digests on this machine: not used");
            } else if wanted.is_none_or(|wanted| wanted == implementation) {
                candidates.push(Candidate { implementation, figures: None });
            }
        }
        candidates
    }

    fn push(&mut self, candidate: Candidate) {
        if let Some(place) = self.list.get_mut(self.len) {
            *place = candidate;
            self.len += 1;
        }
    }

    fn get(&self) -> &[Candidate] {
        self.list.get(..self.len).unwrap_or(&[])
    }
}

/// Whether an implementation can run here and now. What cannot run cannot be checked.
fn can_run(implementation: Implementation) -> bool {
    implementation == Implementation::Portable || KernelNeon::try_begin().is_some()
}

/// Whether an implementation gives the known answers, alone and taking turns with the portable one.
fn is_sound(family: &Family, known_answers: KnownAnswers, implementation: Implementation) -> bool {
    let turns = [
        (implementation, implementation),
        (implementation, Implementation::Portable),
        (Implementation::Portable, implementation),
    ];
    turns.into_iter().all(|(first, second)| known_answers(&family.choice, first, second))
}

/// What the kernel has, and its figures.
type Measurement = Option<(Provider, Incumbent)>;

/// Times the candidates and what the kernel has; or says why not.
#[inline(never)]
fn measure(family: &Family, candidates: &mut Candidates) -> Result<Measurement, &'static CStr> {
    let clock = Clock::new().ok_or(c"the clock is too coarse to measure")?;
    let message = MESSAGE.lock();
    // Unlike CPUs would make the figures those of no CPU.
    let pinned = Pinned::new();
    let figures = |hash: &mut dyn FnMut(&[u8])| {
        let long = clock.time(|| hash(&message[..]))?;
        let short = clock.time(|| hash(&message[..SHORT]))?;
        Some(Figures { long, short })
    };
    for candidate in candidates.list.iter_mut().take(candidates.len) {
        family.choice.set(candidate.implementation);
        candidate.figures = figures(&mut |data| (family.hash)(data));
    }
    let provider = Provider::open(family.measured);
    let measurement = provider.map(|provider| {
        let figures = figures(&mut |data| provider.digest(data));
        let incumbent = Incumbent { priority: provider.priority(), figures };
        (provider, incumbent)
    });
    if !pinned.all_alike() {
        pr_info!(family.name, ": measured on a CPU of the kind ", pinned.kind(), "; others differ");
    }
    Ok(measurement)
}

/// One message from init to digest.
fn hash<T: Shash>(data: &[u8]) {
    let mut state = zeroed();
    T::init(&mut state, &zeroed());
    T::finup(&mut state, data);
    // Or else the compiler sees that nobody wants the digest.
    core::hint::black_box(T::digest(&state));
}

/// The line that tells what was found and chosen.
#[inline(never)]
fn report(
    family: &Family,
    candidates: &[Candidate],
    measurement: Option<&(Provider, Incumbent)>,
    chosen: Candidate,
    reason: &CStr,
) {
    let name = chosen.implementation.name();
    if chosen.figures.is_none() {
        return pr_info!(family.name, ": ", name, " (", reason, ")");
    }
    pr_info!(family.name, ": ", Table { candidates, measurement }, " ns/KiB -> ", name);
}

/// All figures: "neon-a7 12900, portable 41000, blake2b-256-generic 39000".
struct Table<'a> {
    candidates: &'a [Candidate],
    measurement: Option<&'a (Provider, Incumbent)>,
}

impl Piece for Table<'_> {
    fn put(&self, line: &mut Line) {
        let mut separator = "";
        let mut entry = |name: &CStr, figures: Option<Figures>| {
            separator.put(line);
            name.put(line);
            match figures {
                Some(figures) => {
                    " ".put(line);
                    figures.ns_per_kib().put(line);
                }
                None => " not measured".put(line),
            }
            separator = ", ";
        };
        for candidate in self.candidates {
            entry(candidate.implementation.name(), candidate.figures);
        }
        if let Some((provider, incumbent)) = self.measurement {
            entry(provider.name(), incumbent.figures);
        }
    }
}

fn report_defeat(family: &Family, provider: &Provider, priority: u32) {
    if provider.priority() > 0 {
        pr_info!(family.name, ": ", provider.name(), " is faster: our priority is ", priority);
    } else {
        let tie = " is faster, at priority 0 as ours now: the newest of the two serves the name";
        pr_info!(family.name, ": ", provider.name(), tie);
    }
}
