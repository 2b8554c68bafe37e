//! The files of players, maps, courses, and events.

use std::collections::BTreeSet;

use super::Site;
use crate::archive::CHUNK;
use crate::output::{Output, OutputKind, Task};
use crate::pages::{self, Sort};

impl Site<'_> {
    pub(super) fn subjects(&self, outputs: &mut Vec<Output>) {
        for sort in [Sort::Player, Sort::Map] {
            for (id, subject) in self.named(sort) {
                let folder = format!("{}/{id}/", sort.folder());
                let rows: Vec<String> = subject.matches.iter().map(|number| self.row_key(self.archive.matches[*number])).collect();
                let mut parts = vec![id.clone(), subject.name.clone(), subject.also().join("\n"), format!("{}", self.plans.contains_key(id))];
                parts.extend_from_slice(&rows);
                // moments and runs are of recordings
                let recordings: BTreeSet<usize> =
                    subject.matches.iter().map(|number| self.archive.matches[*number].recording).chain(subject.others.iter().copied()).collect();
                parts.extend(recordings.into_iter().map(|at| self.archive.recordings[at].digest.clone()));
                outputs.push(Output {
                    path: format!("{folder}index.html"),
                    key: self.key("subject", &parts),
                    kind: OutputKind::List,
                    task: Task::Subject(sort, id.clone()),
                });
                let mut feed_parts = vec![id.clone(), subject.name.clone()];
                feed_parts.extend_from_slice(&rows[rows.len().saturating_sub(30)..]);
                outputs.push(Output {
                    path: format!("{folder}feed.atom"),
                    key: self.key("feed", &feed_parts),
                    kind: OutputKind::Feed,
                    task: Task::Feed(sort, id.clone()),
                });
                for (number, chunk) in rows.chunks(CHUNK).enumerate() {
                    let mut parts = vec![id.clone(), subject.name.clone(), number.to_string()];
                    parts.extend_from_slice(chunk);
                    outputs.push(Output {
                        path: format!("{folder}list-{number}.json"),
                        key: self.key("part", &parts),
                        kind: OutputKind::List,
                        task: Task::Part(sort, id.clone(), number),
                    });
                    if number < pages::older_pages(subject) {
                        let task = Task::Older(sort, id.clone(), number + 1);
                        outputs.push(Output {
                            path: format!("{folder}older-{}.html", number + 1),
                            key: self.key("older", &parts),
                            kind: OutputKind::List,
                            task,
                        });
                    }
                }
            }
        }
        for (map, runs) in &self.runs {
            let parts: Vec<String> = runs.iter().map(|(at, _)| self.archive.recordings[*at].digest.clone()).collect();
            outputs.push(Output {
                path: format!("runs/{map}/index.html"),
                key: self.key("runs", &parts),
                kind: OutputKind::List,
                task: Task::Runs(map.clone()),
            });
        }
        for (at, (id, places)) in self.events.iter().enumerate() {
            let parts: Vec<String> = places.iter().map(|place| self.row_key(*place)).collect();
            let key = self.key("event", &parts);
            outputs.push(Output { path: format!("e/{id}/index.html"), key: key.clone(), kind: OutputKind::List, task: Task::Event(at) });
            outputs.push(Output { path: format!("e/{id}/feed.atom"), key, kind: OutputKind::Feed, task: Task::EventFeed(at) });
        }
    }
}
