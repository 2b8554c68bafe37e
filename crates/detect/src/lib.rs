//! Which family of games a recording belongs to, by its bytes and the name of its file.
//!
//! Each family is a feature. All are listed once, in `families!`, with the extensions that their recordings usually have.

#![warn(unreachable_pub)]

use fragreel_model::{Certainty, Family};

macro_rules! families {
    ($($family:ident = $krate:ident if $feature:literal [$($extension:literal)*]),* $(,)?) => {
        type Detect = fn(&[u8], Option<&str>) -> Certainty;

        const DETECTORS: &[(Family, Detect)] = &[$(#[cfg(feature = $feature)] (Family::$family, $krate::detect)),*];

        const EXTENSIONS: &[(Family, &[&str])] = &[$((Family::$family, &[$($extension),*])),*];
    };
}

families! {
    Quake3 = fragreel_quake3 if "quake3" ["dm3" "dm_43" "dm_45" "dm_46" "dm_48" "dm_66" "dm_67" "dm_68" "dm_69" "dm_70" "dm_71" "dm_73" "dm_90" "dm_91" "urtdemo"],
    Quake2 = fragreel_quake2 if "quake2" ["dm2" "rla" "mvd2"],
    GoldSrc = fragreel_goldsrc if "goldsrc" ["dem"],
    Quake1 = fragreel_quake1 if "quake1" ["qwd" "mvd" "dem"],
}

/// The extension that says what a file is: `dm2` for `A.DM2.gz` and `A.DM2.frp`.
pub fn extension(name: &str) -> Option<String> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".frp")).unwrap_or(&name);
    name.rsplit_once('.').map(|(_, extension)| extension.to_owned()).filter(|extension| !extension.is_empty())
}

/// Whether recordings of any family have names like this one, compressed or not.
pub fn is_recording_name(name: &str) -> bool {
    extension(name).is_some_and(|extension| EXTENSIONS.iter().any(|(_, names)| names.contains(&extension.as_str())))
}

/// The families that may know the recording, the surest first; of equally sure ones, those whose extension it has. One that the bytes and the extension name
/// is alone: Quake III looks through 16 kB for a message, which took 3 % of the instructions of `scores` of a Quake II recording.
pub fn candidates(bytes: &[u8], extension: Option<&str>) -> Vec<(Family, Certainty)> {
    let is_named = |family| EXTENSIONS.iter().any(|(of, names)| *of == family && extension.is_some_and(|extension| names.contains(&extension)));
    let mut found = Vec::new();
    let (named, others): (Vec<_>, Vec<_>) = DETECTORS.iter().partition(|(family, _)| is_named(*family));
    for (family, detect) in named.into_iter().chain(others) {
        match detect(bytes, extension) {
            Certainty::No => {}
            Certainty::Certain if is_named(family) => return vec![(family, Certainty::Certain)],
            certainty => found.push((family, certainty)),
        }
    }
    found.sort_by_key(|(family, certainty)| std::cmp::Reverse((*certainty, is_named(*family))));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_is_the_last_one_that_is_no_compression() {
        for (name, expected) in [
            ("A.DM2.gz", Some("dm2")),
            ("x.y/a", None),
            ("a.dm_68", Some("dm_68")),
            ("a.mvd.frp", Some("mvd")),
            (r"C:\a.b\q.dem.GZ", Some("dem")),
            ("", None),
            ("a.", None),
        ] {
            assert_eq!(extension(name).as_deref(), expected, "{name}");
        }
    }
}
