//! How a server is joined, for how long, and how often: what `record` and `relay` have in common.

use std::path::{Path, PathBuf};
use std::time::Instant;

use fragreel::model::Milliseconds;
use fragreel_quake1_live::recorder::map_checksum;
use fragreel_quake3_live::pure::Pak;

use super::JoinOptions;
use crate::failure::Failure;
use crate::shell::size;

/// How a server is joined, and when it is left.
#[derive(clap::Args)]
pub struct Joining {
    /// Stop after this time: seconds such as 90.5, or m:ss such as 20:00
    #[arg(long = "for", value_name = "TIME")]
    pub time: Option<Milliseconds>,

    /// Stop after this many bytes
    #[arg(long, value_name = "SIZE", default_value = "1073741824", value_parser = size)]
    pub size: u64,

    /// Stop if fewer than this many bytes are free on the disk
    #[arg(long, value_name = "SIZE", env = "FRAGREEL_KEEP_FREE", hide_env_values = true, default_value = "67108864", value_parser = any_size)]
    pub keep_free: u64,

    /// Player name to join with
    #[arg(long, default_value = "fragreel")]
    name: String,

    /// Spectator password
    #[arg(long, value_name = "PASSWORD", default_value = "1")]
    password: String,

    /// Follow the first player whose name contains NAME [default: the first player]
    #[arg(long, value_name = "NAME")]
    pub follow: Option<String>,

    /// Map file, for QuakeWorld servers that check the map
    #[arg(long, value_name = "FILE.bsp")]
    map: Option<PathBuf>,

    /// Folder with your game's .pk3 files, for Quake III servers with `sv_pure 1`
    #[arg(long, value_name = "FOLDER")]
    pk3: Option<PathBuf>,
}

/// A size, which may be none.
fn any_size(text: &str) -> Result<u64, String> {
    if text.trim() == "0" { Ok(0) } else { size(text) }
}

impl Joining {
    /// How to join, as far as this says it.
    pub fn options(&self) -> Result<JoinOptions, Failure> {
        Ok(JoinOptions {
            name: self.name.clone(),
            password: self.password.clone(),
            follow: self.follow.clone(),
            paks: self.pk3.as_deref().map_or(Ok(Vec::new()), read_paks)?,
            map_checksum: self.map.as_deref().map_or(Ok(0), read_map)?,
            ..JoinOptions::default()
        })
    }

    /// Seconds to stay.
    pub fn seconds(&self) -> Option<f64> {
        self.time.map(Milliseconds::seconds)
    }

    /// Whether the time is over that began then.
    pub fn is_over(&self, began: Option<Instant>) -> bool {
        self.seconds().zip(began).is_some_and(|(seconds, began)| began.elapsed().as_secs_f64() >= seconds)
    }

    /// What may help where a server of QuakeWorld sent us away.
    pub fn hint(&self) -> &'static str {
        if self.map.is_none() { "The server checks the map and does not say what it wants: name yours with --map FILE.bsp." } else { "" }
    }
}

/// The checksum of a map's file.
fn read_map(path: &Path) -> Result<u32, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::new(format!("cannot read `{}`", path.display())).because(error))?;
    map_checksum(&bytes).map_err(|error| Failure::new(format!("`{}` is not a Quake map", path.display())).because(error))
}

/// The .pk3 files in a folder and in the folders in it, as games have one for each mod.
fn read_paks(folder: &Path) -> Result<Vec<Pak>, Failure> {
    let cannot = |path: &Path, error| Failure::new(format!("cannot read `{}`", path.display())).because(error);
    let (mut paks, mut folders) = (Vec::new(), vec![(folder.to_owned(), true)]);
    while let Some((folder, is_top)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| cannot(&folder, error))? {
            let path = entry.map_err(|error| cannot(&folder, error))?.path();
            if path.is_dir() && is_top {
                folders.push((path, false));
            } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pk3")) {
                let file = std::fs::File::open(&path).map_err(|error| cannot(&path, error))?;
                paks.extend(read_pak(file));
            }
        }
    }
    if paks.is_empty() {
        return Err(Failure::new(format!("there is no .pk3 file in `{}`", folder.display())).help("Name the folder that your game's pak0.pk3 is in."));
    }
    Ok(paks)
}

/// A file's directory; nothing of a file that is damaged, which the game cannot read either.
fn read_pak(file: std::fs::File) -> Option<Pak> {
    let mut archive = zip::ZipArchive::new(std::io::BufReader::new(file)).ok()?;
    let length = archive.len();
    let mut member = |at| {
        let member = archive.by_index_raw(at).ok()?;
        Some((member.name().ok()?.into_owned(), member.crc32(), member.size()))
    };
    let members: Option<Vec<_>> = (0..length).map(&mut member).collect();
    Some(Pak::of(members?))
}

/// How long to wait before joining again: longer each time nothing came.
#[derive(Debug)]
pub struct Patience(f64);

const FIRST_WAIT: f64 = 1.0;
const LONGEST_WAIT: f64 = 30.0;

impl Patience {
    /// Before the first attempt.
    pub fn new() -> Self {
        Patience(FIRST_WAIT)
    }

    /// Seconds to wait after an attempt by which something came, or not.
    pub fn next(&mut self, came: bool) -> f64 {
        self.0 = if came { FIRST_WAIT } else { (self.0 * 2.0).min(LONGEST_WAIT) };
        self.0
    }
}
