//! Who is answered, and what is not.

use crate::pool::{Running, Wish};

#[test]
fn only_the_printed_address_under_its_own_name_is_answered() {
    let (_folder, session) = Running::fresh(&Wish::default());
    let (host, token) = session.parts();
    let port = host.split_once(':').unwrap().1.to_owned();
    let ask = |line: &str, headers: &str| session.raw(format!("{line}\r\n{headers}\r\n\r\n").as_bytes());
    let state = format!("GET {token}state HTTP/1.1");
    assert_eq!(ask(&state, &format!("Host: {host}")).0, 200);
    assert_eq!(ask(&state, &format!("Host: localhost:{port}")).0, 200);

    // Names that lead here by DNS rebinding, no name, two names, another port.
    for host in ["Host: evil.example", "Host: evil.example:80", "X: y", "Host: 127.0.0.1", "Host: 127.0.0.1:1"] {
        let (status, _, body) = ask(&state, host);
        assert_eq!(status, 403, "{host}");
        assert!(!String::from_utf8_lossy(&body).contains("classes"));
    }
    let twice = format!("Host: {host}\r\nHost: {host}");
    assert_eq!(ask(&state, &twice).0, 403);

    // No token, a wrong one, a part of it, one with a letter changed.
    let named = format!("Host: {host}");
    let mut changed = token.clone().into_bytes();
    changed[5] = if changed[5] == b'0' { b'1' } else { b'0' };
    let changed = String::from_utf8(changed).unwrap();
    for path in ["/", "/state", "//state", "/x/state", &token[..9], &changed, "/../state"] {
        let (status, _, body) = ask(&format!("GET {path} HTTP/1.1"), &named);
        assert_eq!(status, 403, "{path}");
        assert!(String::from_utf8_lossy(&body).contains("token"), "{path}");
    }
    let post = |kind: &str, origin: &str| {
        let headers = format!("{named}\r\nContent-Type: {kind}\r\nOrigin: {origin}\r\nContent-Length: 2");
        session.raw(format!("POST {token}update HTTP/1.1\r\n{headers}\r\n\r\n{{}}").as_bytes()).0
    };
    assert_eq!(post("application/json", &format!("http://{host}")), 200);
    assert_eq!(post("application/json", "http://evil.example"), 403);
    assert_eq!(post("application/json", "null"), 403);
    assert_eq!(post("text/plain", &format!("http://{host}")), 403, "what a form of another page can send");
    assert_eq!(ask(&format!("DELETE {token}state HTTP/1.1"), &named).0, 405);
}

#[test]
fn bad_requests_are_refused_and_harm_nothing() {
    let (folder, session) = Running::fresh(&Wish::default());
    let (host, token) = session.parts();
    let head = format!("POST {token}answer HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json");
    for (request, status) in [
        ("\r\n\r\n".to_owned(), 400),
        ("GET\r\n\r\n".to_owned(), 400),
        (format!("{head}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400),
        (format!("{head}\r\nContent-Length: -1\r\n\r\n"), 400),
        (format!("{head}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}"), 400),
        (format!("{head}\r\nContent-Length: 99999999\r\n\r\n"), 413),
        (format!("{head}\r\nContent-Length: 3\r\n\r\nxyz"), 400),
        (format!("{head}\r\nX: {}\r\n\r\n", "y".repeat(20_000)), 431),
    ] {
        assert_eq!(session.raw(request.as_bytes()).0, status, "{}", &request[..request.len().min(90)]);
    }
    for (path, status) in [
        ("nothing", 404),
        ("image/999", 404),
        ("export/../../etc/passwd", 404),
        ("similar?row=1", 400),
        ("items?rows=a", 400),
        ("items?rows=999", 400),
    ] {
        assert_eq!(session.get_bytes(path).0, status, "{path}");
    }
    for body in [
        serde_json::json!({ "rows": [], "to": "label", "label": "auk" }),
        serde_json::json!({ "rows": [999], "to": "label", "label": "auk" }),
        serde_json::json!({ "rows": [1], "to": "label", "label": "unknown" }),
        serde_json::json!({ "rows": [1], "to": "label" }),
        serde_json::json!({ "rows": [1], "to": "sing" }),
        serde_json::json!([]),
    ] {
        let (status, answer) = session.try_post("answer", &body);
        assert_eq!(status, 400, "{body}");
        assert!(answer["error"].as_str().unwrap().len() > 10);
    }
    let state = session.get("state");
    assert_eq!(state["counts"]["open"], 60);
    let ended = session.end().unwrap();
    assert!(!ended.written && !folder.path().join("labels.csv").exists());
}

#[test]
fn responses_protect_the_page() {
    let (_folder, session) = Running::fresh(&Wish::default());
    let (status, head, body) = session.get_bytes("");
    let page = String::from_utf8(body).unwrap();
    assert_eq!(status, 200);
    for header in [
        "Content-Security-Policy: default-src 'none'; script-src 'sha256-",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "X-Frame-Options: DENY",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
    ] {
        assert!(head.contains(header), "{header}: {head}");
    }
    for outside in ["http://", "https://", "src=\"/", "@import"] {
        let is_named = page.replace("http://www.w3.org/2000/svg", "").contains(outside);
        assert!(!is_named, "the page must not name {outside}");
    }
}
