//! `convert`: converts any recording to a client recording of protocol 34, which every engine plays.

use fragreel_base::wire::Error;
use fragreel_model::{Action, Edited, Loss, Target};

use super::EditSource;
use super::build::Builder;
use super::downgrade::{Downgrade, StatKinds};
use super::pov::{self, Viewer};
use super::view::View;
use crate::detect::Framing;
use crate::dialect::{Dialect, FrameHeader};
use crate::limits;
use crate::message::{Body, Destination, Message, MvdBody, MvdMessage, Parcel, Print, ServerData, Sound, Text};
use crate::state::{Effect, State};
use crate::walk::Input;
use crate::walk::{At, Visitor};

/// The supported targets.
const TARGETS: &str = "`dm2` or `34`";

/// The number of the first frame of a converted MVD2, whose frames have none. Leaves room for preceding frames.
pub(crate) const FIRST_FRAME: i64 = 20;

pub(crate) fn convert(source: &EditSource<'_>, target: &Target) -> Result<Edited, Error> {
    source.check_editable("converted")?;
    let input = &source.input;
    let found = input;
    let format = target.format.as_deref().unwrap_or("34").to_ascii_lowercase();
    if !format.split_whitespace().all(|word| matches!(word, "dm2" | "34")) {
        return Err(Error::unsupported(format!("recordings of Quake II are converted to {TARGETS} (a client's recording of protocol 34), not to `{format}`")));
    }
    let several = found.container == Framing::Mvd2 || found.dialect.frame == FrameHeader::Server || found.dialect.unicasts();
    if !several && found.dialect.is_playable() {
        pov::check_own(input, target.pov.as_deref())?;
        return Ok(Edited { bytes: input.bytes.to_vec(), extension: String::from("dm2"), ..Edited::default() });
    }
    if !found.dialect.is_convertible() {
        return Err(Error::unsupported(format!(
            "recordings of {} have floats and up to 40 frames per second, which protocol 34 cannot encode; the others can be converted to {TARGETS}",
            found.dialect.name()
        )));
    }
    let viewer = if several {
        match target.pov.as_deref() {
            Some(pov) => Some(pov::find(input, pov)?),
            None => Some(
                pov::only(input)
                    .ok_or_else(|| Error::misuse(format!("the recording has all players' views: choose one with --pov, of {}", pov::names(input))))?,
            ),
        }
    } else {
        pov::check_own(input, target.pov.as_deref())?;
        None
    };
    let mut converter = Converter {
        builder: Builder::default(),
        downgrade: Downgrade::new(found.dialect),
        viewer: viewer.map(Viewer::new),
        server: found.dialect.frame == FrameHeader::Server,
        rate: None,
        frames: 0,
    };
    input.walk(input.walk_options(), &mut converter);
    converter.finish(found.container)
}

/// The converting visitor.
struct Converter {
    builder: Builder,
    downgrade: Downgrade,
    viewer: Option<Viewer>,
    server: bool,
    /// A frame rate that protocol 34 cannot express.
    rate: Option<u32>,
    frames: u64,
}

impl Converter {
    fn finish(self, framing: Framing) -> Result<Edited, Error> {
        if let Some(rate) = self.rate {
            return Err(Error::unsupported(format!("the recording has {rate} frames per second, and protocol 34 always has 10")));
        }
        let frames = self.builder.frames;
        let viewer = self.viewer;
        if frames == 0 {
            return Err(Error::malformed("no frame of the recording shows that player, or none can be rebuilt"));
        }
        let mut edited = self.builder.finish();
        edited
            .actions
            .insert(0, Action::ConvertedTo { what: format!("{frames} of {} frames", self.frames), form: String::from("a client's recording of protocol 34") });
        self.downgrade.losses.sorted().into_iter().for_each(|what| edited.lose(what));
        if viewer.is_some() {
            edited.lose(Loss::Unseen);
        }
        if self.server {
            edited.lose(Loss::OwnState);
            edited.lose(Loss::ViewAngles);
        } else if framing == Framing::Mvd2 {
            edited.lose(Loss::Movement);
        }
        Ok(edited)
    }

