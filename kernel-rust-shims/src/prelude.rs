// SPDX-License-Identifier: GPL-2.0-only OR MIT
//! What nearly every file of a module wants.

pub use crate::error::{code::*, Error, Result};
pub use crate::module::Module;
pub use crate::{module, pr_err, pr_info, pr_warn};
pub use core::ffi::CStr;
