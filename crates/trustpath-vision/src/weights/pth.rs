//! Weights in the checkpoints of PyTorch, `.pth` and `.pth.tar`.
//!
//! Since version 1.6 a checkpoint is a zip: `data.pkl` says which tensors there are, and `data/0`, `data/1`, … hold
//! their numbers. Before, it was pickles one after the other (a magic number, the version of the format, facts about
//! the machine, the tensors, the names of the storages) and then each storage, preceded by its length. Either way the
//! pickle is read as inert data: a tensor is a call of `torch._utils._rebuild_tensor_v2` that is not made, with a
//! storage, an offset, a shape and strides.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

use safetensors::tensor::Dtype;

use super::file::decode;
use super::{NetworkWeights, Parameter};
use crate::pickle::{Id, Pickle, PickledValue};
use crate::source::{FileTree, Section};
use crate::{Error, Result};

/// How a pickle begins that holds the magic number of a checkpoint before version 1.6.
const MAGIC: &[u8] = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.";
/// Where the tensors of a network are in a checkpoint that holds more.
const NETWORKS: [&str; 6] = ["state_dict", "model_state_dict", "params", "model", "network", "net"];
/// Dictionaries within dictionaries that are searched.
const DEEPEST: usize = 4;
/// The most axes that a tensor of PyTorch has.
const MOST_AXES: usize = 64;

/// Whether a file begins as a checkpoint of PyTorch does, in either format.
pub(super) fn is_checkpoint(path: &Path) -> bool {
    let mut head = [0; 2];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && (head == *b"PK" || head == MAGIC[..2])
}

impl NetworkWeights {
    /// Reads a checkpoint of PyTorch. Tensors of other types than f16, bf16, f32 and f64 are left out: they are
    /// counters, not weights.
    ///
    /// # Errors
    /// [`Error::Weights`] if it cannot be read, is damaged, or holds no tensors by name.
    pub fn read_pth(path: impl AsRef<Path>) -> Result<Self> {
        let name = path.as_ref().display().to_string();
        match open(path.as_ref(), &name, |mut reader| reader.network()) {
            Ok(parameters) => Ok(Self::new(name, parameters)),
            Err(weights @ Error::Weights { .. }) => Err(weights),
            Err(Error::Pickle { reason, .. } | Error::Read { reason, .. }) => Err(refuse(&name, reason)),
            Err(other) => Err(refuse(&name, other.to_string())),
        }
    }
}

fn refuse(file: &str, reason: impl Into<String>) -> Error {
    let remedy = "get it again, or save it again by torch.save(model.state_dict(), …)";
    super::file::refuse(file, reason, remedy)
}

/// The tensors of floating-point numbers that `torch.save` wrote: one without a name, or those of dictionaries.
pub(crate) fn read_tensors(path: &Path) -> Result<BTreeMap<String, Parameter>> {
    open(path, &path.display().to_string(), |mut reader| {
        let root = reader.doc.root;
        let mut tensors = BTreeMap::new();
        match reader.tensor(root, "the tensor")? {
            Some(tensor) => drop(tensors.insert(String::new(), tensor)),
            None => reader.collect(root, "", 0, &mut tensors)?,
        }
        Ok(tensors)
    })
}

