//! Times the unpacking of the features that come with the crate.
//!
//! ```text
//! cargo run --release -p trustpath-episodes --example unpack
//! ```

use std::time::Instant;

use trustpath_episodes::{Result, Split, embedded};

fn main() -> Result<()> {
    for dataset in embedded::DATASETS {
        for split in [Split::Novel, Split::Validation] {
            let start = Instant::now();
            let table = embedded::load(dataset, split)?;
            let (rows, dims, classes) = (table.rows(), table.dims(), table.class_names().len());
            let ms = start.elapsed().as_secs_f64() * 1e3;
            println!("{}: {rows} × {dims}, {classes} classes, {ms:.0} ms", table.source());
        }
    }
    Ok(())
}
