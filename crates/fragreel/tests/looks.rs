//! What players and entities are drawn with.

use std::collections::BTreeSet;

use fragreel::Recording;
use fragreel::model::{Frame, FrameOptions, Look, Subject, Value};

/// Calls `check` with every look of a sample and the raw fields of its subject, and returns the files that were named.
fn each(sample: &str, check: impl FnMut(&Look, &dyn Fn(&str) -> Option<f64>)) -> BTreeSet<String> {
    each_of(&std::fs::read(fragreel_testkit::checkout().join("samples").join(sample)).expect("a sample"), sample, check)
}

/// The same of any recording.
fn each_of(bytes: &[u8], sample: &str, mut check: impl FnMut(&Look, &dyn Fn(&str) -> Option<f64>)) -> BTreeSet<String> {
    let mut frames = Recording::open(bytes.to_vec(), sample).expect("a recording").frames(FrameOptions::default()).expect("frames");
    let (mut frame, mut looks, mut files) = (Frame::default(), Vec::new(), BTreeSet::new());
    while frames.next_into(&mut frame) {
        frames.looks(&mut looks);
        let mut subjects = BTreeSet::new();
        for look in &looks {
            let key = match look.subject {
                Subject::Player(slot) => (0, u32::from(slot)),
                Subject::Entity(number) => (1, number),
                Subject::View => panic!("a view has no look"),
            };
            assert!(subjects.insert(key), "{sample}: {key:?} has two looks in frame {}", frame.number);
            files.extend([&look.model, &look.held, &look.skin].into_iter().flatten().map(ToString::to_string));
            check(look, &|field| match frames.raw(look.subject, field)? {
                Value::Float(value) => Some(value.into()),
                value => value.as_int().map(|value| value as f64),
            });
        }
    }
    files
}

/// That a number is the field's, where the raw fields have it.
fn same(known: Option<f64>, field: Option<f64>, compared: &mut usize) {
    if field.is_some() && known.is_some() {
        assert_eq!(known, field);
        *compared += 1;
    }
}

/// Clients have models of weapons in hand for multi-view recordings, though the server names none.
#[test]
fn players_of_quakeworld_hold_their_weapons() {
    let mut held = 0;
    let files = each("quake1/ktx_duel.mvd", |look, _| {
        held += usize::from(look.held.is_some());
        assert!(look.bare.is_none() || look.bare.as_deref() == Some("progs/vwplayer.mdl"), "{look:?}");
        assert!(look.held.is_none() || look.bare.is_some() && look.model.as_deref() == Some("progs/player.mdl"), "{look:?}");
    });
    assert!(held > 100 && files.contains("progs/w_shot.mdl") && files.contains("progs/w_rock2.mdl"), "{held}: {files:?}");
    assert!(!each("quake1/match_e1m1.qwd", |look, _| assert_eq!(look.held, None)).is_empty());
}

#[test]
fn quake_states_models_frames_skins_and_colors() {
    for sample in ["quake1/match_e1m1.mvd", "quake1/match_e1m1.qwd", "quake1/netquake666_deltas_dm6.dem"] {
        let (mut compared, mut colors) = (0, BTreeSet::new());
        let files = each(sample, |look, raw| {
            same(look.frame.map(f64::from), raw("frame"), &mut compared);
            same(look.skin_number.map(f64::from), raw("skin"), &mut compared);
            if matches!(look.subject, Subject::Player(_)) {
                colors.insert(look.colors);
            }
        });
        assert!(compared > 500, "{sample}: {compared}");
        assert!(files.contains("progs/player.mdl"), "{sample}: {files:?}");
        assert!(files.iter().all(|file| !file.starts_with('*')), "{sample}: {files:?}");
        assert!(colors.iter().any(Option::is_some), "{sample}: {colors:?}");
    }
}

#[test]
fn quake_2_names_figures_skins_and_weapons_in_hand() {
    let (mut compared, mut turning, mut slots) = (0, 0, BTreeSet::new());
    let files = each("quake2/yq2dm_Alice.dm2", |look, raw| {
        if let Subject::Entity(_) = look.subject {
            same(look.frame.map(f64::from), raw("frame"), &mut compared);
            same(look.skin_number.map(f64::from), raw("skinnum"), &mut compared);
            assert_eq!(Some(look.rotates), raw("effects").map(|effects| effects as u32 & 1 != 0));
            assert_eq!(Some(look.sound.is_some()), raw("sound").map(|sound| sound != 0.0));
            turning += usize::from(look.rotates);
        } else {
            slots.insert(format!("{:?}", look.subject));
            // eyes may show a player whose body nobody sees
            assert!(look.skin.is_some() || (look.model.is_none() && look.view_model.is_some()));
        }
    });
    assert!(turning > 100, "{turning}");
    assert!(compared > 500 && slots.len() > 1, "{compared}, {slots:?}");
    assert!(files.contains("players/male/tris.md2") && files.iter().any(|file| file.starts_with("players/male/w")), "{files:?}");
    assert!(files.iter().any(|file| file.starts_with("models/items/")), "{files:?}");
}

