use proptest::prelude::*;

use crate::textform::*;

#[derive(Debug, Clone, Default, PartialEq)]
struct Tree {
    number: u16,
    flags: u8,
    row: [u32; 4],
    sent: Vec<usize>,
    inner: Vec<Inner>,
    blob: Vec<u8>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Inner {
    angle: u8,
    origin: [f32; 3],
    text: Vec<u8>,
}

impl Tree {
    fn form<F: Form>(&mut self, f: &mut F, names: &Names) -> Result<(), F::Error> {
        f.object(|f| {
            f.field("number", &mut self.number)?;
            f.unless("flags", &mut self.flags, 0)?;
            let sent = self.sent.clone();
            if F::READING {
                (self.sent, self.row) = (Vec::new(), [0; 4]);
            }
            f.members(names, sent.into_iter(), |f, at| {
                if F::READING {
                    self.sent.push(at);
                    self.sent.sort_unstable();
                }
                self.row[at] = f.int(self.row[at].into(), 0, u32::MAX.into())? as u32;
                Ok(())
            })?;
            f.list("inner", &mut self.inner, |f, inner| {
                f.object(|f| {
                    f.require("angle")?;
                    inner.angle = f.scaled(inner.angle.into(), 360.0 / 256.0, 0, 255)? as u8;
                    f.field("origin", &mut inner.origin)?;
                    f.text_unless_empty("text", &mut inner.text)
                })
            })?;
            f.hex_unless_empty("blob", &mut self.blob)
        })
    }
}

fn names() -> Names {
    Names::new(["pos.trTime", "pos.trBase[0]", "weapon", "eType"])
}

fn trees() -> impl Strategy<Value = Tree> {
    let inner = (any::<u8>(), any::<[u32; 3]>(), any::<Vec<u8>>()).prop_map(|(angle, origin, text)| Inner { angle, origin: origin.map(f32::from_bits), text });
    let sent = proptest::sample::subsequence(vec![0usize, 1, 2, 3], 0..=4);
    (any::<u16>(), any::<u8>(), any::<[u32; 4]>(), sent, proptest::collection::vec(inner, 0..3), any::<Vec<u8>>()).prop_map(
        |(number, flags, words, sent, inner, blob)| {
            let mut row = [0; 4];
            sent.iter().for_each(|&at| row[at] = words[at]);
            Tree { number, flags, row, sent, inner, blob }
        },
    )
}

/// Members in another order, as tools may write them, with spaces.
fn shuffled(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::Object(members) => {
            let mut members: Vec<String> = members.iter().map(|(key, value)| format!("{} : {}", Value::from(key.as_str()), shuffled(value))).collect();
            members.reverse();
            format!("{{ {} }}", members.join(" , "))
        }
        Value::Array(elements) => format!("[ {} ]", elements.iter().map(shuffled).collect::<Vec<_>>().join(",\t")),
        other => other.to_string(),
    }
}

fn bits(tree: &Tree) -> (Tree, Vec<[u32; 3]>) {
    let mut plain = tree.clone();
    let origins = plain.inner.iter_mut().map(|inner| std::mem::take(&mut inner.origin).map(f32::to_bits)).collect();
    (plain, origins)
}

proptest! {
    #[test]
    fn what_is_written_is_read(mut tree in trees()) {
        let names = names();
        let mut line = Vec::new();
        write_line(&mut line, |f| tree.form(f, &names));
        let mut back = Tree::default();
        read_line(&line, 1, |f| back.form(f, &names)).unwrap();
        prop_assert_eq!(bits(&back), bits(&tree));
        let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
        let mut back = Tree { inner: vec![Inner::default(); 5], ..Tree::default() };
        read_line(shuffled(&value).as_bytes(), 1, |f| back.form(f, &names)).unwrap();
        prop_assert_eq!(bits(&back), bits(&tree));
    }

    #[test]
    fn any_text_is_read_or_refused(line in "[\\[\\]{}\":,0-9a-z.\\- ]{0,60}") {
        let _ = read_line(line.as_bytes(), 1, |f| Tree::default().form(f, &names()));
    }
}

fn refusal(line: &str) -> String {
    read_line(line.as_bytes(), 3, |f| Tree::default().form(f, &names())).unwrap_err().to_string()
}

