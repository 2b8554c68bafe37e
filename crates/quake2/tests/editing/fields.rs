//! Decoded fields, changed by their names.

use fragreel_model::{EntityKinds, Frame, FrameOptions, Place, Rewrite, Subject, Value};

use super::open;

/// Lifts entities, and makes the player healthier.
#[derive(Default)]
struct Lifted {
    places: u32,
}

impl Rewrite for Lifted {
    fn fields(&self) -> &[&str] {
        &["origin_z", "stat_1"]
    }

    fn field(&mut self, _: Place, of: Subject, name: &str, value: &mut Value) {
        let number = value.as_int().unwrap();
        match of {
            Subject::Entity(_) => {
                *value = Value::Int(number + 8);
                self.places += 1;
            }
            _ if name == "stat_1" && number > 0 => *value = Value::Int(number + 1000),
            _ => {}
        }
    }
}

#[test]
fn fields_are_changed_by_name_and_nothing_else_is() {
    let (mut lifted, mut healthier) = (0, 0);
    for sample in fragreel_testkit::samples("quake2").into_iter().filter(|sample| !sample.damaged) {
        let bytes = sample.bytes();
        let source = open(&bytes, &sample.extension());
        let mut lift = Lifted::default();
        let edited = source.rewrite(&mut lift).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let again = open(&edited.bytes, &edited.extension);
        assert_eq!(again.verify().damage, source.verify().damage, "{}", sample.name);
        let options = FrameOptions::default().entities(EntityKinds::ALL);
        let (mut before, mut after) = (source.frames(options), again.frames(options));
        let (mut one, mut other) = (Frame::default(), Frame::default());
        while before.next_into(&mut one) {
            assert!(after.next_into(&mut other), "{}", sample.name);
            for entity in &one.entities {
                let there = other.entity(entity.number).unwrap();
                let (from, to) = (entity.origin.unwrap(), there.origin.unwrap());
                if lift.places == 0 {
                    assert_eq!(from, to, "{}: sent as differences, which are not shown", sample.name);
                    continue;
                }
                // one that was never said to be anywhere is at 0
                assert!(to[..2] == from[..2] && (to[2] == from[2] + 1.0 || from[2] == 0.0 && to[2] == 0.0), "{}: {from:?} {to:?}", sample.name);
                assert_eq!((entity.angles, &entity.model), (there.angles, &there.model));
                lifted += 1;
            }
            for player in &one.players {
                let of = Subject::Player(player.slot);
                let (Some(Value::Int(from)), Some(Value::Int(to))) = (before.raw(of, "stat_1"), after.raw(of, "stat_1")) else { continue };
                assert_eq!(to, if from > 0 { from + 1000 } else { from }, "{}", sample.name);
                assert_eq!(before.raw(of, "stat_14"), after.raw(of, "stat_14"));
                healthier += u32::from(from > 0);
            }
        }
        assert!(!after.next_into(&mut other));
    }
    assert!(lifted > 1000 && healthier > 100, "{lifted} {healthier}");
}

/// Wants what no field can hold.
struct TooMuch(&'static str);

impl Rewrite for TooMuch {
    fn fields(&self) -> &[&str] {
        std::slice::from_ref(&self.0)
    }

    fn field(&mut self, _: Place, _: Subject, _: &str, value: &mut Value) {
        *value = Value::Int(1 << 40);
    }
}

#[test]
fn a_value_that_a_field_cannot_hold_is_refused() {
    let sample = fragreel_testkit::samples("quake2").into_iter().find(|sample| sample.name.ends_with("yq2dm_Alice.dm2")).unwrap();
    let bytes = sample.bytes();
    for name in ["origin_z", "frame", "stat_1"] {
        assert_eq!(open(&bytes, "dm2").rewrite(&mut TooMuch(name)).unwrap_err().kind(), fragreel_base::wire::ErrorKind::Misuse, "{name}");
    }
}
