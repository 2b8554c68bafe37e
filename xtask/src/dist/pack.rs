//! Archives whose bytes depend on nothing but names and contents of their files, and sums.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;

use super::at;
use crate::step::Failed;

/// Adds every file below a folder, by its name in the archive.
pub fn below(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> Result<(), Failed> {
    for entry in fs::read_dir(folder).map_err(|error| at(folder, error))? {
        let path = entry.map_err(|error| at(folder, error))?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            below(&path, &format!("{name}/"), files)?;
        } else {
            files.push((name, path));
        }
    }
    Ok(())
}

/// Packs files into one folder of an archive: zip for Windows, else tar in gzip.
pub fn write(folder: &Path, name: &str, files: &[(String, PathBuf)], epoch: u64, as_zip: bool) -> Result<(), Failed> {
    let mut members = Vec::new();
    for (member, path) in files {
        members.push((format!("{name}/{member}"), fs::read(path).map_err(|error| at(path, error))?));
    }
    members.sort();
    let path = folder.join(format!("{name}.{}", if as_zip { "zip" } else { "tar.gz" }));
    let file = File::create(&path).map_err(|error| at(&path, error))?;
    let written = if as_zip { write_zip(file, &members) } else { write_tar_gz(file, &members, epoch) };
    written.map_err(|error| at(&path, error))
}

/// Programs may be run.
fn mode(name: &str) -> u32 {
    if name.ends_with("/fragreel") || name.ends_with(".exe") { 0o755 } else { 0o644 }
}

/// The bytes in gzip.
pub fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().operating_system(255).write(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    gzip.finish()
}

fn write_tar_gz(mut file: impl Write, members: &[(String, Vec<u8>)], epoch: u64) -> std::io::Result<()> {
    let mut tar = Vec::new();
    write_tar(&mut tar, members, epoch)?;
    file.write_all(&gzip(&tar)?)
}

pub fn write_tar(file: impl Write, members: &[(String, Vec<u8>)], epoch: u64) -> std::io::Result<()> {
    let mut tar = tar::Builder::new(file);
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(mode(name));
        header.set_mtime(epoch);
        tar.append_data(&mut header, name, &**bytes)?;
    }
    tar.into_inner()?.flush()
}

fn write_zip(file: impl Write + std::io::Seek, members: &[(String, Vec<u8>)]) -> std::io::Result<()> {
    let mut zip = zip::ZipWriter::new(file);
    for (name, bytes) in members {
        // a zip has local times; its first possible one is the same everywhere
        let options = SimpleFileOptions::default().last_modified_time(zip::DateTime::default()).unix_permissions(mode(name));
        zip.start_file(name, options)?;
        zip.write_all(bytes)?;
    }
    zip.finish()?.flush()
}

/// SHA-256 in hexadecimal.
pub fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes `SHA256SUMS` of every file of the folder. Returns the files with their sizes, one a line.
pub fn sums(folder: &Path) -> Result<String, Failed> {
    let mut files = Vec::new();
    below(folder, "", &mut files)?;
    files.sort();
    let (mut sums, mut listed) = (String::new(), String::new());
    for (name, path) in files {
        let bytes = fs::read(&path).map_err(|error| at(&path, error))?;
        sums.push_str(&format!("{}  {name}\n", sum(&bytes)));
        listed.push_str(&format!("{:>12}  {name}\n", bytes.len()));
    }
    let path = folder.join("SHA256SUMS");
    fs::write(&path, sums).map_err(|error| at(&path, error))?;
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_depend_on_contents_alone() {
        let members = [(String::from("a/fragreel"), b"x".to_vec()), (String::from("a/b.md"), b"words".to_vec())];
        let tar = || {
            let mut bytes = Vec::new();
            write_tar_gz(&mut bytes, &members, 1_000_000_000).expect("memory takes it");
            bytes
        };
        let zip = || {
            let mut bytes = std::io::Cursor::new(Vec::new());
            write_zip(&mut bytes, &members).expect("memory takes it");
            bytes.into_inner()
        };
        let first = (tar(), zip());
        std::thread::sleep(std::time::Duration::from_millis(1100));
        assert_eq!(first, (tar(), zip()));
        let mut unpacked = tar::Archive::new(flate2::read::GzDecoder::new(&*first.0));
        let modes: Vec<u32> = unpacked.entries().expect("it is a tar").map(|entry| entry.expect("it is whole").header().mode().expect("it has one")).collect();
        assert_eq!(modes, [0o755, 0o644]);
    }
}
