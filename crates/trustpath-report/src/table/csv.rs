//! A table as CSV (RFC 4180).

use super::Table;

impl Table {
    /// The table as CSV: the names of the columns, then the rows; a field is quoted where it must be.
    pub fn csv(&self) -> String {
        let head: Vec<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| cell.text.as_str()).collect());
        std::iter::once(head).chain(rows).map(record).collect()
    }
}

fn record(fields: Vec<&str>) -> String {
    let fields: Vec<String> = fields.into_iter().map(field).collect();
    fields.join(",") + "\n"
}

fn field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Column, Table};

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let mut table = Table::new(vec![Column::left("a"), Column::left("b, c")]);
        table.push(["say \"hi\"", "x\ny"]).unwrap();
        table.push(["plain", ""]).unwrap();
        assert_eq!(table.csv(), "a,\"b, c\"\n\"say \"\"hi\"\"\",\"x\ny\"\nplain,\n");
    }
}
