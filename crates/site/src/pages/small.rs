//! Pages without a list of matches.

use askama::Template;

use super::{Frame, Link, Shell};
use crate::data;

#[derive(Template)]
#[template(path = "find.html")]
struct Find<'a> {
    frame: Frame<'a>,
}

/// The page that finds.
pub(crate) fn find(shell: &Shell<'_>) -> askama::Result<String> {
    Find { frame: shell.frame("find/index.html", "Find matches", "Matches by player, map and date.") }.render()
}

#[derive(Template)]
#[template(path = "about.html")]
struct About<'a> {
    frame: Frame<'a>,
    lede: String,
    contact: Option<Link>,
    has_data: bool,
}

/// What the site is.
pub(crate) fn about(shell: &Shell<'_>) -> askama::Result<String> {
    let contact = shell.config.contact.as_ref().map(|contact| {
        let is_address = contact.starts_with("https://") || contact.starts_with("http://");
        Link::new(if is_address { contact.clone() } else { format!("mailto:{contact}") }, contact.clone())
    });
    let lede = if shell.config.about.is_empty() { String::from("An archive of recordings of games.") } else { shell.config.about.clone() };
    About { frame: shell.frame("about/index.html", "About", lede.clone()), lede, contact, has_data: shell.has_data }.render()
}

/// A table of the data.
struct Table {
    name: &'static str,
    about: &'static str,
    columns: Vec<data::Column>,
}

#[derive(Template)]
#[template(path = "data.html")]
struct Data<'a> {
    frame: Frame<'a>,
    address: String,
    tables: Vec<Table>,
}

/// How the tables are read, and what is in them.
pub(crate) fn data(shell: &Shell<'_>) -> askama::Result<String> {
    let tables = data::TABLES.iter().map(|table| Table { name: table.name, about: table.about, columns: table.columns() });
    let frame = shell.frame("data/index.html", "Data", "All matches, scores, kills, moments and runs as Parquet files.");
    Data { address: frame.address.clone().unwrap_or_default(), frame, tables: tables.collect() }.render()
}

#[derive(Template)]
#[template(path = "404.html")]
struct Missing<'a> {
    frame: Frame<'a>,
}

/// What stands where nothing is. Its links begin at the root of the host, because it is shown at any address.
pub(crate) fn missing(shell: &Shell<'_>) -> askama::Result<String> {
    let mut frame = shell.frame("404.html", "Nothing here", "Nothing is at this address.");
    // the page is shown at any depth
    frame.root = shell.config.base.as_deref().map_or_else(
        || String::from("/"),
        |base| {
            let path = base.splitn(4, '/').nth(3).unwrap_or_default();
            format!("/{path}")
        },
    );
    (frame.hidden, frame.address) = (true, None);
    Missing { frame }.render()
}

/// A row of an index.
pub(crate) struct Row {
    pub href: String,
    pub name: String,
    pub value: String,
}

#[derive(Template)]
#[template(path = "index_of.html")]
struct IndexOf<'a> {
    frame: Frame<'a>,
    heading: &'a str,
    lede: String,
    first: &'a str,
    second: &'a str,
    rows: Vec<Row>,
}

/// A list of names with links and numbers.
pub(crate) fn index_of(shell: &Shell<'_>, path: &str, heading: &str, heads: [&str; 2], rows: Vec<Row>) -> askama::Result<String> {
    let lede = format!("{} in all.", crate::text::number(rows.len() as i64));
    IndexOf { frame: shell.frame(path, heading, format!("{heading}: {lede}")), heading, lede, first: heads[0], second: heads[1], rows }.render()
}
