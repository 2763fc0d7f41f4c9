//! The representation of a large pool as bytes, so that an interrupted run can continue from it.
//!
//! Counts and numbers follow each other in little-endian order, after a line that names the format. Coordinates are kept in single precision,
//! which is how a large pool has them, so that reading gives the same bits.

use std::io::{self, Read, Write};
use std::sync::Arc;

use super::{Projection, Representation};
use crate::neighbors::{Method, NONE, Neighbors, SimilarityGraph};
use crate::{Instances, Matrix};

/// The first line.
const FORMAT: &[u8] = b"trustpath representation 2\n";
/// Numbers that are converted together.
const AT_ONCE: usize = 1 << 16;

/// Numbers of a fixed size.
trait Number: Copy {
    fn put(self, to: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($type:ty),*) => { $(impl Number for $type {
        fn put(self, to: &mut Vec<u8>) {
            to.extend_from_slice(&self.to_le_bytes());
        }

        fn get(bytes: &[u8]) -> Self {
            let mut own = [0; size_of::<Self>()];
            own.copy_from_slice(bytes);
            Self::from_le_bytes(own)
        }
    })* };
}
numbers!(f32, f64, u32, u64);

fn write<T: Number>(to: &mut dyn Write, values: impl Iterator<Item = T>) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(AT_ONCE * size_of::<T>());
    for value in values {
        value.put(&mut bytes);
        if bytes.len() >= AT_ONCE * size_of::<T>() {
            to.write_all(&bytes)?;
            bytes.clear();
        }
    }
    to.write_all(&bytes)
}

fn read<T: Number>(from: &mut dyn Read, count: usize) -> io::Result<Vec<T>> {
    let size = size_of::<T>();
    // A count that is not true ends where the bytes do, before there is room for all of them.
    let mut values = Vec::with_capacity(count.min(AT_ONCE));
    let mut bytes = vec![0; AT_ONCE.min(count) * size];
    while values.len() < count {
        let bytes = &mut bytes[..AT_ONCE.min(count - values.len()) * size];
        from.read_exact(bytes)?;
        values.extend(bytes.chunks_exact(size).map(T::get));
    }
    Ok(values)
}

fn unfit() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

impl Representation {
    /// Writes what is needed to go on, and how neighbours were found.
    pub fn write(&self, to: &mut dyn Write, method: Method) -> io::Result<()> {
        let (u, Projection { signed, mean, basis, .. }) = (self.smooth.unit(), &self.projection);
        let (start, index, weight) = self.graph.parts();
        let nearest = self.neighbors.clone().unwrap_or_default();
        to.write_all(FORMAT)?;
        to.write_all(&[method as u8])?;
        let counts = [u.rows(), u.cols(), mean.len(), nearest.k(), usize::from(*signed)];
        write(to, counts.iter().map(|&count| count as u64))?;
        write(to, [self.recall.unwrap_or(f64::NAN)].into_iter())?;
        write(to, mean.iter().copied())?;
        write(to, basis.as_slice().iter().copied())?;
        write(to, u.as_slice().iter().map(|&v| v as f32))?;
        write(to, start.iter().map(|&at| at as u64))?;
        write(to, index.iter().copied())?;
        write(to, weight.iter().copied())?;
        write(to, (0..nearest.len()).flat_map(|i| nearest.list(i)).copied())
    }