    fn level(&mut self, dialect: Dialect, data: ServerData) {
        self.downgrade.from = dialect;
        let clientnum = self.viewer.as_ref().map_or(data.clientnum, |viewer| viewer.slot as i16);
        let ServerData { servercount, gamedir, levelname, .. } = data;
        let dialect = Dialect::playable();
        self.builder.level(ServerData {
            protocol: dialect.protocol,
            kind: dialect.kind.0,
            servercount,
            gamedir,
            levelname,
            clientnum,
            ..ServerData::default()
        });
        if let Some(viewer) = &mut self.viewer {
            viewer.forget();
        }
    }

    fn string(&mut self, index: u16, text: &[u8]) {
        // Without stats, the status bar would show zeros.
        let strings = self.downgrade.from.strings;
        if self.server && (strings.statusbar..strings.airaccel).contains(&index) {
            return;
        }
        if let Some(index) = self.downgrade.string(index) {
            self.builder.string(index, text);
        }
    }

    fn strings(&mut self, strings: &[crate::message::ConfigString]) {
        strings.iter().for_each(|string| self.string(string.index, &string.text.0));
    }

    fn body(&mut self, body: &Body) {
        if let Some(message) = self.downgrade.message(body) {
            self.builder.message(message);
        }
    }

    /// Converts a complete frame.
    fn frame(&mut self, state: &State) {
        self.frames += 1;
        if state.clock.rate() != Dialect::playable().rate {
            self.rate = Some(state.clock.rate());
            return;
        }
        let view = match &mut self.viewer {
            Some(viewer) => viewer.view(state),
            None => own_view(state),
        };
        let Some((_, player)) = view.players.first() else { return };
        let player = self.downgrade.player(player, StatKinds::of(state));
        let entities = view.entities.iter().filter_map(|(number, row)| Some((*number, self.downgrade.entity(*number, row)?))).collect();
        let areas = match state.ring.current() {
            Some(frame) if !self.server => frame.areas().iter().copied().take(limits::AREAS).collect(),
            // Mark every area as open.
            _ => vec![0xff; 32],
        };
        let max_clients = state.max_clients();
        self.builder.frame(number(state), areas, player, entities, max_clients);
    }

    fn for_viewer(&self, client: u8) -> bool {
        self.viewer.as_ref().is_some_and(|viewer| viewer.slot == u16::from(client))
    }
}

/// The frame number in the converted recording.
fn number(state: &State) -> i32 {
    let first = if state.in_place.frames() > 0 { FIRST_FRAME } else { 0 };
    (state.clock.number() + first) as i32
}

/// The view of the player who recorded.
fn own_view(state: &State) -> View {
    let mut view = View::of(state).without_repetitions();
    if state.dialect.omits_own_place()
        && let Some((_, player)) = view.players.first()
    {
        let named = player.row[crate::fields::player::CLIENTNUM] as i16;
        let own = if named != 0 { named } else { state.level.clientnum };
        let player = player.clone();
        if let Some((_, row)) = view.entities.iter_mut().find(|(number, _)| i32::from(*number) == i32::from(own) + 1) {
            pov::place_as(&player, row);
        }
    }
    view
}

/// Converts frames of the source to the form that `edited` has.
pub(crate) fn converted_view<'p>(source: &'p Input<'_>, edited: &'p Input<'_>) -> Box<dyn Fn(&State) -> View + 'p> {
    let found = source;
    let several = found.container == Framing::Mvd2 || found.dialect.frame == FrameHeader::Server || found.dialect.unicasts();
    let slot = own_slot(edited);
    let viewer = slot.filter(|_| several).map(Viewer::new);
    let server = found.dialect.frame == FrameHeader::Server;
    Box::new(move |state| {
        let mut downgrade = Downgrade::new(state.dialect);
        let mut view = match &viewer {
            Some(viewer) => viewer.recorded(state),
            None => own_view(state),
        };
        if server {
            view.players.clear();
        }
        let kinds = StatKinds::of(state);
        view.players.iter_mut().for_each(|(_, player)| *player = downgrade.player(player, kinds));
        view.entities = view.entities.iter().filter_map(|(number, row)| Some((*number, downgrade.entity(*number, row)?))).collect();
        view
    })
}

