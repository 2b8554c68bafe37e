//! What surrounds every page.

use crate::config::Config;

/// What all pages of a site have in common.
#[derive(Debug, Clone)]
pub(crate) struct Shell<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The paths of style sheet, icon and script, which have the hash of their content in their names.
    pub style: String,
    /// The icon.
    pub icon: String,
    /// The script that searches.
    pub find: String,
    /// The script that opens the viewer.
    pub watch: String,
    /// The module of the viewer, where the site has one.
    pub viewer: Option<String>,
    /// Whether there are runs.
    pub has_runs: bool,
    /// Whether there are events.
    pub has_events: bool,
    /// Whether there are tables of the data.
    pub has_data: bool,
}

/// What surrounds one page.
#[derive(Debug, Clone)]
pub(crate) struct Frame<'a> {
    /// The title of the site.
    pub site: &'a str,
    /// The title of the page.
    pub title: String,
    /// What is on it, in a sentence.
    pub about: String,
    /// The way up to the root.
    pub root: String,
    /// Its own address, where the site has one.
    pub address: Option<String>,
    /// The policy for its content.
    pub policy: &'static str,
    /// The style sheet.
    pub style: &'a str,
    /// The icon.
    pub icon: &'a str,
    /// Scripts.
    pub scripts: Vec<&'a str>,
    /// The module of the viewer.
    pub viewer: Option<&'a str>,
    /// The address of its picture, for chat programs.
    pub card: Option<String>,
    /// The feed beside it.
    pub feed: Option<&'static str>,
    /// Whether search engines are asked to leave it out.
    pub hidden: bool,
    /// The entries of the navigation.
    pub nav: Vec<Entry>,
    /// The words below.
    pub footer: &'a str,
}

/// An entry of the navigation.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Where to, from the root.
    pub href: &'static str,
    /// The words.
    pub name: &'static str,
    /// Whether the page is part of it.
    pub current: bool,
}

/// Nothing comes from elsewhere, and nothing is run that is no file of the site.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'self'";

const NAV: [(&str, &str); 9] = [
    ("y/index.html", "Matches"),
    ("best/index.html", "Best moments"),
    ("p/index.html", "Players"),
    ("map/index.html", "Maps"),
    ("runs/index.html", "Runs"),
    ("e/index.html", "Events"),
    ("find/index.html", "Find"),
    ("data/index.html", "Data"),
    ("about/index.html", "About"),
];

impl<'a> Shell<'a> {
    /// The frame of the page at `path`, such as `p/milton/index.html`.
    pub(crate) fn frame(&'a self, path: &str, title: impl Into<String>, about: impl Into<String>) -> Frame<'a> {
        let first = path.split('/').next().unwrap_or_default();
        let shown = |href: &str| {
            (self.has_runs || !href.starts_with("runs/")) && (self.has_events || !href.starts_with("e/")) && (self.has_data || !href.starts_with("data/"))
        };
        let of_matches = |href: &str| first == "m" && href.starts_with("y/");
        let nav = NAV.into_iter().filter(|(href, _)| shown(href)).map(|(href, name)| Entry {
            href,
            name,
            current: href.split('/').next() == Some(first) || of_matches(href),
        });
        let address = path.strip_suffix("index.html").unwrap_or(path);
        let mut scripts = Vec::new();
        if first == "find" {
            scripts.push(self.find.as_str());
        }
        if first == "m" && self.viewer.is_some() {
            scripts.push(self.watch.as_str());
        }
        Frame {
            site: &self.config.title,
            title: title.into(),
            about: about.into(),
            root: "../".repeat(path.matches('/').count()),
            address: self.config.base.as_ref().map(|base| format!("{base}{address}")),
            policy: POLICY,
            style: &self.style,
            icon: &self.icon,
            scripts,
            viewer: self.viewer.as_deref(),
            card: None,
            feed: None,
            hidden: first == "p" && !self.config.index_players || first == "find",
            nav: nav.collect(),
            footer: &self.config.about,
        }
    }
}
