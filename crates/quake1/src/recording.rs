//! A recording, and every question and edit that it offers (ARCHITECTURE.md, "What each family offers").

use std::sync::Arc;

use fragreel_base::wire::{Error, Limits};
use fragreel_model::replay::{EventSource, Events, Share};
use fragreel_model::{
    Audit, Comparison, Edited, Explained, Fate, FrameOptions, Info, Kinds, Moment, Place, Range, Rewrite, Selection, Split, Target, UserCommand, Verification,
    When,
};

use crate::answers::replay::Replayed;
use crate::answers::{audit, explain, extract, info, moment, replay as states, stated, usercmds, verify};
use crate::container::{Blocks, Container};
use crate::dialect::Dialect;
use crate::edit::source::Source;
use crate::edit::{self, compare};
use crate::events::{EventPlayback, demo_info};
use crate::frames::{self, Frames};
use crate::message::Message;
use crate::phrase_file::PhraseFile;
use crate::state::Game;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

/// A recording of QuakeWorld or NetQuake.
///
/// ```
/// use fragreel_quake1::Recording;
///
/// let mut file = b"-1\n".to_vec();
/// file.extend([1, 0, 0, 0]); // one byte of messages
/// file.extend([0; 12]); // view angles
/// file.push(2); // svc_disconnect
/// let recording = Recording::open(&file, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
/// assert!(recording.verify().is_whole());
/// ```
#[derive(Debug, Clone)]
pub struct Recording<'a> {
    source: Source<'a>,
}

impl<'a> Recording<'a> {
    /// Opens a recording. Reads only up to the server's statement of its protocol.
    ///
    /// Fails if the bytes are not a recording of this family.
    pub fn open(bytes: &'a [u8], extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        Ok(Recording { source: Source::new(Input::open(bytes, extension, limits)?) })
    }

    /// The same recording, whose lines about deaths are read by these phrases first.
    #[must_use]
    pub fn with_phrases(mut self, phrases: Arc<PhraseFile>) -> Self {
        self.source.input.phrases = Some(phrases);
        self
    }

