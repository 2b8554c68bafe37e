//! Questions that are asked together have the answers that they have alone, with one walk over the events for all.

use fragreel::edit::Wanted;
use fragreel::model::{Event, Kind, Kinds};
use fragreel::{Questions, Recording};

#[test]
fn together_they_have_the_answers_that_they_have_alone() {
    let (mut boards, mut moments, mut seen) = (0, 0, 0);
    for sample in ["quake3", "quake2", "quake1", "goldsrc"].into_iter().flat_map(fragreel_testkit::samples) {
        let Ok(recording) = Recording::open(sample.bytes(), &sample.name) else { continue };
        let kinds: Kinds = [Kind::Kill, Kind::Chat, Kind::Level, Kind::Match, Kind::Award].into();
        let mut walk = recording.ask(Questions::default().scores().runs().audit().highlights(Wanted::best()).events(kinds));
        let events: Vec<Event> = walk.by_ref().collect();
        let answers = walk.answers();
        let scores = recording.scores();
        assert_eq!((&answers.scores, &answers.damage), (&scores.value, &scores.damage), "{}", sample.name);
        assert_eq!(answers.runs, recording.runs().value, "{}", sample.name);
        assert_eq!(answers.highlights, recording.highlights(&Wanted::best()).value, "{}", sample.name);
        assert_eq!(answers.audit, Some(recording.audit()), "{}", sample.name);
        assert_eq!(events, recording.events(kinds).collect::<Vec<_>>(), "{}", sample.name);
        // what is not handed on counts for the rest all the same
        let few = recording.ask(Questions::default().scores().events(Kind::Level)).answers();
        assert_eq!(few.scores, scores.value, "{}", sample.name);
        assert!(few.audit.is_none() && few.runs.is_empty() && few.highlights.moments.is_empty(), "{}", sample.name);
        boards += scores.value.len();
        moments += answers.highlights.moments.len();
        seen += events.len();
    }
    assert!(boards > 20 && moments > 20 && seen > 300, "{boards} {moments} {seen}");
}
