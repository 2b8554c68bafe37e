//! Names for files that are taken out of recordings. A recording may state any name, so none is used as it is.

use std::collections::HashSet;

use fragreel_model::Extracted;

/// What no name has on Windows.
const FORBIDDEN: [char; 9] = ['<', '>', ':', '"', '/', '\\', '|', '?', '*'];

/// Names that Windows keeps for devices, without their numbers.
const DEVICES: [&str; 8] = ["con", "prn", "aux", "nul", "com", "lpt", "conin$", "conout$"];

/// Bytes of a name. File systems take 255.
const LONGEST: usize = 120;

/// Whether Windows takes this name of a file for a device.
///
/// ```
/// use fragreel::extract::is_device;
///
/// assert!(is_device("COM1.txt") && is_device("nul ") && !is_device("console.txt"));
/// ```
pub fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    // Windows takes superscript digits for digits
    let digit = |c: char| c.is_ascii_digit() || matches!(c, '\u{b9}' | '\u{b2}' | '\u{b3}');
    DEVICES.contains(&stem.trim_end_matches(digit))
}

/// A stated path as the name of one file, on any system. Folders become a part of the name, so nothing leads out of the folder that the file
/// is put into.
///
/// ```
/// use fragreel::extract::safe_name;
///
/// assert_eq!(safe_name("maps/dm3.bsp"), "maps_dm3.bsp");
/// assert_eq!(safe_name("../../.bashrc"), "_bashrc");
/// assert_eq!((safe_name("C:\\con"), safe_name("nul.txt"), safe_name("...")), ("C__con".into(), "_nul.txt".into(), "unnamed".into()));
/// ```
pub fn safe_name(stated: &str) -> String {
    let parts: Vec<&str> = stated.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let harmless = |c: char| if c.is_control() || c.is_whitespace() || FORBIDDEN.contains(&c) { '_' } else { c };
    let name: String = parts.join("_").chars().map(harmless).collect();
    let mut name = name.trim_end_matches('.').to_owned();
    // the end says what it is
    if let Some(from) = (name.len().saturating_sub(LONGEST)..name.len()).find(|at| *at > 0 && name.len() > LONGEST && name.is_char_boundary(*at)) {
        name.replace_range(..from, "");
    }
    if name.starts_with('.') || name.starts_with('-') {
        name.replace_range(..1, "_");
    }
    if name.is_empty() {
        return String::from("unnamed");
    }
    if is_device(&name) { format!("_{name}") } else { name }
}

/// Names for the files of one folder, none of them twice, whether or not its file system knows capital letters.
#[derive(Debug, Default)]
pub struct Names(HashSet<String>);

impl Names {
    /// The name of the next file: the stated one made safe, else the made one. A name that is taken gets a number.
    pub fn next(&mut self, extracted: &Extracted) -> String {
        let name = safe_name(extracted.stated_name.as_deref().unwrap_or(&extracted.made_name));
        if self.0.insert(name.to_lowercase()) {
            return name;
        }
        let at = name.rfind('.').filter(|at| *at > 0).unwrap_or(name.len());
        let (stem, end) = name.split_at(at);
        let mut numbered = (2u32..).map(|number| format!("{stem}_{number}{end}")).skip_while(|name| !self.0.insert(name.to_lowercase()));
        numbered.next().unwrap_or(name.clone())
    }
}

#[cfg(test)]
mod tests {
    use fragreel_model::ExtractKind;

    use super::*;

    fn named(stated: Option<&str>) -> Extracted {
        Extracted { stated_name: stated.map(str::to_owned), ..Extracted::new(ExtractKind::Download, String::from("download_1.bin"), 0, Vec::new()) }
    }

    #[test]
    fn no_name_leads_anywhere() {
        for (stated, expected) in [
            ("/etc/passwd", "etc_passwd"),
            ("..\\..\\x", "x"),
            ("a/../b", "a_b"),
            ("\\\\server\\share\\f", "server_share_f"),
            ("C:x", "C_x"),
            ("x:stream", "x_stream"),
            ("a\0b\nc", "a_b_c"),
            ("lpt9", "_lpt9"),
            ("com\u{b9}.txt", "_com\u{b9}.txt"),
            ("CON.dm2", "_CON.dm2"),
            ("trailing. .", "trailing._"),
            ("-rf", "_rf"),
            ("", "unnamed"),
            ("./.", "unnamed"),
        ] {
            assert_eq!(safe_name(stated), expected, "{stated:?}");
        }
        let long = format!("{}.bsp", "ä".repeat(500));
        assert!(safe_name(&long).len() <= LONGEST && safe_name(&long).ends_with(".bsp"));
    }

    #[test]
    fn a_name_is_given_once() {
        let mut names = Names::default();
        let given = [Some("maps/a.bsp"), Some("MAPS/A.BSP"), Some("maps_a.bsp"), None, None].map(|stated| names.next(&named(stated)));
        assert_eq!(given, ["maps_a.bsp", "MAPS_A_2.BSP", "maps_a_3.bsp", "download_1.bin", "download_1_2.bin"]);
    }
}
