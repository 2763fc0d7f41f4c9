//! How it was decided which instances get a label: the words in the column `origin` of a labels file.

use std::collections::HashMap;
use std::str::FromStr;

use super::PartlyLabelledTable;
use crate::{Error, Result};

/// The words of the instances, each with its row in the file.
#[derive(Debug, Clone, Default)]
pub(crate) struct OriginWords {
    file: String,
    /// One for every instance; empty if nobody says anything.
    words: Vec<Option<(usize, String)>>,
}

impl OriginWords {
    /// The words in a file for each of `rows` instances: in their order, or by the ids there and here.
    pub fn match_to(file: &str, words: Option<Vec<String>>, rows: usize, ids: Option<(&[String], &[String])>) -> Self {
        let Some(words) = words else { return Self::default() };
        let mut placed = vec![None; rows];
        let places: HashMap<&String, usize> = ids.iter().flat_map(|(_, here)| here.iter().zip(0..)).collect();
        for (row, word) in words.into_iter().enumerate().filter(|(_, word)| !word.trim().is_empty()) {
            let place = ids.map_or(Some(row), |(there, _)| places.get(&there[row]).copied());
            if let Some(place) = place.and_then(|place| placed.get_mut(place)) {
                place.get_or_insert((row, word.trim().to_owned()));
            }
        }
        Self { file: file.to_owned(), words: placed }
    }

    fn at(&self, row: usize) -> Option<(usize, String)> {
        self.words.get(row).cloned().flatten()
    }

    /// Those of some instances.
    pub fn of(&self, rows: &[usize]) -> Self {
        let words = if self.words.is_empty() { Vec::new() } else { rows.iter().map(|&row| self.at(row)).collect() };
        Self { file: self.file.clone(), words }
    }

    /// With those of instances that come after these; the words of the first are known to be right.
    pub fn followed_by(&self, more: &Self, before: usize, added: usize) -> Self {
        if self.words.is_empty() && more.words.is_empty() {
            return Self::default();
        }
        let words = (0..before).map(|row| self.at(row)).chain((0..added).map(|row| more.at(row))).collect();
        Self { file: more.file.clone(), words }
    }

    /// With other words for the instances that have got another label.
    pub fn replaced_by(&self, other: &Self, replaced: impl Iterator<Item = bool>) -> Self {
        let word = |(row, is_new)| if is_new { other.at(row) } else { self.at(row) };
        Self { file: other.file.clone(), words: replaced.enumerate().map(word).collect() }
    }
}

impl PartlyLabelledTable {
    /// The origin of the label of every instance by its word in the labels file, the default where there is none; empty if nobody says
    /// anything. `names` are the words that there are.
    ///
    /// # Errors
    /// When a word is another one.
    pub fn origins<T: FromStr + Default>(&self, names: &[&str]) -> Result<Vec<T>> {
        let origin = |word: &Option<(usize, String)>| match word {
            None => Ok(T::default()),
            Some((row, word)) => word.to_lowercase().parse().map_err(|_| {
                let names = names.join(", ");
                Error::damaged(&self.origins.file, format!("the origin in row {row} is {word:?}, not {names} or blank"))
            }),
        };
        self.origins.words.iter().map(origin).collect()
    }

    /// The same table with the origins of its labels, by name; none if empty.
    pub fn with_origins<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        let words = names.into_iter().enumerate().map(|(row, name)| Some((row, name.to_owned()))).collect();
        self.origins = OriginWords { file: self.source.clone(), words };
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Folder, refused};
    use crate::{PartlyLabelledFile, PartlyLabelledTable, Result};

    /// A pool of three instances with a labels file.
    fn read(name: &str, text: &str) -> PartlyLabelledTable {
        let folder = Folder::new();
        let pool = folder.file("pool.csv", "id,x\na,1\nb,2\nc,3\n");
        PartlyLabelledFile::new(pool).labels(folder.file(name, text)).read().unwrap()
    }

    /// The first letters of the words that are allowed.
    fn origins(table: &PartlyLabelledTable) -> Result<Vec<char>> {
        #[derive(Default)]
        struct Letter(char);
        impl std::str::FromStr for Letter {
            type Err = ();
            fn from_str(word: &str) -> std::result::Result<Self, ()> {
                let first = word.chars().next().ok_or(())?;
                ["random", "chosen"].contains(&word).then_some(Self(first)).ok_or(())
            }
        }
        Ok(table.origins::<Letter>(&["random", "chosen"])?.into_iter().map(|letter| letter.0).collect())
    }

    #[test]
    fn origins_are_read_from_every_kind_of_labels_file() {
        for (name, text) in [
            ("y.csv", "id,label,origin\nc,auk,Random\na,tern,chosen\nb,,\n"),
            ("y.csv", "label,origin\ntern,chosen\n,\nauk,random\n"),
            ("y.tsv", "Origin\tid\tlabel\nrandom\tc\tauk\n\tb\tauk\nchosen\ta\ttern\n"),
            (
                "y.jsonl",
                "{\"id\":\"c\",\"label\":\"auk\",\"origin\":\"random\"}\n{\"id\":\"b\",\"label\":\"auk\"}\n{\"id\":\"a\",\"label\":\"tern\",\"origin\":\"chosen\"}\n",
            ),
        ] {
            assert_eq!(origins(&read(name, text)).unwrap(), ['c', '\0', 'r'], "{name}: {text}");
        }
        assert!(origins(&read("y.csv", "id,label\na,auk\n")).unwrap().is_empty());
        let wrong = read("y.csv", "id,label,origin\na,auk,random\nc,tern,Spain\n");
        refused(origins(&wrong), &["y.csv", "row 1", "\"Spain\"", "random, chosen or blank"]);
    }

    #[test]
    fn origins_stay_with_their_labels() {
        let table = read("y.csv", "id,label,origin\na,auk,random\nb,tern,chosen\n");
        assert_eq!(origins(&table.clone().without(&[0]).unwrap()).unwrap(), ['c', '\0']);
        let more = PartlyLabelledTable::new(vec![1.0], 1, vec!["d".into()], vec![None], vec![], "more").unwrap();
        let both = table.with_more(more).unwrap();
        assert_eq!(origins(&both).unwrap(), ['r', 'c', '\0', '\0']);
        let folder = Folder::new();
        let path = folder.file("z.csv", "id,label,origin\nd,auk,random\nb,auk,\n");
        let again = both.with_labels_of(&path, None, None, &crate::MissingLabels::usual()).unwrap();
        assert_eq!(origins(&again).unwrap(), ['r', '\0', '\0', 'r']);
    }
}
