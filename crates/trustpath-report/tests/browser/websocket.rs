//! As much of a websocket client (RFC 6455) as talking to a browser on this machine takes: text, in both directions.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub struct WebSocket(TcpStream);

impl WebSocket {
    /// Connects to `ws://HOST:PORT/PATH`.
    pub fn connect(address: &str, timeout: Duration) -> io::Result<Self> {
        let rest = address.strip_prefix("ws://").ok_or(io::ErrorKind::InvalidInput)?;
        let (host, path) = rest.split_once('/').ok_or(io::ErrorKind::InvalidInput)?;
        let mut stream = TcpStream::connect(host)?;
        stream.set_read_timeout(Some(timeout))?;
        stream.set_nodelay(true)?;
        write!(
            stream,
            "GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dHJ1c3RwYXRoLXRlc3RzIQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )?;
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            answer.push(byte[0]);
        }
        let answer = String::from_utf8_lossy(&answer);
        if !answer.starts_with("HTTP/1.1 101") {
            return Err(io::Error::other(format!("the browser answered: {answer}")));
        }
        Ok(Self(stream))
    }

    /// Sends one text, in one frame.
    pub fn send(&mut self, text: &str) -> io::Result<()> {
        let length = text.len();
        let mut frame = vec![0x81];
        match length {
            0..126 => frame.push(0x80 | length as u8),
            126..65_536 => {
                frame.push(0x80 | 126);
                frame.extend((length as u16).to_be_bytes());
            }
            _ => {
                frame.push(0x80 | 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        // A mask is required of clients; zeros leave the text as it is.
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.0.write_all(&frame)
    }

    /// The next text, put together from its frames.
    pub fn receive(&mut self) -> io::Result<String> {
        let mut text = Vec::new();
        loop {
            let mut head = [0; 2];
            self.0.read_exact(&mut head)?;
            let length = match head[1] & 0x7f {
                126 => u64::from(u16::from_be_bytes(self.bytes()?)),
                127 => u64::from_be_bytes(self.bytes()?),
                short => u64::from(short),
            };
            let mut part = vec![0; length as usize];
            self.0.read_exact(&mut part)?;
            match head[0] & 0x0f {
                0 | 1 => text.extend(part),
                8 => return Err(io::ErrorKind::ConnectionAborted.into()),
                _ => continue,
            }
            if head[0] & 0x80 != 0 {
                return String::from_utf8(text).map_err(io::Error::other);
            }
        }
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
