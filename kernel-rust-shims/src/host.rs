// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! User-space stand-in for the C seam and the crypto core behind it, for tests.
//!
//! [`machine`] gives one test the whole machine: registrations, names that are taken, faults, the
//! log. [`Transform`] and [`Request`] drive the registered callbacks as the kernel would, on memory
//! that holds garbage. SIMD use is decided per thread by [`set_simd`], and sections are counted.

use crate::{bindings::*, error::to_result, error::Result};
use core::{
    ffi::{c_char, c_int, c_void, CStr},
    ops::Range,
    slice,
};
use std::{
    cell::Cell,
    collections::BTreeMap,
    string::{String, ToString},
    sync::{Mutex, MutexGuard, PoisonError},
    vec,
    vec::Vec,
};

/// When `crypto_simd_usable()` says yes on this thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simd {
    /// Always.
    Usable,
    /// Never.
    Refused,
    /// At random, from this seed on.
    Random(u64),
}

std::thread_local! {
    static SIMD: Cell<Simd> = const { Cell::new(Simd::Usable) };
    static OPEN: Cell<bool> = const { Cell::new(false) };
    static SECTIONS: Cell<usize> = const { Cell::new(0) };
}

/// Decides about SIMD on this thread from now on.
pub fn set_simd(simd: Simd) {
    SIMD.set(simd);
}

/// How many NEON sections this thread has begun; none is open.
pub fn sections() -> usize {
    assert!(!OPEN.get(), "a NEON section was left open");
    SECTIONS.get()
}

/// A step of xorshift64; a seed of 0 would stay 0.
fn next_random(seed: u64) -> u64 {
    let mut x = seed.max(1);
    x ^= x << 13;
    x ^= x >> 7;
    x ^ (x << 17)
}

#[no_mangle]
extern "C" fn shim_simd_usable() -> bool {
    match SIMD.get() {
        Simd::Usable => true,
        Simd::Refused => false,
        Simd::Random(seed) => {
            let seed = next_random(seed);
            SIMD.set(Simd::Random(seed));
            seed & (1 << 20) != 0
        }
    }
}

#[no_mangle]
extern "C" fn shim_neon_begin() {
    assert!(!OPEN.replace(true), "nested NEON section");
    state().now_ns += NEON_SECTION_NS;
    SECTIONS.set(SECTIONS.get() + 1);
}

#[no_mangle]
extern "C" fn shim_neon_end() {
    assert!(OPEN.replace(false), "NEON section ended twice");
}

/// A registered algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Generic name.
    pub name: String,
    /// Driver name.
    pub driver: String,
    /// Priority.
    pub priority: u32,
    slot: u32,
    ops: usize,
}

/// How the machine's clock behaves.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Clock {
    /// It stands still.
    #[default]
    Stuck,
    /// It shows the time that has passed in NEON sections, outside of them and in the incumbent, as
    /// told, in steps of so many nanoseconds.
    Steps(u64),
    /// It goes backwards now and then.
    Backwards,
}

/// What the pretended machine is like, and what has happened on it.
#[derive(Default)]
struct State {
    rows: Vec<Row>,
    log: Vec<String>,
    slept_ms: u32,
    no_neon: bool,
    fips: shim_fips,
    taken: BTreeMap<String, String>,
    hidden: Vec<String>,
    registration_errors: BTreeMap<String, c_int>,
    probe_errors: BTreeMap<String, c_int>,
    busy: bool,
    unregistered_busy: bool,
    clock: Clock,
    now_ns: u64,
    incumbent: Option<(String, u32, u64)>,
    unlike_cpus: bool,
}

static MACHINE: Mutex<State> = Mutex::new(State {
    rows: Vec::new(),
    log: Vec::new(),
    slept_ms: 0,
    no_neon: false,
    fips: SHIM_FIPS_OFF,
    taken: BTreeMap::new(),
    hidden: Vec::new(),
    registration_errors: BTreeMap::new(),
    probe_errors: BTreeMap::new(),
    busy: false,
    unregistered_busy: false,
    clock: Clock::Stuck,
    now_ns: 0,
    incumbent: None,
    unlike_cpus: false,
});
static EXCLUSIVE: Mutex<()> = Mutex::new(());

fn state() -> MutexGuard<'static, State> {
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The machine, for one test at a time. Starts with NEON, nothing registered and an empty log.
pub struct Machine {
    _exclusive: MutexGuard<'static, ()>,
}

