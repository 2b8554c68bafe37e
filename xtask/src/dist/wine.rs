//! Where Windows differs: paths, names, locks, and Ctrl-C, tried under Wine.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::at;
use super::trial::{Trial, ends_with, must};
use crate::step::{Failed, checkout, target as build_folder};

/// Wine with an installation of its own.
pub struct Wine {
    program: &'static str,
    prefix: PathBuf,
}

impl Wine {
    /// Wine, if it is here and starts.
    pub fn find() -> Result<Option<Self>, Failed> {
        let runs = |program: &&str| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
        let Some(program) = ["wine64", "wine", "/usr/lib/wine/wine64"].into_iter().find(runs) else { return Ok(None) };
        let prefix = std::path::absolute(build_folder().join("dist-wine")).map_err(|error| at(&build_folder(), error))?;
        let wine = Wine { program, prefix };
        ends_with(wine.command(Path::new("wineboot")).arg("--init").stdin(Stdio::null()), 0)?;
        Ok(Some(wine))
    }

    /// A folder of drive C, whose name people might choose.
    pub fn folder(&self) -> PathBuf {
        self.prefix.join("drive_c/Demo Übung")
    }

    /// A program of Windows.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(self.program);
        command.arg(program).env("WINEPREFIX", &self.prefix).env("WINEDEBUG", "-all").env("WINEDLLOVERRIDES", "mscoree=;mshtml=");
        command
    }
}

/// Compiles what the trial needs beside the command.
pub fn prepare(trial: &Trial) -> Result<(), Failed> {
    let sources = checkout().join("xtask/src/dist/wine");
    let compile = |source: &str, words: &[&str]| {
        let mut command = Command::new("x86_64-w64-mingw32-gcc");
        ends_with(
            command.args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"]).args(&words[..1]).arg(sources.join(source)).args(&words[1..]).current_dir(&trial.folder),
            0,
        )
    };
    compile("helper.c", &["helper.exe", "-municode"])?;
    let has_prng = trial.wine.as_ref().is_some_and(|wine| wine.prefix.join("drive_c/windows/system32/bcryptprimitives.dll").exists());
    if !has_prng {
        compile("prng.c", &["bcryptprimitives.dll", "-shared", "-ladvapi32"])?;
    }
    Ok(())
}

/// Everything that only Windows does so.
pub fn differences(trial: &Trial) -> Result<(), Failed> {
    paths(trial)?;
    names(trial)?;
    locks(trial)?;
    browser(trial)?;
    ctrl_c(trial)
}

const SAMPLE: &str = r"samples\quake3\dm_bots.dm_71";

/// Either separator, drives, names in Unicode, and more than 260 characters.
fn paths(trial: &Trial) -> Result<(), Failed> {
    let whole = trial.fragreel(&["verify", r"samples\quake3\*.dm_71"], 0)?;
    must(whole.lines().count() == 5 && !whole.contains('/'), || format!("a pattern with backslashes: {whole}"))?;
    let folder = trial.folder.join("Größe 日本");
    fs::create_dir(&folder).map_err(|error| at(&folder, error))?;
    trial.fragreel(&["cut", SAMPLE, "--from", "0:05", "--to", "0:08", "-o", r"Größe 日本\ein Stück.dm_71"], 0)?;
    let info = trial.fragreel(&["info", r"Größe 日本\ein Stück.dm_71"], 0)?;
    must(info.contains(r"Größe 日本\ein Stück.dm_71"), || info)?;
    let long = (0..4).fold(trial.folder.join("long"), |path, _| path.join("x".repeat(90)));
    fs::create_dir_all(&long).and_then(|()| fs::copy(sample(trial), long.join("deep.dm_71"))).map_err(|error| at(&long, error))?;
    let whole = trial.fragreel(&["verify", "long"], 0)?;
    must(whole.contains(r"\deep.dm_71") && whole.len() > 360, || format!("a long path: {whole}"))?;
    trial.fragreel(&["index", "samples", "--db", "demos.sqlite"], 0)?;
    let left = fs::read_dir(&trial.folder).map_err(|error| at(&trial.folder, error))?.filter_map(Result::ok);
    let left: Vec<_> = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("demos.sqlite-")).collect();
    must(left.is_empty(), || format!("files stay beside the catalogue: {left:?}"))
}

fn sample(trial: &Trial) -> PathBuf {
    trial.folder.join("samples/quake3/dm_bots.dm_71")
}

