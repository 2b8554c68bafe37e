//! A repair with the opening of another recording.

use std::collections::BTreeMap;
use std::sync::Arc;

use fragreel_base::wire::Error;
use fragreel_model::{Action, Edited, EntityKinds, FrameOptions};

use crate::Recording;
#[cfg(feature = "goldsrc")]
use crate::family::Inner;

impl Recording {
    /// [`repair`](Self::repair) of a recording whose opening is lost, with that of `donor`: a recording of the same server, map, and protocol. The donor's
    /// players are left out. What rests in the frames of both must be the same. A Half-Life recording that has lost only descriptions of structures takes these
    /// from any recording of its game.
    ///
    /// # Errors
    /// When the recording needs no donor, and when the donor does not fit.
    pub fn repair_with(&self, donor: &Recording) -> Result<Edited, Error> {
        if let Some(edited) = self.described_by(donor)? {
            return Ok(edited);
        }
        let (own, other) = (self.info(), donor.info());
        if let (Some(map), Some(others)) = (own.maps.first(), other.maps.first())
            && map != others
        {
            return Err(Error::misuse(format!("the recording shows the map `{map}`, and the donor `{others}`")));
        }
        if let (Some(server), Some(others)) = (&own.server, &other.server)
            && server != others
        {
            return Err(Error::misuse(format!("the recording is from the server `{}`, but the donor is from `{}`", server.clean, others.clean)));
        }
        let recording = self.like(self.inner().opened_by(donor.inner())?)?;
        let (ours, theirs) = (resting(&recording)?, resting(donor)?);
        let both = || ours.iter().filter_map(|(number, thing)| Some((thing, theirs.get(number)?)));
        let (agreeing, of) = (both().filter(|(ours, theirs)| ours == theirs).count(), both().count());
        if agreeing * 2 < of {
            return Err(Error::misuse(format!("of {of} entities at rest in the frames of both, {} are elsewhere in the donor", of - agreeing)));
        }
        let mut edited = recording.repair()?;
        edited.actions.insert(0, Action::OpeningTaken { agreeing: agreeing as u64, of: of as u64 });
        Ok(edited)
    }

    /// The repair of a Half-Life recording that states its level and has lost descriptions of structures: a donor of the same game has them.
    #[cfg(feature = "goldsrc")]
    #[allow(irrefutable_let_patterns, reason = "where there is only one family")]
    fn described_by(&self, donor: &Recording) -> Result<Option<Edited>, Error> {
        let (Inner::GoldSrc(own), Inner::GoldSrc(other)) = (self.inner(), donor.inner()) else { return Ok(None) };
        let Some(described) = own.described_by(other)? else { return Ok(None) };
        let mut edited = self.like(described.bytes)?.inner().repair()?;
        edited.actions.insert(0, Action::DescriptionsTaken { structures: described.structures.join(", ") });
        Ok(Some(edited))
    }

    #[cfg(not(feature = "goldsrc"))]
    fn described_by(&self, _: &Recording) -> Result<Option<Edited>, Error> {
        Ok(None)
    }
}

/// Frames that a thing must rest in.
const RESTING: u32 = 4;

/// What a thing is and where: its model and its place.
type Thing = (Option<Arc<str>>, [u32; 3]);

/// The entities that never move while they are seen, by number.
fn resting(recording: &Recording) -> Result<BTreeMap<u32, Thing>, Error> {
    let mut seen: BTreeMap<u32, (Option<Thing>, u32)> = BTreeMap::new();
    let options = FrameOptions { entities: EntityKinds::ALL, ..FrameOptions::default() };
    for frame in recording.frames(options)?.filter(|frame| !frame.uncertain) {
        for entity in &frame.entities {
            let Some(origin) = entity.origin else { continue };
            let thing = (entity.model.clone(), origin.map(f32::to_bits));
            let (rests, frames) = seen.entry(entity.number).or_insert_with(|| (Some(thing.clone()), 0));
            if rests.as_ref() != Some(&thing) {
                *rests = None;
            }
            *frames += 1;
        }
    }
    Ok(seen.into_iter().filter_map(|(number, (thing, frames))| Some((number, thing.filter(|_| frames >= RESTING)?))).collect())
}