/// The slot of the player who recorded.
fn own_slot(input: &Input<'_>) -> Option<u16> {
    #[derive(Default)]
    struct FirstServerData(Option<i16>);
    impl Visitor for FirstServerData {
        fn message(&mut self, _: At, message: &mut Message, _: &[u8], _: Effect, _: &State) {
            if let Body::ServerData(data) = &message.body {
                self.0.get_or_insert(data.clientnum);
            }
        }

        fn done(&self) -> bool {
            self.0.is_some()
        }
    }
    let mut first = FirstServerData::default();
    input.walk(input.walk_options(), &mut first);
    first.0.and_then(|slot| u16::try_from(slot).ok())
}

impl Visitor for Converter {
    fn block(&mut self, _: u32, _: crate::container::Window<'_>) {}

    fn message(&mut self, _: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        if effect == Effect::LevelUnannounced {
            self.builder.unannounced();
        }
        let complete = effect == Effect::Frame && matches!(message.body, Body::Frame(_) | Body::PacketEntities(_));
        if complete {
            self.frame(state);
        }
        if message.unicast.is_some_and(|client| !self.for_viewer(client)) {
            return;
        }
        match &message.body {
            Body::ServerData(data) => self.level(state.dialect, (**data).clone()),
            Body::ConfigString(string) => self.string(string.index, &string.text.0),
            Body::GameState(all) => {
                self.strings(&all.strings.0);
                self.baselines(state);
            }
            Body::ConfigStringStream(strings) => self.strings(&strings.0),
            Body::SpawnBaseline(_) | Body::BaselineStream(_) => self.baselines(state),
            Body::Frame(_) | Body::PlayerInfo(_) | Body::PacketEntities(_) => {}
            body => self.body(body),
        }
    }

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], _: Effect, state: &State) {
        match &message.body {
            MvdBody::ServerData(data) => {
                let levelname = Text(state.strings.get(0).to_vec());
                self.level(state.dialect, ServerData { servercount: data.servercount, gamedir: data.gamedir.clone(), levelname, ..ServerData::default() });
                self.strings(&data.strings.0);
                self.frame(state);
            }
            MvdBody::ConfigString(string) => self.string(string.index, &string.text.0),
            MvdBody::Frame(_) => self.frame(state),
            MvdBody::Sound(sound) => self.body(&Body::Sound(Sound { flags: sound.flags | Sound::ENTITY, ..sound.clone() })),
            MvdBody::Print(Print { level, text }) => self.body(&Body::Print(Print { level: *level, text: text.clone() })),
            _ => {}
        }
    }

    fn parcel(&mut self, _: At, parcel: &Parcel, message: &mut Message, _: &[u8], _: &State) {
        match (parcel.destination, &message.body) {
            (Destination::Client(client), _) if !self.for_viewer(client) => {}
            (_, Body::ConfigString(string)) => self.string(string.index, &string.text.0),
            (_, body) => self.body(body),
        }
    }

    fn block_end(&mut self, _: u32, _: crate::container::Window<'_>, _: &[u8]) {
        self.builder.end_block();
    }
}

impl Converter {
    fn baselines(&mut self, state: &State) {
        if self.builder.opened() {
            return;
        }
        for (number, row) in state.baselines.iter() {
            if let Some(row) = self.downgrade.entity(number, row) {
                self.builder.baseline(number, row);
            }
        }
    }
}
