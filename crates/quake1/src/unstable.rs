//! What other crates of this project use of this one. It may change in any version.
#![allow(missing_docs, reason = "the modules have theirs")]

pub mod block_writer {
    pub use crate::encode::block_writer::BlockWriter;
}

pub mod blocks {
    pub use crate::walk::blocks::NextBlock;
}

pub mod characters {
    pub use crate::characters::{clean, folded, text};
}

pub mod container {
    pub use crate::container::{Block, Blocks, Container, Framing, Stamp, Target, UserCommand, code_framing, kind, write_block};
}

pub mod decoded_blocks {
    pub use crate::walk::decoded_blocks::{DecodedBlocks, NextDecoded};
}

pub mod decoder {
    pub use crate::walk::decoder::{Decoder, Item};
}

pub mod dialect {
    pub use crate::dialect::{Dialect, Numbers, Stream, pext1, pext2};
}

pub mod fields {
    pub mod netquake {
        pub use crate::fields::netquake::{bits, client_bits, client_slot, slot};
    }

    pub mod quakeworld {
        pub use crate::fields::quakeworld::{bits, slot};
    }
}

pub mod limits {
    pub use crate::limits::{LIGHT_STYLES, Limits};
}

pub mod message {
    pub mod hidden {
        pub use crate::message::hidden::{Hidden, HiddenBlocks, HiddenBody};
    }

    pub use crate::message::{
        Angle, Appearance, Baseline, Body, ChokeCount, ChooseSeat, ClientData, Coord, DeltaCommand, DeltaPacketEntities, Disconnect, Download, EntityCoord,
        EntityDelta, Extension, FastUpdate, FileList, Float, KilledMonster, LONGEST_TEXT, LightStyle, Message, MessageKind, MoveVars, NqPrint, Packet,
        PacketEntities, PacketHeader, PlayerInfo, QwPrint, QwSound, Rest, Seats, ServerData, ServerInfoKey, SetAngle, SetInfo, SetPause, SpawnBaseline2,
        StatByte, StatLong, StuffText, Text, Texts, UpdateFrags, UpdateUserInfo, WideFileList, code, code_packet, encoded_length, flag, is_frame, plain_entity,
    };
}

pub mod playable {
    pub use crate::walk::playable::stop_at_message;
}

pub mod playback {
    pub use crate::walk::playback::{Playback, target_of};
}

pub mod properties {
    pub use crate::properties::{blocks, container, edit, events, message, quiet, round_trip, text_form};
}

pub mod quakeworld {
    pub use crate::encode::quakeworld::{QuakeWorld, classic, packet_changes};
}

pub mod recode {
    pub use crate::encode::recode::Recode;
}

pub mod reencode {
    pub use crate::encode::reencode::{EVERYBODY, entity_delta, packet_entities, update_entities};
}

pub mod replacement {
    pub mod solid {
        pub use crate::replacement::solid::{SOLID_HULL1, SOLID_HULL2};
    }

    pub use crate::replacement::{
        Angles, Baselines, Bone, Change, Coordinates, Delta, Entities, EntityNumber, EntityState, Flags, Index, LAST_ENTITY, PEXT2_REPLACEMENT_DELTAS,
        SEND_VIEW, SVC_SPAWN_BASELINE2, SVC_UPDATE_ENTITIES, Update, bits, code, code_delta, code_entity, code_index,
    };
}

pub mod signon {
    pub use crate::encode::signon::{SignonPart, SignonState};
}

pub mod signon_writer {
    pub use crate::encode::signon_writer::{BEFORE_FIRST_FRAME, SignonPoint, write};
}

pub mod state {
    pub use crate::state::{Game, NqRow, Person, QwRow, Stats, World, seats, stat};
}

pub mod usage {
    pub use crate::encode::usage::{LevelFiles, Usage};
}

pub mod world {
    pub use crate::encode::world::{EntityView, PlayerView, WorldView, of_baseline, updated};
}
