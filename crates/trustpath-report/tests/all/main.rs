//! Tests of the public interface: figures, documents, and the label page, also in a real browser.

mod browser;
mod document;
mod figures;
mod label_page;
mod sample;
