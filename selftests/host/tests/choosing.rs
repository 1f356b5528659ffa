// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! Which implementation is chosen, and at which priority, with made-up timings.

use neon_shash::{
    select::{earned_priority, fastest, Candidate, Figures, Incumbent},
    Implementation, Variant,
};

const A7: Implementation = Implementation::Neon(Variant::A7);
const A8: Implementation = Implementation::Neon(Variant::A8);
const PORTABLE: Implementation = Implementation::Portable;

fn figures(long: u32, short: u32) -> Option<Figures> {
    Some(Figures { long, short })
}

fn candidate(implementation: Implementation, figures: Option<Figures>) -> Candidate {
    Candidate { implementation, figures }
}

fn choice(candidates: &[Candidate]) -> Option<Implementation> {
    fastest(candidates).map(|candidate| candidate.implementation)
}

#[test]
fn the_fastest_serves() {
    let a7 = candidate(A7, figures(50_000, 1_900));
    let a8 = candidate(A8, figures(49_000, 1_900));
    let portable = candidate(PORTABLE, figures(200_000, 7_000));
    assert_eq!(choice(&[a7, a8, portable]), Some(A8));
    assert_eq!(choice(&[a7, portable]), Some(A7));
    // A core on which NEON does not pay.
    assert_eq!(choice(&[a7, a8, candidate(PORTABLE, figures(20_000, 700))]), Some(PORTABLE));
}

#[test]
fn the_short_message_decides_near_a_draw_only() {
    let quick_start = candidate(A8, figures(50_100, 1_000));
    assert_eq!(choice(&[candidate(A7, figures(50_000, 1_900)), quick_start]), Some(A8));
    let slow = candidate(A8, figures(60_000, 100));
    assert_eq!(choice(&[candidate(A7, figures(50_000, 1_900)), slow]), Some(A7));
}

#[test]
fn the_first_of_equals() {
    let same = figures(50_000, 2_000);
    assert_eq!(choice(&[candidate(A7, same), candidate(A8, same)]), Some(A7));
}

#[test]
fn failed_and_unmeasured_candidates() {
    // One failed its known answers and is not there.
    assert_eq!(choice(&[candidate(A8, figures(9, 9))]), Some(A8));
    assert_eq!(choice(&[]), None);
    // The clock gave nothing, or nothing for one.
    assert_eq!(choice(&[candidate(A7, None), candidate(PORTABLE, None)]), Some(A7));
    let measured = candidate(PORTABLE, figures(1, 1));
    assert_eq!(choice(&[candidate(A7, None), measured]), Some(PORTABLE));
}

#[test]
fn absurd_values() {
    let huge = figures(u32::MAX, u32::MAX);
    assert_eq!(choice(&[candidate(A7, huge), candidate(A8, figures(u32::MAX, 1))]), Some(A8));
    let incumbent = Some(Incumbent { priority: u32::MAX, figures: huge });
    assert_eq!(earned_priority(candidate(A7, huge), incumbent, 400), 400);
}

#[test]
fn priority_is_earned() {
    let ours = candidate(A7, figures(50_000, 2_000));
    let incumbent = |priority, long| Some(Incumbent { priority, figures: figures(long, 2_000) });
    assert_eq!(earned_priority(ours, None, 400), 400);
    assert_eq!(earned_priority(ours, incumbent(200, 60_000), 400), 400);
    // A faster one, or one as fast, stays above us.
    assert_eq!(earned_priority(ours, incumbent(200, 40_000), 400), 199);
    assert_eq!(earned_priority(ours, incumbent(200, 50_000), 400), 199);
    assert_eq!(earned_priority(ours, incumbent(5000, 40_000), 400), 400);
    assert_eq!(earned_priority(ours, incumbent(200, 40_000), 77), 77);
    assert_eq!(earned_priority(ours, incumbent(0, 40_000), 400), 0);
    // Nothing measured, nothing to lower it for.
    let unmeasured = Some(Incumbent { priority: 200, figures: None });
    assert_eq!(earned_priority(ours, unmeasured, 400), 400);
    assert_eq!(earned_priority(candidate(A7, None), incumbent(200, 1), 400), 400);
}
