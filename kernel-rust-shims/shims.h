/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The contract between the C seam and the Rust object: plain types only, no kernel structure, so
 * that one object serves every kernel. bindgen makes the Rust side's bindings from this very file.
 *
 * Errors are negative errno values. Strings are NUL-terminated unless a length stands beside them.
 */
#ifndef NEON_SHASH_SHIMS_H
#define NEON_SHASH_SHIMS_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef __SIZE_TYPE__ size_t;
typedef _Bool bool;
#endif

/* As in Cargo.toml; a test compares them. */
#define SHIM_VERSION "0.1.0"
/* How many algorithms the module can have registered at one time. */
#define SHIM_SHASH_SLOTS 8
/*
 * Room for an algorithm, driver or module name with its NUL; AF_ALG's older structure takes 64
 * bytes.
 */
#define SHIM_NAME_SIZE 64

/* One hash as its Rust implementation describes it. All sizes are in bytes. */
struct shim_shash_ops {
	/* NULL for a hash without keys. On error the old key must still stand. */
	int (*setkey)(void *key, const u8 *data, size_t len);
	/*
	 * @state is uninitialised memory of @state_size bytes, aligned to 8. @key is zeroed when
	 * nobody set one.
	 */
	void (*init)(void *state, const void *key);
	/* @data may be NULL when @len is 0. */
	void (*update)(void *state, const u8 *data, size_t len);
	/*
	 * Writes @digest_size bytes to @out, which may overlap @data but not @state; wipes @state.
	 */
	void (*finup)(void *state, const u8 *data, size_t len, u8 *out);
	u32 key_size;
	u32 state_size;
	u32 digest_size;
	u32 block_size;
};

/* Load-time parameters, as given or defaulted. The strings live as long as the module. */
struct shim_params {
	int priority;
	const char *suffix;
	const char *blake2b_impl;
	const char *sha3_impl;
	bool measure;
};

/* Which family neon_shash_implementation() is asked about. */
enum shim_family {
	SHIM_FAMILY_BLAKE2B,
	SHIM_FAMILY_SHA3,
};

enum shim_level {
	SHIM_ERR,
	SHIM_WARN,
	SHIM_INFO,
};

/* Whether the kernel runs in FIPS mode, and whether it would let this module register there. */
enum shim_fips {
	SHIM_FIPS_OFF,
	SHIM_FIPS_SIGNED,
	/* Registering would make the kernel panic. */
	SHIM_FIPS_UNSIGNED,
};

/* C for Rust. */
void shim_print(enum shim_level level, const char *text, size_t len);
void shim_bug(void) __attribute__((noreturn));
void shim_msleep(u32 ms);

/* A clock that only goes forward. */
u64 shim_time_ns(void);

bool shim_cpu_has_neon(void);
/*
 * Keeps this task on the CPU that it runs on and tells which kind that is (MIDR), until unpinned.
 * Preemption stays on.
 */
u32 shim_cpu_pin(void);
void shim_cpu_unpin(void);
/* Whether all CPUs that are online are of the kind @midr. */
bool shim_cpus_alike(u32 midr);
enum shim_fips shim_fips(void);

/*
 * Ask on every call; only after "yes", and in the same context, may a section begin. Sections must
 * not nest.
 */
bool shim_simd_usable(void);
void shim_neon_begin(void);
void shim_neon_end(void);

/*
 * Registers @ops under two names. -EEXIST when the kernel finds one of them taken. @ops must
 * outlive the slot's use.
 */
int shim_shash_register(u32 slot, const char *name, const char *driver, u32 priority,
			const struct shim_shash_ops *ops);
/* Only when shim_shash_idle() says so, or from module exit: the kernel must hold no reference. */
void shim_shash_unregister(u32 slot);
bool shim_shash_idle(u32 slot);
/*
 * Looks a driver up without loading modules and waits for its self-test. 0 when it is there and
 * usable, and then @holder, SHIM_NAME_SIZE bytes, names the module that owns it; -ENOENT when the
 * name is free; -ELIBBAD when the driver failed its self-test; -EINTR or -ETIMEDOUT when the wait
 * ended early.
 */
int shim_shash_probe(const char *driver, char *holder);

/* A hash that the kernel has already, for comparison. */
struct shim_provider {
	/* Its struct crypto_shash. */
	void *tfm;
	u32 priority;
	char driver[SHIM_NAME_SIZE];
};

/*
 * Opens what serves a generic name now, without loading modules; -ENOENT when nothing does. @out of
 * shim_provider_digest() has room for any digest.
 */
int shim_provider_open(const char *name, struct shim_provider *provider);
int shim_provider_digest(const struct shim_provider *provider, const u8 *data, u32 len, u8 *out);
void shim_provider_close(struct shim_provider *provider);

/* Rust for C. */
int neon_shash_init(const struct shim_params *params);
void neon_shash_exit(void);
/* The name of the implementation that serves a family, for sysfs. */
const char *neon_shash_implementation(enum shim_family family);

/* The Rust side asserts the same numbers from bindgen's reading of this file. */
#ifdef __arm__
_Static_assert(sizeof(struct shim_shash_ops) == 32, "struct shim_shash_ops");
_Static_assert(__builtin_offsetof(struct shim_shash_ops, key_size) == 16, "struct shim_shash_ops");
_Static_assert(sizeof(struct shim_params) == 20, "struct shim_params");
_Static_assert(sizeof(struct shim_provider) == 8 + SHIM_NAME_SIZE, "struct shim_provider");
_Static_assert(sizeof(enum shim_level) == 4, "enums are as wide as int");
#endif

#endif /* NEON_SHASH_SHIMS_H */
