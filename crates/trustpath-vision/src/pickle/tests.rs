//! Pickles of every protocol, and bytes that no protocol would write; `tests/data/make_datasets.py` makes the files.

use proptest::prelude::*;

use super::*;

fn read(bytes: &[u8]) -> Result<Pickle> {
    Pickle::read(&Section::of_bytes("it", bytes.to_vec()), 0)
}

fn file(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/pickles/{name}.pkl", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap()
}

#[test]
fn every_protocol_is_read_alike() {
    for name in ["protocol0", "protocol1", "protocol2", "protocol3", "protocol4", "protocol5", "python2"] {
        let doc = read(&file(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let at = |key: &str| doc.entry(doc.root, key).unwrap_or_else(|| panic!("{name}: {key}"));
        assert_eq!(*doc.node(at("none")), PickledValue::None);
        assert_eq!(doc.ints(at("truth")).unwrap(), Some(vec![1, 0]), "{name}");
        let numbers = doc.list(at("numbers")).unwrap();
        let some: Vec<_> = numbers[..6].iter().map(|&id| doc.int(id).unwrap()).collect();
        assert_eq!(some, [0, -1, 255, 256, 70000, -(1 << 40)], "{name}");
        assert_eq!(*doc.node(numbers[6]), PickledValue::BigInt);
        assert_eq!(*doc.node(at("float")), PickledValue::Float(-1.5));
        if name != "python2" {
            assert_eq!(doc.text(at("text")).unwrap(), "naïve \\ \n λ", "{name}");
            // A dictionary within itself ends in no loop.
            assert_eq!(at("self"), doc.root);
        }
        let nested = doc.list(at("list")).unwrap();
        assert_eq!(nested.len(), 4);
        let three = doc.list(doc.list(doc.list(nested[3]).unwrap()[1]).unwrap()[1]).unwrap()[0];
        assert_eq!(doc.int(three), Some(3));
        let array = doc.array(at("array")).unwrap().unwrap();
        assert_eq!((array.shape, array.dtype.kind, array.dtype.size), (vec![2, 3], 'i', 2), "{name}");
        assert_eq!(doc.ints(at("array")).unwrap(), Some(vec![-3, -2, -1, 0, 1, 2]), "{name}");
        assert_eq!(doc.ints(at("big")).unwrap(), Some(vec![0, 1, 2, 3]), "{name}");
        assert_eq!(doc.int(at("scalar")), Some(7), "{name}");
        // What is not known is kept as what it is.
        let (module, called, _) = doc.call(at("complex")).unwrap();
        assert!(module.contains("builtin") && called == "complex", "{name}: {module}.{called}");
    }
}

#[test]
fn nothing_is_called() {
    // os.system("touch …") in protocol 0, and eval in protocol 4.
    let marker = std::env::temp_dir().join(format!("trustpath-pickle-{}", std::process::id()));
    let attack = format!("cos\nsystem\n(S'touch {}'\ntR.", marker.display());
    let doc = read(attack.as_bytes()).unwrap();
    let (module, name, args) = doc.call(doc.root).unwrap();
    assert_eq!((module, name, args.len()), ("os", "system", 1));
    assert!(!marker.exists());
    let doc = read(b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x031/0\x85R.").unwrap();
    assert_eq!(doc.call(doc.root).unwrap().1, "eval");
}

#[test]
fn nested_lists_take_no_more_memory_than_their_bytes() {
    // Each list holds the one before it twice: 2^60 leaves in some hundred bytes.
    let mut bytes = b"\x80\x02]q\x00".to_vec();
    for level in 1..=60u8 {
        bytes.extend([b'0', b']', b'q', level, b'(', b'h', level - 1, b'h', level - 1, b'e']);
    }
    bytes.push(b'.');
    let doc = read(&bytes).unwrap();
    assert_eq!(doc.list(doc.root).unwrap().len(), 2);
}

#[test]
fn false_lengths_take_no_memory() {
    for (bytes, why) in [
        (&b"B\xff\xff\xff\x7f."[..], "ends too early"),
        (b"\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.", "ends too early"),
        (b"\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", "ends too early"),
        (b"\x8b\xff\xff\xff\x7f.", "ends too early"),
        (b"]", "ends too early"),
        (b".", "empty stack"),
        (b"(.", "empty stack"),
        (b"K\x01(\x85.", "empty stack"),
        (b"h\x07.", "remembers nothing as 7"),
        (b"}K\x01s.", "empty stack"),
        (b"}(K\x01u.", "key without a value"),
        (b"K\x01K\x02a.", "neither a list nor a dictionary"),
        (b"\x82\x01.", "extensions"),
        (b"\x97.", "outside"),
        (b"\xff.", "unknown instruction 0xff"),
        (b"Inonsense\n.", "not a number"),
        (b"S'half\n.", "without quotes"),
        (b"S'\\x4'\n.", "broken escape"),
    ] {
        let error = read(bytes).unwrap_err().to_string();
        let expected = "it cannot be read as a pickle";
        assert!(error.contains(why) && error.starts_with(expected), "{error}");
    }
}

#[test]
fn arrays_with_a_false_shape_are_refused() {
    let bytes = file("protocol2");
    let find = |what: &[u8]| bytes.windows(what.len()).position(|w| w == what).unwrap();
    // The shape (2, 3) of the array becomes (2, 200).
    let mut lie = bytes.clone();
    let at = find(b"K\x02K\x03\x86") + 3;
    lie[at] = 200;
    let doc = read(&lie).unwrap();
    let array = doc.array(doc.entry(doc.root, "array").unwrap());
    assert!(array.unwrap_err().to_string().contains("shape [2, 200] with 12 bytes"));
}

/// Reads a pickle and looks at all of its nodes, as a reader of datasets or weights would. What cannot be read is refused
/// with its name; what can be read is consistent, and no larger than a multiple of its bytes.
fn is_refused_or_consistent(bytes: &[u8]) {
    fn accepted<T>(result: Result<T>) -> Option<T> {
        let refused = |e: Error| assert!(e.to_string().starts_with("it cannot be read as a"), "{e}");
        result.map_err(refused).ok()
    }
    let Some(doc) = accepted(read(bytes)) else { return };
    assert!(doc.nodes.len() <= 2 * bytes.len() && doc.end <= bytes.len() as u64);
    let mut todo = vec![doc.root];
    for _ in 0..10_000 {
        let Some(id) = todo.pop() else { break };
        let items = doc.list(id).unwrap_or_default();
        if let Some(array) = accepted(doc.array(id)).flatten() {
            let elements: usize = array.shape.iter().product();
            assert_eq!((elements * array.dtype.size) as u64, array.data.len());
        } else if let Some(integers) = accepted(doc.ints(id)).flatten() {
            assert_eq!(integers.len(), items.len());
        }
        assert!(doc.texts(id).is_none_or(|texts| texts.len() == items.len()));
        assert_eq!(doc.text(id).is_some(), doc.int(id).is_none() && is_text(doc.node(id)));
        assert!(doc.call(id).is_none() || matches!(doc.node(id), PickledValue::Object(_)));
        if let PickledValue::Bytes(blob @ Blob::At { .. }) = doc.node(id) {
            assert_eq!(doc.bytes(blob).unwrap().len() as u64, blob.len());
        }
        todo.extend(items);
        let entries = doc.entries(id).unwrap_or_default();
        todo.extend(entries.iter().flat_map(|&(key, value)| [key, value]));
    }
}

fn is_text(node: &PickledValue) -> bool {
    matches!(node, PickledValue::Text(_) | PickledValue::Bytes(Blob::Here(_)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes_are_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        is_refused_or_consistent(&bytes);
    }

    #[test]
    fn random_instructions_are_refused_or_read(
        ops in proptest::collection::vec(proptest::sample::select(b"().02]}KNaelsutbRqh\x81\x85\x86\x87\x88\x8c\x90\x93\x94".to_vec()), 0..200)
    ) {
        is_refused_or_consistent(&[&ops[..], b"."].concat());
    }

    #[test]
    fn changed_pickles_are_refused_or_read(
        protocol in 0..6usize,
        changes in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..6),
        cut in any::<u16>(),
    ) {
        let mut bytes = file(&format!("protocol{protocol}"));
        let most = bytes.len();
        changes.into_iter().for_each(|(at, byte)| bytes[usize::from(at) % most] = byte);
        bytes.truncate(usize::from(cut) % (2 * most));
        is_refused_or_consistent(&bytes);
    }
}
