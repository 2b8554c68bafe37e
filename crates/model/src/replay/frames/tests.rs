use super::*;
use crate::HappeningKind;

/// A recording whose bytes are frames: each is the tenth of a second that the server's clock shows.
#[derive(Debug, Clone)]
struct Tenths<'a> {
    bytes: &'a [u8],
    at: usize,
    passed: usize,
    happenings: Happenings,
}

impl Source for Tenths<'_> {
    type Keyframe = usize;
    type Draft = usize;
    type Over<'b> = Tenths<'b>;

    const TYPICAL: usize = 0;

    fn advance(&mut self) -> Option<At> {
        let tenths = i64::from(*self.bytes.get(self.at)?);
        self.at += 1;
        self.happenings.push(Happening::at(HappeningKind::Flash, [self.at as f32, 0.0, if tenths == 99 { f32::NAN } else { 0.0 }]));
        let (number, time) = (self.at as u32 - 1, Milliseconds(self.at as i64 * 100 - 100));
        Some(At { number, message: number, level: 0, time, server_time: Milliseconds(tenths * 100), match_time: None })
    }

    fn fill(&mut self, at: &At, frame: &mut Frame) {
        at.mark(frame);
    }

    fn pass(&mut self, _: &At, _: &mut Frame) {
        self.passed += 1;
    }

    fn raw(&self, _: Subject, _: &str) -> Option<Value> {
        None
    }

    fn looks(&mut self, _: &mut Vec<Look>) {}

    fn happenings(&mut self) -> &mut Happenings {
        &mut self.happenings
    }

    fn damage(&self) -> &[Damage] {
        &[]
    }

    fn rewind(&mut self) {
        self.at = 0;
    }

    fn enter(&mut self, key: &Key<usize>) -> bool {
        self.at = key.keyframe;
        true
    }

    fn over<'b>(self, chunk: Chunk<'b>) -> Tenths<'b> {
        Tenths { bytes: chunk.bytes(), at: self.at, passed: self.passed, happenings: self.happenings }
    }

    /// As if each frame had the bytes that let it be a keyframe.
    fn offset(&self) -> u64 {
        self.at as u64 * 50_000
    }
}

impl Draft<Tenths<'_>> for usize {
    fn at(walk: &mut Tenths<'_>, _: Option<&usize>) -> Option<usize> {
        Some(walk.at)
    }

    fn follow(&mut self, walk: &mut Tenths<'_>) -> bool {
        walk.at - *self < 3
    }

    fn finish(self, _: Option<&usize>) -> (usize, usize) {
        (self, size_of::<usize>())
    }
}

fn frames(bytes: &[u8]) -> Frames<Tenths<'_>, usize> {
    Frames::new(Tenths { bytes, at: 0, passed: 0, happenings: Happenings::default() }, &Arc::default(), &FrameOptions::default())
}

fn sought(walk: &mut Frames<Tenths<'_>, usize>, when: When) -> u32 {
    assert!(walk.seek(when));
    walk.next().expect("the frame that was sought").number
}

fn server(time: i64) -> When {
    When::Server(Milliseconds(time))
}

#[test]
fn a_time_means_the_last_frame_until_it() {
    let bytes: Vec<u8> = (0..200).collect();
    let mut walk = frames(&bytes);
    for (time, number) in [(-5, 0), (0, 0), (99, 0), (100, 1), (7_777, 77), (19_900, 199), (1_000_000, 199)] {
        assert_eq!(sought(&mut walk, When::Demo(Milliseconds(time))), number);
        assert_eq!(sought(&mut walk, server(time)), number);
        assert_eq!(frames(&bytes).look(When::Demo(Milliseconds(time))).map(|at| at.number), Some(number));
        assert_eq!(walk.look(When::Demo(Milliseconds(time))).map(|at| at.number), Some(number));
    }
    assert!(!frames(&[]).seek(server(0)));
    assert_eq!(frames(&[]).look(When::Demo(Milliseconds(0))), None);
}

#[test]
fn of_several_levels_the_last_that_comes_nearest_is_meant() {
    // a level from 10.0 to 14.0 s, one from 0 to 5.0, one from 0 to 3.0
    let bytes: Vec<u8> = (100..=140).chain(0..=50).chain(0..=30).collect();
    let mut walk = frames(&bytes);
    let second = 41;
    for (time, number) in
        [(12_000, 20), (4_000, second + 40), (2_000, second + 51 + 20), (3_050, second + 51 + 30), (7_000, second + 50), (20_000, 40), (-1, 0)]
    {
        assert_eq!(sought(&mut walk, server(time)), number, "{time}");
        assert_eq!(frames(&bytes).look(server(time)).map(|at| at.number), Some(number), "{time}");
    }
}

#[test]
fn a_frame_that_was_sought_is_given_whatever_the_options_say_and_the_walk_goes_on_by_them() {
    let bytes: Vec<u8> = (0..100).collect();
    let source = frames(&bytes).source().clone();
    let mut walk = Frames::new(source, &Arc::default(), &FrameOptions::default().hz(1.0).to(Milliseconds(3_000)));
    assert_eq!(sought(&mut walk, When::Demo(Milliseconds(1_550))), 15);
    assert!(walk.source().passed > 0, "what jumped shows by the frame before");
    assert_eq!(walk.by_ref().map(|frame| frame.number).collect::<Vec<_>>(), [16, 20, 30]);
    walk.rewind();
    assert_eq!(walk.map(|frame| frame.number).collect::<Vec<_>>(), [0, 10, 20, 30]);
}

#[test]
fn what_happens_is_collected_when_it_is_asked_for() {
    let bytes: Vec<u8> = (0..100).collect();
    let options = FrameOptions::default().happenings();
    let source = Tenths { bytes: &bytes, at: 0, passed: 0, happenings: Happenings::new(&options) };
    let (mut walk, mut found) = (Frames::new(source, &Arc::default(), &options), Vec::new());
    let places = |found: &[Happening]| -> Vec<f32> { found.iter().filter_map(|one| Some(one.origin?[0])).collect() };
    walk.next();
    walk.next();
    walk.happenings(&mut found);
    assert_eq!(places(&found), [1.0, 2.0]);
    walk.happenings(&mut found);
    assert_eq!(found, []);
    // what is passed over on the way to a frame that is sought is not shown, and neither is what has no place that is a number
    walk.next();
    walk.seek(When::Demo(Milliseconds(9700)));
    assert_eq!(walk.by_ref().count(), 3);
    walk.happenings(&mut found);
    assert_eq!(places(&found), [99.0]);
    let mut quiet = frames(&bytes);
    quiet.next();
    quiet.happenings(&mut found);
    assert_eq!(found, []);
}

#[test]
fn what_happens_is_bounded() {
    let mut happenings = Happenings::new(&FrameOptions::default().happenings());
    for _ in 0..2000 {
        happenings.push(Happening::new(HappeningKind::Sound));
    }
    let mut found = Vec::new();
    happenings.take_into(&mut found);
    assert_eq!(found.len(), Happenings::MOST);
    let name = happenings.name("sound/a.wav");
    assert!(Arc::ptr_eq(&name, &happenings.name("sound/a.wav")));
}