/// Members of archives, whose names Windows may forbid.
fn names(trial: &Trial) -> Result<(), Failed> {
    let (archive, bytes) = (trial.folder.join("demos.zip"), fs::read(sample(trial)).map_err(|error| at(&sample(trial), error))?);
    let file = fs::File::create(&archive).map_err(|error| at(&archive, error))?;
    let mut zip = zip::ZipWriter::new(file);
    for member in ["2004/final.dm_71", "con/a:b.dm_71", "nul.dm_71", "what?.dm_71"] {
        zip.start_file(member, zip::write::SimpleFileOptions::default()).and_then(|()| Ok(zip.write_all(&bytes)?)).map_err(|error| at(&archive, error))?;
    }
    zip.finish().map_err(|error| at(&archive, error))?;
    let folder = trial.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let member = format!(r"C:\Demo Übung\{folder}\demos.zip!2004\final.dm_71");
    let whole = trial.fragreel(&["verify", &member], 0)?;
    must(whole.contains(r"demos.zip!2004/final.dm_71"), || whole)?;
    trial.fragreel(&["pack", "demos.zip", "-o", "packed"], 0)?;
    trial.fragreel(&["unpack", "packed", "-o", "unpacked"], 0)?;
    for name in ["final.dm_71", "a_b.dm_71", "_nul.dm_71", "what_.dm_71"] {
        let path = trial.folder.join("unpacked").join(name);
        must(fs::read(&path).map_err(|error| at(&path, error))? == bytes, || format!("{} is not what was packed", path.display()))?;
    }
    Ok(())
}

/// A file that another program has open.
fn locks(trial: &Trial) -> Result<(), Failed> {
    let before = fs::read(sample(trial)).map_err(|error| at(&sample(trial), error))?;
    let mut holder = trial.program("helper").args(["hold", SAMPLE]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let holder = holder.as_mut().map_err(|error| Failed(format!("helper: {error}")))?;
    let held = holder.stdout.take().and_then(|out| BufReader::new(out).lines().next()?.ok());
    let read = trial.fragreel(&["info", SAMPLE], 2);
    let written = trial.fragreel(&["cut", r"samples\quake3\ctf_bots.dm_71", "--from", "0:05", "--to", "0:08", "--force", "-o", SAMPLE], 2);
    drop(holder.stdin.take());
    let ended = holder.wait();
    must(held.is_some_and(|line| line.starts_with("held")), || format!("helper does not hold a file: {ended:?}"))?;
    let (read, written) = (read?, written?);
    must(read.contains("Another program has it open"), || read)?;
    must(written.contains("Nothing was changed"), || written)?;
    must(fs::read(sample(trial)).map_err(|error| at(&sample(trial), error))? == before, || format!("{SAMPLE} was written although it was held"))?;
    trial.fragreel(&["verify", SAMPLE], 0).map(drop)
}

/// The viewer opens the browser of the system: Wine has that of this machine, by the name that stands for it here.
fn browser(trial: &Trial) -> Result<(), Failed> {
    let (script, opened) = (trial.folder.join("xdg-open"), trial.folder.join("opened.txt"));
    let text = format!("#!/bin/sh\nprintf %s \"$1\" > '{}'\n", opened.display());
    fs::write(&script, text).map_err(|error| at(&script, error))?;
    ends_with(Command::new("chmod").arg("755").arg(&script), 0)?;
    let path = std::env::var("PATH").unwrap_or_default();
    let mut view = trial.program("fragreel");
    let address = ends_with(view.args(["view", "--for", "4", SAMPLE]).env("PATH", format!("{}:{path}", trial.folder.display())), 0)?;
    let opened = fs::read_to_string(&opened).unwrap_or_default();
    must(!opened.is_empty() && address.trim() == opened, || format!("the browser was to open {address}, and opens `{opened}`"))
}

/// Ctrl-C ends the viewer, and a recording over the network with a whole file.
fn ctrl_c(trial: &Trial) -> Result<(), Failed> {
    let interrupted = |words: &[&str]| ends_with(trial.program("helper").args(["interrupt", "4000", "fragreel.exe"]).args(words), 0);
    interrupted(&["view", "--no-browser", SAMPLE])?;
    let port = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).map_err(|error| Failed(format!("no free port: {error}")))?.port();
    let mut server = trial.program("fragreel");
    server.args(["serve", SAMPLE, "--port", &port.to_string(), "--for", "15"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut server = server.spawn().map_err(|error| Failed(format!("serve: {error}")))?;
    let recorded = interrupted(&["record", &format!("q3://127.0.0.1:{port}"), "-o", "recorded.dm_71"]);
    let ended = server.wait();
    recorded?;
    must(ended.as_ref().is_ok_and(std::process::ExitStatus::success), || format!("serve ended with {ended:?}"))?;
    trial.fragreel(&["verify", "recorded.dm_71"], 0).map(drop)
}