/// Our samples of Half-Life name no models, so this needs the corpus.
#[test]
fn half_life_states_sequences() {
    let all = fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged && sample.extension() == "dem" && super::size(sample) < 2 << 20);
    let recordings: Vec<_> = all.take(8).collect();
    let (mut compared, mut turned, mut rendered, mut players, mut models) = (0, 0, 0, 0, BTreeSet::new());
    for sample in &recordings {
        models.extend(each_of(&sample.bytes(), &sample.name, |look, raw| {
            players += usize::from(matches!(look.subject, Subject::Player(_)));
            // of the recording player, raw fields are those of the client data
            for (known, field) in [(look.sequence, "sequence"), (look.body, "body"), (look.second_sequence, "gaitsequence")] {
                same(known.map(f64::from), raw(field), &mut compared);
            }
            same(look.rate.map(f64::from), raw("framerate"), &mut compared);
            same(look.render.map(|render| render.mode.into()), raw("rendermode"), &mut rendered);
            same(look.render.map(|render| render.amount.into()), raw("renderamt"), &mut rendered);
            assert_eq!(look.render.is_some(), raw("rendermode").is_some_and(|mode| mode != 0.0), "{look:?}");
            for (place, field) in ["controller[0]", "controller[1]", "controller[2]", "controller[3]"].into_iter().enumerate() {
                same(look.controllers.map(|all| all[place].into()), raw(field), &mut turned);
            }
            same(look.blends.map(|all| all[0].into()), raw("blending[0]"), &mut turned);
        }));
    }
    assert!(recordings.is_empty() || models.iter().any(|model| model.ends_with(".mdl")), "{models:?}");
    assert!(recordings.is_empty() || turned > 1000 && rendered > 100, "{turned}, {rendered}");
    assert!(recordings.is_empty() || compared > 1000 && players > 100, "{compared}, {players}");
}

#[test]
fn quake_3_names_figures_items_and_missiles() {
    let (mut compared, mut fires, mut strides) = (0, 0, 0);
    let (mut carried, mut shells, mut sounds) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let files = each("quake3/ctf_bots.dm_71", |look, raw| {
        if look.sequence.is_some() {
            same(look.sequence.map(f64::from), raw("legsAnim"), &mut compared);
            same(look.second_sequence.map(f64::from), raw("torsoAnim"), &mut compared);
            assert_eq!(look.fires, raw("eFlags").map(|flags| flags as u32 & 0x100 != 0));
            fires += usize::from(look.fires == Some(true));
            if let Some(direction) = raw("angles2[1]").filter(|_| raw("eFlags").is_some_and(|flags| flags as u32 & 1 == 0)) {
                let wanted = [0, 22, 45, -22, 0, 22, -45, -22][direction as usize];
                assert_eq!(look.stride, Some(wanted));
                strides += usize::from(wanted != 0);
            }
        }
        carried.extend(look.carried.as_ref().map(ToString::to_string));
        shells.extend(look.shell);
        sounds.extend(look.sound.as_ref().map(|sound| sound.file.to_string()));
    });
    assert!(fires > 100 && strides > 100, "{fires}, {strides}");
    assert!(carried.len() == 2 && carried.contains("models/flags/r_flag.md3"), "{carried:?}");
    assert!(!shells.is_empty() && sounds.contains("sound/weapons/rocket/rockfly.wav"), "{shells:?}, {sounds:?}");
    assert!(sounds.iter().any(|sound| sound.starts_with("sound/world/")), "{sounds:?}");
    assert!(compared > 2000, "{compared}");
    for file in ["models/weapons2/rocketl/rocketl.md3", "models/ammo/rocket/rocket.md3", "models/flags/r_flag.md3", "models/powerups/health/large_cross.md3"] {
        assert!(files.contains(file), "{file} of {files:?}");
    }
    assert!(files.iter().any(|file| file.starts_with("models/players/")), "{files:?}");
}
