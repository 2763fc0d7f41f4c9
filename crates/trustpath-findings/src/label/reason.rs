//! Why an instance has its verdict, in words.

use trustpath::label::{Labelling, Verdict};

use crate::About;

/// The reason for the verdict on one row.
pub fn reason(about: &About<'_>, labelling: &Labelling, row: usize) -> String {
    let name = |class: usize| &about.classes[class];
    let own = labelling.judged_as[row];
    let (rival, fit) = (name(labelling.rival[row]), labelling.credibility[row]);
    let against = labelling.rival_credibility[row];
    let own = name(own);
    let fits = match labelling.verdicts[row] {
        Verdict::Given if against > fit => {
            format!("given as {own} ({fit:.2}), but {rival} would fit better ({against:.2})")
        }
        Verdict::Given => {
            format!("given as {own} ({fit:.2}); next would be {rival} ({against:.2})")
        }
        Verdict::Trusted => format!("fits {own} ({fit:.2}); next is {rival} ({against:.2})"),
        Verdict::Doubtful if against > fit => {
            format!("the classifier says {own} ({fit:.2}), the path {rival} ({against:.2})")
        }
        Verdict::Doubtful => format!("{own} ({fit:.2}) and {rival} ({against:.2}) compete"),
        Verdict::NoneOfThese => {
            format!("unlike every labelled class; comes nearest to {own} ({fit:.2})")
        }
    };
    let nearest: Vec<String> = labelling
        .nearest
        .indices(row)
        .map(|other| {
            let label = about.labels[other].map_or("", |class| name(class));
            format!("{} ({label})", about.ids[other])
        })
        .collect();
    match nearest.is_empty() {
        true => fits,
        false => format!("{fits}; nearest labelled: {}", nearest.join(", ")),
    }
}
