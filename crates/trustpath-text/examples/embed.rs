//! Features of the lines of a file by a sentence transformer, and how many texts per second.
//!
//! ```sh
//! cargo run --release -p trustpath-text --example embed -- MODEL LINES.txt [OUT.npy] [TURNS]
//! ```

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use trustpath_text::SentenceModel;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [model, lines, rest @ ..] = &args[..] else {
        return Err("give MODEL LINES.txt [OUT.npy] [TURNS]".into());
    };
    let model = SentenceModel::open(Path::new(model))?;
    // Lines are JSON strings, so that a text may hold line breaks.
    let texts = std::fs::read_to_string(lines)?;
    let texts: Vec<String> = texts.lines().map(serde_json::from_str).collect::<Result<_, serde_json::Error>>()?;
    let turns = rest.get(1).map_or(Ok(1), |turns| turns.parse())?;
    for _ in 0..turns {
        let start = Instant::now();
        let features = model.embed(&texts, |_| true)?;
        println!("{:.1} texts/s", texts.len() as f64 / start.elapsed().as_secs_f64());
        if let Some(out) = rest.first().filter(|out| !out.is_empty()) {
            let mut bytes = Vec::new();
            trustpath_table::npy::write_f32(&mut bytes, &[texts.len(), model.dim()], &features)?;
            std::fs::File::create(out)?.write_all(&bytes)?;
        }
    }
    Ok(())
}
