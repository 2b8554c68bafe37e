//! What is served, and to whom: the page and the named recordings, to that page alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fragreel::model::Milliseconds;

use super::growing::Growing;
use super::listed::Listed;
use super::show::Show;
use crate::inside;

/// A request, as far as it matters.
#[derive(Debug, Default)]
pub struct Request<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub host: Vec<&'a [u8]>,
    pub origin: Vec<&'a [u8]>,
    /// What the browser says about whose page asks (`Sec-Fetch-Site`).
    pub site: Vec<&'a [u8]>,
    /// What was sent along.
    pub body: &'a [u8],
}

/// An answer.
#[derive(Debug, PartialEq)]
pub struct Answer {
    pub code: u16,
    pub kind: &'static str,
    pub content: Content,
    pub head_only: bool,
}

/// What is in an answer.
#[derive(Debug, PartialEq)]
pub enum Content {
    Bytes(Vec<u8>),
    File(PathBuf),
}

/// Where the list of recordings is, and where they are.
const LIST: &str = "recordings.json";
const RECORDING: &str = "recording";
/// Where a show that games watch says where it is, and takes orders.
const SHOW: &str = "show";
/// Where it says how far recordings are that are still written.
const LIVE: &str = "live";

/// What the page has to show.
#[derive(Default)]
pub struct PageSource {
    pub recordings: Vec<Listed>,
    /// What games watch meanwhile.
    pub show: Option<Arc<Show>>,
    /// What is still written, instead of recordings.
    pub growing: Option<Arc<Growing>>,
}

/// Everything that can be asked for: a page and recordings, below a token that has to be known.
pub struct Site {
    pub page: &'static [(&'static str, &'static [u8])],
    pub offer: PageSource,
    /// The largest member of an archive that is unpacked.
    pub largest: u64,
    pub port: u16,
    pub token: String,
}

impl Site {
    /// Where it is. What to show stands behind `#`, which the browser keeps to itself.
    pub fn address(&self, from: Option<Milliseconds>, pov: Option<&str>) -> String {
        let mut wishes = match &self.offer.recordings[..] {
            _ if self.offer.growing.is_some() => format!("{LIVE}={LIVE}"),
            [one] => format!("src={}", escaped(&address(0, &one.path))),
            _ => format!("list={LIST}"),
        };
        if let Some(from) = from {
            wishes += &format!("&t={}", from.seconds());
        }
        if self.offer.show.is_some() {
            wishes += &format!("&{SHOW}={SHOW}");
        }
        if let Some(pov) = pov {
            wishes += &format!("&pov={}", escaped(pov));
        }
        format!("http://127.0.0.1:{}/{}/#{wishes}", self.port, self.token)
    }

    /// The answer to a request.
    pub fn answer(&self, request: &Request<'_>) -> Answer {
        if !self.is_ours(request) {
            return Answer::refused(403);
        }
        let below = request.path.strip_prefix('/').and_then(|path| path.strip_prefix(&*self.token)).and_then(|path| path.strip_prefix('/'));
        if let ("POST", Some(SHOW), Some(show)) = (request.method, below, &self.offer.show) {
            return if show.order(request.body) { self.state(show) } else { Answer::refused(400) };
        }
        if !["GET", "HEAD"].contains(&request.method) {
            return Answer::refused(405);
        }
        let found = below.and_then(|path| self.find(path.split('?').next().unwrap_or_default()));
        let (kind, content) = found.unwrap_or_else(|| ("text/plain", Content::Bytes(Vec::new())));
        let code = if found_nothing(&content) { 404 } else { 200 };
        Answer { code, kind, content, head_only: request.method == "HEAD" }
    }

    /// Whether this page asks, by this machine's own address: a page of another host, or a name that was made to lead here, must not.
    fn is_ours(&self, request: &Request<'_>) -> bool {
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let [host] = request.host[..] else { return false };
        let Some(host) = hosts.iter().find(|ours| ours.as_bytes() == host) else { return false };
        let origin = format!("http://{host}");
        let from_here = request.origin.iter().all(|from| *from == origin.as_bytes());
        from_here && request.site.iter().all(|site| [&b"same-origin"[..], b"none"].contains(site))
    }

    fn state(&self, show: &Show) -> Answer {
        let content = Content::Bytes(serde_json::json!(show.state()).to_string().into_bytes());
        Answer { code: 200, kind: "application/json", content, head_only: false }
    }

