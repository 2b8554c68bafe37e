//! `convert` to recordings of all players: Relay's, and those of servers (`isdemo` 2). MVD2 is in [`mvd_target`].

use std::collections::BTreeMap;

use fragreel_base::wire::Error;
use fragreel_model::{Action, Edited, Loss, Target};

use super::EditSource;
use super::all_players::{AllTarget, AllView};
use super::downgrade::{Downgrade, StatKinds};
use super::frame_number::number;
use super::mvd_target::{self, MvdTarget};
use super::pov::Places;
use super::translate::{Translated, Translator};
use super::view::View;
use crate::detect::Framing;
use crate::dialect::{Announced, Dialect, FrameHeader, RecordingKind};
use crate::encode::block_writer::{BlockOutcome, BlockWriter};
use crate::encode::deltas::{self, EncodeFlags};
use crate::encode::reencode::{FrameEncoder, FrameState, message_bytes};
use crate::encode::signon::{ScreenMessages, Signon, write};
use crate::encode::strings::{StringSlots, signon_strings};
use crate::fields::entity::{Row, U_OLDORIGIN};
use crate::limits;
use crate::message::{Body, ConfigString, Context, Frame, Message, ServerData, Text};
use crate::state::{Baselines, NOTHING, State, Strings};
use crate::walk::Input;

/// A form with all players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerForm {
    /// A server recording.
    Server,
    /// Relay.
    Relay,
    /// MVD2.
    Mvd2,
}

impl ServerForm {
    /// The form that a target names.
    pub(crate) fn named(format: &str) -> Option<Self> {
        match format {
            "server" => Some(ServerForm::Server),
            "rla" | "relay" => Some(ServerForm::Relay),
            "mvd2" => Some(ServerForm::Mvd2),
            _ => None,
        }
    }

    /// The form of a recording, if it has several views.
    fn of(framing: Framing, dialect: &Dialect) -> Option<Self> {
        match (framing, dialect.frame) {
            (Framing::Mvd2, _) => Some(ServerForm::Mvd2),
            (_, FrameHeader::Server) => Some(ServerForm::Server),
            _ if dialect.unicasts() => Some(ServerForm::Relay),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            ServerForm::Server => "a server's recording",
            ServerForm::Relay => "a Relay recording",
            ServerForm::Mvd2 => "an MVD2",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            ServerForm::Server => "dm2",
            ServerForm::Relay => "rla",
            ServerForm::Mvd2 => "mvd2",
        }
    }
}

/// Converts a recording of all players to another form of such.
pub(crate) fn convert_all(source: &EditSource<'_>, form: ServerForm, target: &Target) -> Result<Edited, Error> {
    let input = &source.input;
    if target.pov.is_some() {
        return Err(Error::misuse(format!("{} has all players' views: --pov is for client recordings", form.name())));
    }
    let Some(from) = ServerForm::of(input.container, &input.dialect) else {
        return Err(Error::unsupported(format!(
            "a client's recording lacks what its player did not see, so it cannot become {}: only recordings of servers, Relay and MVD2 can",
            form.name()
        )));
    };
    if from == form {
        return Ok(Edited { bytes: input.bytes.to_vec(), extension: form.extension().to_owned(), ..Edited::default() });
    }
    if from == ServerForm::Server {
        return Err(Error::unsupported(format!("a server's recording has no player states, which {} needs", form.name())));
    }
    if !input.dialect.is_convertible() {
        return Err(Error::unsupported(format!("recordings of {} have floats, which {} cannot encode", input.dialect.name(), form.name())));
    }
    let (mut edited, downgrade, frames) =
        if form == ServerForm::Mvd2 { converted(input, MvdTarget::default())? } else { converted(input, Dm2Target::new(form))? };
    if let Some(rate) = frames.rate {
        return Err(Error::unsupported(format!("the recording has {rate} frames per second, and {} always has 10", form.name())));
    }
    if frames.count == 0 {
        return Err(Error::malformed("there is no frame in the recording"));
    }
    edited.extension = form.extension().to_owned();
    edited.actions.insert(0, Action::ConvertedTo { what: format!("{} frames", frames.count), form: form.name().to_owned() });
    downgrade.losses.sorted().into_iter().for_each(|what| edited.lose(what));
    match form {
        ServerForm::Server => edited.lose(Loss::PlayerStates),
        // each lacks another part of the player's movement
        _ => edited.lose(Loss::Movement),
    }
    Ok(edited)
}

