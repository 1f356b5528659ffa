// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Random ways through a message. A program of its own: it changes the choice of implementation,
//! which is the whole program's.

use kernel::host::{set_simd, Request, Simd};
use neon_shash::Implementation;
use proptest::prelude::*;
use selftests_host::{algorithms, algorithms_by, message, reference};

/// What may happen to a message under way.
#[derive(Clone, Debug)]
enum Step {
    Update(usize),
    /// SIMD comes and goes.
    Simd(Simd),
    /// The implementation changes, for the whole program.
    Choose(Implementation),
    /// Export, and go on in another request; the old one is left to rot.
    Move,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0usize..300).prop_map(Step::Update),
        2 => (3900usize..4300).prop_map(Step::Update),
        1 => prop_oneof![
            Just(Simd::Usable),
            Just(Simd::Refused),
            any::<u64>().prop_map(Simd::Random),
        ]
        .prop_map(Step::Simd),
        1 => prop::sample::select(&Implementation::ALL[..]).prop_map(Step::Choose),
        1 => Just(Step::Move),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_way_through_a_message(
        which in 0usize..8,
        key_len in 0usize..=64,
        seed: u32,
        offset in 0usize..16,
        steps in prop::collection::vec(step(), 0..12),
        last in 0usize..5000,
    ) {
        let (name, algorithm) = algorithms().nth(which).unwrap();
        let mut transform = algorithm.transform();
        let key = message(seed, if transform.has_setkey() { key_len } else { 0 });
        if !key.is_empty() {
            transform.set_key(&key).unwrap();
        }
        let updated = |step: &Step| if let Step::Update(len) = step { *len } else { 0 };
        let total = last + steps.iter().map(updated).sum::<usize>();
        let buffer = message(seed ^ 1, offset + total);
        let data = &buffer[offset..];
        set_simd(Simd::Random(u64::from(seed)));

        let mut request: Request = transform.request();
        let mut at = 0;
        for step in &steps {
            match *step {
                Step::Update(len) => {
                    request.update(&data[at..at + len]);
                    at += len;
                }
                Step::Simd(simd) => set_simd(simd),
                Step::Choose(implementation) => {
                    let _ = algorithms_by(implementation);
                }
                Step::Move => {
                    let state = request.export();
                    request.update(b"what becomes of the old one does not matter");
                    request = transform.request();
                    request.import(&state);
                }
            }
        }
        prop_assert_eq!(request.finup(&data[at..]), reference(name, &key, data));
    }
}
