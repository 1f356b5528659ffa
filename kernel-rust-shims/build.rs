// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Turns `shims.h`, the one header that C and Rust share, into `bindings.rs`.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=shims.h");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("bindings.rs");
    bindgen::Builder::default()
        .header("shims.h")
        .use_core()
        .allowlist_item("(shim|SHIM|neon_shash)_.*")
        // Names as in the header; enums are plain integers there too.
        .prepend_enum_name(false)
        // Layout assertions, the Rust half of those in the header.
        .layout_tests(true)
        .derive_debug(false)
        .generate()
        .expect("bindgen reads shims.h (is libclang installed? Debian: libclang1-14 or newer)")
        .write_to_file(out)
        .expect("bindings.rs can be written to OUT_DIR");
}
