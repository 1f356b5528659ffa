// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Assembles the NEON cores. Nothing else: every other artefact comes from rustc or from the
//! kernel's Kbuild.

use std::{env, path::PathBuf};

const CORES: [&str; 4] = [
    "asm/blake2b-neon-core.S",
    "asm/blake2b-neon-a8-core.S",
    "asm/sha3-neon-core.S",
    "asm/sha3-neon-a8-core.S",
];
/// What they include.
const HEADERS: [&str; 3] = ["asm/asm.h", "asm/blake2b-neon.h", "asm/sha3-neon.h"];

fn main() {
    for file in CORES.iter().chain(&HEADERS) {
        println!("cargo:rerun-if-changed={file}");
    }
    // Other targets run the self-tests of the portable code; they have no use for ARM instructions.
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() != Ok("arm") {
        return;
    }
    let include =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("asm");
    // The kernel's float ABI is soft; the cores name the unit that they need themselves.
    let hard_float = env::var("CARGO_CFG_TARGET_ABI").as_deref() == Ok("eabihf");
    cc::Build::new()
        .flag(if hard_float { "-mfpu=neon" } else { "-mfloat-abi=soft" })
        .pic(false)
        .files(CORES)
        .include(include)
        // No debug sections: the object is the same wherever the tree lies.
        .debug(false)
        .compile("neon_shash_asm");
}
