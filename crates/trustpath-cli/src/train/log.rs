//! The log of a run: one line per epoch, a csv, and two plots.

use std::io::Write;
use std::path::Path;

use trustpath_report::{Axis, Curve, CurvePoint, Curves};
use trustpath_table::write_atomically;
use trustpath_vision::train::Epoch;

use crate::error::Result;

/// The words above the lines.
pub const HEAD: &str = "epoch     rate    loss  global nearest right %  val 1-shot  val 5-shot  images/s";

/// An epoch in a line.
pub fn line(epoch: &Epoch) -> String {
    let accuracy = |which: usize| match epoch.validation {
        Some(both) => format!("{:.2} %", 100.0 * both[which]),
        None => "-".into(),
    };
    format!(
        "{:>5} {:>8} {:>7.3} {:>7.3} {:>7.3} {:>7.2} {:>11} {:>11} {:>11.0}",
        epoch.number,
        epoch.rate,
        epoch.loss,
        epoch.global,
        epoch.nearest,
        100.0 * epoch.right,
        accuracy(0),
        accuracy(1),
        epoch.images_per_second,
    )
}

/// Writes `log.csv`, `loss.png` and `accuracy.png` (and the plots as SVG) into the folder of a run.
pub fn write(folder: &Path, epochs: &[Epoch]) -> Result<()> {
    let put = |name: &str, bytes: &[u8]| write_atomically(folder.join(name), |file| file.write_all(bytes));
    put("log.csv", csv(epochs).as_bytes())?;
    for (name, curves) in [("loss", loss(epochs)), ("accuracy", accuracy(epochs))] {
        let figure = curves.figure()?;
        put(&format!("{name}.svg"), figure.svg().as_bytes())?;
        put(&format!("{name}.png"), &figure.png(2.0)?)?;
    }
    Ok(())
}

fn csv(epochs: &[Epoch]) -> String {
    let mut text = String::from(
        "epoch,rate,loss,global_loss,nearest_loss,right,val_1_shot,val_5_shot,seconds,images_per_second\n",
    );
    for e in epochs {
        let [one, five] =
            e.validation.map_or([const { String::new() }; 2], |both| both.map(|accuracy| accuracy.to_string()));
        text += &format!(
            "{},{},{},{},{},{},{one},{five},{:.2},{:.0}\n",
            e.number, e.rate, e.loss, e.global, e.nearest, e.right, e.seconds, e.images_per_second,
        );
    }
    text
}

fn curve(name: &str, epochs: &[Epoch], value: impl Fn(&Epoch) -> f64) -> Curve {
    let point = |e: &Epoch| CurvePoint { x: e.number as f64, y: value(e), error: 0.0 };
    Curve { name: name.into(), points: epochs.iter().map(point).collect() }
}

fn loss(epochs: &[Epoch]) -> Curves {
    Curves {
        title: "Loss by epoch".into(),
        subtitle: "training classes; the sum is what is lowered".into(),
        x: Axis::new("Epoch").whole(),
        y: Axis::new("Loss"),
        curves: vec![
            curve("sum", epochs, |e| e.loss),
            curve("global", epochs, |e| e.global),
            curve("nearest neighbour", epochs, |e| e.nearest),
        ],
        ..Curves::default()
    }
}

fn accuracy(epochs: &[Epoch]) -> Curves {
    let percent = |share: f64| 100.0 * share;
    let mut curves = vec![curve("training, 1-shot, by position", epochs, |e| percent(e.right))];
    let validated: Vec<Epoch> = epochs.iter().filter(|e| e.validation.is_some()).cloned().collect();
    for (which, name) in ["validation, 1-shot", "validation, 5-shot"].into_iter().enumerate() {
        if !validated.is_empty() {
            let value = |e: &Epoch| percent(e.validation.map_or(f64::NAN, |both| both[which]));
            curves.push(curve(name, &validated, value));
        }
    }
    Curves {
        title: "Accuracy by epoch".into(),
        subtitle: "prototypes, 5-way; validation classes are not trained on".into(),
        x: Axis::new("Epoch").whole(),
        y: Axis::new("Accuracy").unit("%"),
        curves,
        ..Curves::default()
    }
}
