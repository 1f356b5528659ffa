// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Times one hash driver as its users call it, and prints lines of three words: driver, operation,
 * nanoseconds. Under an emulator that lets one instruction take one nanosecond (QEMU's -icount
 * shift=0) these are instructions; on a board they are time.
 *
 *	insmod neon_shash_bench.ko driver=sha3-256-neon
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <crypto/hash.h>

/* dm-verity's usual salt. */
#define SALT_SIZE 32
#define MAX_MESSAGE 4096
/* The shortest of these counts: interrupts only add. */
#define RUNS 9

static char *driver;
module_param(driver, charp, 0);
MODULE_PARM_DESC(driver, "driver name of the hash");

struct bench {
	struct shash_desc *desc;
	u8 *message;
	/* What dm-verity exports once, when a device is opened. */
	u8 *salted;
	u8 digest[HASH_MAX_DIGESTSIZE];
};

static int salt(struct bench *bench)
{
	return crypto_shash_init(bench->desc) ?:
	       crypto_shash_update(bench->desc, bench->message, SALT_SIZE) ?:
	       crypto_shash_export(bench->desc, bench->salted);
}

/* What dm-verity does for each block from Linux 6.12 on. */
static int verity(struct bench *bench, unsigned int len)
{
	return crypto_shash_import(bench->desc, bench->salted) ?:
	       crypto_shash_finup(bench->desc, bench->message, len, bench->digest);
}

static int digest(struct bench *bench, unsigned int len)
{
	return crypto_shash_digest(bench->desc, bench->message, len, bench->digest);
}

static int time(struct bench *bench, const char *name, unsigned int len,
		int (*run)(struct bench *bench, unsigned int len))
{
	u64 shortest = U64_MAX;
	int i, err;

	for (i = 0; i < RUNS; i++) {
		u64 begun = ktime_get_ns();

		err = run(bench, len);
		if (err)
			return err;
		shortest = min(shortest, ktime_get_ns() - begun);
	}
	pr_info("neon_shash_bench: %s %s-%u %llu\n", driver, name, len, shortest);
	return 0;
}

static int measure(struct bench *bench)
{
	return salt(bench) ?:
	       time(bench, "verity", 4096, verity) ?:
	       time(bench, "verity", 1024, verity) ?:
	       time(bench, "digest", 4096, digest) ?:
	       time(bench, "digest", 64, digest);
}

static int __init bench_init(void)
{
	struct bench bench = {};
	struct crypto_shash *tfm;
	int err = -ENOMEM;

	if (!driver)
		return -EINVAL;
	tfm = crypto_alloc_shash(driver, 0, 0);
	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	bench.desc = kzalloc(sizeof(*bench.desc) + crypto_shash_descsize(tfm), GFP_KERNEL);
	bench.message = kzalloc(MAX_MESSAGE, GFP_KERNEL);
	bench.salted = kzalloc(crypto_shash_statesize(tfm), GFP_KERNEL);
	if (bench.desc && bench.message && bench.salted) {
		bench.desc->tfm = tfm;
		err = measure(&bench);
	}
	kfree(bench.salted);
	kfree(bench.message);
	kfree(bench.desc);
	crypto_free_shash(tfm);
	return err;
}

static void __exit bench_exit(void)
{
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("Times one hash driver");
MODULE_LICENSE("Dual MIT/GPL");
