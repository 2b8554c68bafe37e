//! Secrets planted in messages that cannot be read, between and behind messages, and in downloads, and looked for in what is left: in the
//! bytes, and in the text that is coded from any bit on.

use fragreel_base::wire::huffman::{CODES, LONGEST};
use fragreel_base::wire::{Limits, WriteHuffman};
use fragreel_model::{Fate, Place, Rewrite, Role};
use fragreel_quake3::Recording;
use fragreel_quake3::container::{self, END_MARK, Frame, Frames, Piece};
use fragreel_quake3::message::{Download, Message, Operation, ServerCommand};

const SECRETS: [&str; 5] = ["10.98.76.54", "STEAM_0:1:4242424", "76561197960287930", "me@example.org", "hUsh7hUsh7"];
const LINE: &str = "10.98.76.54 STEAM_0:1:4242424 76561197960287930 me@example.org; set g_password hUsh7hUsh7";

/// Takes addresses and identifiers away, and nothing else.
struct Scrub;

impl Rewrite for Scrub {
    fn text(&mut self, _: Place, role: Role, _: &mut Vec<u8>) -> Fate {
        if matches!(role, Role::Address | Role::Identifier) { Fate::Drop } else { Fate::Keep }
    }
}

/// Shows everything, changes nothing.
struct Idle;

impl Rewrite for Idle {}

fn sample() -> Vec<u8> {
    fragreel_testkit::samples("quake3").iter().find(|sample| sample.name.ends_with("dm_bots.dm_71")).expect("it is ours").bytes()
}

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, Some("dm_71"), Limits::default()).expect("a recording")
}

/// The messages of our sample, in order; one may be replaced.
fn with(at: u32, change: impl Fn(Frame, &mut Vec<u8>)) -> Vec<u8> {
    let bytes = sample();
    let mut out = Vec::new();
    for piece in Frames::new(&bytes) {
        let Piece::Message(frame) = piece else { continue };
        if frame.number == at {
            change(frame, &mut out);
        }
        frame.write(container::data(&bytes, &frame), &mut out);
    }
    out.extend(END_MARK);
    out
}

/// A message with the line, as engines code it.
fn coded() -> Vec<u8> {
    let bytes = sample();
    let command = Operation::ServerCommand(ServerCommand { sequence: 1, text: LINE.as_bytes().to_vec() });
    Message { operations: vec![command], ..Message::default() }.write(open(&bytes).dialect())
}

/// Where a secret stands in the bytes, or in what is coded from a bit of them on.
fn secret(bytes: &[u8]) -> Option<(&'static str, usize)> {
    let plain = SECRETS.into_iter().find_map(|secret| Some((secret, bytes.windows(secret.len()).position(|window| window == secret.as_bytes())? * 8)));
    plain.or_else(|| SECRETS.into_iter().find_map(|secret| Some((secret, coded_at(bytes, secret.as_bytes())?))))
}

/// The first bit from which on the codes of this text stand.
fn coded_at(bytes: &[u8], text: &[u8]) -> Option<usize> {
    let window = |bit: usize| {
        let byte = |at: usize| u32::from(bytes.get(bit / 8 + at).copied().unwrap_or_default());
        (byte(0) | byte(1) << 8 | byte(2) << 16) >> (bit % 8) & ((1 << LONGEST) - 1)
    };
    (0..bytes.len() * 8).find(|&bit| {
        let mut at = bit;
        text.iter().all(|&byte| {
            let code = CODES[usize::from(byte)];
            let same = window(at) & ((1 << code.length) - 1) == u32::from(code.bits);
            at += usize::from(code.length);
            same
        })
    })
}

#[test]
fn nothing_personal_is_left_in_what_cannot_be_read() {
    // another operation in front than there is: the line begins at a bit that nobody knows
    let junk = |bits: u32| {
        let mut w = WriteHuffman::with_buffer(Vec::new());
        use fragreel_base::wire::Wire;
        for value in [0, 200] {
            let Ok(_) = w.bits(value, 32);
        }
        for _ in 0..bits {
            let Ok(_) = w.bits(1, 1);
        }
        for &byte in LINE.as_bytes() {
            let Ok(_) = w.bits(byte.into(), 8);
        }
        w.finish()
    };
    let mut broken: Vec<(String, Vec<u8>)> = (0..9).map(|bits| (format!("behind {bits} bits"), junk(bits))).collect();
    let whole = coded();
    broken.push((String::from("cut"), whole[..whole.len() - 2].to_vec()));
    broken.push((String::from("plain"), [&[0xff; 5], LINE.as_bytes(), &[0]].concat()));
    let mut cases: Vec<(String, Vec<u8>)> = broken.into_iter().map(|(name, data)| (name, with(9, |frame, out| frame.write(&data, out)))).collect();
    // bytes between messages, a message whose head is broken, the file's end inside of one, and behind the end mark
    cases.push((String::from("between"), with(9, |_, out| out.extend([&[0xff; 8][..4], &[0x7f; 4], &whole].concat()))));
    let head = with(9, |frame, out| {
        let from = out.len();
        frame.write(&whole, out);
        out[from + 4..from + 8].fill(0x7f);
    });
    cases.push((String::from("head"), head));
    for short in [10, 25, 40, 60] {
        let cut = with(9, |frame, out| {
            let from = out.len();
            frame.write(&whole, out);
            out[from + 4] -= short;
        });
        cases.push((format!("a length that is {short} too small"), cut));
    }
    let end = sample().len() - END_MARK.len();
    let cut = [&sample()[..end], &0x7000i32.to_le_bytes(), &200u32.to_le_bytes(), &whole].concat();
    cases.push((String::from("the file's end"), cut));
    cases.push((String::from("behind the end mark"), [&sample()[..], &[1, 2, 3], &whole].concat()));
    for (name, bytes) in cases {
        let source = open(&bytes);
        assert_eq!(source.verify().is_whole(), name == "behind the end mark", "{name}");
        assert!(secret(&bytes).is_some(), "{name}");
        assert!(source.rewrite(&mut Idle).expect("it has frames").bytes == bytes, "{name}: who keeps everything keeps every byte");
        let edited = source.rewrite(&mut Scrub).expect("it has frames");
        assert_eq!(secret(&edited.bytes), None, "{name}");
        assert_eq!(edited.bytes.len(), bytes.len(), "{name}");
        assert!(!edited.actions.is_empty(), "{name}");
        let again = open(&edited.bytes);
        assert_eq!(source.compare(&again).differing, 0, "{name}");
        assert!(again.rewrite(&mut Scrub).expect("it has frames").bytes == edited.bytes, "{name}: once is enough");
    }
}

