// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The vectors that NIST and the BLAKE2 team publish, through NEON and through portable code.

use kernel::host::{set_simd, Simd};
use selftests_host::algorithm;
use serde::Deserialize;
use std::collections::BTreeMap;

fn vectors(file: &str) -> String {
    let path = format!("{}/../vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Checks one vector with SIMD usable and refused.
fn check(name: &str, key: &[u8], message: &[u8], expected: &[u8]) {
    let mut transform = algorithm(name).transform();
    if !key.is_empty() {
        transform.set_key(key).expect("vectors have valid keys");
    }
    for simd in [Simd::Usable, Simd::Refused] {
        set_simd(simd);
        assert_eq!(
            transform.digest(message),
            expected,
            "{name}, {} bytes, {simd:?}",
            message.len()
        );
    }
}

#[derive(Deserialize)]
struct Blake2Vector {
    hash: String,
    r#in: String,
    key: String,
    out: String,
}

#[test]
fn blake2_team() {
    let vectors: Vec<Blake2Vector> = serde_json::from_str(&vectors("blake2b-kat.json")).unwrap();
    let bytes = |text: &str| hex::decode(text).unwrap();
    let mut keyed = 0;
    for vector in &vectors {
        assert_eq!(vector.hash, "blake2b");
        keyed += usize::from(!vector.key.is_empty());
        check("blake2b-512", &bytes(&vector.key), &bytes(&vector.r#in), &bytes(&vector.out));
    }
    assert_eq!((vectors.len(), keyed), (512, 256));
}

fn nist(name: &str, file: &str, count: usize) {
    let mut checked = 0;
    let mut fields = BTreeMap::new();
    for line in vectors(file).lines() {
        let Some((field, value)) = line.split_once(" = ") else { continue };
        fields.insert(field.to_string(), value.trim().to_string());
        if field != "MD" {
            continue;
        }
        let bits: usize = fields["Len"].parse().unwrap();
        let mut message = hex::decode(&fields["Msg"]).unwrap();
        // The empty message is written as one zero byte.
        message.truncate(bits / 8);
        check(name, &[], &message, &hex::decode(value.trim()).unwrap());
        checked += 1;
    }
    assert_eq!(checked, count);
}

#[test]
fn nist_sha3_224() {
    nist("sha3-224", "SHA3_224ShortMsg.rsp", 145);
}

#[test]
fn nist_sha3_256() {
    nist("sha3-256", "SHA3_256ShortMsg.rsp", 137);
}

#[test]
fn nist_sha3_384() {
    nist("sha3-384", "SHA3_384ShortMsg.rsp", 105);
}

#[test]
fn nist_sha3_512() {
    nist("sha3-512", "SHA3_512ShortMsg.rsp", 73);
}