/// Waits until no other test has the machine and gives it, reset.
pub fn machine() -> Machine {
    let exclusive = EXCLUSIVE.lock().unwrap_or_else(PoisonError::into_inner);
    *state() = State::default();
    Machine { _exclusive: exclusive }
}

impl Machine {
    /// Takes NEON away from the CPU.
    pub fn remove_neon(&self) {
        state().no_neon = true;
    }

    /// Boots with `fips=1`.
    pub fn set_fips(&self, signed: bool) {
        state().fips = if signed { SHIM_FIPS_SIGNED } else { SHIM_FIPS_UNSIGNED };
    }

    /// A driver of this name is registered already, by module `holder`.
    pub fn take(&self, driver: &str, holder: &str) {
        state().taken.insert(driver.into(), holder.into());
    }

    /// Registering under this name gives `EEXIST` although a look-up finds it free.
    pub fn hide(&self, driver: &str) {
        state().hidden.push(driver.into());
    }

    /// Registering this driver gives an error, a negative errno value.
    pub fn fail_registration(&self, driver: &str, errno: i32) {
        state().registration_errors.insert(driver.into(), errno);
    }

    /// Looking this driver up once it is registered gives an error, a negative errno value.
    pub fn fail_probe(&self, driver: &str, errno: i32) {
        state().probe_errors.insert(driver.into(), errno);
    }

    /// Somebody holds a reference to every algorithm from now on, or no longer does.
    pub fn set_busy(&self, busy: bool) {
        state().busy = busy;
    }

    /// Gives the machine a clock.
    pub fn set_clock(&self, clock: Clock) {
        state().clock = clock;
    }

    /// The kernel has a driver for every hash already, which takes so many nanoseconds a message.
    pub fn set_incumbent(&self, driver: &str, priority: u32, ns: u64) {
        state().incumbent = Some((driver.into(), priority, ns));
    }

    /// Some CPUs are of another kind.
    pub fn mix_cpus(&self) {
        state().unlike_cpus = true;
    }

    /// Whether something was unregistered while somebody held a reference to it.
    pub fn unregistered_busy(&self) -> bool {
        state().unregistered_busy
    }

    /// How long init and exit have slept, in milliseconds.
    pub fn slept_ms(&self) -> u32 {
        state().slept_ms
    }

    /// What is registered, in the order of registration.
    pub fn rows(&self) -> Vec<Row> {
        state().rows.clone()
    }

    /// The log's lines.
    pub fn log(&self) -> Vec<String> {
        state().log.clone()
    }

    /// A transform of a registered driver.
    pub fn transform(&self, driver: &str) -> Option<Transform> {
        let ops =
            state().rows.iter().find(|row| row.driver == driver)?.ops as *const shim_shash_ops;
        // SAFETY: Registered operations are static.
        Some(Transform::new(unsafe { &*ops }))
    }
}

impl crate::crypto::shash::Algorithm {
    /// A transform of this algorithm, registered or not.
    pub fn transform(&'static self) -> Transform {
        Transform::new(self.ops())
    }
}

/// Memory that is aligned as the kernel's contexts are and full of garbage at first.
#[derive(Clone)]
struct Context(Vec<u64>);

impl Context {
    fn poisoned(size: u32) -> Self {
        Self(vec![0xa5a5_a5a5_5a5a_5a5a; (size as usize).div_ceil(8)])
    }

