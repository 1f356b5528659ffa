// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The only file that knows struct shash_alg: fills it, registers it, and turns its calls into
 * shim_shash_ops calls.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/refcount.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <crypto/internal/hash.h>

#include "../shims.h"

struct shim_shash {
	struct shash_alg alg;
	const struct shim_shash_ops *ops;
};

static struct shim_shash slots[SHIM_SHASH_SLOTS];

static const struct shim_shash_ops *shim_ops(struct crypto_shash *tfm)
{
	return container_of(crypto_shash_alg(tfm), struct shim_shash, alg)->ops;
}

static int shim_setkey(struct crypto_shash *tfm, const u8 *key, unsigned int len)
{
	return shim_ops(tfm)->setkey(crypto_shash_ctx(tfm), key, len);
}

static int shim_init(struct shash_desc *desc)
{
	shim_ops(desc->tfm)->init(shash_desc_ctx(desc), crypto_shash_ctx(desc->tfm));
	return 0;
}

static int shim_update(struct shash_desc *desc, const u8 *data, unsigned int len)
{
	shim_ops(desc->tfm)->update(shash_desc_ctx(desc), data, len);
	return 0;
}

static int shim_finup(struct shash_desc *desc, const u8 *data, unsigned int len, u8 *out)
{
	shim_ops(desc->tfm)->finup(shash_desc_ctx(desc), data, len, out);
	return 0;
}

static int shim_final(struct shash_desc *desc, u8 *out)
{
	return shim_finup(desc, NULL, 0, out);
}

static int shim_digest(struct shash_desc *desc, const u8 *data, unsigned int len, u8 *out)
{
	shim_init(desc);
	return shim_finup(desc, data, len, out);
}

/*
 * The state is plain data, so moving it is a copy. The default export and import do just that;
 * newer kernels also want the _core pair, without which hmac() passes a driver over.
 */
#ifdef NEON_SHASH_HAVE_EXPORT_CORE
static int shim_export(struct shash_desc *desc, void *out)
{
	memcpy(out, shash_desc_ctx(desc), shim_ops(desc->tfm)->state_size);
	return 0;
}

static int shim_import(struct shash_desc *desc, const void *in)
{
	memcpy(shash_desc_ctx(desc), in, shim_ops(desc->tfm)->state_size);
	return 0;
}
#endif

struct shim_registration {
	struct work_struct work;
	struct shash_alg *alg;
	int err;
};

static void shim_register_work(struct work_struct *work)
{
	struct shim_registration *registration =
		container_of(work, struct shim_registration, work);

	registration->err = crypto_register_shash(registration->alg);
}

/*
 * In a kernel thread: an insmod that has been killed cannot start the self-test's thread, and
 * without its verdict the algorithm would stay unusable and the module loaded for good.
 */
static int shim_register_alg(struct shash_alg *alg)
{
	struct shim_registration registration = { .alg = alg };

	INIT_WORK_ONSTACK(&registration.work, shim_register_work);
	schedule_work(&registration.work);
	flush_work(&registration.work);
	destroy_work_on_stack(&registration.work);
	return registration.err;
}

int shim_shash_register(u32 slot, const char *name, const char *driver, u32 priority,
			const struct shim_shash_ops *ops)
{
	struct shim_shash *shim;
	struct shash_alg *alg;

	if (slot >= SHIM_SHASH_SLOTS)
		return -EINVAL;
	shim = &slots[slot];
	/* The core writes into the structure, also when it refuses it: start afresh at every try. */
	memset(shim, 0, sizeof(*shim));
	shim->ops = ops;

	alg = &shim->alg;
	alg->init = shim_init;
	alg->update = shim_update;
	alg->final = shim_final;
	alg->finup = shim_finup;
	alg->digest = shim_digest;
#ifdef NEON_SHASH_HAVE_EXPORT_CORE
	alg->export = shim_export;
	alg->import = shim_import;
	alg->export_core = shim_export;
	alg->import_core = shim_import;
#endif
	alg->descsize = ops->state_size;
	alg->statesize = ops->state_size;
	alg->digestsize = ops->digest_size;
	if (ops->setkey) {
		alg->setkey = shim_setkey;
		alg->base.cra_flags = CRYPTO_ALG_OPTIONAL_KEY;
	}
	alg->base.cra_ctxsize = ops->key_size;
	alg->base.cra_blocksize = ops->block_size;
	alg->base.cra_priority = priority;
	alg->base.cra_module = THIS_MODULE;
	strscpy(alg->base.cra_name, name, sizeof(alg->base.cra_name));
	strscpy(alg->base.cra_driver_name, driver, sizeof(alg->base.cra_driver_name));
	return shim_register_alg(alg);
}

void shim_shash_unregister(u32 slot)
{
	if (slot < SHIM_SHASH_SLOTS)
		crypto_unregister_shash(&slots[slot].alg);
}

bool shim_shash_idle(u32 slot)
{
	/* One reference is the registration itself; a running self-test and every user hold one more. */
	return slot >= SHIM_SHASH_SLOTS || refcount_read(&slots[slot].alg.base.cra_refcnt) == 1;
}

int shim_shash_probe(const char *driver, char *holder)
{
	struct crypto_shash *tfm = crypto_alloc_shash(driver, 0, CRYPTO_NOLOAD);

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	strscpy(holder, module_name(crypto_shash_alg(tfm)->base.cra_module), SHIM_NAME_SIZE);
	crypto_free_shash(tfm);
	return 0;
}
