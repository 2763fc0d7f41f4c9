//! A server on 127.0.0.1 for one session.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::guard::Guard;
use crate::http::HttpRequest;
use crate::route::respond;
use crate::session::Session;
use crate::token;
use crate::{Error, Result};

/// Requests that are answered at the same time, at most.
const MOST: usize = 32;
/// How often it is asked whether to stop.
const TICK: Duration = Duration::from_millis(50);

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    guard: Guard,
}

impl Server {
    /// Listens on a port, or on a free one if it is 0. The token is that of a file, which is made if it does not exist, so that
    /// the address stays the same when the session is started again on the same port; without a file it is a new one.
    ///
    /// # Errors
    /// [`Error::Listen`], [`Error::Token`].
    pub fn bind(port: u16, token_file: Option<&Path>) -> Result<Self> {
        let failed = |reason: String| Error::Listen { port, reason };
        let token = match token_file {
            Some(file) => token::of_file(file)?,
            None => token::random().map_err(failed)?,
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|e| failed(e.to_string()))?;
        let address = listener.local_addr().map_err(|e| failed(e.to_string()))?;
        Ok(Self { guard: Guard::new(address, token), listener })
    }

    /// The address that Label Studio is given, with the token.
    pub fn label_studio_address(&self) -> String {
        format!("{}label-studio", self.guard.address())
    }

    /// The address of the page, with its token.
    pub fn address(&self) -> String {
        self.guard.address()
    }

    /// Answers requests and updates the model until `stop` says so or the page ends the session.
    pub fn run(&self, session: &Session, stop: impl Fn() -> bool) {
        let (stopped, busy) = (AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| session.work());
            let accepting = scope.spawn(|| {
                for stream in self.listener.incoming() {
                    if stopped.load(Ordering::Relaxed) {
                        return;
                    }
                    let Ok(stream) = stream else { continue };
                    if busy.fetch_add(1, Ordering::Relaxed) >= MOST {
                        busy.fetch_sub(1, Ordering::Relaxed);
                        continue;
                    }
                    let busy = &busy;
                    scope.spawn(move || {
                        self.answer(session, stream);
                        busy.fetch_sub(1, Ordering::Relaxed);
                    });
                }
            });
            while !stop() && !session.is_closing() {
                std::thread::sleep(TICK);
            }
            session.close();
            stopped.store(true, Ordering::Relaxed);
            // The thread waits for a connection: this is one.
            if let Ok(address) = self.listener.local_addr() {
                let _ = TcpStream::connect(address);
            }
            let _ = accepting.join();
        });
    }

    fn answer(&self, session: &Session, mut stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let answered = HttpRequest::read(&mut stream)
            .and_then(|request| self.guard.admit(&request).map(|path| respond(session, &request, path)));
        let response = answered.unwrap_or_else(|refused| refused);
        // A browser that has gone away needs no answer.
        let _ = Guard::protected(response).write(&mut stream);
    }
}