/// Opens a file of PyTorch, and reads from it.
fn open<T>(path: &Path, name: &str, read: impl FnOnce(CheckpointReader) -> Result<T>) -> Result<T> {
    let file = std::fs::File::open(path).map_err(|e| crate::source::cannot(name, &e))?;
    let whole = Section::whole(name.into(), file)?;
    let head = whole.read_at(0, MAGIC.len().min(whole.len as usize))?;
    if head.starts_with(b"PK") {
        let source = FileTree::open(path)?;
        let pickle = source.names().find(|n| *n == "data.pkl" || n.ends_with("/data.pkl"));
        let pickle = pickle.ok_or_else(|| refuse(name, "it is a zip without data.pkl"))?;
        let root = pickle.trim_end_matches("data.pkl").to_string();
        let code = format!("{root}code/");
        if source.contains(&format!("{root}constants.pkl")) && source.names().any(|n| n.starts_with(&code)) {
            let remedy = "save its tensors by torch.save(torch.jit.load(FILE).state_dict(), …), and give that file";
            return Err(super::file::refuse(name, "it is a TorchScript archive", remedy));
        }
        let order = format!("{root}byteorder");
        if source.contains(&order) && source.read(&order)? != b"little" {
            return Err(refuse(name, "its numbers have their highest byte first"));
        }
        let doc = Pickle::read(&source.section(pickle)?, 0)?;
        let storages = Storages::Zip { source: &source, root };
        return read(CheckpointReader { name, doc: &doc, storages, left: whole.len });
    }
    if head != MAGIC {
        return Err(refuse(name, "it is not a checkpoint of PyTorch"));
    }
    let mut at = MAGIC.len() as u64;
    for _ in ["version", "machine"] {
        at = Pickle::read(&whole, at)?.end;
    }
    let doc = Pickle::read(&whole, at)?;
    let keys = Pickle::read(&whole, doc.end)?;
    let names = keys.texts(keys.root);
    let names = names.ok_or_else(|| refuse(name, "its storages have no names"))?;
    let places = places(&whole, &doc, keys.end, &names)?;
    let storages = Storages::File { whole: &whole, places };
    read(CheckpointReader { name, doc: &doc, storages, left: whole.len })
}

/// Where the storages are that follow the pickles of an old checkpoint.
fn places(whole: &Section, doc: &Pickle, mut at: u64, names: &[String]) -> Result<HashMap<String, (u64, u64)>> {
    let storage = |node: &PickledValue| match node {
        PickledValue::Persistent(of) => storage(doc, *of).map(|(key, _, size)| (key, size)),
        _ => None,
    };
    let sizes: HashMap<String, u64> = doc.nodes.iter().filter_map(storage).collect();
    let mut places = HashMap::new();
    for name in names {
        let count = whole.read_at(at, 8)?.try_into().map_or(0, u64::from_le_bytes);
        let size = sizes.get(name).copied().unwrap_or(0);
        let bytes = count.checked_mul(size).filter(|bytes| size > 0 && *bytes <= whole.len);
        let bytes = bytes.ok_or_else(|| doc.refuse(format!("its storage {name} has no size")))?;
        places.insert(name.clone(), (at + 8, bytes));
        at += 8 + bytes;
    }
    Ok(places)
}

/// The key of `('storage', torch.FloatStorage, key, device, count, …)`, its type where that is one of weights, and the
/// bytes of each number.
fn storage(doc: &Pickle, id: Id) -> Option<(String, Option<Dtype>, u64)> {
    let [tag, class, key, ..] = doc.list(id)? else { return None };
    (doc.text(*tag)? == "storage").then_some(())?;
    let (dtype, size) = match doc.global(*class)?.1 {
        "HalfStorage" => (Some(Dtype::F16), 2),
        "BFloat16Storage" => (Some(Dtype::BF16), 2),
        "FloatStorage" => (Some(Dtype::F32), 4),
        "DoubleStorage" => (Some(Dtype::F64), 8),
        "ByteStorage" | "CharStorage" | "BoolStorage" | "UntypedStorage" => (None, 1),
        "ShortStorage" => (None, 2),
        "IntStorage" => (None, 4),
        "LongStorage" | "ComplexFloatStorage" => (None, 8),
        "ComplexDoubleStorage" => (None, 16),
        _ => return None,
    };
    Some((doc.text(*key)?, dtype, size))
}

/// Where the numbers are.
enum Storages<'a> {
    Zip { source: &'a FileTree, root: String },
    File { whole: &'a Section, places: HashMap<String, (u64, u64)> },
}

struct CheckpointReader<'a> {
    name: &'a str,
    doc: &'a Pickle,
    storages: Storages<'a>,
    /// How many more numbers there may be: each takes at least a byte, whatever the shapes claim.
    left: u64,
}

