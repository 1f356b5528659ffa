// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Loading and unloading on a pretended machine: names, parameters, faults.

use kernel::{
    bindings::shim_params,
    host::{machine, set_simd, Clock, Machine, Simd},
};
use neon_shash::{neon_shash_exit, neon_shash_implementation, neon_shash_init};
use selftests_host::{message, reference};
use std::ffi::{CStr, CString};

const NAMES: [&str; 8] = [
    "blake2b-160",
    "blake2b-256",
    "blake2b-384",
    "blake2b-512",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
];
const EPERM: i32 = -1;
const EINTR: i32 = -4;
const ENOMEM: i32 = -12;
const EEXIST: i32 = -17;
const ENODEV: i32 = -19;
const EINVAL: i32 = -22;
const ELIBBAD: i32 = -80;
const ETIMEDOUT: i32 = -110;
const ENOTRECOVERABLE: i32 = -131;

/// insmod's parameters, with the defaults of `c/module.c`.
struct Load {
    priority: i32,
    suffix: CString,
    blake2b: CString,
    sha3: CString,
    measure: bool,
}

impl Load {
    fn new() -> Self {
        let none = CString::default();
        Self {
            priority: 400,
            suffix: c"neon".into(),
            blake2b: none.clone(),
            sha3: none,
            measure: true,
        }
    }

    fn run(&self) -> i32 {
        let params = shim_params {
            priority: self.priority,
            suffix: self.suffix.as_ptr(),
            blake2b_impl: self.blake2b.as_ptr(),
            sha3_impl: self.sha3.as_ptr(),
            measure: self.measure,
        };
        // SAFETY: The parameters and their strings outlive the call.
        unsafe { neon_shash_init(&params) }
    }
}

fn drivers(machine: &Machine) -> Vec<String> {
    machine.rows().into_iter().map(|row| row.driver).collect()
}

fn with_suffix(suffix: &str) -> Vec<String> {
    NAMES.iter().map(|name| format!("{name}-{suffix}")).collect()
}

fn implementation(family: u32) -> String {
    // SAFETY: The function returns a static string.
    unsafe { CStr::from_ptr(neon_shash_implementation(family)) }.to_str().unwrap().into()
}

/// What a load that must fail leaves: an error, a sentence, and nothing registered.
fn refused(load: &Load, machine: &Machine, errno: i32, sentence: &str) {
    assert_eq!(load.run(), errno);
    assert_eq!(drivers(machine), Vec::<String>::new());
    let log = machine.log().join("\n");
    assert!(log.contains(sentence), "no '{sentence}' in:\n{log}");
}