/// What a target makes of a recording.
fn converted(input: &Input<'_>, to: impl AllTarget) -> Result<(Edited, Downgrade, Frames), Error> {
    let mut translator = Translator::new(input.dialect, AllPlayers { to, frames: Frames::default() });
    input.walk(input.walk_options(), &mut translator);
    let AllPlayers { to, frames } = translator.to;
    Ok((to.finish()?, translator.downgrade, frames))
}

/// Converts frames of the source to the form of all players that `edited` has.
pub(super) fn all_players_view<'p>(edited: &Input<'_>) -> Box<dyn Fn(&State) -> View + 'p> {
    let form = ServerForm::of(edited.container, &edited.dialect);
    let places = Places::default();
    Box::new(move |state| {
        let (mut downgrade, mut view) = (Downgrade::new(state.dialect), places.view(state));
        let kinds = StatKinds::of(state);
        view.entities = downgrade.entities(&view.entities);
        view.players.iter_mut().for_each(|(_, player)| *player = downgrade.player(player, kinds));
        match form {
            Some(ServerForm::Server) => view.players.clear(),
            Some(ServerForm::Mvd2) => {
                view.players.iter_mut().for_each(|(_, player)| *player = mvd_target::without_movement(player));
                view.entities.iter_mut().for_each(|(_, row)| *row = mvd_target::unsigned(row));
            }
            _ => {}
        }
        view
    })
}

/// The frames so far.
#[derive(Default)]
struct Frames {
    places: Places,
    count: u64,
    /// A frame rate that the target cannot express.
    rate: Option<u32>,
}

/// Collects the frames of all players for a target.
struct AllPlayers<T> {
    to: T,
    frames: Frames,
}

impl<T: AllTarget> Translated for AllPlayers<T> {
    fn level(&mut self, data: ServerData) {
        self.to.level(data);
    }

    fn unannounced(&mut self) {}

    fn string(&mut self, client: Option<u8>, index: u16, text: &[u8]) {
        self.to.string(client, index, text);
    }

    fn message(&mut self, client: Option<u8>, message: Message) {
        self.to.message(client, message);
    }

    fn baseline(&mut self, number: u16, row: Row) {
        self.to.baseline(number, row);
    }

    fn frame(&mut self, state: &State, downgrade: &mut Downgrade) {
        self.frames.count += 1;
        if state.clock.rate() != Dialect::playable().rate {
            self.frames.rate = Some(state.clock.rate());
            return;
        }
        let (view, kinds) = (self.frames.places.view(state), StatKinds::of(state));
        let slot = |slot: i16| u8::try_from(slot).ok();
        let players = view.players.iter().filter_map(|(number, player)| Some((slot(*number)?, downgrade.player(player, kinds)))).collect();
        let entities = downgrade.entities(&view.entities);
        let areas = state.ring.current().map(|frame| frame.areas().iter().copied().take(limits::AREAS).collect());
        self.to.frame(AllView { number: number(state), areas, players, entities, max_clients: state.max_clients() });
    }

    fn end_block(&mut self) {
        self.to.end_block();
    }
}

/// Writes blocks: a server's recording, or Relay's.
struct Dm2Target {
    dialect: Dialect,
    cx: Context,
    blocks: BlockWriter,
    server_data: ServerData,
    image: StringSlots,
    /// The strings of single clients before the first frame.
    own_strings: BTreeMap<(u8, u16), Vec<u8>>,
    baselines: Baselines,
    screen: ScreenMessages,
    /// The strings of the level before, in server recordings, whose later levels have no `serverdata`.
    before: Option<StringSlots>,
    opened: bool,
    last: Option<(i32, FrameState)>,
    long: u64,
}

impl Dm2Target {
    fn new(form: ServerForm) -> Self {
        let kind = if form == ServerForm::Server { RecordingKind::SERVER } else { RecordingKind::RELAY };
        let playable = Dialect::playable();
        let dialect = Dialect::of(playable.protocol, kind, Announced::default()).unwrap_or(playable);
        Dm2Target {
            dialect,
            cx: Context::new(dialect),
            blocks: BlockWriter::default(),
            server_data: ServerData::default(),
            image: StringSlots::default(),
            own_strings: BTreeMap::new(),
            baselines: Baselines::default(),
            screen: ScreenMessages::default(),
            before: None,
            opened: false,
            last: None,
            long: 0,
        }
    }

    fn is_server(&self) -> bool {
        self.dialect.frame == FrameHeader::Server
    }

    /// A server's recording has messages to everybody only.
    fn receives(&self, client: Option<u8>) -> bool {
        client.is_none() || !self.is_server()
    }