    /// The bytes, and how to read them.
    #[doc(hidden)]
    pub fn input(&self) -> &Input<'a> {
        &self.source
    }

    /// Its container.
    pub fn container(&self) -> Container {
        self.source.container
    }

    /// The protocol and extensions that the first server stated.
    pub fn dialect(&self) -> &Dialect {
        &self.source.input.dialect
    }

    /// The bytes before the first block: the text line of a NetQuake recording, nothing in other containers.
    pub fn header(&self) -> &'a [u8] {
        self.source.header()
    }

    /// The blocks in file order. Ends at the first broken one.
    pub fn blocks(&self) -> Blocks<'a> {
        self.source.blocks()
    }

    /// A walk from the first block. `bodies` says whether to follow players and entities.
    #[doc(hidden)]
    pub fn playback(&self, bodies: bool) -> Playback<'a> {
        Playback::new(&self.source, bodies)
    }

    /// What the recording is: game, mod, server, maps, players and duration.
    pub fn info(&self) -> Info {
        info::info(&self.source)
    }

    /// Whether the recording is whole, and encodes to the same bytes.
    pub fn verify(&self) -> Verification {
        self.verify_share(Share::all())
    }

    /// Like `verify`, but encodes only the messages of this share again.
    #[doc(hidden)]
    pub fn verify_share(&self, share: Share) -> Verification {
        verify::verify(&self.source, share)
    }

    /// What it holds beside the game: files that the server sent, voice, and statistics of the mod.
    pub fn extract(&self) -> Vec<fragreel_model::Extracted> {
        extract::extract(&self.source)
    }

    /// Whether it is one unbroken recording, and the evidence against that.
    pub fn audit(&self) -> Audit {
        audit::audit(&self.source)
    }

    /// The selected blocks field by field, in file order. The recording is read as they are taken.
    pub fn explain(&self, selection: Selection) -> impl Iterator<Item = Explained> {
        explain::explain(&self.source, selection)
    }

    /// Everything known at the last frame at or before `when`; at the first frame for earlier times.
    ///
    /// The second call makes an index of the recording, as [`Frames::seek`](crate::Frames::seek) does. Later calls are quick.
    pub fn state_at(&self, when: When) -> Result<Moment, Error> {
        moment::state_at(&self.source, &self.source.index, when)
    }

    /// The user commands in order. NetQuake recordings have none; multi-view ones only if the server keeps them.
    pub fn usercmds(&self) -> impl Iterator<Item = UserCommand> {
        usercmds::usercmds(&self.source)
    }

    /// Passes the whole game to `show` after every block that brings a frame. Skips what cannot be read;
    /// [`verify`](Self::verify) reports it. [`frames`](Self::frames) gives the same in the vocabulary of all games.
    pub fn replay(&self, show: impl FnMut(Replayed, &Dialect, &Game)) {
        states::replay(&self.source, show);
    }

    /// The mod's own statistics as it wrote them, such as KTX's JSON: one text for each time they were written. Events of the
    /// kind `statistics` have them in typed form.
    pub fn demo_info(&self) -> Vec<String> {
        demo_info::texts(&self.source)
    }

    /// What the mod states of the last match as it ends, without the slots of players. `None` if nothing is stated, or if only a walk over
    /// [`events`](Self::events) finds it.
    #[doc(hidden)]
    pub fn stated_at_end(&self) -> Option<fragreel_model::Statement> {
        stated::at_end(&self.source)
    }

    /// The events of the wanted kinds, in stream order. The recording is read as they are taken.
    pub fn events(&self, wanted: Kinds) -> Events<impl EventSource> {
        Events::new(self.event_source(wanted))
    }

    /// The walk that makes them.
    pub fn event_source(&self, wanted: Kinds) -> impl EventSource {
        EventPlayback::new(&self.source, wanted)
    }

    /// A walk over its frames.
    ///
    /// ```
    /// # fn main() -> Result<(), fragreel_base::wire::Error> {
    /// # let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/quake1/match_e1m1.mvd")).unwrap();
    /// let recording = fragreel_quake1::Recording::open(&bytes, Some("mvd"), fragreel_base::wire::Limits::default())?;
    /// let mut farthest = 0.0f32;
    /// for frame in recording.frames(fragreel_model::FrameOptions::default().hz(1.0)) {
    ///     for player in frame.players.iter().filter(|player| player.alive == Some(true)) {
    ///         farthest = farthest.max(player.origin.map_or(0.0, |origin| origin[0].abs()));
    ///     }
    /// }
    /// assert!(farthest > 400.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn frames(&self, options: FrameOptions) -> Frames<'a> {
        frames::frames(&self.source, &self.source.index, &options)
    }

    /// The frames of `range` as a recording that the game plays.
    pub fn cut(&self, range: Range) -> Result<Edited, Error> {
        self.cuts(&[range]).remove(0)
    }

    /// The frames of each range as [`cut`](Self::cut) makes them, in as few walks as possible.
    pub fn cuts(&self, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
        edit::cuts(&self.source, ranges)
    }

    /// Parts that the game plays, each with a signon.
    pub fn split(&self, by: Split) -> Result<Vec<Edited>, Error> {
        edit::split(&self.source, by)
    }

    /// One recording of consecutive parts of one session.
    pub fn join(parts: &[&Self]) -> Result<Edited, Error> {
        let parts: Vec<&Input<'_>> = parts.iter().map(|part| part.input()).collect();
        edit::join(&parts)
    }

    /// A recording that plays, made of everything readable in this one.
    pub fn repair(&self) -> Result<Edited, Error> {
        edit::repair(&self.source)
    }

    /// The bytes of this recording with the signon of `donor`, a recording of the same server and map, in the place of its own, which is lost.
    ///
    /// # Errors
    /// When it needs none, or the donor has none.
    pub fn opened_by(&self, donor: &Recording<'_>) -> Result<Vec<u8>, Error> {
        edit::opened_by(&self.source, &donor.source)
    }

    /// The recording in another format.
    pub fn convert(&self, target: &Target) -> Result<Edited, Error> {
        edit::convert(&self.source, target)
    }

    /// The recording as `rewrite` changes it.
    pub fn rewrite(&self, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
        edit::rewrite(&self.source, rewrite)
    }

    /// The recording with each message as `f` leaves it. Messages that it drops are left out.
    ///
    /// A message that others cannot be read without, such as server data, stays even if `f` drops it. A message that
    /// selects a seat for a dropped one goes with it. A block whose messages did not change keeps its bytes.
    ///
    /// ```
    /// use fragreel_model::Fate;
    /// use fragreel_quake1::Recording;
    /// use fragreel_quake1::unstable::message::Message;
    ///
    /// let mut file = b"-1\n".to_vec();
    /// file.extend([5, 0, 0, 0]); // five bytes of messages
    /// file.extend([0; 12]); // view angles
    /// file.extend(*b"\x08hi\0\x02"); // svc_print, svc_disconnect
    /// let recording = Recording::open(&file, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    /// let silent = recording.map_messages(&mut |_, message| match message {
    ///     Message::NqPrint(_) => Fate::Drop,
    ///     _ => Fate::Keep,
    /// });
    /// assert_eq!(silent.bytes[3..7], [1, 0, 0, 0]);
    /// ```
    pub fn map_messages(&self, f: &mut dyn FnMut(Place, &mut Message) -> Fate) -> Edited {
        edit::map_messages(&self.source, f)
    }

    /// Compares the frames of `edited`, made from this recording, with the frames of this one at the same times: positions,
    /// appearance, stats and scores, but not names.
    ///
    /// Between recordings of one dialect everything is compared; between dialects, what quantization and limits leave.
    pub fn compare(&self, edited: &Recording<'_>) -> Comparison {
        self.comparer().compare(edited)
    }

    /// The same as [`compare`](Self::compare), with the names and teams of players.
    pub fn compare_with_strings(&self, edited: &Recording<'_>) -> Comparison {
        self.comparer().compare_with_strings(edited)
    }

    /// Compares several recordings that were made from this one.
    pub fn comparer(&self) -> Comparer<'a> {
        Comparer(compare::Comparer::new(&self.source))
    }
}

/// Compares recordings with the one that they were made from. Several of them take one walk over it if they come in the order
/// in which their frames lie there.
pub struct Comparer<'a>(compare::Comparer<'a>);

impl Comparer<'_> {
    /// See [`Recording::compare`].
    pub fn compare(&mut self, edited: &Recording<'_>) -> Comparison {
        self.0.compare(&edited.source)
    }

    /// See [`Recording::compare_with_strings`].
    pub fn compare_with_strings(&mut self, edited: &Recording<'_>) -> Comparison {
        self.0.compare_with_strings(&edited.source)
    }
}
