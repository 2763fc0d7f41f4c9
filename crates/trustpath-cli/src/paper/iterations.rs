//! ICI(n): n instances of each class per round, until 15 of each are selected.

use super::frame::*;

pub const TARGET: Target = Target {
    name: "iterations",
    about: "Selecting n per round, ICI(n)",
    heading: "Selecting in rounds",
    paper: "accuracy is better when instances are selected in several rounds: 6 of each class in two rounds, ICI(3), is \
            better than 8 in one, ICI(8).",
    find,
};

const STEPS: [usize; 6] = [1, 2, 3, 5, 8, 15];
/// Instances of each class that are selected in total.
const CAP: usize = 15;

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    let mut heads = vec![TableColumn::left("Dataset"), TableColumn::left("Model")];
    heads.extend(["0", "1 round", "2 rounds", "3 rounds"].map(TableColumn::right));
    heads.push(TableColumn::right(format!("all {CAP}")));
    let mut table = Table::new(heads);
    for dataset in &lab.datasets {
        let title = dataset.title();
        let runs = Runs::new(lab, dataset, &STEPS, |step| {
            Experiment::new(1, PoolKind::Transductive).with(|m| (m.step, m.cap) = (step, Some(CAP)))
        })?;
        let mut curves = Vec::new();
        let mut width = 0.0f64;
        for (step, scores) in &runs.0 {
            let by_round = estimates((0..=rounds(*step)).map(|round| scores.after(round)))?;
            let after = |round| by_round.get(round).map_or("–".into(), Estimate::percent);
            let cells = (0..4).map(after).chain([after(rounds(*step))]);
            table.push([title.clone(), format!("ICI({step})")].into_iter().chain(cells))?;
            width = by_round.iter().map(|e| e.half_width).fold(width, f64::max);
            let at =
                |(round, e): (usize, &Estimate)| CurvePoint { error: 0.0, ..point((round * step).min(CAP) as f64, e) };
            let points = by_round.iter().enumerate().map(at).collect();
            curves.push(Curve { name: format!("ICI({step})"), points });
        }
        let curves = Curves {
            title: format!("Selecting n of each class per round, ICI(n), on {title}"),
            subtitle: format!(
                "5-way 1-shot transductive, the same {} episodes for all; 95% interval of each mean: ±{:.1}",
                runs.0.first().map_or(0, |run| run.1.0.len()),
                100.0 * width
            ),
            x: Axis::new("Selected instances of each class").whole(),
            y: Axis::new("Accuracy").unit("%"),
            curves,
            ..Curves::default()
        };
        finding.figure(format!("iterations-{}", dataset.name), curves.figure()?);
        for (claim, name, left, right) in [
            (
                "6 in two rounds are better than 8 in one",
                "ICI(3) after 2 rounds − ICI(8) after 1",
                runs.after(3, 2),
                runs.after(8, 1),
            ),
            (
                "15 in three rounds are better than 15 in one",
                "ICI(5) after 3 rounds − ICI(15) after 1",
                runs.after(5, 3),
                runs.after(15, 1),
            ),
        ] {
            finding.larger(&title, claim, &[Comparison::between(name, &left, &right)?]);
        }
    }
    let caption = "Accuracy in % of ICI(n), 5-way 1-shot transductive, after rounds that select n of each class.";
    finding.table_first(caption, table);
    Ok(())
}

/// Rounds until all are selected.
fn rounds(step: usize) -> usize {
    CAP.div_ceil(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_reach_the_cap() {
        assert_eq!(STEPS.map(rounds), [15, 8, 5, 3, 2, 1]);
    }
}
