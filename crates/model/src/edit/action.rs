//! What edits do.

use super::sentence::{counted, sentences};
use crate::Milliseconds;

/// What became of the frame that a re-encoded frame was a delta from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeltaBase {
    /// It is not in the part that was kept.
    CutOff,
    /// The edit dropped it.
    Dropped,
    /// The recording lacks it. The last good frame replaces it, as in Q2PRO.
    Missing,
}

impl std::fmt::Display for DeltaBase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DeltaBase::CutOff => ": delta base was cut off",
            DeltaBase::Dropped => ": delta base was dropped",
            DeltaBase::Missing => " against the last good frame, as Q2PRO does: delta base is missing",
        })
    }
}

/// Says so if a frame had to be split over several.
fn split_over(frames: u64) -> String {
    if frames > 1 { format!(", and split that frame over {frames} frames: engines do not play longer ones") } else { String::new() }
}

sentences! {
    /// Something that an edit did. [`kind`](Self::kind) is its stable name; [`Display`](std::fmt::Display) is a sentence.
    ///
    /// Variants of one kind have one sentence, whichever family builds them.
    ///
    /// ```
    /// let action = fragreel_model::Action::PartsJoined { parts: 2 };
    /// assert_eq!((action.kind(), action.to_string().as_str()), ("parts_joined", "joined 2 parts"));
    /// ```
    Action {
        // ranges and parts
        FramesKept { from: Milliseconds, to: Milliseconds, first: u32, last: u32, messages: u32 } = "frames_kept" "kept frames from {from} to {to}: messages {first} to {last} of {messages}",
        FramesTaken { frames: u64, of: u64 } = "frames_taken" "kept {frames} of {of} frames",
        RangeKept = "range_kept" "dropped everything outside the range",
        OpeningTaken { agreeing: u64, of: u64 } = "opening_taken" "took the opening of the donor: {agreeing} of {of} entities at rest in both are equal",
        DescriptionsTaken { structures: String } = "descriptions_taken" "took the descriptions of {structures} from the donor",
        PartsJoined { parts: u64 } = "parts_joined" "joined {parts} parts",
        PartGoesOnInLevel { part: u64 } = "part_goes_on_in_level" "part {part} continues the level of the previous part",
        PartBeginsWithGamestate { part: u64, why: String } = "part_begins_with_gamestate" "part {part} begins with its gamestate: {why}",
        PartStartsLevel { part: u64 } = "part_starts_level" "part {part} starts a new level",
        PartGoesOnWithoutSignon { part: u64 } = "part_goes_on_without_signon" "part {part} continues without its own signon",
        PartGoesOn = "part_goes_on" "a part continues at the end of the previous part",
        PartGoesOnAfter { frames: i64 } = "part_goes_on_after" "a part continues {frames} frames after the end of the previous part",
        RepeatedMessagesLeftOut { messages: u64 } = "repeated_messages_left_out" "dropped {messages} messages that an earlier part already has",
        RepeatedFramesLeftOut { frames: u64 } = "repeated_frames_left_out" "dropped {frames} frames that the previous part already has",
        RepeatedFramesOfPartLeftOut { frames: u64, part: u64 } = "repeated_frames_of_part_left_out" "dropped {frames} frames of part {part} that the previous part already has",
        RepeatedFirstFrameLeftOut { part: u64 } = "repeated_first_frame_left_out" "dropped the first frame of part {part}, which the previous part already has",
        PartLeftOut { part: u64 } = "part_left_out" "dropped part {part}, which has nothing later than the previous part",
        ViewpointsMerged { viewpoints: u64 } = "viewpoints_merged" "merged {viewpoints} viewpoints",
        EntitiesMerged { frames: u64, of: u64, entities: u64 } = "entities_merged" "added {entities} entities that only other viewpoints saw to {frames} of {of} frames",
        // beginnings and ends
        SignonMade { frames: u64 } = "signon_made" "wrote a new signon for the first frame{}" (split_over(*frames)),
        EndMarkAdded = "end_mark_added" "added end marker",
        EndMarkRemoved { offset: u64 } = "end_mark_removed" "removed the end marker at offset {offset}, which was not at the end",
        SegmentStartAdded { segment: u64 } = "segment_start_added" "added the missing start of segment {segment}",
        SegmentEndAdded { segment: u64 } = "segment_end_added" "added the missing end of segment {segment}",
        LoadingNotFound = "loading_not_found" "did not find the loading segment: the game does not play the file without it",
        // frames and their delta bases
        FramesReencoded { frames: u64, base: DeltaBase } = "frames_reencoded" "re-encoded {}{base}" (counted(*frames, "frame")),
        SnapshotsLeftOutBaseless { messages: u64 } = "frames_left_out_baseless" "dropped the snapshot of {}: delta base is missing" (counted(*messages, "message")),
        FramesLeftOutBaseless { frames: u64 } = "frames_left_out_baseless" "dropped {}: delta base is missing" (counted(*frames, "frame")),
        FramesCarriedOn { frames: u64, uncertain: u64 } = "frames_carried_on" "re-encoded {} from the last known state: delta base is missing; {uncertain} are uncertain" (counted(*frames, "frame")),
        FramesLeftOutUnfinished { frames: u64 } = "frames_left_out_unfinished" "dropped {frames} frames: their entities are missing",
        SnapshotsLeftOutBackwards { messages: u64 } = "snapshots_left_out_backwards" "dropped the snapshot of {}: its time is before that of the previous snapshot" (counted(*messages, "message")),
        MessagesLeftOutEarly { messages: u64 } = "messages_left_out_early" "dropped {}: the messages behind continue before their time" (counted(*messages, "message")),
        // damage
        BytesLeftOut { bytes: Option<u64>, offset: u64, why: String } = "bytes_left_out" "dropped {} at offset {offset}: {why}" (bytes.map_or(String::from("unreadable data"), |bytes| counted(bytes, "byte"))),
        ParcelsLeftOut { parcels: u64 } = "bytes_left_out" "dropped unreadable data of {parcels} parcels",
        SectorsExchanged { offset: u64 } = "sectors_exchanged" "exchanged the two sectors of 512 bytes at offset {offset}, which were in the wrong order",
        UnreferencedLeftOut { bytes: u64 } = "unreferenced_left_out" "dropped {bytes} bytes that nothing refers to",
        NoBlocksLeftOut { bytes: u64 } = "no_blocks_left_out" "dropped {bytes} bytes between blocks",
        GamestatePartlyKept { strings: u64, baselines: u64, why: String } = "gamestate_partly_kept" "kept {} and {} of a damaged gamestate, and lost the rest: {why}" (counted(*strings, "string"), counted(*baselines, "baseline")),
        MessageLeftOut { message: u32, offset: u64, why: String } = "message_left_out" "dropped message {message} at offset {offset}: {why}",
        MessageOfBlockLeftOut { block: u64, why: String } = "message_left_out" "dropped a message of block {block}: {why}",
        MessagesLeftOutUnreadable { messages: u64 } = "messages_left_out_unreadable" "dropped {} that cannot be read" (counted(*messages, "message")),
        MessagesLeftOutHomeless { messages: u64 } = "messages_left_out_homeless" "dropped {} of a level whose gamestate is missing or damaged" (counted(*messages, "message")),
        MessagesCut { bytes: Option<u64>, of: &'static str, number: u32, why: String } = "messages_cut" "dropped the {} of {of} {number}: {why}" (bytes.map_or(String::from("end"), |bytes| format!("last {bytes} bytes"))),
        EmptyBlocksLeftOut { blocks: u64 } = "empty_blocks_left_out" "dropped {}" (counted(*blocks, "empty block")),
        EmptySegmentsLeftOut { segments: u64 } = "empty_segments_left_out" "dropped {segments} empty segments",
        RepeatedMacroLeftOut { number: u32 } = "repeated_macro_left_out" "dropped macro {number}, which repeats the previous macro",
        RepeatedRestLeftOut { number: u32 } = "repeated_rest_left_out" "dropped the rest of macro {number}, which repeats the previous macro",
        ProtocolGiven { number: u32, protocol: i32 } = "protocol_given" "gave the server information of macro {number} protocol {protocol}, which the recording follows",
        ServerTimeLeftOut { number: u32 } = "server_time_left_out" "dropped the server time of macro {number}, which is not a number",
        TimeGiven { to: &'static str, number: u32 } = "time_given" "gave {to} {number} the time of the previous {to}: its own time contradicts its neighbors",
        CommandsFilled { commands: u64 } = "commands_filled" "added {} for missing commands: their numbers must be consecutive" (counted(*commands, "empty command")),
        HeaderRebuilt { why: String } = "header_rebuilt" "rebuilt the header, because {why}",
        DirectoryRebuilt { why: String } = "directory_rebuilt" "rebuilt the directory, because {why}",
        DirectoryCorrected { why: String } = "directory_corrected" "corrected the directory, because {why}",
        DirectoryKept { offset: u64 } = "directory_kept" "kept the directory at offset {offset}, which the header did not name",
        FrameCountCorrected { segment: u64, from: i32, to: i32 } = "frame_count_corrected" "corrected the frame count of segment {segment} from {from} to {to}",
        UnreadableKept = "unreadable_kept" "kept names and chat in unreadable parts; `fragreel repair` drops such parts first",
        CommandsShortened { commands: u64, bytes: u64 } = "commands_shortened" "shortened {} to the {bytes} bytes that engines read" (counted(*commands, "command")),
        TextRemains { text: String, place: String } = "text_remains" "`{text}` is left in {place}",
        // what engines do not play
        Split { count: u64, of: &'static str } = "split" "split {}: engines do not play longer ones" (counted(*count, of)),
        BlockDivided { block: u64, bytes: u64 } = "split" "split block {block} of {bytes} bytes: engines do not play longer ones",
        NumbersCleared { messages: u64, removals: bool } = "numbers_cleared" "cleared numbers {} from {messages} messages{}" (if *removals { "and removals that engines do not play" } else { "out of range" }, if *removals { "" } else { ": engines stop playback there" }),
        HandshakeLeftOut { count: u64 } = "handshake_left_out" "dropped a handshake command ({count})",
        EntitiesSorted { snapshots: u64 } = "entities_sorted" "sorted the entities of snapshots ({snapshots})",
        StringsLeftOut { strings: u64, bytes: u64 } = "strings_left_out" "dropped {} of a gamestate that set nothing: engines hold {bytes} bytes" (counted(*strings, "string")),
        EmptyMessagesLeftOut { messages: u64 } = "empty_messages_left_out" "dropped {}" (counted(*messages, "empty message")),
        DownloadLeftOut { count: u64 } = "download_left_out" "dropped a piece of a download ({count})",
        DisconnectLeftOut { count: u64 } = "disconnect_left_out" "dropped a disconnect before the end ({count})",
        PrecacheMadeLocal { count: u64 } = "precache_made_local" "changed `precache` to load the level without asking the server ({count})",
        LevelMarkedRecorded { count: u64 } = "level_marked_recorded" "marked a level as recorded instead of live ({count})",
        // what was asked for
        MessagesChanged { messages: u64 } = "messages_changed" "changed {}" (counted(*messages, "message")),
        MessagesDropped { messages: u64 } = "messages_dropped" "dropped {}" (counted(*messages, "message")),
        MessagesChangedOrDropped { messages: u64 } = "messages_changed_or_dropped" "changed or dropped {messages} messages",
        CommandsChangedOrDropped { commands: u64 } = "commands_changed_or_dropped" "changed or dropped {commands} of the player's commands",
        ToolDataLeftOut { commands: u64, tool: String } = "tool_data_left_out" "dropped {} with data of {tool}, which is not decoded" (counted(*commands, "command")),
        TextChanged { places: u64 } = "text_changed" "changed text in {places} places outside of messages",
        Converted { from: String, to: String } = "converted" "converted from {from} to {to}",
        ConvertedTo { what: String, form: String } = "converted" "re-encoded {what} as {form}",
    }
}
