//! The names of drafts.

use std::ffi::OsString;
use std::path::Path;

const MARK: &str = ".fragreel-";
const END: &str = ".part";

/// The longest name that common file systems take, in bytes.
const LONGEST: usize = 255;

/// The name of this process's draft of a file.
pub fn name(target: &Path) -> OsString {
    let suffix = format!("{MARK}{}{END}", std::process::id());
    let name = target.file_name().unwrap_or_default();
    if name.len() + suffix.len() <= LONGEST {
        let mut name = name.to_owned();
        name.push(suffix);
        return name;
    }
    let mut front = name.to_string_lossy().into_owned();
    while front.len() + suffix.len() > LONGEST {
        front.pop();
    }
    OsString::from(front + &suffix)
}

/// Whether a file's name is that of a draft.
pub fn is_draft(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number = name.strip_suffix(END).and_then(|front| front.rsplit_once(MARK));
    number.is_some_and(|(target, number)| !target.is_empty() && !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_whose_they_are_and_fit() {
        let ours = name(Path::new("a/final.dm_68"));
        assert_eq!(ours, OsString::from(format!("final.dm_68.fragreel-{}.part", std::process::id())));
        assert!(is_draft(Path::new(&ours)));
        let long = name(Path::new(&"ü".repeat(127)));
        assert!(long.len() <= LONGEST && is_draft(Path::new(&long)));
        for other in ["final.dm_68", "x.part", ".fragreel-1.part", "x.fragreel-.part", "x.fragreel-a.part", "x.fragreel-1.parts"] {
            assert!(!is_draft(Path::new(other)), "{other}");
        }
    }
}
