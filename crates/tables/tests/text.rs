//! CSV and JSON Lines.

use std::ops::ControlFlow;

use fragreel::Recording;
use fragreel_tables::write::{csv, json_lines};
use fragreel_tables::{Query, Source, read};

#[test]
fn csv_and_json_lines_say_the_same() {
    let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
    let recording = Recording::open(&bytes[..], "dm_bots.dm_71").unwrap();
    let query = Query::of("chat").unwrap().columns(["time", "name", "text", "match_time"]).unwrap();
    let (mut comma, mut lines) = (Vec::new(), Vec::new());
    read(&Source::new(&recording, ""), std::slice::from_ref(&query), &mut |_, batch| {
        csv(&batch, &mut comma).unwrap();
        json_lines(&batch, &query.names(), &mut lines).unwrap();
        ControlFlow::Continue(())
    });
    let (comma, lines) = (String::from_utf8(comma).unwrap(), String::from_utf8(lines).unwrap());
    assert!(comma.contains("9500,RedFox,\"hello, all of you\",14600\n"), "{comma}");
    assert!(lines.contains("{\"time\":9500,\"name\":\"RedFox\",\"text\":\"hello, all of you\",\"match_time\":14600}\n"), "{lines}");
    assert_eq!(comma.lines().count(), lines.lines().count());
}
