//! The stock servers: how each is found, which files it needs, and how it is started. None of them listens on the network or reports to a master.

use std::fs;
use std::io::Result;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::{find_program, stand_ins};

/// A stock server that `fragreel record` joins.
pub struct Engine {
    pub name: &'static str,
    /// Its program, which is looked for in PATH and in the usual folders.
    pub program: &'static str,
    /// The environment variable that names the program instead.
    pub variable: &'static str,
    /// The URL's scheme for `fragreel record`.
    pub scheme: &'static str,
    /// What a recording's name ends with.
    pub extension: &'static str,
    /// What every server answers that runs a level.
    pub question: &'static [u8],
    /// Whether its game is KTX.
    pub ktx: bool,
    /// Writes the files that it needs, and says how it is started.
    prepare: fn(&Setting) -> Result<Command>,
}

/// What a start of a server depends on.
pub struct Setting<'a> {
    /// A folder for this start alone.
    pub folder: &'a Path,
    pub program: &'a Path,
    /// KTX's folder, for an engine that needs it.
    pub ktx: &'a Path,
    pub port: u16,
    /// Whether more spectators have to fit than the server's own settings allow.
    pub crowded: bool,
}

pub const ENGINES: [Engine; 5] = [
    Engine {
        name: "mvdsv with KTX",
        program: "mvdsv",
        variable: "FRAGREEL_MVDSV",
        scheme: "qw",
        extension: "qwd",
        question: b"\xff\xff\xff\xffstatus\n",
        ktx: true,
        prepare: mvdsv,
    },
    Engine {
        name: "FTE's server with KTX",
        program: "fteqw-sv",
        variable: "FRAGREEL_FTEQW_SV",
        scheme: "qw",
        extension: "qwd",
        question: b"\xff\xff\xff\xffstatus\n",
        ktx: true,
        prepare: fte,
    },
    Engine {
        name: "Q2PRO",
        program: "q2proded",
        variable: "FRAGREEL_Q2PRODED",
        scheme: "q2",
        extension: "dm2",
        question: b"\xff\xff\xff\xffstatus\n",
        ktx: false,
        prepare: q2pro,
    },
    Engine {
        name: "Yamagi Quake II",
        program: "q2ded",
        variable: "FRAGREEL_Q2DED",
        scheme: "q2",
        extension: "dm2",
        question: b"\xff\xff\xff\xffstatus\n",
        ktx: false,
        prepare: yamagi,
    },
    Engine {
        name: "OpenArena",
        program: "openarena-server",
        variable: "FRAGREEL_OPENARENA_SERVER",
        scheme: "q3",
        extension: "dm_71",
        question: b"\xff\xff\xff\xffgetstatus\n",
        ktx: false,
        prepare: openarena,
    },
];

/// The environment variable that names KTX's folder, with its configuration and its game code.
pub const KTX: &str = "FRAGREEL_KTX";
/// Where Debian has it.
const KTX_USUAL: &str = "/usr/share/games/quake/ktx";
/// KTX's configuration begins with this level when everybody has left.
const QUAKE_LEVEL: &str = "dm3";
const QUAKE2_LEVEL: &str = "room";
/// Spectators that fit when it is crowded.
const CROWD: &str = "16";
/// `nobody` and its group: some servers refuse to run as the superuser.
const NOBODY: u32 = 65534;

impl Engine {
    /// Where its program is, if it is installed.
    pub fn find(&self) -> Option<PathBuf> {
        match std::env::var_os(self.variable) {
            Some(path) => std::path::absolute(path).ok().filter(|path| path.is_file()),
            None => find_program(self.program),
        }
    }

    /// Writes what it needs, and says how it is started.
    pub fn command(&self, setting: &Setting) -> Result<Command> {
        let home = setting.folder.join("home");
        // where Yamagi's server keeps its log; it creates the last folder only
        fs::create_dir_all(home.join(".local/share"))?;
        let mut command = (self.prepare)(setting)?;
        command.env("HOME", &home).current_dir(setting.folder);
        if fs::metadata(setting.folder)?.uid() == 0 {
            give(setting.folder)?;
            command.uid(NOBODY).gid(NOBODY);
        }
        Ok(command)
    }
}

/// KTX's folder, if it is installed.
pub fn ktx() -> Option<PathBuf> {
    let folder = std::env::var_os(KTX).map_or_else(|| PathBuf::from(KTX_USUAL), PathBuf::from);
    folder.join("qwprogs.so").is_file().then_some(folder)
}

/// The folder with OpenArena's files, if it is where Debian has it.
pub fn paks() -> Option<PathBuf> {
    Some(PathBuf::from("/usr/lib/openarena-server/baseoa")).filter(|folder| folder.is_dir())
}