    fn ptr(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

/// A transform: an algorithm and perhaps a key.
pub struct Transform {
    ops: &'static shim_shash_ops,
    key: Context,
}

impl Transform {
    fn new(ops: &'static shim_shash_ops) -> Self {
        let mut key = Context::poisoned(ops.key_size.max(8));
        key.0.fill(0);
        Self { ops, key }
    }

    /// Digest size in bytes.
    pub fn digest_size(&self) -> usize {
        self.ops.digest_size as usize
    }

    /// Block size in bytes.
    pub fn block_size(&self) -> usize {
        self.ops.block_size as usize
    }

    /// Whether the algorithm takes a key.
    pub fn has_setkey(&self) -> bool {
        self.ops.setkey.is_some()
    }

    /// Sets the key.
    pub fn set_key(&mut self, key: &[u8]) -> Result {
        let setkey = self.ops.setkey.expect("the algorithm takes keys");
        // SAFETY: The context has `key_size` bytes and is ours alone; the slice is readable.
        to_result(unsafe { setkey(self.key.ptr(), key.as_ptr(), key.len()) })
    }

    /// A request: the hashing of one message, after init.
    pub fn request(&mut self) -> Request {
        let mut state = Context::poisoned(self.ops.state_size);
        // SAFETY: Both contexts have the sizes that the operations state.
        unsafe { (self.ops.init.expect("always there"))(state.ptr(), self.key.ptr()) };
        Request { ops: self.ops, state }
    }

    /// One-shot digest.
    pub fn digest(&mut self, data: &[u8]) -> Vec<u8> {
        self.request().finup(data)
    }
}

/// The hashing of one message. A clone continues from the same point, as an exported and imported
/// state does.
#[derive(Clone)]
pub struct Request {
    ops: &'static shim_shash_ops,
    state: Context,
}

impl Request {
    /// Adds to the message.
    pub fn update(&mut self, data: &[u8]) {
        // The kernel passes NULL for no data.
        let ptr = if data.is_empty() { core::ptr::null() } else { data.as_ptr() };
        // SAFETY: The state was initialised by `Transform::request`; the slice is readable.
        unsafe { (self.ops.update.expect("always there"))(self.state.ptr(), ptr, data.len()) };
    }

    /// Adds the last of the message and gives the digest, with canaries checked and the state found
    /// wiped.
    pub fn finup(mut self, data: &[u8]) -> Vec<u8> {
        let size = self.ops.digest_size as usize;
        let mut out = vec![0xc3; size + 16];
        let ptr = if data.is_empty() { core::ptr::null() } else { data.as_ptr() };
        // SAFETY: As in `update`; `out` has room for the digest behind its first 8 bytes.
        unsafe {
            (self.ops.finup.expect("always there"))(
                self.state.ptr(),
                ptr,
                data.len(),
                out.as_mut_ptr().add(8),
            )
        };
        assert!(self.is_wiped(), "the state was not wiped");
        assert!(
            out[..8] == [0xc3; 8] && out[size + 8..] == [0xc3; 8],
            "bytes beside the digest were written"
        );
        out[8..size + 8].to_vec()
    }

    /// Adds the last of the message and writes the digest to `out`, which has its size.
    pub fn finup_into(&mut self, data: &[u8], out: &mut [u8]) {
        assert_eq!(out.len(), self.ops.digest_size as usize);
        let ptr = if data.is_empty() { core::ptr::null() } else { data.as_ptr() };
        let finup = self.ops.finup.expect("always there");
        // SAFETY: As in `update`; `out` has room for the digest.
        unsafe { finup(self.state.ptr(), ptr, data.len(), out.as_mut_ptr()) };
    }

    /// The same with data and digest in one buffer, where they may overlap: hmac's outer hash has
    /// them so.
    pub fn finup_overlapping(&mut self, memory: &mut [u8], data: Range<usize>, out: usize) {
        let digest = out..out + self.ops.digest_size as usize;
        assert!(data.end <= memory.len() && digest.end <= memory.len());
        let (ptr, finup) = (memory.as_mut_ptr(), self.ops.finup.expect("always there"));
        // SAFETY: As in `update`; both lie within the buffer, and the API lets them overlap.
        unsafe { finup(self.state.ptr(), ptr.add(data.start), data.len(), ptr.add(out)) };
    }

    /// Whether nothing is left of the message.
    pub fn is_wiped(&self) -> bool {
        self.state.0.iter().all(|word| *word == 0)
    }

    /// The state's bytes.
    pub fn export(&self) -> Vec<u8> {
        let bytes = self.state.0.iter().flat_map(|word| word.to_le_bytes());
        bytes.take(self.ops.state_size as usize).collect()
    }

    /// Replaces the state's bytes by any others; the kernel promises nothing about them.
    pub fn import(&mut self, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.ops.state_size as usize);
        for (word, chunk) in self.state.0.iter_mut().zip(bytes.chunks(8)) {
            let mut le = [0; 8];
            le[..chunk.len()].copy_from_slice(chunk);
            *word = u64::from_le_bytes(le);
        }
    }
}

/// What a NEON section takes on the pretended clock; portable code takes no time at all there.
pub const NEON_SECTION_NS: u64 = 50_000;

const EEXIST: c_int = -17;
const ENOENT: c_int = -2;

/// # Safety
///
/// `text` is NUL-terminated.
unsafe fn string(text: *const c_char) -> String {
    // SAFETY: By this function's contract.
    unsafe { CStr::from_ptr(text) }.to_str().expect("names are ASCII").to_string()
}

#[no_mangle]
unsafe extern "C" fn shim_shash_register(
    slot: u32,
    name: *const c_char,
    driver: *const c_char,
    priority: u32,
    ops: *const shim_shash_ops,
) -> c_int {
    // SAFETY: The callers pass NUL-terminated strings.
    let (name, driver) = unsafe { (string(name), string(driver)) };
    let mut state = state();
    if let Some(error) = state.registration_errors.get(&driver) {
        return *error;
    }
    if state.taken.contains_key(&driver) || state.hidden.contains(&driver) {
        return EEXIST;
    }
    assert!(
        slot < SHIM_SHASH_SLOTS && state.rows.iter().all(|row| row.slot != slot),
        "slot {slot} is in use"
    );
    assert!(state.rows.iter().all(|row| row.driver != driver), "{driver} is registered twice");
    state.rows.push(Row { name, driver, priority, slot, ops: ops as usize });
    0
}

#[no_mangle]
extern "C" fn shim_shash_unregister(slot: u32) {
    let mut state = state();
    state.unregistered_busy |= state.busy;
    let before = state.rows.len();
    state.rows.retain(|row| row.slot != slot);
    assert_eq!(state.rows.len() + 1, before, "slot {slot} was not registered");
}

#[no_mangle]
extern "C" fn shim_shash_idle(_slot: u32) -> bool {
    !state().busy
}

#[no_mangle]
unsafe extern "C" fn shim_shash_probe(driver: *const c_char, holder: *mut c_char) -> c_int {
    // SAFETY: The callers pass NUL-terminated strings.
    let driver = unsafe { string(driver) };
    let state = state();
    let module = match state.taken.get(&driver) {
        Some(module) => module.as_str(),
        None if state.rows.iter().any(|row| row.driver == driver) => {
            match state.probe_errors.get(&driver) {
                Some(error) => return *error,
                None => "neon_shash",
            }
        }
        None => return ENOENT,
    };
    for (index, byte) in module.bytes().chain([0]).enumerate() {
        // SAFETY: `holder` has room for `SHIM_NAME_SIZE` bytes; the tests' module names are
        // shorter.
        unsafe { holder.add(index).write(byte as c_char) };
    }
    0
}

#[no_mangle]
unsafe extern "C" fn shim_print(_level: shim_level, text: *const c_char, len: usize) {
    // SAFETY: The callers pass `len` readable bytes.
    let text = unsafe { slice::from_raw_parts(text.cast::<u8>(), len) };
    state().log.push(String::from_utf8_lossy(text).into_owned());
}

#[no_mangle]
extern "C" fn shim_bug() -> ! {
    std::process::abort()
}

#[no_mangle]
extern "C" fn shim_msleep(ms: u32) {
    state().slept_ms += ms;
}

#[no_mangle]
extern "C" fn shim_cpu_has_neon() -> bool {
    !state().no_neon
}

#[no_mangle]
extern "C" fn shim_fips() -> shim_fips {
    state().fips
}

/// Each reading takes 40 ns, and what was hashed meanwhile what `shim_provider_digest` says.
#[no_mangle]
extern "C" fn shim_time_ns() -> u64 {
    let mut state = state();
    state.now_ns += 40;
    match state.clock {
        Clock::Stuck => 0,
        Clock::Steps(grain) => state.now_ns / grain * grain,
        Clock::Backwards => 1_000_000_000 - state.now_ns,
    }
}

#[no_mangle]
extern "C" fn shim_cpu_pin() -> u32 {
    0x410f_c075
}

#[no_mangle]
extern "C" fn shim_cpu_unpin() {}

#[no_mangle]
extern "C" fn shim_cpus_alike(_midr: u32) -> bool {
    !state().unlike_cpus
}

#[no_mangle]
unsafe extern "C" fn shim_provider_open(
    _name: *const c_char,
    provider: *mut shim_provider,
) -> c_int {
    let state = state();
    let Some((driver, priority, _)) = &state.incumbent else { return ENOENT };
    // SAFETY: The callers pass a structure to be filled in.
    let provider = unsafe { &mut *provider };
    provider.priority = *priority;
    for (to, from) in provider.driver.iter_mut().zip(driver.bytes().chain([0])) {
        *to = from as c_char;
    }
    0
}

#[no_mangle]
extern "C" fn shim_provider_digest(
    _provider: *const shim_provider,
    _data: *const u8,
    _len: u32,
    _out: *mut u8,
) -> c_int {
    let mut state = state();
    state.now_ns += state.incumbent.as_ref().map_or(0, |(_, _, ns)| *ns);
    0
}

#[no_mangle]
extern "C" fn shim_provider_close(_provider: *mut shim_provider) {}
