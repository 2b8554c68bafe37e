//! Feeds and the map of the site for search engines, as XML.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use crate::archive::{Archive, Place};
use crate::pages::item;
use crate::summary;

/// The entries of a feed.
const ENTRIES: usize = 30;

/// What a feed without any date says of its last change.
const NEVER: &str = "1970-01-01T00:00:00Z";

type Xml = Writer<Vec<u8>>;

/// An Atom feed of matches, the newest first. `path` is that of the feed, `root` the way from it to the root where the site has no address.
pub(crate) fn atom(archive: &Archive, places: &[Place], title: &str, path: &str, base: Option<&str>) -> std::io::Result<Vec<u8>> {
    let root = base.map_or_else(|| "../".repeat(path.matches('/').count()), str::to_owned);
    let newest: Vec<Place> = places.iter().rev().take(ENTRIES).copied().collect();
    let updated = newest.iter().filter_map(|place| date(archive, *place)).max().unwrap_or_else(|| NEVER.to_owned());
    let mut xml = start()?;
    xml.create_element("feed").with_attribute(("xmlns", "http://www.w3.org/2005/Atom")).write_inner_content(|xml| {
        text(xml, "id", &base.map_or_else(|| format!("urn:fragreel:{}", crate::key::of(&[path, title])), |base| format!("{base}{path}")))?;
        text(xml, "title", title)?;
        text(xml, "updated", &updated)?;
        xml.create_element("author").write_inner_content(|xml| text(xml, "name", title))?;
        if let Some(base) = base {
            link(xml, "self", &format!("{base}{path}"))?;
        }
        for place in &newest {
            let item = item(archive, *place);
            let recording = archive.recording(*place);
            xml.create_element("entry").write_inner_content(|xml| {
                let result = item
                    .second
                    .as_ref()
                    .map_or_else(|| format!("{} {}, {}", item.a, item.first, item.b), |second| format!("{} {} : {second} {}", item.a, item.first, item.b));
                text(xml, "id", &format!("urn:sha256:{}:{}", recording.hash, archive.row(*place).number))?;
                text(xml, "title", &format!("{result} on {}, {}", item.map, item.mode))?;
                text(xml, "updated", &date(archive, *place).unwrap_or_else(|| NEVER.to_owned()))?;
                link(xml, "alternate", &format!("{root}{}", item.href))
            })?;
        }
        Ok(())
    })?;
    finish(xml)
}

/// A date as feeds have it. Dates without a zone are taken for universal time: recordings do not say theirs.
fn date(archive: &Archive, place: Place) -> Option<String> {
    let date = archive.row(place).date.as_deref()?;
    let day = summary::day(date)?;
    let time = date.get(11..19).filter(|time| time.bytes().enumerate().all(|(at, byte)| if at == 2 || at == 5 { byte == b':' } else { byte.is_ascii_digit() }));
    Some(format!("{day}T{}Z", time.unwrap_or("00:00:00")))
}

/// The addresses of pages, at most 50,000 a file.
pub(crate) fn sitemap(addresses: &[String]) -> std::io::Result<Vec<u8>> {
    let mut xml = start()?;
    xml.create_element("urlset").with_attribute(("xmlns", "http://www.sitemaps.org/schemas/sitemap/0.9")).write_inner_content(|xml| {
        addresses.iter().try_for_each(|address| xml.create_element("url").write_inner_content(|xml| text(xml, "loc", address)).map(drop))
    })?;
    finish(xml)
}

fn start() -> std::io::Result<Xml> {
    let mut xml = Writer::new(Vec::new());
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("utf-8"), None)))?;
    xml.write_event(Event::Text(BytesText::new("\n")))?;
    Ok(xml)
}

fn finish(xml: Xml) -> std::io::Result<Vec<u8>> {
    let mut bytes = xml.into_inner();
    bytes.push(b'\n');
    Ok(bytes)
}

/// An element with text. What XML 1.0 cannot hold becomes the replacement character.
fn text(xml: &mut Xml, name: &str, text: &str) -> std::io::Result<()> {
    let is_xml = |character: char| matches!(character, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let text: String = text.chars().map(|character| if is_xml(character) { character } else { '\u{fffd}' }).collect();
    xml.create_element(name).write_text_content(BytesText::new(&text)).map(drop)
}

fn link(xml: &mut Xml, rel: &str, href: &str) -> std::io::Result<()> {
    xml.create_element("link").with_attributes([("rel", rel), ("href", href)]).write_empty().map(drop)
}
