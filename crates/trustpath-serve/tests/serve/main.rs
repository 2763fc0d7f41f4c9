//! Sessions through their server, as a browser uses them.

mod browser;
mod exports;
mod guards;
mod label_studio;
mod pool;
mod sessions;
