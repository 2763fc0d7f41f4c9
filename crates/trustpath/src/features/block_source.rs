//! Features that are read block by block, from a file that does not fit into memory.

/// Rows of features that are read whenever they are needed.
///
/// The same row must have the same values each time. Several threads may read at once. Most reads are in ascending order.
///
/// ```
/// use trustpath::{BlockSource, Features};
///
/// /// Row `i` is the point at the angle `i` on the unit circle.
/// #[derive(Debug)]
/// struct Circle;
///
/// impl BlockSource for Circle {
///     fn read(&self, first: usize, out: &mut [f32]) -> Result<(), String> {
///         for (i, point) in out.chunks_exact_mut(2).enumerate() {
///             let angle = (first + i) as f32;
///             point.copy_from_slice(&[angle.cos(), angle.sin()]);
///         }
///         Ok(())
///     }
/// }
///
/// let features = Features::blocks(&Circle, 1000, 2)?;
/// let mut rows = [0.0; 4];
/// features.block(500, &mut rows)?;
/// assert_eq!(rows[3], f64::from(501f32.sin()));
/// # Ok::<(), trustpath::Error>(())
/// ```
pub trait BlockSource: Sync + std::fmt::Debug {
    /// Reads whole rows from row `first` on, as many as `out` has room for.
    ///
    /// # Errors
    /// What is wrong and what to do about it, in a sentence.
    fn read(&self, first: usize, out: &mut [f32]) -> std::result::Result<(), String>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Features};

    /// Values in memory that count how often they are read.
    #[derive(Debug)]
    struct CountedReads {
        values: Vec<f32>,
        dims: usize,
        reads: std::sync::Mutex<Vec<(usize, usize)>>,
    }

    impl CountedReads {
        fn new(values: Vec<f32>, dims: usize) -> Self {
            Self { values, dims, reads: Vec::new().into() }
        }
    }

    impl BlockSource for CountedReads {
        fn read(&self, first: usize, out: &mut [f32]) -> Result<(), String> {
            self.reads.lock().unwrap().push((first, out.len() / self.dims));
            let values = self.values.get(first * self.dims..).unwrap_or_default();
            let values = values.get(..out.len()).ok_or("the file is shorter now")?;
            out.copy_from_slice(values);
            Ok(())
        }
    }

    fn values(n: usize) -> Vec<f32> {
        (0..n).map(|i| (i as f32 * 0.7).sin() * 3.0 + 1e-3).collect()
    }

    #[test]
    fn rows_of_a_block_source_are_those_in_memory_to_the_bit() {
        let (rows, dims) = (50, 7);
        let kept = CountedReads::new(values(rows * dims), dims);
        let blocks = Features::blocks(&kept, rows, dims).unwrap();
        let memory = Features::new(&kept.values[..], rows, dims).unwrap();
        let double: Vec<f64> = kept.values.iter().map(|&v| v.into()).collect();
        let double = Features::new(&double[..], rows, dims).unwrap();
        let all = memory.normalize().unwrap();
        assert_eq!(blocks.normalize().unwrap().unit(), all.unit());
        assert_eq!(double.normalize().unwrap().unit(), all.unit());
        kept.reads.lock().unwrap().clear();
        let some = [3, 4, 5, 9, 8, 49, 0, 1, 1, 2];
        let gathered = blocks.gather(some).unwrap();
        for (at, row) in some.into_iter().enumerate() {
            assert_eq!(gathered.unit().row(at), all.unit().row(row));
        }
        let runs = [(3, 3), (9, 1), (8, 1), (49, 1), (0, 2), (1, 2)];
        assert_eq!(*kept.reads.lock().unwrap(), runs);
        for features in [blocks, memory, double] {
            let mut block = vec![0.0; 3 * dims];
            features.block(20, &mut block).unwrap();
            assert!(block.iter().zip(&kept.values[20 * dims..]).all(|(b, v)| *b == f64::from(*v)));
            features.normalized_block(20, &mut block).unwrap();
            assert_eq!(block, all.unit().as_slice()[20 * dims..23 * dims]);
        }
    }

    #[test]
    fn many_rows_are_read_in_pieces() {
        let (rows, dims) = (5, super::super::AT_ONCE / 2);
        let kept = CountedReads::new(vec![1.0; rows * dims], dims);
        let instances = Features::blocks(&kept, rows, dims).unwrap().normalize().unwrap();
        assert_eq!(instances.len(), rows);
        assert_eq!(*kept.reads.lock().unwrap(), [(0, 2), (2, 2), (4, 1)]);
    }

    #[test]
    fn invalid_values_are_reported_when_they_are_read() {
        let mut wrong = values(40);
        wrong[4 * 6 + 2] = f32::NEG_INFINITY;
        wrong[4 * 8..4 * 9].fill(0.0);
        let kept = CountedReads::new(wrong, 4);
        let features = Features::blocks(&kept, 12, 4).unwrap();
        let error = features.normalize().unwrap_err();
        assert!(matches!(error, Error::Stored { .. }), "{error}");
        assert_eq!(error.to_string(), "the file is shorter now");
        let features = Features::blocks(&kept, 10, 4).unwrap();
        let expected = Error::NotFinite { row: 6, column: 2, value: f64::NEG_INFINITY };
        assert_eq!(features.normalize().unwrap_err(), expected);
        assert_eq!(features.block(5, &mut [0.0; 8]).unwrap_err(), expected);
        features.block(7, &mut [0.0; 12]).unwrap();
        let zero = features.normalized_block(7, &mut [0.0; 12]).unwrap_err();
        assert_eq!(zero, Error::ZeroVector { row: 8 });
        assert!(matches!(Features::blocks(&kept, 0, 4), Err(Error::Empty { .. })));
    }
}
