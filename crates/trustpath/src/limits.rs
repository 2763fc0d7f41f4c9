//! The sizes at which another algorithm takes over, or a part of the data is used for all of it.

/// Instances up to which a reduction builds matrices over all pairs of them. An eigendecomposition takes `2n³/3`
/// multiply-adds, a few seconds at this size; beyond, reductions use sparse matrices or landmarks.
pub const DENSE_ROWS: usize = 2000;
/// Instances up to which their Gram matrix is computed. Beyond, it needs more memory (32 MiB here) than most features.
pub const GRAM_ROWS: usize = 2048;
/// Points up to which nearest neighbours are searched among all pairs, in time that grows with the square. Beyond, only the
/// cells around each point are searched, which finds nearly all neighbours.
pub const EXACT_POINTS: usize = 20_000;
/// Features up to which principal components of many instances come from the scatter matrix. Beyond, the matrix and its
/// eigenvectors cost more than a sketch.
pub(crate) const SCATTER_DIMS: usize = 2048;
/// Instances that `isomap` and `mds` place by their own objective when there are more than [`DENSE_ROWS`]; the others are
/// placed by their distances to these.
pub(crate) const LANDMARKS: usize = 1000;
/// Members of a connected component among which the nearest to another component is searched first: all pairs of members
/// would be too many.
pub(crate) const BRIDGE_SAMPLE: usize = 100;
/// Instances that a map places by gradient descent, whose cost grows with the square; the others are placed by these.
pub(crate) const MAP_LANDMARKS: usize = 1500;
/// Principal components on which the distances of a map are measured: enough for the neighbourhoods of a figure.
pub(crate) const MAP_COMPONENTS: usize = 50;
/// Principal components in which a pool is labelled, at most.
pub(crate) const POOL_COMPONENTS: usize = 128;
/// Dimensions of the features of a large pool that are kept at least: the components in the end, and a quarter as many
/// more to choose them from.
pub(crate) const LEAST_KEPT_DIMS: usize = POOL_COMPONENTS + POOL_COMPONENTS / 4;
/// Rows of a large pool whose exact neighbours are computed, to report the share that the graph found.
pub(crate) const RECALL_ROWS: usize = 256;
/// Places in a large pool at which [`SIGN_ROWS`] rows each are read to see whether features have signs.
pub(crate) const SIGN_PLACES: usize = 16;
/// Rows read at each of these places.
pub(crate) const SIGN_ROWS: usize = 256;
/// Points whose exact neighbours are computed to measure the recall of a search in cells.
pub(crate) const RECALL_POINTS: usize = 1000;
/// Cells of average size that are searched around each cell.
pub(crate) const CELLS_AROUND: usize = 64;
/// Points for each cell that k-means places the cells by: the centres need to be spread like the points, not optimal.
pub(crate) const CELL_SAMPLE: usize = 32;
/// Points, at most, that the centre of all points is the mean of.
pub(crate) const CENTRE_ROWS: usize = 4096;