    fn find(&self, path: &str) -> Option<(&'static str, Content)> {
        let name = if path.is_empty() { "index.html" } else { path };
        if let Some((name, bytes)) = self.page.iter().find(|(file, _)| *file == name) {
            return Some((kind_of(name), Content::Bytes(bytes.to_vec())));
        }
        if let (SHOW, Some(show)) = (name, &self.offer.show) {
            let Answer { kind, content, .. } = self.state(show);
            return Some((kind, content));
        }
        if let (LIVE, Some(growing)) = (name, &self.offer.growing) {
            return Some(("application/json", Content::Bytes(growing.state(name_of, address).to_string().into_bytes())));
        }
        if name == LIST {
            let list = |(at, Listed { path, about }): (usize, &Listed)| serde_json::json!({ "name": name_of(path), "path": path.display().to_string(), "about": about, "src": address(at, path) });
            let list = serde_json::Value::from(self.offer.recordings.iter().enumerate().map(list).collect::<Vec<_>>());
            return Some(("application/json", Content::Bytes(list.to_string().into_bytes())));
        }
        let (number, _) = name.strip_prefix(RECORDING)?.strip_prefix('/')?.split_once('/')?;
        let number = number.parse::<usize>().ok()?;
        let path = match &self.offer.growing {
            Some(growing) => growing.path(number)?,
            None => self.offer.recordings.get(number)?.path.clone(),
        };
        Some(("application/octet-stream", Content::File(path)))
    }
}

impl Answer {
    /// An empty answer that says no.
    pub fn refused(code: u16) -> Self {
        Answer { code, kind: "text/plain", content: Content::Bytes(Vec::new()), head_only: false }
    }

    /// The code with its word.
    pub fn status(&self) -> &'static str {
        match self.code {
            200 => "200 OK",
            400 => "400 Bad Request",
            403 => "403 Forbidden",
            405 => "405 Method Not Allowed",
            _ => "404 Not Found",
        }
    }
}

/// Where a recording is below the token.
fn address(number: usize, path: &Path) -> String {
    format!("{RECORDING}/{number}/{}", escaped(&name_of(path)))
}

/// The name of a recording's file, in an archive or not.
fn name_of(path: &Path) -> String {
    let inner = inside::split(path).map_or_else(|| path.to_owned(), |(_, member)| member.into());
    inner.file_name().map_or_else(|| String::from("recording"), |name| name.to_string_lossy().into_owned())
}

