//! What each address of the server does.

use serde::Deserialize;
use trustpath::Origin;

use crate::export;
use crate::http::{HttpRequest, Response};
use crate::journal::{Target, origin};
use crate::label_studio;
use crate::select;
use crate::session::Session;
use crate::view;
use crate::{Error, Result};

/// Edges of images in pixels: on a tile, and alone.
const TILE: usize = 224;
const LARGE: usize = 1200;
/// The size of a check, unless another one is asked for, and the largest.
const CHECK: usize = 50;
const LARGEST_CHECK: usize = 1000;

#[derive(Deserialize)]
struct AnswerBody {
    rows: Vec<usize>,
    /// A person picks what is not asked for at random.
    #[serde(default = "chosen", with = "origin")]
    origin: Origin,
    #[serde(flatten)]
    to: Target,
}

fn chosen() -> Origin {
    Origin::Chosen
}

#[derive(Deserialize)]
struct CheckBody {
    size: Option<usize>,
}

#[derive(Deserialize)]
struct FolderBody {
    #[serde(default)]
    links: bool,
}

/// The response to a request, whose path after the token is `path`.
pub fn respond(session: &Session, request: &HttpRequest, path: &str) -> Response {
    let label_studio = match path {
        "label-studio" => Some(""),
        path => path.strip_prefix("label-studio/"),
    };
    let response = match (request.method.as_str(), label_studio) {
        (_, Some(path)) if session.settings.label_studio => label_studio::respond(session, request, path),
        ("POST", _) => post(session, request, path),
        _ => get(session, request, path),
    };
    match response {
        Ok(response) => response,
        Err(Error::Refused(sentence)) => Response::error(400, &sentence),
        Err(error) => Response::error(500, &error.to_string()),
    }
}

fn get(session: &Session, request: &HttpRequest, path: &str) -> Result<Response> {
    let number = |text: &str| text.parse::<usize>().ok();
    let parameter = |name: &str| request.parameter(name);
    let numbered = |name: &str| parameter(name).as_deref().and_then(number);
    for (place, edge) in [("tile/", TILE), ("image/", LARGE)] {
        if let Some(row) = path.strip_prefix(place).and_then(number) {
            return Ok(image(session, row, edge));
        }
    }
    if let Some(name) = path.strip_prefix("export/") {
        return export::file(session, name);
    }
    match path {
        "" => Ok(Response::new("text/html; charset=utf-8", trustpath_report::serve_page::html())
            .with("Content-Security-Policy", trustpath_report::serve_page::policy())),
        "state" => {
            let state = session.lock();
            let known = parameter("version").as_deref().and_then(|text| text.parse().ok());
            if known == Some(state.version) {
                let same = serde_json::json!({ "version": state.version, "stage": state.stage });
                return Ok(Response::json(&same));
            }
            Ok(Response::json(&view::session(session, &state, numbered("row"))))
        }
        "class" => {
            let least = parameter("least").and_then(|text| text.parse::<f64>().ok());
            let class = numbered("class").ok_or_else(|| Error::refused("no class is chosen"))?;
            Ok(Response::json(&select::by_class(session, class, least.unwrap_or(0.0))?))
        }
        "similar" => {
            let row = numbered("row").ok_or_else(|| Error::refused("no instance is chosen"))?;
            Ok(Response::json(&select::similar(session, row)?))
        }
        "items" => {
            let rows = parameter("rows").unwrap_or_default();
            let rows: Option<Vec<usize>> = rows.split(',').map(number).collect();
            let rows = rows.ok_or_else(|| Error::refused("rows are numbers"))?;
            Ok(Response::json(&select::rows(session, &rows)?))
        }
        "suspects" => Ok(Response::json(&select::suspects(session)?)),
        "map" => Ok(Response::json(&select::map(session)?)),
        _ => Ok(Response::error(404, "there is no such page")),
    }
}

fn post(session: &Session, request: &HttpRequest, path: &str) -> Result<Response> {
    match path {
        "answer" => {
            let AnswerBody { rows, origin, to } = request.json()?;
            session.answer(&rows, &to, origin)?;
        }
        "undo" => {
            let rows = session.undo()?;
            return Ok(Response::json(&serde_json::json!({ "rows": rows })));
        }
        "update" => session.update(),
        "audit" => session.audit(),
        "check" => {
            let CheckBody { size } = request.json()?;
            session.draw_check(size.unwrap_or(CHECK).min(LARGEST_CHECK))?;
        }
        "export-folder" => {
            let FolderBody { links } = request.json()?;
            let (folder, files) = export::folder(session, links)?;
            let body = serde_json::json!({ "folder": folder, "files": files });
            return Ok(Response::json(&body));
        }
        "end" => session.close(),
        _ => return Ok(Response::error(404, "there is no such page")),
    }
    Ok(Response::json(&serde_json::json!({ "version": session.lock().version })))
}

fn image(session: &Session, row: usize, edge: usize) -> Response {
    let source = session.source.as_ref();
    match (row < source.pool().rows()).then(|| source.image(row, edge)).flatten() {
        Some(bytes) => Response::new("image/jpeg", bytes),
        None => Response::error(404, "there is no such image"),
    }
}