/// The map's file that a recorder needs for a server that checks it.
pub fn map(folder: &Path) -> PathBuf {
    folder.join(format!("id1/maps/{QUAKE_LEVEL}.bsp"))
}

/// Gives a folder and everything in it to `nobody`.
fn give(path: &Path) -> Result<()> {
    chown(path, Some(NOBODY), Some(NOBODY))?;
    if path.is_dir() {
        fs::read_dir(path)?.try_for_each(|entry| give(&entry?.path()))?;
    }
    Ok(())
}

/// Copies a folder with what its links lead to.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    fs::read_dir(from)?.try_for_each(|entry| {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))
    })
}

fn with_variables(program: &Path, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program);
    command.args(variables.iter().flat_map(|(name, value)| ["+set", name, value]));
    command
}

/// KTX with the configuration that it is shipped with, which mvdsv reads from its folder. Only the crowd needs more spectators than its four.
fn mvdsv(setting: &Setting) -> Result<Command> {
    stand_ins::write(setting.folder, format!("maps/{QUAKE_LEVEL}.bsp").as_bytes())?;
    copy(setting.ktx, &setting.folder.join("ktx"))?;
    let mut command = Command::new(setting.program);
    command.arg("-basedir").arg(setting.folder).args(["-game", "ktx", "-ip", "127.0.0.1", "-port", &setting.port.to_string()]);
    if setting.crowded {
        command.args(["+maxspectators", CROWD, "+maxclients", CROWD]);
    }
    command.args(["+map", QUAKE_LEVEL]);
    Ok(command)
}

/// FTE's server runs KTX's code, too. Its own settings stay, so that it offers its extensions.
fn fte(setting: &Setting) -> Result<Command> {
    stand_ins::write(setting.folder, format!("maps/{QUAKE_LEVEL}.bsp").as_bytes())?;
    fs::create_dir_all(setting.folder.join("ktx"))?;
    fs::copy(setting.ktx.join("qwprogs.so"), setting.folder.join("ktx/qwprogs.so"))?;
    let address = format!("127.0.0.1:{}", setting.port);
    let variables = [("sv_port", address.as_str()), ("sv_public", "0"), ("com_gamedirnativecode", "1"), ("maxspectators", CROWD), ("maxclients", CROWD)];
    let mut command = with_variables(setting.program, &variables);
    command.arg("-basedir").arg(setting.folder).args(["-game", "ktx", "+map", QUAKE_LEVEL]);
    Ok(command)
}

/// Its game is beside the program, where it was built. It lets three connections in from one address by default; all starts come from one.
fn q2pro(setting: &Setting) -> Result<Command> {
    const GAME: &str = "gamex86_64.so";
    stand_ins::quake2::write(setting.folder, &[QUAKE2_LEVEL])?;
    fs::copy(setting.program.with_file_name(GAME), setting.folder.join("baseq2").join(GAME))?;
    let (folder, port) = (setting.folder.to_string_lossy(), setting.port.to_string());
    let folders = [("basedir", &*folder), ("libdir", &*folder), ("homedir", &*folder)];
    let mut command = with_variables(setting.program, &folders);
    quake2(&mut command, setting, &[("net_ip", "127.0.0.1"), ("net_port", &port), ("sv_iplimit", "0")]);
    Ok(command)
}

fn yamagi(setting: &Setting) -> Result<Command> {
    stand_ins::quake2::write(setting.folder, &[QUAKE2_LEVEL])?;
    let mut command = Command::new(setting.program);
    command.arg("-datadir").arg(setting.folder);
    quake2(&mut command, setting, &[("ip", "127.0.0.1"), ("port", &setting.port.to_string())]);
    Ok(command)
}

fn quake2(command: &mut Command, setting: &Setting, address: &[(&str, &str)]) {
    let crowd: &[(&str, &str)] = if setting.crowded { &[("maxclients", CROWD), ("maxspectators", CROWD)] } else { &[] };
    let variables = address.iter().chain(&[("dedicated", "1"), ("deathmatch", "1")]).chain(crowd);
    command.args(variables.flat_map(|(name, value)| ["+set", name, value])).args(["+map", QUAKE2_LEVEL]);
}

/// Three bots play. `sv_pure 1`, as it is by default, where the game's files are there, whose checksums it wants; `sv_pure 0` for the crowd.
fn openarena(setting: &Setting) -> Result<Command> {
    let port = setting.port.to_string();
    let pure = if setting.crowded || paks().is_none() { "0" } else { "1" };
    let variables =
        [("dedicated", "1"), ("net_ip", "127.0.0.1"), ("net_port", port.as_str()), ("sv_pure", pure), ("sv_maxclients", "20"), ("bot_minplayers", "3")];
    let mut command = with_variables(setting.program, &variables);
    command.args(["+map", "oa_dm1"]);
    Ok(command)
}