    /// Reads a representation of this number of rows of this number of features, whose neighbours were found by this method.
    pub fn read(from: &mut dyn Read, rows: usize, dims: usize, method: Method) -> io::Result<Self> {
        let (mut format, mut found_by) = (vec![0; FORMAT.len()], [0]);
        from.read_exact(&mut format)?;
        from.read_exact(&mut found_by)?;
        let counts: Vec<usize> = read::<u64>(from, 5)?.into_iter().map(|n| n as usize).collect();
        let (columns, k) = (counts[1], counts[3]);
        let fits = (counts[0], counts[2]) == (rows, dims) && columns <= dims && k <= rows;
        if format != FORMAT || found_by != [method as u8] || !fits {
            return Err(unfit());
        }
        let recall = read::<f64>(from, 1)?[0];
        let mean = read(from, dims)?;
        let basis = Matrix::from_vec(columns, dims, read(from, columns * dims)?);
        let basis = basis.map_err(|_| unfit())?;
        let u: Vec<f32> = read(from, rows * columns)?;
        let u = Matrix::from_fn(rows, columns, |i, j| f64::from(u[i * columns + j]));
        let start: Vec<usize> =
            read::<u64>(from, rows + 1)?.into_iter().map(|n| n as usize).collect();
        let edges = start[rows];
        let (index, weight) = (read::<u32>(from, edges)?, read(from, edges)?);
        let ends: Vec<u32> = read(from, rows * k)?;
        let exists = |&j: &u32| (j as usize) < rows;
        // A list that is shorter ends with `NONE`.
        let sound = start[0] == 0
            && start.is_sorted()
            && index.iter().all(exists)
            && ends.iter().all(|j| *j == NONE || exists(j));
        if !sound || from.read(&mut [0])? != 0 {
            return Err(unfit());
        }
        let nearest = Neighbors::from_parts(k, ends, &[]).map_err(|_| unfit())?;
        Ok(Self {
            smooth: Arc::new(Instances::from_unit(u)),
            projection: Projection { signed: counts[4] == 1, origin: None, mean, basis },
            unit: None,
            graph: SimilarityGraph::from_parts(start, index, weight),
            recall: Some(recall),
            neighbors: Some(nearest),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::Search;
    use crate::observer::{NoObserver, Observer, Stages};
    use crate::{Features, Limits};

    #[test]
    fn a_representation_is_read_as_it_was_and_parts_of_it_are_not_read() {
        let values: Vec<f64> = (0..400 * 12)
            .map(|at| ((at * at) as f64 * 0.37).sin().abs() + (at % 5) as f64)
            .collect();
        let features = Features::new(&values[..], 400, 12).unwrap();
        let limits = Limits { in_memory: 0, ..Limits::default() };
        let pool =
            Representation::of(&features, limits, &mut Stages::new(&mut NoObserver, 3)).unwrap();
        let mut bytes = Vec::new();
        pool.write(&mut bytes, Method::AllPairs).unwrap();
        let read = |bytes: &[u8], rows: usize, method: Method| {
            Representation::read(&mut &bytes[..], rows, 12, method)
        };
        let again = read(&bytes, 400, Method::AllPairs).unwrap();
        assert_eq!(again.smooth.unit(), pool.smooth.unit());
        assert_eq!((&again.projection, &again.graph), (&pool.projection, &pool.graph));
        assert_eq!((again.recall, &again.neighbors), (pool.recall, &pool.neighbors));
        for end in (0..bytes.len()).step_by(997) {
            assert!(read(&bytes[..end], 400, Method::AllPairs).is_err());
        }
        assert!(read(&bytes, 401, Method::AllPairs).is_err());
        assert!(read(&bytes, 400, Method::Cells).is_err());
        assert!(read(&[&bytes[..], &[0]].concat(), 400, Method::AllPairs).is_err());
        // Neighbours that do not exist: the last of the lists, and of the graph.
        let lists = bytes.len() - 400 * 3 * 4;
        for last in [bytes.len() - 4, lists - pool.graph.parts().1.len() * 4 - 4] {
            let mut changed = bytes.clone();
            changed[last..last + 4].copy_from_slice(&400u32.to_le_bytes());
            assert!(read(&changed, 400, Method::AllPairs).is_err());
        }
        // A list may be shorter.
        let last = bytes.len() - 4;
        bytes[last..].copy_from_slice(&NONE.to_le_bytes());
        assert!(read(&bytes, 400, Method::AllPairs).is_ok());
    }

    /// Keeps what a run has kept for the next.
    #[derive(Default)]
    struct KeepingObserver(Vec<u8>);

    impl Observer for KeepingObserver {
        fn stage(&mut self, _: &'static str, _: usize, _: usize) {}

        fn stop(&self) -> bool {
            false
        }

        fn kept(&mut self) -> Option<Box<dyn Read>> {
            (!self.0.is_empty()).then(|| Box::new(io::Cursor::new(self.0.clone())) as Box<dyn Read>)
        }

        fn keep(&mut self, write: &dyn Fn(&mut dyn Write) -> io::Result<()>) {
            self.0.clear();
            write(&mut self.0).unwrap();
        }
    }

    #[test]
    fn a_run_with_another_search_does_not_go_on_from_what_is_kept() {
        let values: Vec<f64> =
            (0..300 * 5).map(|at| 1.0 + ((at * at) as f64 * 0.37).sin()).collect();
        let features = Features::new(&values[..], 300, 5).unwrap();
        let mut observer = KeepingObserver::default();
        let mut kept_by = |search: Search| {
            let limits = Limits { in_memory: 0, search, ..Limits::default() };
            Representation::of(&features, limits, &mut Stages::new(&mut observer, 3)).unwrap();
            observer.0[FORMAT.len()]
        };
        assert_eq!(kept_by(Search::Cells), Method::Cells as u8);
        assert_eq!(kept_by(Search::Exact), Method::AllPairs as u8);
        // The same search, since there are few points.
        assert_eq!(kept_by(Search::Auto), Method::AllPairs as u8);
    }
}
