//! Who may ask: the browser of the person who started the session, and nobody else.
//!
//! The server listens on 127.0.0.1 alone, but every program of the machine and every web page that is open in the
//! browser can reach it there. So each request needs
//! - a random token of 128 bits as the first part of its path, which only the printed address has;
//! - the server's own address as its `Host`, since a page whose name resolves to 127.0.0.1 (DNS rebinding) sends its own;
//! - for changes, an `Origin` that is the server's own if there is one, and a body of JSON, which no plain form can send.
//!
//! Responses forbid the browser to show the page in a frame, to guess media types, to keep copies and to send the
//! address on.

use std::net::SocketAddr;

use crate::http::{HttpRequest, Response};

/// The token and the address of a server.
#[derive(Debug, Clone)]
pub struct Guard {
    token: String,
    hosts: [String; 2],
}

impl Guard {
    /// For a server at this address, whose path begins with this token.
    pub fn new(address: SocketAddr, token: String) -> Self {
        let port = address.port();
        Self { token, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] }
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.hosts[0], self.token)
    }

    /// The path after the token. The error is the response to a request that is not allowed.
    pub fn admit<'a>(&self, request: &'a HttpRequest) -> Result<&'a str, Response> {
        let host = request.header("host").unwrap_or_default();
        if !self.hosts.iter().any(|name| name.eq_ignore_ascii_case(host)) {
            return Err(Response::error(403, "this server answers under its own address only"));
        }
        let rest = request.path.strip_prefix('/').unwrap_or_default();
        let (token, rest) = rest.split_once('/').unwrap_or((rest, ""));
        if !same(token.as_bytes(), self.token.as_bytes()) {
            let why = "the address lacks the token that trustpath serve has printed: copy the entire address";
            return Err(Response::error(403, why));
        }
        if request.method == "POST" {
            let from_page = |origin: &str| self.hosts.iter().any(|h| origin == format!("http://{h}"));
            let json = request.header("content-type").is_some_and(|kind| kind == "application/json");
            if !json || !request.header("origin").is_none_or(from_page) {
                return Err(Response::error(403, "changes come from the page itself only"));
            }
        } else if request.method != "GET" {
            return Err(Response::error(405, "only GET and POST are answered"));
        }
        Ok(rest)
    }

    /// A response with the headers that every one has.
    pub fn protected(response: Response) -> Response {
        response
            .with("X-Content-Type-Options", "nosniff")
            .with("X-Frame-Options", "DENY")
            .with("Referrer-Policy", "no-referrer")
            .with("Cross-Origin-Resource-Policy", "same-origin")
            .with("Cache-Control", "no-store")
    }
}

/// Compares without stopping at the first difference, so that the time says nothing about the token.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |sum, (x, y)| sum | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_random_and_compared_as_a_whole() {
        let guard = || Guard::new(([127, 0, 0, 1], 8080).into(), crate::token::random().unwrap());
        let (a, b) = (guard().address(), guard().address());
        assert!(a.starts_with("http://127.0.0.1:8080/") && a.len() == 22 + 33, "{a}");
        assert_ne!(a, b);
        assert!(same(b"ab", b"ab") && !same(b"ab", b"ac") && !same(b"ab", b"abc"));
    }
}
