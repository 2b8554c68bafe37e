//! Making a file of what it is made of.

use super::Site;
use crate::archive::{CHUNK, Place};
use crate::facts::{Facts, Plan};
use crate::library::{Library, failed};
use crate::markdown::markdown;
use crate::output::{Output, Task};
use crate::pages::{self, Sort};
use crate::slug::slug;
use crate::summary::{self, Summary};
use crate::{data, feed, lists, plan, text};

impl Site<'_> {
    /// Makes a file.
    pub fn make<L: Library>(&self, output: &Output, library: &L) -> Result<Vec<u8>, L::Error> {
        let facts = |at: usize| library.facts(&self.archive.recordings[at].hash);
        let (shell, archive) = (&self.shell, &self.archive);
        let text = match &output.task {
            Task::Fixed(bytes) => return Ok(bytes.clone()),
            Task::Viewer(at) => return Ok(self.options.viewer[*at].1.to_vec()),
            Task::Published(at) => return library.published(&archive.recordings[*at].hash),
            Task::Clip(at, moment) => return library.clip(&archive.recordings[*at].hash, &archive.recordings[*at].moments[*moment]),
            #[cfg(feature = "cards")]
            Task::Card(at) => return Ok(crate::card::card(&facts(*at)?, &shell.config.title).ok_or_else(|| failed("the card cannot be drawn"))?),
            Task::Data(table) => return self.table(&data::TABLES[*table], library),
            Task::JsonLines(prefix) => {
                let of_prefix = archive.recordings.iter().filter(|recording| recording.hash.starts_with(prefix));
                of_prefix.map(|recording| library.facts(&recording.hash).map(|facts| json(&facts))).collect::<Result<String, _>>()?
            }
            Task::Page(at) => pages::recording(shell, archive, *at, &facts(*at)?, self.around(*at)).map_err(failed)?,
            Task::Json(at) => json(&facts(*at)?),
            Task::Markdown(at) => self.markdown(&facts(*at)?),
            Task::Plan(map) => {
                let mut plans: Vec<Plan> = Vec::new();
                for at in &self.plans[map] {
                    plans.extend(facts(*at)?.plans.into_iter().filter(|plan| slug(&plan.map) == *map));
                }
                plan::svg(plans.iter()).unwrap_or_default()
            }
            Task::Month(month) => {
                let months = pages::months(archive);
                let beside = |found: Option<(&String, &Vec<Place>)>| found.map(|(month, _)| month.clone()).filter(|month| !month.is_empty());
                let before = beside(months.range(..month.clone()).next_back());
                let after = beside(months.range(month.clone()..).nth(1));
                pages::month(shell, archive, month, months.get(month).map_or(&[], Vec::as_slice), [before.as_deref(), after.as_deref()]).map_err(failed)?
            }
            Task::Subject(sort, id) => {
                let plan = (*sort == Sort::Map).then(|| self.plan(id)).flatten();
                pages::subject(shell, archive, *sort, id, &self.named(*sort)[id], plan).map_err(failed)?
            }
            Task::Older(sort, id, number) => pages::older(shell, archive, *sort, id, &self.named(*sort)[id], *number).map_err(failed)?,
            Task::Part(sort, id, number) => lists::part(archive, self.named(*sort)[id].matches.chunks(CHUNK).nth(*number).unwrap_or_default()),
            Task::Feed(sort, id) => {
                let subject = &self.named(*sort)[id];
                let places: Vec<Place> = subject.matches.iter().map(|number| archive.matches[*number]).collect();
                return Ok(feed::atom(archive, &places, &text::name(&subject.name), &output.path, self.base()).map_err(failed)?);
            }
            Task::Event(at) => pages::event(shell, archive, &self.options.config.events[*at], &output.path, &self.events[*at].1).map_err(failed)?,
            Task::EventFeed(at) => {
                let event = &self.options.config.events[*at];
                return Ok(feed::atom(archive, &self.events[*at].1, &event.name, &output.path, self.base()).map_err(failed)?);
            }
            Task::Runs(map) => pages::runs(shell, archive, map, &self.runs[map]).map_err(failed)?,
        };
        Ok(text.into_bytes())
    }

    /// A table of the data. Its rows are sorted by date; those without a date come last.
    fn table<L: Library>(&self, table: &data::Table, library: &L) -> Result<Vec<u8>, L::Error> {
        let mut order: Vec<&Summary> = self.archive.recordings.iter().collect();
        order.sort_by_key(|summary| (summary.date.is_none(), summary.date.as_deref(), summary.hash.as_str()));
        let mut rows = order.into_iter().flat_map(|summary| {
            let mut rows = Vec::new();
            let failed = match table.from {
                data::Origin::Summary(make) => {
                    make(summary, &mut rows);
                    None
                }
                data::Origin::Facts(make) => library.facts(&summary.hash).map(|facts| make(&facts, &mut rows)).err(),
            };
            rows.into_iter().map(Ok).chain(failed.map(Err))
        });
        library.table(&table.columns(), &mut rows)
    }

    fn markdown(&self, facts: &Facts) -> String {
        let address = self.base().map(|base| format!("{base}m/{}/", facts.id()));
        let of = |board| markdown(board, facts.date.as_deref().and_then(summary::day), address.as_deref());
        pages::main_match(facts).map(of).unwrap_or_default()
    }
}

/// The figures of a recording, with the keys of `scores --json`.
fn json(facts: &Facts) -> String {
    let mut value = serde_json::to_value(facts).unwrap_or_default();
    if let Some(object) = value.as_object_mut() {
        // places are in the plan of the map
        object.remove("plans");
    }
    value.to_string() + "\n"
}
