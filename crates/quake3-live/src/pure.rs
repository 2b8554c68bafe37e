//! What a server with `sv_pure 1` wants to know: checksums of the game's files that the client has (`docs/formats/quake3.md`, *Live*).

use fragreel_live::block_checksum;
use fragreel_quake3::strings::Words;

/// A `.pk3`: what its directory says.
///
/// ```
/// use fragreel_quake3_live::pure::Pak;
///
/// let pak = Pak::of([("vm/cgame.qvm", 0x1234_5678, 9), ("readme.txt", 0, 0)]);
/// assert_ne!(pak, Pak::of([("vm/cgame.qvm", 0x1234_5679, 9)]));
/// assert_eq!(pak, Pak::of([("VM\\CGAME.QVM", 0x1234_5678, 9)]), "empty members do not count");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pak {
    /// The members' checksums, in the order of the directory.
    sums: Vec<u32>,
    has_cgame: bool,
    has_ui: bool,
}

impl Pak {
    /// The members of a file in the order of its directory: name, CRC-32, and length.
    pub fn of<N: AsRef<str>>(members: impl IntoIterator<Item = (N, u32, u64)>) -> Self {
        let mut pak = Pak { sums: Vec::new(), has_cgame: false, has_ui: false };
        for (name, sum, _) in members.into_iter().filter(|(_, _, length)| *length > 0) {
            let name = name.as_ref().replace('\\', "/");
            pak.has_cgame |= name.eq_ignore_ascii_case("vm/cgame.qvm");
            pak.has_ui |= name.eq_ignore_ascii_case("vm/ui.qvm");
            pak.sums.push(sum);
        }
        pak
    }

    /// The checksum that servers list their files by.
    fn plain(&self) -> i32 {
        block_checksum(&bytes(&self.sums)) as i32
    }

    /// The checksum that proves that a client has the file: it depends on a number of the server's.
    fn pure(&self, feed: i32) -> i32 {
        block_checksum(&[&feed.to_le_bytes()[..], &bytes(&self.sums)].concat()) as i32
    }
}

fn bytes(sums: &[u32]) -> Vec<u8> {
    sums.iter().flat_map(|sum| sum.to_le_bytes()).collect()
}

/// The command that proves that we have the game's files. `listed` are the checksums of the server's files (`sv_paks`), in the order in which it
/// searches them. `None` without the files that hold the game's programs.
pub(crate) fn command(paks: &[Pak], listed: &[u8], server_id: i32, feed: i32) -> Option<String> {
    let listed = Words::new(listed).filter_map(|word| std::str::from_utf8(word).ok()?.parse::<i32>().ok());
    let known: Vec<&Pak> = listed.filter_map(|sum| paks.iter().find(|pak| pak.plain() == sum)).collect();
    let cgame = known.iter().find(|pak| pak.has_cgame)?.pure(feed);
    let ui = known.iter().find(|pak| pak.has_ui)?.pure(feed);
    let mut sums = vec![cgame, ui];
    sums.dedup();
    let encoded = sums.iter().fold(feed, |all, sum| all ^ sum) ^ sums.len() as i32;
    let sums: Vec<String> = sums.iter().map(i32::to_string).collect();
    Some(format!("cp {server_id} {cgame} {ui} @ {} {encoded}", sums.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_server_are_proved_in_its_order() {
        let one = Pak::of([("vm/cgame.qvm", 1, 9), ("vm/ui.qvm", 2, 9)]);
        let other = Pak::of([("vm/cgame.qvm", 3, 9)]);
        let strange = Pak::of([("vm/cgame.qvm", 4, 9), ("vm/ui.qvm", 5, 9)]);
        let paks = [strange, one.clone(), other.clone()];
        let listed = |paks: &[&Pak]| paks.iter().map(|pak| pak.plain().to_string()).collect::<Vec<_>>().join(" ").into_bytes();
        let (a, b) = (one.pure(77), other.pure(77));
        assert_eq!(command(&paks, &listed(&[&one]), 5, 77), Some(format!("cp 5 {a} {a} @ {a} {}", 77 ^ a ^ 1)));
        assert_eq!(command(&paks, &listed(&[&other, &one]), 5, 77), Some(format!("cp 5 {b} {a} @ {b} {a} {}", 77 ^ a ^ b ^ 2)));
        assert_eq!(command(&paks, &listed(&[&other]), 5, 77), None);
        assert_eq!(command(&paks, b"", 5, 77), None);
    }
}
