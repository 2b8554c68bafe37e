//! A repair with the opening of another recording.

use std::collections::BTreeMap;
use std::sync::Arc;

use fragreel_base::wire::Error;
use fragreel_model::{Action, Edited, EntityKinds, FrameOptions};

use crate::Recording;

impl Recording {
    /// [`repair`](Self::repair) of a recording whose opening is lost, with that of `donor`: a recording of the same server, map, and protocol. The donor's
    /// players are left out. What rests in the frames of both must be the same.
    ///
    /// # Errors
    /// When the recording needs no donor, and when the donor does not fit.
    pub fn repair_with(&self, donor: &Recording) -> Result<Edited, Error> {
        let (own, other) = (self.info(), donor.info());
        if let (Some(map), Some(others)) = (own.maps.first(), other.maps.first())
            && map != others
        {
            return Err(Error::misuse(format!("the recording shows the map `{map}`, and the donor `{others}`")));
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
