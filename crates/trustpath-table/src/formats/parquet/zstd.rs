//! Pages that are compressed with zstd.
//!
//! The Parquet decoder would bring a C library for them. Instead its metadata are changed to say that the pages are not
//! compressed, and what it returns is decompressed here, in Rust. Of the second version of data pages, the levels in
//! front of the values are never compressed.

use std::io::Read;

use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::serialized_reader::SerializedPageReader;
use bytes::Bytes;
use ruzstd::decoding::StreamingDecoder;

use super::source::ParquetBytes;

/// The largest page in bytes; writers make pages of about one MiB.
const LARGEST: u64 = 256 << 20;

/// The pages of a column of a row group.
pub(super) struct ZstdPages(pub SerializedPageReader<ParquetBytes>);

impl PageReader for ZstdPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.0.get_next_page()?.map(decompressed).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.0.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        self.0.take_deferred_dictionary()?.map(decompressed).transpose()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.0.at_record_boundary()
    }
}

impl Iterator for ZstdPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// A page after decompression.
fn decompressed(mut page: Page) -> Result<Page> {
    match &mut page {
        Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => {
            *buf = decompress(&[], buf)?;
        }
        Page::DataPageV2 { buf, is_compressed, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
            let levels = usize::try_from(levels).ok().filter(|&levels| levels <= buf.len());
            let levels = levels.ok_or_else(|| damaged("its levels are longer than itself"))?;
            if *is_compressed && levels < buf.len() {
                *buf = decompress(&buf[..levels], &buf[levels..])?;
            }
            *is_compressed = false;
        }
    }
    Ok(page)
}

/// Some bytes as they are, followed by others after decompression.
fn decompress(before: &[u8], compressed: &[u8]) -> Result<Bytes> {
    let mut bytes = before.to_vec();
    if !compressed.is_empty() {
        let decoder = StreamingDecoder::new(compressed).map_err(|e| damaged(&e.to_string()))?;
        decoder.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| damaged(&e.to_string()))?;
    }
    if bytes.len() as u64 > LARGEST { Err(damaged("it is larger than 256 MiB")) } else { Ok(bytes.into()) }
}

fn damaged(reason: &str) -> ParquetError {
    ParquetError::General(format!("a page compressed with zstd cannot be read ({reason})"))
}
