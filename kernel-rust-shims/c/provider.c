// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The kernel's present provider of a hash, as any user of the crypto API sees it. */
#include <linux/err.h>
#include <linux/string.h>
#include <crypto/hash.h>
#include <crypto/internal/hash.h>

#include "../shims.h"

int shim_provider_open(const char *name, struct shim_provider *provider)
{
	struct crypto_shash *tfm = crypto_alloc_shash(name, 0, CRYPTO_NOLOAD);
	const struct crypto_alg *alg;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	alg = &crypto_shash_alg(tfm)->base;
	provider->tfm = tfm;
	provider->priority = alg->cra_priority;
	strscpy(provider->driver, alg->cra_driver_name, sizeof(provider->driver));
	return 0;
}

int shim_provider_digest(const struct shim_provider *provider, const u8 *data, u32 len, u8 *out)
{
	return crypto_shash_tfm_digest(provider->tfm, data, len, out);
}

void shim_provider_close(struct shim_provider *provider)
{
	crypto_free_shash(provider->tfm);
}
