// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Assembles the NEON cores. Nothing else: every other artefact comes from rustc or from the
//! kernel's Kbuild.

use std::{env, path::PathBuf};

const CORES: [&str; 2] = ["asm/blake2b-neon-core.S", "asm/sha3-neon-core.S"];

fn main() {
    println!("cargo:rerun-if-changed=asm/asm.h");
    for core in CORES {
        println!("cargo:rerun-if-changed={core}");
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
