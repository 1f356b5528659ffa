# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Beside the kernel's own blake2b-neon, whose driver names are our default ones."""

from functools import partial

import afalg
import command
import fixture
import module
from algorithms import ALGORITHMS, BLAKE2B, SHA3
from expect import Failure, Skip, expect

IN_TREE = "blake2b_neon"


def tests():
    yield "in-tree blake2b-neon first: ours are -neon-rs and win the generic names", in_tree_first
    for order in ("ours first", "in-tree first"):
        yield f"both loaded, {order} unloaded: the other keeps working", partial(unload, order)
    yield "in-tree blake2b-neon second: ours keep working", in_tree_second


def load_in_tree():
    if command.run("modprobe", "--dry-run", IN_TREE).status:
        raise Skip(f"this kernel has no {IN_TREE}: CONFIG_CRYPTO_BLAKE2B_NEON")
    command.must("modprobe", IN_TREE)
    module.wait_until_passed([algorithm.driver() for algorithm in BLAKE2B], IN_TREE)


def unload_in_tree():
    if module.is_loaded(IN_TREE):
        command.must("rmmod", IN_TREE)


def both_loaded():
    """In-tree first, ours second; returns what ours wrote to the log."""
    fixture.unloaded()
    load_in_tree()
    return module.load_and_wait().log


def in_tree_first():
    log = both_loaded()
    try:
        expect("our drivers",
               [a.driver("neon-rs") for a in BLAKE2B] + [a.driver() for a in SHA3],
               [row["driver"] for row in module.rows()])
        expect_holder_named([line.text for line in log])
        for algorithm in ALGORITHMS:
            expect_ours_by_generic_name(algorithm)
    finally:
        fixture.unloaded()
        unload_in_tree()


def expect_holder_named(lines):
    for algorithm in BLAKE2B:
        naming = [text for text in lines if algorithm.driver() in text and IN_TREE in text]
        if not naming:
            raise Failure(f"expected a line in the log that names {algorithm.driver()} and its"
                          f" holder {IN_TREE}, saw {lines}")


def expect_ours_by_generic_name(algorithm):
    driver = next(r["driver"] for r in module.rows() if r["name"] == algorithm.name)
    module.expect_no_use(driver)
    with afalg.Transform(algorithm.name) as transform:
        module.expect_use(driver, f"by a socket bound to {algorithm.name}")
        expect(algorithm.name, algorithm.new(b"x" * 500).digest(), transform.digest(b"x" * 500))


def unload(order):
    both_loaded()
    try:
        if order == "ours first":
            fixture.unloaded()
        else:
            unload_in_tree()
        expect("in-tree module loaded", order == "ours first", module.is_loaded(IN_TREE))
        expect("our module loaded", order != "ours first", module.is_loaded())
        for algorithm in BLAKE2B:
            expect(algorithm.name, algorithm.new(b"y" * 500).digest(),
                   afalg.digest(algorithm.name, b"y" * 500))
    finally:
        fixture.unloaded()
        unload_in_tree()


def in_tree_second():
    """6.12 refuses it, since the names are taken; 6.1 has then two drivers of one name."""
    fixture.unloaded()
    load_in_tree()
    unload_in_tree()
    fixture.loaded()
    try:
        command.run("modprobe", IN_TREE)
        expect("our drivers", [a.driver() for a in ALGORITHMS],
               [row["driver"] for row in module.rows()])
        for algorithm in ALGORITHMS:
            expect_ours_by_generic_name(algorithm)
    finally:
        fixture.unloaded()
        unload_in_tree()
