// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! The host tests once more as an ARM program, where the NEON cores are the real ones. On a
//! machine that is not ARM, qemu-arm runs it.

use std::process::Command;

use crate::host::Need;
use crate::toolchain::Toolchain;
use crate::workdir;

const TARGET: &str = "armv7-unknown-linux-gnueabihf";

/// Where Debian's cross compiler has the C library of the target.
const SYSROOT: &str = "/usr/arm-linux-gnueabihf";

/// What it takes to build and run ARM programs with the compiler `{cross}gcc`.
pub(crate) fn tools(cross: &str) -> Vec<Need> {
    let mut needs = vec![Need::program(format!("{cross}gcc"), package(cross))];
    if !cross.is_empty() {
        needs.push(Need::file(format!("{SYSROOT}/lib/libc.so.6"), "libc6-armhf-cross"));
        needs.push(Need::file(format!("{SYSROOT}/lib/crt1.o"), "libc6-dev-armhf-cross"));
        needs.push(Need::program("qemu-arm", "qemu-user"));
    }
    needs
}

fn package(cross: &str) -> String {
    match cross.trim_end_matches('-') {
        "" => "gcc".to_string(),
        triple => format!("gcc-{triple}"),
    }
}

/// The command that builds and runs the tests.
pub(crate) fn cargo_test(toolchain: &Toolchain, cross: &str) -> Command {
    let source = workdir::source();
    let mut cargo = toolchain.cargo();
    cargo.current_dir(&source).args(["test", "--locked", "--package", "selftests-host"]);
    cargo.args(["--no-fail-fast", "--target", TARGET, "-Zbuild-std=std,test"]);
    cargo.arg("--target-dir").arg(workdir::target().join("emulation"));
    let variable = |name: &str| format!("CARGO_TARGET_ARMV7_UNKNOWN_LINUX_GNUEABIHF_{name}");
    let gcc = format!("{cross}gcc");
    cargo.env(variable("LINKER"), &gcc).env("CC_armv7_unknown_linux_gnueabihf", &gcc);
    cargo.env("AR_armv7_unknown_linux_gnueabihf", format!("{cross}ar"));
    if !cross.is_empty() {
        cargo.env(variable("RUNNER"), format!("qemu-arm -L {SYSROOT}"));
    }
    cargo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_and_their_packages() {
        assert_eq!(package("arm-linux-gnueabihf-"), "gcc-arm-linux-gnueabihf");
        assert_eq!(package(""), "gcc");
        assert!(tools("").len() < tools("arm-linux-gnueabihf-").len());
    }
}