#[test]
fn what_cannot_be_read_and_says_nothing_of_anybody_stays() {
    let bytes = sample();
    // behind the gamestate, which has a string of zeroes and ones as long as a GUID
    for at in (20_000..bytes.len() - 6000).step_by(7001) {
        let mut damaged = bytes.clone();
        damaged[at..at + 40].iter_mut().enumerate().for_each(|(at, byte)| *byte ^= (at as u8).wrapping_mul(37));
        let source = open(&damaged);
        let Ok(edited) = source.rewrite(&mut Scrub) else { continue };
        assert!(edited.bytes == damaged, "{at}: {:?}", edited.actions);
    }
}

#[test]
fn nothing_personal_is_left_in_downloads() {
    let bytes = sample();
    let dialect = open(&bytes).dialect();
    let file = [&b"// autoexec.cfg\n"[..], LINE.as_bytes(), b"\nbind x \"+attack; wait\"\n"].concat();
    // so that the first secret is in two pieces; one is sent twice
    let pieces: Vec<(u16, Vec<u8>)> = file.chunks(20).enumerate().map(|(at, data)| (at as u16, data.to_vec())).collect();
    let order = [&pieces[..1], &pieces[..3], &pieces[1..]].concat();
    let made = with(9, |frame, out| {
        for (block, data) in &order {
            let download = Download { block: *block, file_size: file.len() as i32, data: data.clone(), ..Download::default() };
            frame.write(&Message { operations: vec![Operation::Download(download)], ..Message::default() }.write_anew(dialect), out);
        }
    });
    let source = open(&made);
    assert!(source.verify().is_whole(), "{:?}", source.verify().damage);
    assert!(source.rewrite(&mut Idle).expect("it is whole").bytes == made);
    let edited = source.rewrite(&mut Scrub).expect("it is whole");
    assert_eq!(secret(&edited.bytes), None);
    let (mut left, mut message) = (std::collections::BTreeMap::new(), Message::default());
    for piece in Frames::new(&edited.bytes) {
        let Piece::Message(frame) = piece else { continue };
        message.read(container::data(&edited.bytes, &frame), dialect).expect("it is whole");
        for operation in &message.operations {
            let Operation::Download(Download { block, data, .. }) = operation else { continue };
            assert_eq!(left.entry(*block).or_insert(data.clone()), data, "what is sent twice is one piece");
        }
    }
    let left = left.into_values().collect::<Vec<_>>().concat();
    let expected = b"// autoexec.cfg\n*********** ***************** ***************** **************; set g_password **********\nbind x \"+attack; wait\"\n";
    assert_eq!(String::from_utf8_lossy(&left), String::from_utf8_lossy(expected));
}

/// Text that is read as numbers, in a snapshot as no server writes one: what is broken elsewhere says that it may be anything.
#[test]
fn text_that_is_read_as_numbers_goes_where_something_is_broken() {
    let bytes = sample();
    let dialect = open(&bytes).dialect();
    let mut message = Message::default();
    let odd = (900..1000).find_map(|number| {
        let frame = Frames::new(&bytes).filter_map(|piece| if let Piece::Message(frame) = piece { Some(frame) } else { None }).nth(number as usize)?;
        message.read(container::data(&bytes, &frame), dialect).expect("a whole sample");
        let snapshot = message.operations.iter_mut().find_map(|operation| if let Operation::Snapshot(snapshot) = operation { Some(snapshot) } else { None })?;
        let count = snapshot.entities.len();
        if count < 2 {
            return None;
        }
        snapshot.entities.swap(0, count - 1);
        snapshot.area_mask = b"10.98.76.54 me@example.org".to_vec();
        Some((number, message.write_anew(dialect)))
    });
    let (number, odd) = odd.expect("some snapshot has several entities");
    let with_odd = |broken: bool| {
        let mut out = Vec::new();
        for piece in Frames::new(&bytes) {
            let Piece::Message(frame) = piece else { continue };
            if broken && frame.number == 9 {
                frame.write(&[0xff; 5], &mut out);
            }
            frame.write(if frame.number == number { &odd } else { container::data(&bytes, &frame) }, &mut out);
        }
        out.extend(END_MARK);
        out
    };
    let whole = with_odd(false);
    assert!(open(&whole).rewrite(&mut Scrub).expect("it is whole").bytes == whole, "in a whole recording they are numbers");
    let damaged = with_odd(true);
    assert!(secret(&damaged).is_some());
    assert!(open(&damaged).rewrite(&mut Idle).expect("it has frames").bytes == damaged);
    let edited = open(&damaged).rewrite(&mut Scrub).expect("it has frames");
    assert_eq!((secret(&edited.bytes), edited.bytes.len()), (None, damaged.len()));
}