impl CheckpointReader<'_> {
    /// The tensors of a network.
    fn network(&mut self) -> Result<BTreeMap<String, Parameter>> {
        let root = self.doc.root;
        let mut tensors = BTreeMap::new();
        for inner in NETWORKS.iter().filter_map(|key| self.doc.entry(root, key)).chain([root]) {
            self.collect(inner, "", 0, &mut tensors)?;
            if !tensors.is_empty() {
                return Ok(tensors);
            }
        }
        Err(refuse(self.name, "it holds no tensors by name"))
    }

    /// Tensors of a dictionary and of those within it, whose names are joined by dots.
    fn collect(&mut self, id: Id, prefix: &str, depth: usize, tensors: &mut BTreeMap<String, Parameter>) -> Result<()> {
        for (key, value) in self.doc.entries(id).unwrap_or_default() {
            let Some(key) = self.doc.text(*key) else { continue };
            let key = format!("{prefix}{key}");
            match self.tensor(*value, &key)? {
                Some(tensor) => drop(tensors.insert(key, tensor)),
                None if depth < DEEPEST => {
                    self.collect(*value, &format!("{key}."), depth + 1, tensors)?;
                }
                None => {}
            }
        }
        Ok(())
    }

    /// A tensor of weights; none for counters and all else.
    fn tensor(&mut self, id: Id, key: &str) -> Result<Option<Parameter>> {
        let doc = self.doc;
        let (inner, offset, shape, strides) = match doc.call(id) {
            Some(("torch._utils", "_rebuild_parameter", [inner, ..])) if *inner != id => {
                return match doc.call(*inner) {
                    // PyTorch never writes a parameter of a parameter.
                    Some((_, "_rebuild_parameter", _)) => Ok(None),
                    _ => self.tensor(*inner, key),
                };
            }
            Some(("torch._utils", "_rebuild_tensor_v2" | "_rebuild_tensor", [storage, offset, shape, strides, ..])) => {
                (*storage, *offset, *shape, *strides)
            }
            _ => return Ok(None),
        };
        let wrong = |what: &str| refuse(self.name, format!("{key} {what}"));
        let PickledValue::Persistent(of) = doc.node(inner) else { return Err(wrong("has no storage")) };
        let (at, dtype, _) = storage(doc, *of).ok_or_else(|| wrong("has no storage"))?;
        let Some(dtype) = dtype else { return Ok(None) };
        let sizes = |id: Id| -> Option<Vec<usize>> {
            doc.ints(id).ok()??.into_iter().map(|n| usize::try_from(n).ok()).collect()
        };
        let offset = doc.int(offset).and_then(|offset| usize::try_from(offset).ok());
        let (Some(offset), Some(shape), Some(strides)) = (offset, sizes(shape), sizes(strides)) else {
            return Err(wrong("has no shape"));
        };
        let bytes = match &self.storages {
            Storages::Zip { source, root } => source.read(&format!("{root}data/{at}"))?,
            Storages::File { whole, places } => {
                let (start, len) = places.get(&at).ok_or_else(|| wrong("has no storage"))?;
                whole.read_at(*start, *len as usize)?
            }
        };
        let numbers = decode(dtype, &bytes).unwrap_or_default();
        let count = shape.iter().try_fold(1usize, |n, &axis| n.checked_mul(axis));
        let count = count.filter(|&count| count <= numbers.len() && count as u64 <= self.left);
        let count = count.ok_or_else(|| wrong("claims more numbers than there are"))?;
        let mut values = Vec::with_capacity(count);
        if count > 0 {
            let taken = (shape.len() <= MOST_AXES).then(|| take_view(&numbers, offset, &shape, &strides, &mut values));
            taken.flatten().ok_or_else(|| wrong("reaches beyond its storage"))?;
        }
        self.left -= count as u64;
        Ok(Some(Parameter { shape, values }))
    }
}

/// Appends the elements of a view, row-major: `storage[at + Σ index_k · stride_k]`; none if one is not there.
fn take_view(storage: &[f32], at: usize, shape: &[usize], strides: &[usize], values: &mut Vec<f32>) -> Option<()> {
    match (shape, strides) {
        ([], []) => values.push(*storage.get(at)?),
        ([count, shape @ ..], [stride, strides @ ..]) => {
            for i in 0..*count {
                let at = at.checked_add(i.checked_mul(*stride)?)?;
                take_view(storage, at, shape, strides, values)?;
            }
        }
        _ => return None,
    }
    Some(())
}
