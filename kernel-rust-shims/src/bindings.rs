// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! bindgen's reading of `shims.h`. Not for use outside this crate, but for the macros that expand
//! to it.
#![allow(missing_docs, non_camel_case_types, unreachable_pub)]
#![allow(clippy::all, clippy::pedantic, clippy::restriction)]

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
