// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Synchronous hashes, provider side (ours: upstream has none).
//!
//! A hash implements [`Shash`]; [`Algorithm`] describes it to C; [`Registration`] makes it usable
//! by the whole kernel. Everything between init and finup is infallible: no lock, no allocation, no
//! trait object.

use crate::{
    bindings,
    error::{code::*, from_result, to_result, Result},
    transmute::{zeroed, Plain},
};
use core::{
    ffi::{c_int, c_void, CStr},
    mem, ptr, slice,
};

/// The largest digest the crypto API takes, in bytes.
pub const MAX_DIGEST_SIZE: usize = 64;

/// Room for a driver or module name and its NUL.
pub const NAME_SIZE: usize = bindings::SHIM_NAME_SIZE as usize;

/// How many registrations there can be at a time: slots are numbered from 0.
pub const SLOTS: usize = bindings::SHIM_SHASH_SLOTS as usize;

/// A hash.
pub trait Shash {
    /// The algorithm's generic name.
    const NAME: &'static CStr;
    /// Block size in bytes.
    const BLOCK_SIZE: usize;
    /// Digest size in bytes, at most [`MAX_DIGEST_SIZE`].
    const DIGEST_SIZE: usize;
    /// Whether [`Shash::set_key`] is there.
    const KEYED: bool = false;

    /// What a transform keeps for all its messages; zeroed when no key was set.
    type Key: Plain;
    /// What one message's hashing keeps. The kernel copies it freely and may hand any bytes back.
    type State: Plain;

    /// Takes a key. On error the old one still stands.
    fn set_key(_key: &mut Self::Key, _bytes: &[u8]) -> Result {
        Err(ENOSYS)
    }

    /// Begins a message, in a state that is all zero.
    fn init(state: &mut Self::State, key: &Self::Key);

    /// Adds to the message.
    fn update(state: &mut Self::State, data: &[u8]);

    /// Adds the last of the message and computes the digest, which stays in the state.
    fn finup(state: &mut Self::State, data: &[u8]);

    /// The bytes that begin with the digest, after [`Shash::finup`].
    fn digest(state: &Self::State) -> &[u8; MAX_DIGEST_SIZE];
}

/// The caller's data; the kernel passes NULL for none.
///
/// # Safety
///
/// `data` points to `len` readable bytes, or `len` is 0.
unsafe fn input<'a>(data: *const u8, len: usize) -> &'a [u8] {
    if len == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: Not null, and readable for `len` bytes by this function's contract.
    unsafe { slice::from_raw_parts(data, len) }
}

/// # Safety
///
/// `key` points to a `T::Key` that nobody else uses meanwhile; `data` and `len` as for [`input`].
unsafe extern "C" fn setkey<T: Shash>(key: *mut c_void, data: *const u8, len: usize) -> c_int {
    // SAFETY: Ours alone for the call: the API forbids setkey while the transform hashes. Zeroed at
    // allocation.
    let key = unsafe { &mut *key.cast::<T::Key>() };
    // SAFETY: By this function's contract.
    from_result(T::set_key(key, unsafe { input(data, len) }))
}

/// # Safety
///
/// `state` is writable for a `T::State`, initialised or not; `key` points to a `T::Key`.
unsafe extern "C" fn init<T: Shash>(state: *mut c_void, key: *const c_void) {
    // SAFETY: A transform without a key has no bytes for one, and its `Key` none either: any
    // aligned pointer will do.
    let key = unsafe { &*key.cast::<T::Key>() };
    let state = state.cast::<T::State>();
    // SAFETY: Writable by this function's contract. No reference is made to what may be
    // uninitialised.
    unsafe { state.write(zeroed()) };
    // SAFETY: Written just now, and ours alone.
    T::init(unsafe { &mut *state }, key);
}

/// # Safety
///
/// `state` was written by [`init`] or imported and nobody else uses it meanwhile; `data` and `len`
/// as for [`input`].
unsafe extern "C" fn update<T: Shash>(state: *mut c_void, data: *const u8, len: usize) {
    // SAFETY: By this function's contract; any bytes are a valid `Plain` value.
    let state = unsafe { &mut *state.cast::<T::State>() };
    // SAFETY: By this function's contract.
    T::update(state, unsafe { input(data, len) });
}

/// # Safety
///
/// As for [`update`]; `out` is writable for the digest, initialised or not, and does not overlap
/// `state`.
unsafe extern "C" fn finup<T: Shash>(
    state: *mut c_void,
    data: *const u8,
    len: usize,
    out: *mut u8,
) {
    let state = state.cast::<T::State>();
    // SAFETY: By this function's contract. The borrow of the data ends with the call, before `out`,
    // which may overlap it, is written.
    unsafe { T::finup(&mut *state, input(data, len)) };
    // SAFETY: `digest` has `MAX_DIGEST_SIZE` bytes, at least the digest's; `out` takes them and is
    // elsewhere.
    unsafe { ptr::copy_nonoverlapping(T::digest(&*state).as_ptr(), out, T::DIGEST_SIZE) };
    // SAFETY: Ours to write. Zero is a valid value, and nothing of the message is left.
    unsafe { state.write(zeroed()) };
}

/// A hash as C sees it.
pub struct Algorithm {
    name: &'static CStr,
    ops: bindings::shim_shash_ops,
}

