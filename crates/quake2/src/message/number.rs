//! The kinds of messages and their numbers. Declared once.

use crate::dialect::Numbering;

macro_rules! ops {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// A kind of message, whatever its number.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "named as engines name them")]
        pub enum Op {
            $($variant),*
        }

        impl Op {
            /// Its name in the format document.
            pub fn name(self) -> &'static str {
                match self {
                    $(Op::$variant => $name),*
                }
            }
        }
    };
}

ops! {
    MuzzleFlash = "muzzleflash", MuzzleFlash2 = "muzzleflash2", TempEntity = "temp_entity", Layout = "layout", Inventory = "inventory",
    Nop = "nop", Disconnect = "disconnect", Reconnect = "reconnect", Sound = "sound", Print = "print", StuffText = "stufftext",
    ServerData = "serverdata", ConfigString = "configstring", SpawnBaseline = "spawnbaseline", CenterPrint = "centerprint",
    Download = "download", PlayerInfo = "playerinfo", PacketEntities = "packetentities", Frame = "frame",
    ZPacket = "zpacket", ZDownload = "zdownload", Setting = "setting",
    GameState = "gamestate", ConfigStringStream = "configstringstream", BaselineStream = "baselinestream",
    KmFog = "fog",
    SplitClient = "splitclient", ConfigBlast = "configblast", BaselineBlast = "spawnbaselineblast", LevelRestart = "level_restart",
    Damage = "damage", LocPrint = "locprint", Fog = "fog", WaitingForPlayers = "waitingforplayers", BotChat = "bot_chat", Poi = "poi",
    HelpPath = "help_path", MuzzleFlash3 = "muzzleflash3", Achievement = "achievement",
}

use Op::*;

const CLASSIC: &[(u8, Op)] = &[
    (1, MuzzleFlash),
    (2, MuzzleFlash2),
    (3, TempEntity),
    (4, Layout),
    (5, Inventory),
    (6, Nop),
    (7, Disconnect),
    (8, Reconnect),
    (9, Sound),
    (10, Print),
    (11, StuffText),
    (12, ServerData),
    (13, ConfigString),
    (14, SpawnBaseline),
    (15, CenterPrint),
    (16, Download),
    (17, PlayerInfo),
    (18, PacketEntities),
    (20, Frame),
];
const R1Q2: &[(u8, Op)] = &[(21, ZPacket), (22, ZDownload), (24, Setting)];
const Q2PRO: &[(u8, Op)] = &[(21, ZPacket), (22, ZDownload), (23, GameState), (24, Setting), (25, ConfigStringStream), (26, BaselineStream)];
const KMQUAKE2: &[(u8, Op)] = &[(21, KmFog)];
const KEX: &[(u8, Op)] = &[
    (21, SplitClient),
    (22, ConfigBlast),
    (23, BaselineBlast),
    (24, LevelRestart),
    (25, Damage),
    (26, LocPrint),
    (27, Fog),
    (28, WaitingForPlayers),
    (29, BotChat),
    (30, Poi),
    (31, HelpPath),
    (32, MuzzleFlash3),
    (33, Achievement),
];
/// As far as the only recording shows them.
const TEST_RELEASE: &[(u8, Op)] = &[(6, StuffText), (7, ServerData), (8, ConfigString)];

const fn table(lists: [&[(u8, Op)]; 2]) -> [Option<Op>; 64] {
    let mut table = [None; 64];
    let mut list = 0;
    while list < 2 {
        let mut at = 0;
        while at < lists[list].len() {
            table[lists[list][at].0 as usize] = Some(lists[list][at].1);
            at += 1;
        }
        list += 1;
    }
    table
}

static TABLES: [[Option<Op>; 64]; 6] =
    [table([CLASSIC, &[]]), table([CLASSIC, R1Q2]), table([CLASSIC, Q2PRO]), table([CLASSIC, KEX]), table([CLASSIC, KMQUAKE2]), table([&[], TEST_RELEASE])];

impl Op {
    /// The kind of message `number` under this numbering.
    #[inline]
    pub fn of(numbering: Numbering, number: u8) -> Option<Op> {
        TABLES[numbering as usize].get(usize::from(number)).copied().flatten()
    }

    /// The names of the messages under this numbering, each at its number.
    pub(crate) fn names(numbering: Numbering) -> textform::Names {
        textform::Names::new(TABLES[numbering as usize].iter().map(|op| op.map_or("", Op::name)))
    }

    /// Its number under this numbering.
    pub fn number(self, numbering: Numbering) -> Option<u8> {
        TABLES[numbering as usize].iter().position(|&op| op == Some(self)).map(|at| at as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for numbering in [Numbering::Classic, Numbering::R1q2, Numbering::Q2pro, Numbering::Kex, Numbering::Kmquake2, Numbering::TestRelease] {
            for number in 0..64 {
                if let Some(op) = Op::of(numbering, number) {
                    assert_eq!(op.number(numbering), Some(number), "{op:?}");
                }
            }
        }
        assert_eq!(Op::of(Numbering::Classic, 19), None);
        assert_eq!(Op::of(Numbering::Classic, 255), None);
    }
}
