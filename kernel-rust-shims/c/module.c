// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Module metadata, parameters, entry and exit, and small services that Rust cannot reach. */
#include <linux/bug.h>
#include <linux/delay.h>
#include <linux/fips.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <crypto/algapi.h>

#include "../shims.h"

/* Long enough for every implementation's name; longer ones are refused by the copy below. */
#define IMPL_NAME_SIZE 16

static int priority = 400;
module_param(priority, int, 0444);
MODULE_PARM_DESC(priority, "priority of the algorithms, 0 or more (default 400)");

static char *suffix = "neon";
module_param(suffix, charp, 0444);
MODULE_PARM_DESC(suffix, "driver names are <algorithm>-<suffix> (default neon)");

static bool measure = true;
module_param(measure, bool, 0444);
MODULE_PARM_DESC(measure, "measure at load and keep the fastest (default Y); N: neon-a7");

static char impl_wanted[2][IMPL_NAME_SIZE];
static bool loaded;

static enum shim_family param_family(const struct kernel_param *kp)
{
	return (enum shim_family)(unsigned long)kp->arg;
}

static int impl_set(const char *val, const struct kernel_param *kp)
{
	if (strscpy(impl_wanted[param_family(kp)], val, IMPL_NAME_SIZE) < 0) {
		pr_err("neon_shash: %s=%s: no implementation is called so\n", kp->name, val);
		return -EINVAL;
	}
	return 0;
}

static int impl_get(char *buffer, const struct kernel_param *kp)
{
	const char *name = loaded ? neon_shash_implementation(param_family(kp)) : "none";

	return sysfs_emit(buffer, "%s\n", name);
}

static const struct kernel_param_ops impl_ops = {
	.set = impl_set,
	.get = impl_get,
};

module_param_cb(blake2b_impl, &impl_ops, (void *)SHIM_FAMILY_BLAKE2B, 0444);
MODULE_PARM_DESC(blake2b_impl, "force neon-a7, neon-a8 or portable for BLAKE2b; read: the one in use");
module_param_cb(sha3_impl, &impl_ops, (void *)SHIM_FAMILY_SHA3, 0444);
MODULE_PARM_DESC(sha3_impl, "force neon-a7, neon-a8 or portable for SHA-3; read: the one in use");

void shim_print(enum shim_level level, const char *text, size_t len)
{
	static const char * const prefix[] = { KERN_ERR, KERN_WARNING, KERN_INFO };

	printk("%sneon_shash: %.*s\n", prefix[level], (int)len, text);
}

void shim_bug(void)
{
	BUG();
	unreachable();
}

void shim_msleep(u32 ms)
{
	msleep(ms);
}

enum shim_fips shim_fips(void)
{
	if (!fips_enabled)
		return SHIM_FIPS_OFF;
	return module_sig_ok(THIS_MODULE) ? SHIM_FIPS_SIGNED : SHIM_FIPS_UNSIGNED;
}

static int __init neon_shash_module_init(void)
{
	const struct shim_params params = {
		.priority = priority,
		.suffix = suffix,
		.blake2b_impl = impl_wanted[SHIM_FAMILY_BLAKE2B],
		.sha3_impl = impl_wanted[SHIM_FAMILY_SHA3],
		.measure = measure,
	};
	int err = neon_shash_init(&params);

	loaded = !err;
	return err;
}

static void __exit neon_shash_module_exit(void)
{
	neon_shash_exit();
}

module_init(neon_shash_module_init);
module_exit(neon_shash_module_exit);

/* The generic name, the default driver name and the one used where another module owns that. */
#define NEON_SHASH_ALIASES(name)			\
	MODULE_ALIAS_CRYPTO(name);			\
	MODULE_ALIAS_CRYPTO(name "-neon");		\
	MODULE_ALIAS_CRYPTO(name "-neon-rs")

NEON_SHASH_ALIASES("blake2b-160");
NEON_SHASH_ALIASES("blake2b-256");
NEON_SHASH_ALIASES("blake2b-384");
NEON_SHASH_ALIASES("blake2b-512");
NEON_SHASH_ALIASES("sha3-224");
NEON_SHASH_ALIASES("sha3-256");
NEON_SHASH_ALIASES("sha3-384");
NEON_SHASH_ALIASES("sha3-512");

MODULE_DESCRIPTION("BLAKE2b and SHA-3 for 32-bit ARM, NEON accelerated");
MODULE_AUTHOR("The neon-shash authors");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_VERSION(SHIM_VERSION);
