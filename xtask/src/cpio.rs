// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! Writes cpio archives in the "newc" form that the kernel unpacks as its first root file system
//! (Documentation/driver-api/early-userspace/buffer-format.rst). All is owned by root and dated
//! 0, so making one needs no privileges and the same files give the same bytes.

use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};

const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const SYMLINK: u32 = 0o120_000;

/// An archive that is being written. Several may follow each other in one file.
pub(crate) struct Archive<W: Write> {
    out: W,
    written: usize,
    members: u32,
}

impl<W: Write> Archive<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, written: 0, members: 0 }
    }

    pub(crate) fn directory(&mut self, name: &str) -> Result<()> {
        self.member(name, DIRECTORY | 0o755, &[])
    }

    pub(crate) fn file(&mut self, name: &str, mode: u32, content: &[u8]) -> Result<()> {
        self.member(name, REGULAR | (mode & 0o777), content)
    }

    pub(crate) fn symlink(&mut self, name: &str, target: &[u8]) -> Result<()> {
        self.member(name, SYMLINK | 0o777, target)
    }

    /// A file, link or whole folder of the host, under `name`.
    pub(crate) fn tree(&mut self, name: &str, path: &Path) -> Result<()> {
        let cannot = || format!("cannot read {}", path.display());
        let metadata = path.symlink_metadata().with_context(cannot)?;
        if metadata.is_symlink() {
            let target = fs::read_link(path).with_context(cannot)?;
            return self.symlink(name, target.as_os_str().as_bytes());
        }
        if !metadata.is_dir() {
            let content = fs::read(path).with_context(cannot)?;
            return self.file(name, metadata.permissions().mode(), &content);
        }
        self.directory(name)?;
        let mut children = Vec::new();
        for entry in fs::read_dir(path).with_context(cannot)? {
            children.push(entry.with_context(cannot)?.file_name());
        }
        children.sort();
        for child in children {
            self.tree(&format!("{name}/{}", child.to_string_lossy()), &path.join(&child))?;
        }
        Ok(())
    }

    /// Ends the archive; another may follow.
    pub(crate) fn finish(mut self) -> Result<W> {
        self.member("TRAILER!!!", 0, &[])?;
        self.out.flush().context("cannot write the file system archive")?;
        Ok(self.out)
    }

    fn member(&mut self, name: &str, mode: u32, content: &[u8]) -> Result<()> {
        self.members += 1;
        let size =
            u32::try_from(content.len()).context("a file is too large for a cpio archive")?;
        let name_size = u32::try_from(name.len() + 1).context("a file name is too long")?;
        // inode, mode, user, group, links, date, size, device and its device, name, checksum
        let fields = [self.members, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name_size, 0];
        let mut header = String::from("070701");
        for field in fields {
            header += &format!("{field:08X}");
        }
        self.write(header.as_bytes())?;
        self.write(name.as_bytes())?;
        self.write(&[0])?;
        self.pad()?;
        self.write(content)?;
        self.pad()
    }

    fn pad(&mut self) -> Result<()> {
        self.write(&[0; 3][..self.written.next_multiple_of(4) - self.written])
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.written += bytes.len();
        self.out.write_all(bytes).context("cannot write the file system archive")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_as_the_format_says() {
        let mut archive = Archive::new(Vec::new());
        archive.file("a", 0o755, b"hello").unwrap();
        let bytes = archive.finish().unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.starts_with("07070100000001000081ED"));
        // Header and name take 112 bytes, the content is padded to 8.
        assert_eq!(&bytes[110..120], b"a\0hello\0\0\0");
        assert!(text[120..].starts_with("070701") && text.contains("TRAILER!!!"));
        assert_eq!(bytes.len() % 4, 0);
    }

    #[test]
    fn a_tree_is_sorted_and_keeps_links_and_modes() {
        let dir = std::env::temp_dir().join(format!("xtask-cpio-{}", std::process::id()));
        fs::create_dir_all(dir.join("z")).unwrap();
        fs::write(dir.join("b"), "1").unwrap();
        fs::set_permissions(dir.join("b"), fs::Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::symlink("b", dir.join("a")).unwrap();
        let mut archive = Archive::new(Vec::new());
        archive.tree("t", &dir).unwrap();
        let text = String::from_utf8(archive.finish().unwrap()).unwrap();
        fs::remove_dir_all(dir).unwrap();
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what}"));
        assert!(at("t/a") < at("t/b") && at("t/b") < at("t/z"));
        assert!(
            text.contains("0000A1FF") && text.contains("000081C0") && text.contains("000041ED")
        );
    }
}
