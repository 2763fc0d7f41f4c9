#![doc = include_str!("../README.md")]

mod answer;
mod error;
mod export;
mod guard;
mod history;
mod http;
mod journal;
mod label_studio;
mod model;
pub mod progress;
mod route;
mod select;
mod server;
mod session;
mod source;
mod task_index;
mod token;
mod view;

pub use error::{Error, Result};
pub use server::Server;
pub use session::{Ended, Session, Settings};
pub use source::SessionPool;