impl Algorithm {
    /// The description of `T`.
    pub const fn new<T: Shash>() -> Self {
        const {
            let state = mem::size_of::<T::State>();
            // The limits that hold on every kernel from 6.1 on; hmac() adds its own header to the
            // state.
            assert!(T::BLOCK_SIZE <= state && state <= 345);
            assert!(mem::align_of::<T::State>() <= 8 && mem::align_of::<T::Key>() <= 8);
            assert!(T::DIGEST_SIZE <= MAX_DIGEST_SIZE);
        }
        Self {
            name: T::NAME,
            ops: bindings::shim_shash_ops {
                setkey: if T::KEYED { Some(setkey::<T>) } else { None },
                init: Some(init::<T>),
                update: Some(update::<T>),
                finup: Some(finup::<T>),
                key_size: mem::size_of::<T::Key>() as u32,
                state_size: mem::size_of::<T::State>() as u32,
                digest_size: T::DIGEST_SIZE as u32,
                block_size: T::BLOCK_SIZE as u32,
            },
        }
    }

    /// The generic name.
    pub const fn name(&self) -> &'static CStr {
        self.name
    }

    /// The operations, for the host backend.
    #[cfg(not(feature = "module"))]
    pub(crate) const fn ops(&self) -> &bindings::shim_shash_ops {
        &self.ops
    }
}

/// An algorithm that is registered, until this is dropped.
///
/// Dropping while the kernel holds a reference (a self-test, a user) is a use after free on kernels
/// with asynchronous self-tests: on error paths drop only what [`Registration::idle`] allows. The
/// kernel keeps a module in use loaded, so module exit may drop at once.
///
/// # Invariants
///
/// `slot` is registered and no other value has it.
pub struct Registration {
    slot: u32,
}

impl Registration {
    /// Registers an algorithm: from here on it is in use. `slot` is a number below [`SLOTS`] that
    /// no living registration has.
    ///
    /// `EEXIST` if the kernel finds one of the names taken.
    pub fn new(
        slot: u32,
        algorithm: &'static Algorithm,
        driver: &CStr,
        priority: u32,
    ) -> Result<Self> {
        // SAFETY: The strings are NUL-terminated and copied by the callee; `ops` is static, and its
        // functions accept what C passes: pointers into a context of the sizes stated there.
        to_result(unsafe {
            bindings::shim_shash_register(
                slot,
                algorithm.name.as_ptr(),
                driver.as_ptr(),
                priority,
                &algorithm.ops,
            )
        })?;
        // INVARIANT: Registered just now.
        Ok(Self { slot })
    }

    /// Whether nobody but the registration itself refers to the algorithm.
    pub fn idle(&self) -> bool {
        // SAFETY: The slot is registered, by the type invariant.
        unsafe { bindings::shim_shash_idle(self.slot) }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        // SAFETY: The slot is registered, by the type invariant; see above for who may drop when.
        unsafe { bindings::shim_shash_unregister(self.slot) }
    }
}

/// The module that owns a driver name.
pub struct Holder([u8; NAME_SIZE]);

impl Holder {
    /// The module's name; "kernel" if it is built in.
    pub fn name(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"?")
    }
}

/// Looks a driver up by name, without loading modules, and waits for its self-test to end.
///
/// `ENOENT`: the name is free. `ELIBBAD`: the driver failed its self-test. `EINTR`, `ETIMEDOUT`:
/// the wait ended first.
pub fn probe(driver: &CStr) -> Result<Holder> {
    let mut holder = [0u8; NAME_SIZE];
    // SAFETY: `driver` is NUL-terminated, `holder` has the room that the callee is promised.
    to_result(unsafe { bindings::shim_shash_probe(driver.as_ptr(), holder.as_mut_ptr().cast()) })?;
    Ok(Holder(holder))
}

/// What the kernel has already for a hash, as its users get it.
///
/// # Invariants
///
/// Opened by `shim_provider_open()` and not closed.
pub struct Provider(bindings::shim_provider);

impl Provider {
    /// What serves a generic name now, without loading modules; `None` if nothing does.
    pub fn open(name: &CStr) -> Option<Self> {
        let mut provider =
            bindings::shim_provider { tfm: ptr::null_mut(), priority: 0, driver: [0; NAME_SIZE] };
        // SAFETY: `name` is NUL-terminated, `provider` is ours to be filled in.
        to_result(unsafe { bindings::shim_provider_open(name.as_ptr(), &mut provider) }).ok()?;
        // INVARIANT: Opened just now.
        Some(Self(provider))
    }

    /// Its driver name.
    pub fn name(&self) -> &CStr {
        // SAFETY: `shim_provider_open` has put a NUL-terminated string there.
        unsafe { CStr::from_ptr(self.0.driver.as_ptr()) }
    }

    /// Its priority.
    pub fn priority(&self) -> u32 {
        self.0.priority
    }

    /// Hashes one message, for the time that it takes.
    pub fn digest(&self, data: &[u8]) {
        let mut out = [0; MAX_DIGEST_SIZE];
        // SAFETY: Open by the type invariant; `data` is readable, and `out` takes any digest. An
        // error would leave `out` as it is, and nobody looks at that.
        let _ = unsafe {
            let len = data.len() as u32;
            bindings::shim_provider_digest(&self.0, data.as_ptr(), len, out.as_mut_ptr())
        };
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        // SAFETY: Open by the type invariant, and nobody can use it from here on.
        unsafe { bindings::shim_provider_close(&mut self.0) }
    }
}
