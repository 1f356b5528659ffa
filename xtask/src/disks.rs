// SPDX-License-Identifier: GPL-2.0-only OR MIT

//! The disks and files of the demo and the check, as `selftests/boards/prepare.py` makes them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::board::Disk;
use crate::cache;
use crate::exec;
use crate::progress::Ui;
use crate::setup::Setup;
use crate::workdir;

/// What `prepare.py` says that it made.
#[derive(Deserialize)]
struct Made {
    files: Vec<String>,
    disks: Vec<MadeDisk>,
}

#[derive(Deserialize)]
struct MadeDisk {
    file: String,
    serial: String,
    readonly: bool,
}

/// Files for `/job` and disks for the board.
pub(crate) struct Prepared {
    pub(crate) files: Vec<(PathBuf, String)>,
    pub(crate) disks: Vec<Disk>,
}

/// Makes them once for each version of the programs and of the kernel whose headers fill the disk.
pub(crate) fn prepare(ui: &Ui, setup: &Setup) -> Result<Prepared> {
    let programs = workdir::source().join("selftests/boards");
    let key = cache::key((&setup.kernel.release, program_texts(&programs)?));
    let dir = setup.cache.entry(&format!("disks-{key}"), |dir| {
        let _step = ui.step("making the board's disks");
        let mut python = exec::command("python3");
        python.arg(programs.join("prepare.py")).arg("--out").arg(dir);
        python.arg("--source").arg(setup.kernel.common_headers(setup.series));
        // Beside the sources would be a change of the source tree.
        python.env("PYTHONDONTWRITEBYTECODE", "1");
        exec::output(ui, &mut python).context("cannot make the board's disks")?;
        Ok(())
    })?;
    let description = dir.join("job.json");
    let text = fs::read(&description)
        .with_context(|| format!("prepare.py made no {}", description.display()))?;
    let made: Made = serde_json::from_slice(&text)
        .with_context(|| format!("{} is not as expected", description.display()))?;
    Ok(collect(made, &dir, &programs.join("guest")))
}

fn collect(made: Made, dir: &Path, guest: &Path) -> Prepared {
    let mut files = vec![(guest.to_path_buf(), "guest".to_string())];
    files.extend(made.files.iter().map(|name| (dir.join(name), format!("files/{name}"))));
    let disk = |disk: MadeDisk| Disk {
        path: dir.join(disk.file),
        serial: disk.serial,
        readonly: disk.readonly,
    };
    Prepared { files, disks: made.disks.into_iter().map(disk).collect() }
}

/// The host's programs beside the guest's: what they make depends on their text.
fn program_texts(folder: &Path) -> Result<Vec<String>> {
    let cannot = || format!("cannot read {}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let path = entry.with_context(cannot)?.path();
        if path.extension().is_some_and(|extension| extension == "py") {
            paths.push(path);
        }
    }
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).with_context(cannot)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_is_followed() {
        let text = r#"{"files": ["expected.json"],
            "disks": [{"file": "data.img", "serial": "data", "readonly": false}]}"#;
        let made = serde_json::from_str(text).unwrap();
        let prepared = collect(made, Path::new("/d"), Path::new("/g"));
        assert_eq!(prepared.files[0], ("/g".into(), "guest".into()));
        assert_eq!(prepared.files[1], ("/d/expected.json".into(), "files/expected.json".into()));
        let disk = &prepared.disks[0];
        assert_eq!((disk.path.as_path(), disk.serial.as_str()), (Path::new("/d/data.img"), "data"));
        assert!(!disk.readonly);
    }
}
