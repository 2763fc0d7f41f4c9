//! Sessions through their server, as a browser uses them.

mod browser;
mod exports;
mod guards;
mod pool;
mod sessions;
