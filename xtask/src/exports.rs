// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! What a kernel exports, by the `Module.symvers` of its headers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{bail, Context as _, Result};

/// The names that a kernel and its modules export.
pub(crate) struct Exports {
    names: BTreeSet<String>,
}

impl Exports {
    pub(crate) fn read(symvers: &Path) -> Result<Self> {
        let text = fs::read_to_string(symvers)
            .with_context(|| format!("cannot read {}", symvers.display()))?;
        let names = names(&text);
        if names.is_empty() {
            bail!("{} names no symbol; remove its folder to fetch it anew", symvers.display());
        }
        Ok(Self { names })
    }

    /// Those of `symbols` that are not exported.
    pub(crate) fn lack<'a>(&self, symbols: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
        symbols
            .filter(|symbol| !self.names.contains(*symbol))
            .map(|symbol| format!("the kernel does not export {symbol}"))
            .collect()
    }
}

/// The second of the fields of each line, which tabs divide: checksum, symbol, module, kind.
fn names(symvers: &str) -> BTreeSet<String> {
    symvers.lines().filter_map(|line| line.split('\t').nth(1)).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_exported_is_named() {
        let text =
            "0x9d669763\tmemcpy\tvmlinux\tEXPORT_SYMBOL\t\n0x1\tshas\ta/b\tEXPORT_SYMBOL_GPL\t\n";
        let exports = Exports { names: names(text) };
        assert!(exports.lack(["memcpy", "shas"].into_iter()).is_empty());
        let lacking = exports.lack(["memcpy", "mem", "vmlinux"].into_iter());
        assert_eq!(lacking.len(), 2);
        assert!(lacking.contains("the kernel does not export mem"));
    }

    #[test]
    fn an_empty_table_is_no_table() {
        let file = std::env::temp_dir().join(format!("xtask-exports-{}", std::process::id()));
        fs::write(&file, "").unwrap();
        assert!(Exports::read(&file).is_err());
        fs::remove_file(file).unwrap();
    }
}
