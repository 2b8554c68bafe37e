//! `convert`: converts any recording to a client recording of protocol 34, which every engine plays.

use fragreel_base::wire::Error;
use fragreel_model::{Action, Edited, Loss, Target};

use super::EditSource;
use super::build::Builder;
use super::downgrade::{Downgrade, StatKinds};
use super::frame_number::number;
use super::pov::{self, Viewer};
use super::server_writer::{ServerForm, all_players_view, convert_all};
use super::translate::{Translated, Translator, has_several_views, translated};
use super::view::View;
use crate::detect::Framing;
use crate::dialect::{Dialect, FrameHeader};
use crate::fields::entity::Row;
use crate::limits;
use crate::message::{Body, Message, ServerData};
use crate::state::{Effect, State};
use crate::walk::Input;
use crate::walk::{At, Visitor};

/// The supported targets.
const TARGETS: &str = "`dm2` or `34`";
/// Those of recordings of all players.
const ALL_TARGETS: &str = "`mvd2`, `rla` (Relay) and `server`";

pub(crate) fn convert(source: &EditSource<'_>, target: &Target) -> Result<Edited, Error> {
    source.check_editable("converted")?;
    let input = &source.input;
    let found = input;
    let format = target.format.as_deref().unwrap_or("34").to_ascii_lowercase();
    if let Some(form) = ServerForm::named(&format) {
        return convert_all(source, form, target);
    }
    if !format.split_whitespace().all(|word| matches!(word, "dm2" | "34")) {
        return Err(Error::unsupported(format!(
            "recordings of Quake II are converted to {TARGETS} (a client's recording of protocol 34), and those of all players to {ALL_TARGETS}, not to `{format}`"
        )));
    }
    let several = has_several_views(found);
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
    let server = found.dialect.frame == FrameHeader::Server;
    let to = Converter { builder: Builder::default(), viewer: viewer.map(Viewer::new), server, rate: None, frames: 0 };
    let mut translator = Translator::new(found.dialect, to);
    input.walk(input.walk_options(), &mut translator);
    translator.to.finish(translator.downgrade, found.container)
}

/// Builds the client recording.
struct Converter {
    builder: Builder,
    viewer: Option<Viewer>,
    server: bool,
    /// A frame rate that protocol 34 cannot express.
    rate: Option<u32>,
    frames: u64,
}

impl Converter {
    fn finish(self, downgrade: Downgrade, framing: Framing) -> Result<Edited, Error> {
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
        downgrade.losses.sorted().into_iter().for_each(|what| edited.lose(what));
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

    /// Whether the new recording has messages of this receiver.
    fn receives(&self, client: Option<u8>) -> bool {
        client.is_none_or(|client| self.viewer.as_ref().is_some_and(|viewer| viewer.slot == u16::from(client)))
    }
}

impl Translated for Converter {
    fn level(&mut self, data: ServerData) {
        let clientnum = self.viewer.as_ref().map_or(data.clientnum, |viewer| viewer.slot as i16);
        self.builder.level(ServerData { clientnum, ..data });
        if let Some(viewer) = &mut self.viewer {
            viewer.forget();
        }
    }

    fn unannounced(&mut self) {
        self.builder.unannounced();
    }

    fn string(&mut self, client: Option<u8>, index: u16, text: &[u8]) {
        if self.receives(client) {
            self.builder.string(index, text);
        }
    }

    fn message(&mut self, client: Option<u8>, message: Message) {
        if self.receives(client) {
            self.builder.message(message);
        }
    }

    fn baseline(&mut self, number: u16, row: Row) {
        if !self.builder.opened() {
            self.builder.baseline(number, row);
        }
    }

    fn frame(&mut self, state: &State, downgrade: &mut Downgrade) {
        self.frames += 1;
        if state.clock.rate() != Dialect::playable().rate {
            self.rate = Some(state.clock.rate());
            return;
        }
        let view = match &mut self.viewer {
            Some(viewer) => viewer.view(state),
            None => own_view(state),
        };
        if view.players.is_empty() {
            return;
        }
        let (Some(player), entities) = translated(view, state, downgrade) else { return };
        let areas = match state.ring.current() {
            Some(frame) if !self.server => frame.areas().iter().copied().take(limits::AREAS).collect(),
            // Mark every area as open.
            _ => vec![0xff; 32],
        };
        let max_clients = state.max_clients();
        self.builder.frame(number(state), areas, player, entities, max_clients);
    }

    fn end_block(&mut self) {
        self.builder.end_block();
    }
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
    if has_several_views(edited) {
        return all_players_view(edited);
    }
    let several = has_several_views(found);
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
        view.entities = downgrade.entities(&view.entities);
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