#[test]
fn errors_name_place_field_and_expectation() {
    assert_eq!(refusal(r#"{"number":-1,"inner":[]}"#), "line 3, column 11 (number): expected a whole number from 0 to 65535");
    assert_eq!(refusal(r#"{"inner":[]}"#), "line 3, column 12: the field `number` is missing");
    assert_eq!(refusal(r#"{"number":1,"inner":[],"color":2}"#), "line 3, column 32: there is no field `color` here");
    assert_eq!(
        refusal(r#"{"number":1,"inner":[{"angle":0,"origin":[1,2]}]}"#),
        "line 3, column 47 (inner › element 0 › origin): the list has too few elements"
    );
    assert!(refusal(r#"{"number":1,"number":2,"inner":[]}"#).contains("`number` occurs twice"));
    assert!(refusal(r#"{"number":1,"weapon":1,"weapon":2,"inner":[]}"#).contains("`weapon` occurs twice"));
    assert!(refusal(r#"{"number":1,"inner":[],"blob":"abc"}"#).contains("pairs of hexadecimal digits"));
    assert!(refusal(r#"{"number":1,"inner":[]"#).starts_with("line 3, column 2"));
    assert!(refusal(r#"{"number":1,"inner":[]} x"#).starts_with("line 3, column 25"));
}

#[test]
fn numbered_members_come_in_any_order_but_once() {
    let read = |line: &str| {
        let mut sum = 0;
        read_line(line.as_bytes(), 1, |f| {
            f.object(|f| {
                sum = 0;
                f.numbered(1000, std::iter::empty(), |f, at| {
                    sum += at as i64 * f.int(0, 0, 9)?;
                    Ok(())
                })
            })
        })
        .map(|()| sum)
    };
    assert_eq!(read(r#"{"300":2,"5":1,"200":1}"#).unwrap(), 805);
    for twice in [r#"{"5":1,"6":1,"5":1}"#, r#"{"300":1,"300":1}"#, r#"{"300":1,"200":1,"300":1}"#] {
        assert!(read(twice).unwrap_err().to_string().contains("occurs twice"), "{twice}");
    }
}

#[test]
fn a_schema_says_what_may_stand_where() {
    let names = names();
    let schema = Schema::collect(3, |f| Tree::default().form(f, &names));
    assert_eq!(schema["required"], serde_json::json!(["number", "inner"]));
    assert_eq!(schema["properties"]["number"], serde_json::json!({"type": "integer", "minimum": 0, "maximum": 65535}));
    assert_eq!(schema["properties"]["inner"]["items"]["properties"]["angle"]["maximum"], 358.59375);
    assert!(schema["properties"]["pos.trBase[0]"].is_object());
}

#[test]
fn numbers_of_all_64_bits_are_read() {
    for number in [i64::MIN, -6_199_768_927_967_379_436, -1, 0, i64::MAX] {
        let mut line = Vec::new();
        write_line(&mut line, |f| f.int(number, i64::MIN, i64::MAX).map(|_| ()));
        assert_eq!(read_line(&line, 1, |f| f.int(0, i64::MIN, i64::MAX)), Ok(number));
    }
    assert!(read_line(b"9223372036854775808", 1, |f| f.int(0, i64::MIN, i64::MAX)).is_err());
}

#[test]
fn lists_of_numbers_end() {
    let mut values = vec![1i32];
    let mut read = |line: &str| {
        read_line(line.as_bytes(), 1, |f| {
            f.object(|f| {
                let absent = f.key("absent", false)?;
                assert!(!absent);
                f.list("v", &mut values, |f, value| value.form(f))?;
                f.field("last", &mut 0u8)
            })
        })
        .map(|()| values.clone())
    };
    assert_eq!(read(r#"{"v":[1080,-360,15],"last":1}"#).unwrap(), [1080, -360, 15]);
    assert_eq!(read(r#"{"last":1,"v":[1080,-360,15]}"#).unwrap(), [1080, -360, 15]);
    assert_eq!(read(r#"{"last":1,"v":[]}"#).unwrap(), [0i32; 0]);
}

/// Each bit, with and without a name, alone and with others.
#[test]
fn flags_come_back_from_their_names() {
    const FLAGS: Flags = Flags(&[(1, "ONE"), (4, "FOUR"), (0x8000_0000, "LAST")]);
    let read = |text: &str, to: u32| {
        let mut value = 0;
        read_line(text.as_bytes(), 1, |f| f.flags(0, to, FLAGS).map(|read| value = read)).map(|()| value)
    };
    for value in (0..32).flat_map(|bit| [1u32 << bit, 1 << bit | 5, !(1 << bit)]).chain([0, u32::MAX]) {
        let mut text = Vec::new();
        write_line(&mut text, |f| f.flags(value, u32::MAX, FLAGS).map(drop));
        let text = String::from_utf8(text).unwrap();
        assert_eq!(read(&text, u32::MAX).unwrap(), value, "{text}");
        assert_eq!(text.contains("ONE"), value & 1 != 0);
    }
    for (text, value) in [("5", 5), (r#""FOUR""#, 4), (r#"["ONE","FOUR",16]"#, 21), ("[]", 0)] {
        assert_eq!(read(text, 255).unwrap(), value, "{text}");
    }
    for wrong in [r#""LAST""#, r#"["TWO"]"#, "256", "[-1]"] {
        assert!(read(wrong, 255).is_err(), "{wrong}");
    }
    let schema = Schema::collect(3, |f| f.flags(0, u32::MAX, FLAGS).map(drop)).to_string();
    assert!(schema.contains("LAST") && schema.contains("array"), "{schema}");
}
