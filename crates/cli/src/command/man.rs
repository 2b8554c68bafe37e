//! `fragreel man`

use std::io::Write;
use std::path::PathBuf;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::failure::{Failure, Stop};
use crate::output;
use crate::shell::{Outcome, Shell};
use crate::usage::shown;

/// Generate manual pages
///
/// Without --folder, prints the page of `fragreel` itself.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel man | man -l -                           read the page
  fragreel man --folder ~/.local/share/man/man1
      write the pages of all commands")]
pub struct Arguments {
    /// Write one page per command into this folder
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

impl Arguments {
    pub fn run(self, _: &Shell) -> Result<Outcome, Stop> {
        let command = crate::Cli::command();
        if let Some(folder) = self.folder {
            let failed = |error| {
                Failure::new(format!("cannot write the manual pages into `{}`", folder.display())).because(error).help("Name a folder that you can write to.")
            };
            std::fs::create_dir_all(&folder).map_err(failed)?;
            clap_mangen::generate_to(command, &folder).map_err(failed)?;
            for page in std::fs::read_dir(&folder).map_err(failed)?.flatten().filter(|page| page.file_name().to_string_lossy().starts_with("fragreel")) {
                let text = std::fs::read_to_string(page.path()).map_err(failed)?;
                if shown(&text) != text {
                    std::fs::write(page.path(), shown(&text)).map_err(failed)?;
                }
            }
        } else {
            let mut output = output::stdout();
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            output.write_all(shown(&String::from_utf8_lossy(&page)).as_bytes())?;
            output.flush()?;
        }
        Ok(Outcome::Fine)
    }
}