#[test]
fn one_version() {
    let c = CStr::from_bytes_with_nul(kernel::bindings::SHIM_VERSION).unwrap();
    assert_eq!(c.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
}

#[test]
fn load_hash_unload() {
    let machine = machine();
    assert_eq!(Load::new().run(), 0);
    assert_eq!(drivers(&machine), with_suffix("neon"));
    for (row, name) in machine.rows().iter().zip(NAMES) {
        assert_eq!((row.name.as_str(), row.priority), (name, 400));
        let data = message(1, 9999);
        let digest = machine.transform(&row.driver).unwrap().digest(&data);
        assert_eq!(digest, reference(name, &[], &data));
    }
    assert_eq!((implementation(0), implementation(1)), ("neon-a7".into(), "neon-a7".into()));
    assert_eq!(
        machine.log(),
        [
            "blake2b: neon-a7 (the clock is too coarse to measure)",
            "sha3: neon-a7 (the clock is too coarse to measure)",
            "the kernel accepted 8 hashes; priority 400, sha3 400",
        ]
    );
    neon_shash_exit();
    assert!(machine.rows().is_empty());
    // Again: nothing was left behind.
    assert_eq!(Load::new().run(), 0);
    neon_shash_exit();
}

#[test]
fn parameters_are_heeded() {
    let machine = machine();
    let load = Load {
        priority: 77,
        suffix: c"neon-rs".into(),
        blake2b: c"portable".into(),
        sha3: c"neon-a8".into(),
        ..Load::new()
    };
    assert_eq!(load.run(), 0);
    assert_eq!(drivers(&machine), with_suffix("neon-rs"));
    assert!(machine.rows().iter().all(|row| row.priority == 77));
    assert_eq!((implementation(0), implementation(1)), ("portable".into(), "neon-a8".into()));
    neon_shash_exit();
}

#[test]
fn bad_parameters_are_refused() {
    let machine = machine();
    for suffix in ["", "a b", "Neon", "neon/", &"n".repeat(33)] {
        let load = Load { suffix: CString::new(suffix).unwrap(), ..Load::new() };
        refused(&load, &machine, EINVAL, &format!("suffix={suffix}: use 1 to 32 characters"));
    }
    for suffix in ["generic", "lib"] {
        let load = Load { suffix: CString::new(suffix).unwrap(), ..Load::new() };
        refused(&load, &machine, EINVAL, "the kernel's own drivers are called so");
    }
    let load = Load { priority: -1, ..Load::new() };
    refused(&load, &machine, EINVAL, "priority=-1: use 0 or more");
    let load = Load { sha3: c"neno".into(), ..Load::new() };
    refused(&load, &machine, EINVAL, "sha3_impl=neno: no such implementation");
    let load = Load { suffix: CString::new("n".repeat(32)).unwrap(), ..Load::new() };
    assert_eq!(load.run(), 0);
    neon_shash_exit();
}

#[test]
fn machines_that_will_not_do() {
    let machine = machine();
    machine.set_fips(false);
    refused(&Load::new(), &machine, EPERM, "fips=1");
    machine.remove_neon();
    refused(&Load::new(), &machine, ENODEV, "no NEON");
}

#[test]
fn neon_that_does_not_run() {
    let machine = machine();
    set_simd(Simd::Refused);
    assert_eq!(Load::new().run(), 0);
    assert_eq!((implementation(0), implementation(1)), ("portable".into(), "portable".into()));
    assert!(machine.log()[0].contains("blake2b: the kernel does not let neon-a7 run here"));
    neon_shash_exit();
    let load = Load { blake2b: c"neon-a7".into(), ..Load::new() };
    refused(&load, &machine, ENOTRECOVERABLE, "blake2b: no implementation is left");
    set_simd(Simd::Usable);
}

/// NEON takes 50 us a section on the pretended clock, portable code nothing but the reading.
#[test]
fn the_choice_is_consistent_with_the_figures() {
    let machine = machine();
    machine.set_clock(Clock::Steps(40));
    machine.set_incumbent("hash-other", 250, 60_000);
    assert_eq!(Load::new().run(), 0);
    let log = machine.log();
    let figures = "neon-a7 12510, neon-a8 12510, portable 0, hash-other 15010 ns/KiB -> portable";
    assert_eq!(log[..2], [format!("blake2b: {figures}"), format!("sha3: {figures}")]);
    assert!(machine.rows().iter().all(|row| row.priority == 400));
    assert_eq!(implementation(0), "portable");
    neon_shash_exit();
}

#[test]
fn a_faster_incumbent_stays_above() {
    let machine = machine();
    machine.set_clock(Clock::Steps(40));
    for (priority, earned, line) in [
        (250, 249, "blake2b: hash-other is faster: our priority is 249"),
        (0, 0, "blake2b: hash-other is faster, at priority 0 as ours now: the newest"),
    ] {
        machine.set_incumbent("hash-other", priority, 0);
        assert_eq!(Load::new().run(), 0);
        assert!(machine.rows().iter().all(|row| row.priority == earned));
        assert!(machine.log().iter().any(|found| found.starts_with(line)), "{:?}", machine.log());
        neon_shash_exit();
    }
    // Who forces an implementation, or does not want to measure, gets the priority asked for.
    let load = Load { measure: false, ..Load::new() };
    assert_eq!(load.run(), 0);
    assert!(machine.rows().iter().all(|row| row.priority == 400));
    assert!(machine.log().contains(&"blake2b: neon-a7 (not measured)".to_string()));
    neon_shash_exit();
}

#[test]
fn clocks_that_tell_nothing() {
    let machine = machine();
    for clock in [Clock::Stuck, Clock::Steps(1_000_000_000), Clock::Backwards] {
        machine.set_clock(clock);
        assert_eq!(Load::new().run(), 0);
        assert_eq!(implementation(1), "neon-a7", "{clock:?}");
        let line = "sha3: neon-a7 (the clock is too coarse to measure)".to_string();
        assert!(machine.log().contains(&line), "{clock:?}: {:?}", machine.log());
        neon_shash_exit();
    }
    // 32 kHz, the slowest that boards have.
    machine.set_clock(Clock::Steps(30_518));
    assert_eq!(Load::new().run(), 0);
    assert!(machine.log().last().unwrap().contains("accepted 8"));
    assert_eq!(implementation(0), "portable");
    neon_shash_exit();
}

#[test]
fn unlike_cpus_are_named() {
    let machine = machine();
    machine.set_clock(Clock::Steps(40));
    machine.mix_cpus();
    assert_eq!(Load::new().run(), 0);
    let line = "blake2b: measured on a CPU of the kind 0x410fc075; others differ".to_string();
    assert!(machine.log().contains(&line));
    neon_shash_exit();
}

#[test]
fn fips_without_blake2b() {
    let machine = machine();
    machine.set_fips(true);
    assert_eq!(Load::new().run(), 0);
    assert_eq!(drivers(&machine), with_suffix("neon")[4..]);
    assert!(machine.log()[2].contains("blake2b-160: not approved for fips=1"));
    neon_shash_exit();
}

#[test]
fn taken_names() {
    let machine = machine();
    for name in &NAMES[..4] {
        machine.take(&format!("{name}-neon"), "blake2b_neon");
    }
    // Found taken by the kernel only at registration.
    machine.hide("sha3-512-neon");
    assert_eq!(Load::new().run(), 0);
    let mut expected = with_suffix("neon-rs");
    expected[4..7].clone_from_slice(&with_suffix("neon")[4..7]);
    assert_eq!(drivers(&machine), expected);
    let log = &machine.log()[2..];
    assert_eq!(
        log[0],
        "blake2b-160-neon is taken by blake2b_neon: registered as blake2b-160-neon-rs"
    );
    assert_eq!(log[4], "sha3-512-neon is taken by another module: registered as sha3-512-neon-rs");
    neon_shash_exit();
    assert!(machine.rows().is_empty());
}

#[test]
fn both_names_taken() {
    let machine = machine();
    machine.take("sha3-256-neon", "other");
    machine.take("sha3-256-neon-rs", "other");
    assert_eq!(Load::new().run(), 0);
    assert_eq!(machine.rows().len(), 7);
    assert!(machine.log()[2].contains("sha3-256-neon is taken by other, and sha3-256-neon-rs too"));
    neon_shash_exit();

    for name in NAMES {
        machine.take(&format!("{name}-neon"), "other");
        machine.take(&format!("{name}-neon-rs"), "other");
    }
    refused(&Load::new(), &machine, EEXIST, "no algorithm could be registered");
}

#[test]
fn a_failed_registration_undoes_all() {
    for (count, name) in NAMES.iter().enumerate() {
        let machine = machine();
        machine.fail_registration(&format!("{name}-neon"), ENOMEM);
        refused(
            &Load::new(),
            &machine,
            ENOMEM,
            &format!("{name}: the kernel refused to register it"),
        );
        assert!(!machine.unregistered_busy(), "{count} registered before");
    }
}

#[test]
fn a_busy_algorithm_is_not_undone() {
    let machine = machine();
    machine.fail_registration("sha3-512-neon", ENOMEM);
    machine.set_busy(true);
    assert_eq!(Load::new().run(), 0);
    assert_eq!(machine.rows().len(), 7);
    assert_eq!(machine.slept_ms(), 120_000);
    assert!(machine.log().last().unwrap().contains("staying loaded"));
    machine.set_busy(false);
    neon_shash_exit();
    assert!(machine.rows().is_empty() && !machine.unregistered_busy());
}

#[test]
fn self_tests_decide() {
    let machine = machine();
    machine.fail_probe("sha3-224-neon", ELIBBAD);
    machine.fail_probe("sha3-256-neon", EINTR);
    machine.fail_probe("sha3-384-neon", ETIMEDOUT);
    assert_eq!(Load::new().run(), 0);
    assert!(!drivers(&machine).contains(&"sha3-224-neon".to_string()));
    assert_eq!(machine.rows().len(), 7);
    let log = &machine.log()[2..];
    assert_eq!(log[0], "sha3-224-neon: rejected by the kernel's self-test");
    assert!(log[1].contains("accepted 5 hashes"));
    assert!(log[2].contains("self-test of 2 hashes has not ended"));
    neon_shash_exit();
}

#[test]
fn all_rejected() {
    let machine = machine();
    for name in NAMES {
        machine.fail_probe(&format!("{name}-neon"), ELIBBAD);
    }
    refused(&Load::new(), &machine, ENOTRECOVERABLE, "rejected every algorithm");
}
