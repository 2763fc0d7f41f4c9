//! The part of HTTP/1.1 that one browser on the same machine needs.
//!
//! A connection carries one request and is closed afterwards. A request has a method, a path, headers and at most
//! [`LARGEST_BODY`] bytes with a `Content-Length`; everything else is refused before it is read. Nothing here knows what
//! the requests mean.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::Error;

/// Largest head of a request: a browser sends less than a tenth of it.
const LARGEST_HEAD: usize = 16 << 10;
/// Largest body of a request: the rows of a bulk answer.
const LARGEST_BODY: usize = 4 << 20;
/// Time limit for reading a request and for writing a response.
const PATIENCE: Duration = Duration::from_secs(20);

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET`, `POST`, …
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// What follows `?`, without it.
    pub query: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl HttpRequest {
    /// The only value of a header, by its name in lower case. A header that is there twice has none.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter().filter(|(n, _)| n == name);
        let first = headers.next()?;
        headers.next().is_none().then_some(first.1.as_str())
    }

    /// The value of a parameter of the query, decoded.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| decoded(value))
    }

    /// The body, read as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> crate::Result<T> {
        serde_json::from_slice(&self.body).map_err(|e| Error::Refused(format!("the request cannot be read: {e}")))
    }

    /// Reads a request. The error is the response to one that is not read.
    pub fn read(stream: &mut TcpStream) -> Result<Self, Response> {
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let _ = stream.set_write_timeout(Some(PATIENCE));
        let bad = |why: &str| Response::error(400, why);
        let mut head = Vec::new();
        let end = loop {
            let end = head.windows(4).position(|four| four == b"\r\n\r\n");
            if end.unwrap_or(head.len()) > LARGEST_HEAD {
                return Err(Response::error(431, "the head of the request is too long"));
            }
            if let Some(end) = end {
                break end;
            }
            read_more(stream, &mut head)?;
        };
        let body = head.split_off(end + 4);
        let mut request = Self::of_head(&head[..end]).ok_or_else(|| bad("not HTTP/1.1"))?;
        if request.header("transfer-encoding").is_some() {
            return Err(bad("only bodies with a length are read"));
        }
        let length = match request.headers.iter().filter(|(n, _)| n == "content-length").count() {
            0 => 0,
            _ => request
                .header("content-length")
                .filter(|text| text.bytes().all(|b| b.is_ascii_digit()))
                .and_then(|text| text.parse().ok())
                .ok_or_else(|| bad("the length of the body is not a number"))?,
        };
        if length > LARGEST_BODY {
            return Err(Response::error(413, "the body of the request is too long"));
        }
        request.body = body;
        while request.body.len() < length {
            read_more(stream, &mut request.body)?;
        }
        request.body.truncate(length);
        Ok(request)
    }

    /// Reads the lines before the body.
    fn of_head(head: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(head).ok()?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") || !target.starts_with('/') {
            return None;
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic());
            plain.then(|| (name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers = lines.map(header).collect::<Option<Vec<_>>>()?;
        let (method, path, query) = (method.to_owned(), path.to_owned(), query.to_owned());
        Some(Self { method, path, query, headers, body: Vec::new() })
    }
}

/// Reads the next bytes of a request.
fn read_more(stream: &mut TcpStream, request: &mut Vec<u8>) -> Result<(), Response> {
    let mut buffer = [0; 4096];
    match stream.read(&mut buffer) {
        Ok(0) => Err(Response::error(400, "the request ends early")),
        Ok(count) => {
            request.extend_from_slice(&buffer[..count]);
            Ok(())
        }
        Err(_) => Err(Response::error(408, "the request took too long")),
    }
}

/// A text of a query, in which `%41` means `A` and `+` a space.
fn decoded(text: &str) -> String {
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        let code = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (bytes[at], code) {
            (b'%', Some(code)) => {
                out.push(code);
                at += 2;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    status: u16,
    /// The media type of the body.
    kind: &'static str,
    /// Other headers. Names and values are the server's, never texts of a request or of the data.
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Response {
    /// A body of this media type.
    pub fn new(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, kind, headers: Vec::new(), body: body.into() }
    }

    /// A value as JSON.
    pub fn json(value: &impl serde::Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => Self::new("application/json", body),
            Err(error) => Self::error(500, &error.to_string()),
        }
    }

    /// A sentence about what is wrong, as JSON for the page.
    pub fn error(status: u16, sentence: &str) -> Self {
        let body = serde_json::json!({ "error": sentence }).to_string();
        Self { status, ..Self::new("application/json", body) }
    }

    /// With one more header.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Sends it.
    pub fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        let reason = match self.status {
            200 => "OK",
            403 => "Forbidden",
            404 => "Not Found",
            _ if self.status < 500 => "Bad HttpRequest",
            _ => "Internal Server Error",
        };
        let mut head = format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n",
            self.status,
            self.kind,
            self.body.len()
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes())?;
        stream.write_all(&self.body)?;
        stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_parsed_or_refused() {
        let head = b"GET /a/b?x=%C3%A4+1&y= HTTP/1.1\r\nHost: 127.0.0.1:80\r\nX:  y ";
        let request = HttpRequest::of_head(head).unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/a/b"));
        assert_eq!(request.header("host"), Some("127.0.0.1:80"));
        assert_eq!(request.parameter("x").as_deref(), Some("ä 1"));
        assert_eq!(request.parameter("y").as_deref(), Some(""));
        assert_eq!(request.parameter("z"), None);
        for bad in ["", "GET / HTTP/2", "GET /", "GET x HTTP/1.1", "GET / x HTTP/1.1", "GET / HTTP/1.1\r\nno colon"] {
            assert!(HttpRequest::of_head(bad.as_bytes()).is_none(), "{bad}");
        }
        let twice = HttpRequest::of_head(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b").unwrap();
        assert_eq!(twice.header("host"), None);
        assert_eq!(decoded("%zz%4"), "%zz%4");
    }
}
