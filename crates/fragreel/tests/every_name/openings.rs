//! The first lines of a recording of each dialect.

use std::collections::{BTreeMap, BTreeSet};

use fragreel::text_form::{compiler, decompile};
use serde_json::{Value, json};

use super::{Path, Place, lines};

/// Messages that few recordings have, one of each layout. Dialects without one leave it out.
const RARE: &[(&str, &str)] = &[
    ("quake2", r#"{"block":{"messages":[{"muzzleflash":{"entity":1,"weapon":0}}]}}"#),
    ("quake2", r#"{"block":{"messages":[{"muzzleflash2":{"entity":1,"weapon":0}}]}}"#),
    ("quake2", r#"{"block":{"messages":[{"muzzleflash3":{"entity":1,"weapon":0}}]}}"#),
    ("quake2", r#"{"block":{"messages":[{"sound":{"index":1,"entity":1,"channel":0}}]}}"#),
    ("quake2", r#"{"block":{"messages":[{"print":{"level":0,"text":""}}]}}"#),
    ("quake2", r#"{"block":{"messages":[{"temp_entity":{"kind":"TE_SPLASH","count":1,"position1":[0,0,0],"direction":0,"color":0}}]}}"#),
    ("quake2", r#"{"block":{"messages":[{"temp_entity":{"kind":"TE_EXPLOSION1","position1":[0,0,0]}}]}}"#),
    ("quake2", r#"{"block":{"messages":[{"temp_entity":{"kind":"TE_RAILTRAIL","position1":[0,0,0],"position2":[0,0,0]}}]}}"#),
    ("quake2", r#"{"block":{"messages":[{"temp_entity":{"kind":"TE_PARASITE_ATTACK","entity1":1,"position1":[0,0,0],"position2":[0,0,0]}}]}}"#),
    (
        "quake2",
        r#"{"block":{"messages":[{"temp_entity":{"kind":"TE_GRAPPLE_CABLE","entity1":1,"position1":[0,0,0],"position2":[0,0,0],"position3":[0,0,0]}}]}}"#,
    ),
    ("quake2", r#"{"block":{"messages":[{"temp_entity":{"kind":"TE_LIGHTNING","entity1":1,"entity2":1,"position1":[0,0,0],"position2":[0,0,0]}}]}}"#),
    (
        "quake2",
        r#"{"block":{"messages":[{"temp_entity":{"kind":"TE_FLAME","entity1":1,"entity2":1,"position1":[0,0,0],"position2":[0,0,0],"position3":[0,0,0],"position4":[0,0,0],"position5":[0,0,0],"position6":[0,0,0]}}]}}"#,
    ),
    (
        "quake2",
        r#"{"block":{"messages":[{"temp_entity":{"kind":"TE_STEAM","entity1":1,"count":1,"position1":[0,0,0],"direction":0,"color":0,"magnitude":1,"time":1}}]}}"#,
    ),
    ("quake2", r#"{"block":{"messages":[{"temp_entity":{"kind":"TE_FLASHLIGHT","entity1":1,"position1":[0,0,0]}}]}}"#),
    ("quake2", r#"{"block":{"messages":[{"temp_entity":{"kind":"TE_FORCEWALL","position1":[0,0,0],"position2":[0,0,0],"color":0}}]}}"#),
    ("quake2", r#"{"block":{"messages":[{"temp_entity":{"kind":"TE_POWER_SPLASH","entity1":1,"count":1}}]}}"#),
    ("quake2", r#"{"block":{"messages":[{"temp_entity":{"kind":"TE_DAMAGE_DEALT","count":1}}]}}"#),
    ("quake1", r#"{"block":{"to":"several","players":[1]}}"#),
    (
        "quake1",
        r#"{"block":{"time":1,"sequence":1,"acknowledged":0,"messages":[{"serverdata":{"protocol":28,"extensions":[{"key":"MVD1","value":2}],"server_count":1,"gamedir":"qw","players":[0],"level":"x","move_vars":{"gravity":800,"stop_speed":100,"max_speed":320,"spectator_max_speed":500,"accelerate":10,"air_accelerate":1,"water_accelerate":10,"friction":4,"water_friction":4,"entity_gravity":1}}}]}}"#,
    ),
    ("quake1", r#"{"block":{"time":1,"sequence":2,"acknowledged":0,"messages":[{"setangle":{"reason":0,"angles":[0,0,0]}}]}}"#),
    (
        "goldsrc",
        r#"{"data":{"time":1,"frame":1,"sequence":[1,0,0,0,1,0,0],"messages":[{"customization":{"slot":0,"kind":"decal","name":"x","index":0,"size":0,"flags":["RES_ALWAYS"]}}]}}"#,
    ),
    (
        "goldsrc",
        r#"{"data":{"time":1,"frame":1,"sequence":[1,0,0,0,1,0,0],"messages":[{"newusermsg":{"number":70,"size":-1,"name":"TextMsg"}},{"user_message":{"name":"TextMsg","place":1,"texts":["x"]}}]}}"#,
    ),
];

/// Lines of a recording that are looked through, and its bytes.
const LINES: usize = 120;
const MOST: usize = 80_000;

/// Protocol numbers that are tried in place of a sample's.
const PROTOCOLS: std::ops::Range<u32> = 15..4000;

/// The first lines of a recording.
#[derive(Clone)]
pub(super) struct Opening {
    /// The name under which the recording is opened.
    pub name: String,
    pub lines: Vec<Value>,
}

/// Those of all dialects of a family: of our samples, of the corpus where no sample has such a head, and the same in the other protocols of the family
/// that have such lines.
pub(super) fn openings(family: &str, places: &BTreeMap<Path, Place>) -> Vec<Opening> {
    let mut heads = BTreeSet::new();
    let mut all = Vec::new();
    let samples = fragreel_testkit::samples(family).into_iter().chain(fragreel_testkit::corpus(family));
    for sample in samples.filter(|sample| !sample.damaged) {
        let bytes = sample.bytes();
        let Ok(text) = decompile(&bytes[..bytes.len().min(MOST)], &sample.name) else { continue };
        let mut lines = lines(&text);
        lines.retain(|line| !["end_of_text", "directory", "header", "opaque", "end"].iter().any(|key| line.get(key).is_some()));
        lines.truncate(LINES);
        if !heads.insert((sample.extension(), lines.first().map(Value::to_string))) {
            continue;
        }
        describe(&mut lines, places);
        all.push(Opening { name: sample.name.clone(), lines });
    }
    let others: Vec<Opening> = all.iter().flat_map(|opening| opening.others(family)).collect();
    let known = |opening: &Opening| opening.name.rsplit('.').next().filter(|_| family != "quake3").map(str::to_owned).unwrap_or_default();
    all.extend(others.into_iter().filter(|other| heads.insert((known(other), other.lines.first().map(Value::to_string)))));
    for opening in &mut all {
        let rare = RARE.iter().filter(|(of, _)| *of == family).map(|(_, line)| serde_json::from_str(line).expect("JSON"));
        opening.lines.extend(rare);
        opening.leave_out();
    }
    all
}

/// Adds to the descriptions of Half-Life's rows each field whose values have names, if it is not there.
fn describe(lines: &mut [Value], places: &BTreeMap<Path, Place>) {
    let rows = places.iter().filter(|(path, _)| path.iter().any(|step| step == "spawnbaseline")).map(|(path, place)| (&path[path.len() - 1], place.flags));
    let rows: BTreeMap<&String, bool> = rows.collect();
    for message in lines.iter_mut().filter_map(|line| line.pointer_mut("/data/messages")?.as_array_mut()).flatten() {
        let Some(description) = message.get_mut("deltadescription") else { continue };
        if description["name"] != "entity_state_t" {
            continue;
        }
        let Some(fields) = description["fields"].as_array_mut() else { continue };
        for (name, flags) in &rows {
            if !fields.iter().any(|field| field["name"] == ***name) {
                let bits = if *flags { 32 } else { 8 };
                fields.push(json!({"name": name, "type": "integer", "offset": 4, "size": 4, "bits": bits, "premultiply": 1, "postmultiply": 1}));
            }
        }
    }
}

impl Opening {
    /// Takes out the lines that the dialect does not take.
    fn leave_out(&mut self) {
        let Ok(mut compiler) = compiler(self.lines[0].to_string().as_bytes()) else { return };
        let mut number = 0;
        let mut takes = |line: &Value| {
            number += 1;
            compiler.line(line.to_string().as_bytes(), number, &mut Vec::new()).is_ok()
        };
        self.lines.retain_mut(|line| {
            if takes(line) {
                return true;
            }
            // Early protocols of Quake III do not acknowledge.
            line.pointer_mut("/message").and_then(Value::as_object_mut).and_then(|message| message.remove("reliableAcknowledge")).is_some() && takes(line)
        });
    }

    /// The same in other protocols.
    fn others(&self, family: &str) -> Vec<Opening> {
        let stated = ["/message/operations/0/gamestate", "/block/messages/0/serverdata"];
        if !["quake3", "quake2"].contains(&family) {
            return Vec::new();
        }
        let titles = if family == "quake3" { &["Quake III Arena", "Quake Live"][..] } else { &[""] };
        let mut all = Vec::new();
        for protocol in PROTOCOLS {
            for title in titles {
                let mut head = self.lines[0].clone();
                if head["recording"]["protocol"] == protocol {
                    continue;
                }
                head["recording"]["protocol"] = protocol.into();
                if family == "quake3" {
                    head["recording"]["game"] = (*title).into();
                }
                if compiler(head.to_string().as_bytes()).is_ok_and(|mut compiler| compiler.line(head.to_string().as_bytes(), 1, &mut Vec::new()).is_err()) {
                    continue;
                }
                let mut lines = vec![head];
                for line in &self.lines[1..] {
                    let mut line = line.clone();
                    if let Some(data) = line.pointer_mut(stated[1]) {
                        data["protocol"] = protocol.into();
                    }
                    // What fills the last byte is the old protocol's.
                    line.pointer_mut("/message").and_then(Value::as_object_mut).map(|message| message.remove("rest"));
                    // A gamestate states another protocol; without one, the name of the file does.
                    if line.pointer(stated[0]).is_none() {
                        lines.push(line);
                    }
                }
                let name = if family == "quake3" { format!("x.dm_{protocol}") } else { self.name.clone() };
                let mut other = Opening { name, lines };
                other.leave_out();
                all.push(other);
            }
        }
        all
    }
}
