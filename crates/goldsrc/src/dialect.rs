//! What protocol numbers mean. Nothing below this compares one (`docs/formats/goldsrc.md`, "Protocols").

use crate::bit_order::BitOrder;

/// The rules of one recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The demo protocol of the header.
    pub demo_protocol: i32,
    /// The network protocol of the header.
    pub network_protocol: i32,
    /// How long the header's strings are.
    pub header_string: usize,
    /// Which table of macros is in force.
    pub macros: MacroTable,
    /// What stands before the sequence information of a data block.
    pub block: BlockShape,
    /// The rules of the messages. Absent if they are unknown.
    pub messages: Option<Rules>,
}

/// The two tables of macros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MacroTable {
    /// Demo protocol 4.
    Four,
    /// Demo protocol 5.
    Five,
}

/// The demo information of a data block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockShape {
    /// 436 bytes: the structures of the released SDKs.
    Known,
    /// 532 bytes of unknown structure.
    Opaque,
}

/// How messages differ between network protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Bit order of bit-packed parts.
    pub order: BitOrder,
    /// `svc_serverinfo` has the server's name.
    pub host_name: bool,
    /// `svc_serverinfo` may end before the map cycle when `svc_sendextrainfo` follows.
    pub map_cycle_optional: bool,
    /// What follows the map cycle.
    pub vac: Vac,
    /// `svc_updateuserinfo` ends with a hash of the CD key.
    pub key_hash: bool,
    /// Bits of a weapon's index in `svc_clientdata`.
    pub weapon_bits: u32,
    /// Whether entities always say if they start from an instanced baseline, or only when there are any.
    pub instanced_always: bool,
    /// Whether entities of a full update may start from an earlier one of the same update.
    pub back_reference: bool,
    /// `svc_voiceinit` has a quality.
    pub voice_quality: bool,
    /// Seen in real recordings, not only in others' notes.
    pub seen: bool,
}

/// The security module's part of `svc_serverinfo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vac {
    /// There is none.
    Absent,
    /// A flag, then this many bytes when it is set.
    Fixed(usize),
    /// A flag, then a counted block and 16 bytes when it is set.
    Counted,
}

/// The network protocol of today's game.
const CURRENT: i32 = 48;

const STEAM: Rules = Rules {
    order: BitOrder::LeastFirst,
    host_name: true,
    map_cycle_optional: false,
    vac: Vac::Counted,
    key_hash: true,
    weapon_bits: 6,
    instanced_always: false,
    back_reference: true,
    voice_quality: true,
    seen: true,
};

const fn rules(network_protocol: i32) -> Option<Rules> {
    match network_protocol {
        42 | 43 => Some(Rules {
            order: BitOrder::MostFirst,
            host_name: false,
            vac: Vac::Absent,
            key_hash: false,
            weapon_bits: 5,
            instanced_always: true,
            back_reference: false,
            voice_quality: false,
            seen: false,
            ..STEAM
        }),
        44 | 45 => Some(Rules { map_cycle_optional: true, vac: Vac::Fixed(36), weapon_bits: 5, voice_quality: false, seen: false, ..STEAM }),
        46 => Some(Rules { vac: Vac::Fixed(21), weapon_bits: 5, voice_quality: false, seen: false, ..STEAM }),
        47 => Some(Rules { vac: Vac::Fixed(21), seen: false, ..STEAM }),
        48 => Some(STEAM),
        _ => None,
    }
}

impl Dialect {
    /// The rules for the two numbers of a header; absent when no recording has them.
    pub fn new(demo_protocol: i32, network_protocol: i32) -> Option<Self> {
        let macros = match demo_protocol {
            4 => MacroTable::Four,
            5 => MacroTable::Five,
            _ => return None,
        };
        Some(Dialect {
            demo_protocol,
            network_protocol,
            header_string: if network_protocol < 40 { 128 } else { 260 },
            macros,
            block: if network_protocol <= 43 { BlockShape::Opaque } else { BlockShape::Known },
            messages: if matches!(macros, MacroTable::Five) { rules(network_protocol) } else { None },
        })
    }

    /// The dialect that today's game plays, and that this one can be converted to; absent when nobody knows enough of this
    /// one: what its data blocks begin with must be known, not only its messages.
    pub fn current(&self) -> Option<Dialect> {
        let known = self.block == BlockShape::Known && self.messages.is_some();
        known.then(|| Dialect::new(5, CURRENT)).flatten()
    }

    /// How reports call it: `HLDEMO 5/48`.
    pub fn name(&self) -> String {
        format!("HLDEMO {}/{}", self.demo_protocol, self.network_protocol)
    }

    /// The builds of Half-Life that wrote it.
    pub fn build(&self) -> &'static str {
        match self.network_protocol {
            35 => "Half-Life 1.0.0.5",
            40 => "Half-Life 1.0.1.6",
            42 => "Half-Life 1.1.0.1",
            43 => "Half-Life 1.1.0.4 to 1.1.0.7",
            45 => "Half-Life 1.1.0.8 to 1.1.0.9",
            46 => "Half-Life 1.1.1.0",
            47 => "Half-Life 1.1.1.1 or Steam",
            48 => "Half-Life on Steam",
            _ => "Half-Life",
        }
    }

    /// Bytes of the header.
    pub(crate) fn header_bytes(&self) -> usize {
        8 + 4 + 4 + 2 * self.header_string + 4 + 4
    }

    /// Bytes of a client data macro.
    pub(crate) fn client_data_bytes(&self) -> usize {
        match (self.macros, self.network_protocol) {
            (MacroTable::Five, _) => 32,
            (MacroTable::Four, ..40) => 56,
            (MacroTable::Four, _) => 64,
        }
    }

    /// Bytes of a data block's demo information.
    pub(crate) fn info_bytes(&self) -> usize {
        match self.block {
            BlockShape::Known => 436,
            BlockShape::Opaque => 532,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_parts_have_the_documented_sizes() {
        let sequence = 28;
        for (network, fixed) in [(42, 560), (43, 560), (45, 464), (46, 464), (47, 464), (48, 464)] {
            let dialect = Dialect::new(5, network).unwrap();
            assert_eq!(dialect.info_bytes() + sequence, fixed, "{network}");
            assert_eq!(dialect.header_bytes(), 544);
        }
        assert_eq!(Dialect::new(4, 35).unwrap().header_bytes(), 280);
        assert_eq!(Dialect::new(4, 40).unwrap().header_bytes(), 544);
        assert!(Dialect::new(3, 48).is_none());
    }
}