fn found_nothing(content: &Content) -> bool {
    matches!(content, Content::Bytes(bytes) if bytes.is_empty())
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

/// Text as a part of an address.
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &[(&str, &[u8])] = &[("index.html", b"<p>"), ("assets/a.js", b"1")];

    fn site_of(paths: &[&str], port: u16, token: &str) -> Site {
        let recordings = paths.iter().map(|path| PathBuf::from(path).into()).collect();
        Site { page: PAGE, offer: PageSource { recordings, ..PageSource::default() }, largest: 1 << 20, port, token: token.to_owned() }
    }

    fn site() -> Site {
        site_of(&["demos/a b.dm_68", "/etc/../x.mvd"], 4000, "secret")
    }

    fn ask(path: &str) -> Answer {
        site().answer(&Request { method: "GET", path, host: vec![b"127.0.0.1:4000"], ..Request::default() })
    }

    #[test]
    fn exactly_what_was_named_is_there() {
        assert_eq!((ask("/secret/").code, ask("/secret/").kind), (200, "text/html; charset=utf-8"));
        assert_eq!(ask("/secret/assets/a.js?x").content, Content::Bytes(b"1".to_vec()));
        assert_eq!(ask("/secret/recording/0/a%20b.dm_68").content, Content::File("demos/a b.dm_68".into()));
        let Content::Bytes(list) = ask("/secret/recordings.json").content else { panic!("it is a list") };
        assert!(String::from_utf8(list).unwrap().contains(r#""src":"recording/0/a%20b.dm_68""#));
        for path in [
            "/",
            "/secret",
            "/index.html",
            "/Secret/",
            "/secre/",
            "/secret/recording/2/x",
            "/secret/recording/-1/x",
            "/secret/recording/0",
            "/secret/../secret/",
            "/secret/assets/../index.html",
            "/secret/%2e%2e/etc/passwd",
            "//secret/",
            "/secret//etc/passwd",
            "http://127.0.0.1/secret/",
        ] {
            assert_eq!(ask(path).code, 404, "{path}");
        }
    }

    #[test]
    fn nobody_else_may_ask() {
        let code = |request: Request<'_>| site().answer(&Request { path: "/secret/", ..request }).code;
        let ours = || Request { method: "GET", host: vec![b"127.0.0.1:4000"], ..Request::default() };
        assert_eq!(code(ours()), 200);
        assert_eq!(code(Request { host: vec![b"localhost:4000"], origin: vec![b"http://localhost:4000"], site: vec![b"same-origin"], ..ours() }), 200);
        assert_eq!(code(Request { method: "HEAD", site: vec![b"none"], ..ours() }), 200);
        assert_eq!(code(Request { method: "POST", ..ours() }), 405);
        // a name that was made to lead to this machine, another port, none, two
        for host in [vec![&b"evil.example:4000"[..]], vec![b"127.0.0.1:4001"], vec![b"127.0.0.1"], vec![], vec![b"127.0.0.1:4000", b"127.0.0.1:4000"]] {
            assert_eq!(code(Request { host, ..ours() }), 403);
        }
        for origin in [&b"http://evil.example"[..], b"null", b"http://127.0.0.1:4001", b"https://127.0.0.1:4000"] {
            assert_eq!(code(Request { origin: vec![origin], ..ours() }), 403);
        }
        for site in [&b"cross-site"[..], b"same-site", b"x"] {
            assert_eq!(code(Request { site: vec![site], ..ours() }), 403);
        }
    }

    #[test]
    fn addresses_say_what_to_show() {
        let one = site_of(&["a b.mvd"], 80, "t");
        assert_eq!(one.address(Some(Milliseconds(1500)), Some("x&y")), "http://127.0.0.1:80/t/#src=recording%2F0%2Fa%2520b.mvd&t=1.5&pov=x%26y");
        assert_eq!(site().address(None, None), "http://127.0.0.1:4000/secret/#list=recordings.json");
    }
    #[test]
    fn a_show_takes_orders_from_the_page_alone() {
        let show = Arc::new(Show::default());
        let mut site = site_of(&["a.mvd"], 80, "t");
        site.offer.show = Some(Arc::clone(&show));
        let post = |path, body: &'static [u8]| Request { method: "POST", path, host: vec![b"127.0.0.1:80"], body, ..Request::default() };
        assert_eq!(site.answer(&post("/t/show", b"seek 3")).code, 200);
        assert_eq!(site.answer(&post("/t/show", b"quit")).code, 400);
        assert_eq!(site.answer(&post("/t/", b"seek 3")).code, 405);
        assert_eq!(site.answer(&post("/x/show", b"seek 3")).code, 405);
        assert_eq!(site.answer(&Request { origin: vec![b"http://evil.example"], ..post("/t/show", b"seek 3") }).code, 403);
        assert_eq!(show.exchange(super::super::State::default()), ["seek 3"]);
        let Content::Bytes(state) = site.answer(&Request { method: "GET", ..post("/t/show", b"") }).content else { panic!("it is text") };
        assert_eq!(String::from_utf8(state).unwrap(), r#"{"paused":false,"position":0,"speed":1.0,"watching":0}"#);
        assert!(site.address(None, None).ends_with("&show=show"));
        // without a show there is nothing to ask
        assert_eq!(ask("/secret/show").code, 404);
    }

    #[test]
    fn what_is_still_written_is_there_as_far_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b.qwd");
        std::fs::write(&path, b"12345").unwrap();
        let growing = Arc::new(Growing::default());
        let mut site = site_of(&[], 80, "t");
        site.offer.growing = Some(Arc::clone(&growing));
        let get = |path| Request { method: "GET", path, host: vec![b"127.0.0.1:80"], ..Request::default() };
        assert!(site.address(None, None).ends_with("/t/#live=live"));
        assert_eq!(site.answer(&get("/t/recording/0/x")).code, 404);
        growing.write(&path);
        let Content::Bytes(state) = site.answer(&get("/t/live")).content else { panic!("it is text") };
        let expected = r#"{"files":[{"bytes":5,"complete":false,"name":"a b.qwd","src":"recording/0/a%20b.qwd"}],"over":false}"#;
        assert_eq!(String::from_utf8(state).unwrap(), expected);
        assert_eq!(site.answer(&get("/t/recording/0/a%20b.qwd")).content, Content::File(path));
        // to the page alone
        assert_eq!(site.answer(&get("/x/live")).code, 404);
        assert_eq!(site.answer(&Request { origin: vec![b"http://evil.example"], ..get("/t/live") }).code, 403);
        assert_eq!(site.answer(&Request { method: "POST", ..get("/t/live") }).code, 405);
        assert_eq!(ask("/secret/live").code, 404);
    }
}