    fn put(&mut self, message: &Message) {
        let bytes = write(message, &mut self.cx);
        self.blocks.message(&bytes);
    }

    fn open(&mut self) {
        self.opened = true;
        if let Some(before) = self.before.take() {
            let changed: Vec<(u16, Vec<u8>)> = self.image.changed(&before).into_iter().map(|(index, text)| (index, text.to_vec())).collect();
            for (index, text) in changed {
                self.put(&Message::new(Body::ConfigString(ConfigString { index, text: Text(text) })));
            }
            return;
        }
        let strings = signon_strings(&self.dialect, &self.image, &Strings::default());
        let (server_data, screen) = (Some(self.server_data.clone()), std::mem::take(&mut self.screen));
        Signon { dialect: &self.dialect, server_data, strings, baselines: &self.baselines, screen: &screen }.write(&mut self.blocks, &mut self.cx);
        for ((client, index), text) in std::mem::take(&mut self.own_strings) {
            self.put(&Message { unicast: Some(client), body: Body::ConfigString(ConfigString { index, text: Text(text) }) });
        }
    }

    fn end(&mut self) {
        self.long += u64::from(self.blocks.end_block(self.dialect.safe_block()) == BlockOutcome::TooLong);
    }
}

impl AllTarget for Dm2Target {
    fn level(&mut self, data: ServerData) {
        self.end_block();
        if self.is_server() && self.opened {
            self.before = Some(self.image.clone());
        }
        let kind = self.dialect.kind.0;
        self.server_data = ServerData { protocol: self.dialect.protocol, kind, clientnum: 0, ..data };
        self.image.clear();
        self.own_strings.clear();
        self.baselines.clear();
        self.screen.clear();
        (self.opened, self.last) = (false, None);
    }

    fn string(&mut self, client: Option<u8>, index: u16, text: &[u8]) {
        if !self.receives(client) {
            return;
        }
        match client {
            None => self.image.set(&self.dialect, index, text),
            Some(client) if !self.opened => drop(self.own_strings.insert((client, index), text.to_vec())),
            Some(_) => {}
        }
        if self.opened {
            self.put(&Message { unicast: client, body: Body::ConfigString(ConfigString { index, text: Text(text.to_vec()) }) });
        }
    }

    fn message(&mut self, client: Option<u8>, message: Message) {
        if !self.receives(client) {
            return;
        }
        let message = Message { unicast: client, ..message };
        if self.opened {
            self.put(&message);
        } else {
            self.screen.take_in(&message);
        }
    }

    fn baseline(&mut self, number: u16, row: Row) {
        if self.opened || self.is_server() {
            return;
        }
        let delta = deltas::entity(&self.dialect, number, &NOTHING, &row, EncodeFlags { force: true, new: true });
        if delta.is_some_and(|delta| delta.mask & U_OLDORIGIN != 0) {
            self.baselines.put(number, row);
        }
    }

    fn frame(&mut self, view: AllView) {
        if !self.opened {
            self.open();
        }
        let AllView { number, areas, players, entities, max_clients } = view;
        let connected = players.iter().map(|(client, _)| *client).collect();
        let header = Frame { number, delta: -1, areas: areas.unwrap_or_else(|| vec![0xff; limits::AREAS]), connected, ..Frame::default() };
        let players = if self.is_server() { Vec::new() } else { players.into_iter().map(|(client, player)| (Some(client), player)).collect() };
        let to = FrameState { players, entities };
        let base = self.last.take().filter(|(last, _)| !self.is_server() && (1..number).contains(last) && number - last < 16);
        let base = base.as_ref().map(|(number, state)| (*number, state));
        let encoder = FrameEncoder { dialect: &self.dialect, baselines: &self.baselines, max_clients };
        let messages = encoder.frame(&header, base, &to, encoder.entities(base.map(|(_, state)| state), &to.entities));
        for (at, bytes) in message_bytes(&messages, &mut self.cx).into_iter().enumerate() {
            if at == 0 { self.blocks.message(&bytes) } else { self.blocks.append(&bytes) }
        }
        self.last = Some((number, to));
    }

    fn end_block(&mut self) {
        if self.opened {
            self.end();
        }
    }

    fn finish(mut self) -> Result<Edited, Error> {
        self.end_block();
        let mut edited = Edited { bytes: self.blocks.finish(true), ..Edited::default() };
        if self.long > 0 {
            let limit = format!("the {} bytes that a block usually has", self.dialect.safe_block());
            edited.lose(Loss::TooLong { count: self.long, of: "messages", limit });
        }
        Ok(edited)
    }
}
