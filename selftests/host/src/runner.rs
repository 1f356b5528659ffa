// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! The suite's view of a hash on the host backend.

use kernel::{
    crypto::shash::Algorithm,
    host::{set_simd, Request, Simd, Transform},
};
use neon_shash::{blake2b, sha3, Implementation};
use selftests_suite::{Done, Hash, Trouble, ONE_SHOT, REQUESTS};
use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

/// One user of a transform; a clone is another user of the same.
pub struct HostHash {
    transform: Arc<Mutex<Transform>>,
    requests: [Option<Request>; REQUESTS],
}

impl HostHash {
    /// A user of a new transform.
    pub fn new(algorithm: &'static Algorithm) -> Self {
        Self::of(Arc::new(Mutex::new(algorithm.transform())))
    }

    fn of(transform: Arc<Mutex<Transform>>) -> Self {
        Self { transform, requests: [const { None }; REQUESTS] }
    }

    fn with<T>(&self, call: impl FnOnce(&mut Transform) -> T) -> T {
        call(&mut self.transform.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn request(&mut self, number: usize) -> &mut Request {
        self.requests[number].as_mut().expect("the suite has begun it")
    }
}

impl Clone for HostHash {
    fn clone(&self) -> Self {
        Self::of(self.transform.clone())
    }
}

impl Hash for HostHash {
    fn digest_size(&mut self) -> Done<usize> {
        Ok(self.with(|transform| transform.digest_size()))
    }

    fn block_size(&mut self) -> Done<usize> {
        Ok(self.with(|transform| transform.block_size()))
    }

    fn digest(&mut self, data: &[u8], out: &mut [u8]) -> Done {
        self.init(ONE_SHOT)?;
        self.finup(ONE_SHOT, data, out)
    }

    fn init(&mut self, request: usize) -> Done {
        self.requests[request] = Some(self.with(Transform::request));
        Ok(())
    }

    fn update(&mut self, request: usize, data: &[u8]) -> Done {
        self.request(request).update(data);
        Ok(())
    }

    fn finish(&mut self, request: usize, out: &mut [u8]) -> Done {
        self.finup(request, &[], out)
    }

    fn finup(&mut self, request: usize, data: &[u8], out: &mut [u8]) -> Done {
        self.request(request).finup_into(data, out);
        Ok(())
    }

    fn set_key(&mut self, key: &[u8]) -> Done {
        self.with(|transform| transform.set_key(key))
            .map_err(|error| Trouble::Errno(error.to_errno()))
    }

    fn copy(&mut self, from: usize, to: usize) -> Done {
        let state = self.request(from).export();
        self.request(to).import(&state);
        Ok(())
    }

    fn overlapping(
        &mut self,
        request: Option<usize>,
        memory: &mut [u8],
        data: Range<usize>,
        out: usize,
    ) -> Done {
        if request.is_none() {
            self.init(ONE_SHOT)?;
        }
        self.request(request.unwrap_or(ONE_SHOT)).finup_overlapping(memory, data, out);
        Ok(())
    }

    fn wiped(&mut self, request: usize) -> Done<bool> {
        Ok(self.request(request).is_wiped())
    }

    fn set_simd(&mut self, simd: selftests_suite::Simd) -> Done {
        set_simd(match simd {
            selftests_suite::Simd::Usable => Simd::Usable,
            selftests_suite::Simd::Refused => Simd::Refused,
            selftests_suite::Simd::Random(seed) => Simd::Random(seed.into()),
        });
        Ok(())
    }

    fn set_implementation(&mut self, number: u32) -> Done {
        let all = Implementation::ALL;
        let implementation = all[number as usize % all.len()];
        blake2b::FAMILY.choice.set(implementation);
        sha3::FAMILY.choice.set(implementation);
        Ok(())
    }
}
