//! The stack machine of a pickle, with every instruction that calls something replaced by one that notes
//! what was to be called.

use std::collections::HashMap;

use super::input::{Parsed, PickleBytes};
use super::literal::{long, unescaped, unquoted};
use super::{Blob, Id, Object, Pickle, PickledValue};
use crate::source::Section;
use crate::{Error, Result};

/// The most nodes, and the highest stack: a gigabyte. The largest pickle known here, tieredImageNet's, makes
/// some five million.
const MOST: usize = 24 << 20;

impl Pickle {
    /// Reads the pickle that begins at `offset` of a file.
    pub fn read(section: &Section, offset: u64) -> Result<Self> {
        let name = &section.name;
        let refuse = |reason, at| Error::Pickle { name: name.clone(), reason: format!("{reason}, at byte {at}") };
        let mut input = PickleBytes::new(section, offset).map_err(|reason| refuse(reason, offset))?;
        let mut machine = StackMachine::default();
        loop {
            let at = input.at;
            let step = input.byte().and_then(|op| machine.step(op, &mut input));
            if let Some(root) = step.map_err(|reason| refuse(reason, at))? {
                return Ok(Self { section: section.clone(), nodes: machine.nodes, root, end: input.at });
            }
        }
    }
}

#[derive(Default)]
struct StackMachine {
    nodes: Vec<PickledValue>,
    stack: Vec<Id>,
    marks: Vec<usize>,
    memo: HashMap<u64, Id>,
}

impl StackMachine {
    /// Follows one instruction; the last one gives the result.
    fn step(&mut self, op: u8, input: &mut PickleBytes) -> Parsed<Option<Id>> {
        if let Some(node) = literal(op, input)? {
            self.push(node)?;
            return Ok(None);
        }
        match op {
            b'.' => return self.pop().map(Some),
            // Protocol and frames do not matter to a reader that has the entire file.
            0x80 => drop(input.byte()?),
            0x95 => drop(input.length(8)?),
            b'(' => self.mark()?,
            b'0' => self.pop_any()?,
            b'1' => drop(self.marked()?),
            b'2' => self.stack_push(*self.stack.last().ok_or_else(empty)?)?,
            // Containers of what is on the stack.
            b'l' | 0x91 | b't' | b'd' => {
                let items = self.marked()?;
                self.push(match op {
                    b't' => PickledValue::Tuple(items),
                    b'd' => PickledValue::Dict(pairs(&items)?),
                    _ => PickledValue::List(items),
                })?;
            }
            0x85..=0x87 => {
                let items = self.topmost(usize::from(op - 0x84))?;
                self.push(PickledValue::Tuple(items))?;
            }
            b'a' | b'e' | 0x90 => {
                let items = if op == b'a' { self.topmost(1)? } else { self.marked()? };
                self.append(items)?;
            }
            b's' | b'u' => {
                let items = if op == b's' { self.topmost(2)? } else { self.marked()? };
                self.set(&items)?;
            }
            // The memo.
            b'p' => self.memorize(parse(&input.line_text()?)?)?,
            b'q' => self.memorize(input.length(1)?)?,
            b'r' => self.memorize(input.length(4)?)?,
            0x94 => self.memorize(self.memo.len() as u64)?,
            b'g' => self.recall(parse(&input.line_text()?)?)?,
            b'h' => self.recall(input.length(1)?)?,
            b'j' => self.recall(input.length(4)?)?,
            op => self.note(op, input)?,
        }
        Ok(None)
    }

    /// Follows an instruction by which Python would look up, call or change something: that is only noted.
    fn note(&mut self, op: u8, input: &mut PickleBytes) -> Parsed<()> {
        match op {
            b'c' => self.push(PickledValue::Global { module: input.line_text()?, name: input.line_text()? }),
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let text = |id: Id| match &self.nodes[id.0 as usize] {
                    PickledValue::Text(text) => Ok(text.clone()),
                    _ => Err("it names something by a value that is not a text".to_string()),
                };
                let (module, name) = (text(module)?, text(name)?);
                self.push(PickledValue::Global { module, name })
            }
            b'R' | 0x81 => {
                let (args, callable) = (self.pop()?, self.pop()?);
                self.object(callable, args)
            }
            0x92 => {
                let (_keywords, args, callable) = (self.pop()?, self.pop()?, self.pop()?);
                self.object(callable, args)
            }
            b'i' => {
                let (module, name) = (input.line_text()?, input.line_text()?);
                let args = self.marked()?;
                let callable = self.node(PickledValue::Global { module, name })?;
                let args = self.node(PickledValue::Tuple(args))?;
                self.object(callable, args)
            }
            b'o' => {
                let mut items = self.marked()?.into_iter();
                let callable = items.next().ok_or_else(empty)?;
                let args = self.node(PickledValue::Tuple(items.collect()))?;
                self.object(callable, args)
            }
            b'b' => {
                let state = self.pop()?;
                match self.top_node()? {
                    PickledValue::Object(object) => object.state = Some(state),
                    _ => return Err("it gives a state to a value that is not an object".into()),
                }
                Ok(())
            }
            b'P' => {
                let of = self.node(PickledValue::Text(input.line_text()?))?;
                self.push(PickledValue::Persistent(of))
            }
            b'Q' => {
                let of = self.pop()?;
                self.push(PickledValue::Persistent(of))
            }
            0x82..=0x84 => Err("it needs a registry of extensions private to its program".into()),
            0x97 | 0x98 => Err("its buffers are kept outside of it; write it in one piece".into()),
            op => Err(format!("it has the unknown instruction {op:#04x}")),
        }
    }

    /// Adds items to the list or object on top of the stack.
    fn append(&mut self, items: Vec<Id>) -> Parsed<()> {
        match self.top_node()? {
            PickledValue::List(list) => list.extend(items),
            PickledValue::Object(object) => object.items.extend(items),
            _ => return Err("it fills a value that is neither a list nor a dictionary".into()),
        }
        Ok(())
    }

    /// Sets entries, keys and values by turns, in the dictionary or object on top of the stack.
    fn set(&mut self, items: &[Id]) -> Parsed<()> {
        let entries = pairs(items)?;
        match self.top_node()? {
            PickledValue::Dict(dict) => dict.extend(entries),
            PickledValue::Object(object) => object.entries.extend(entries),
            _ => return Err("it fills a value that is neither a list nor a dictionary".into()),
        }
        Ok(())
    }

    fn memorize(&mut self, key: u64) -> Parsed<()> {
        let top = self.top()?;
        if self.memo.len() >= MOST {
            return Err("it remembers too much".into());
        }
        self.memo.insert(key, top);
        Ok(())
    }

    fn recall(&mut self, key: u64) -> Parsed<()> {
        let id = self.memo.get(&key).ok_or_else(|| format!("it remembers nothing as {key}"))?;
        self.stack_push(*id)
    }

    fn object(&mut self, callable: Id, args: Id) -> Parsed<()> {
        let (items, entries) = (Vec::new(), Vec::new());
        self.push(PickledValue::Object(Box::new(Object { callable, args, state: None, items, entries })))
    }

    /// Keeps a node without putting it on the stack.
    fn node(&mut self, node: PickledValue) -> Parsed<Id> {
        if self.nodes.len() >= MOST {
            return Err(format!("it holds more than {MOST} values"));
        }
        self.nodes.push(node);
        Ok(Id(self.nodes.len() as u32 - 1))
    }

    fn push(&mut self, node: PickledValue) -> Parsed<()> {
        let id = self.node(node)?;
        self.stack_push(id)
    }

    fn stack_push(&mut self, id: Id) -> Parsed<()> {
        if self.stack.len() >= MOST {
            return Err(format!("it stacks more than {MOST} values"));
        }
        self.stack.push(id);
        Ok(())
    }

    fn mark(&mut self) -> Parsed<()> {
        if self.marks.len() >= MOST {
            return Err(format!("it stacks more than {MOST} values"));
        }
        self.marks.push(self.stack.len());
        Ok(())
    }

    /// Where the topmost `count` values begin; none may be below the last mark.
    fn reachable(&self, count: usize) -> Parsed<usize> {
        let floor = self.marks.last().copied().unwrap_or(0);
        self.stack.len().checked_sub(count).filter(|&from| from >= floor).ok_or_else(empty)
    }

    fn top(&self) -> Parsed<Id> {
        self.reachable(1).map(|at| self.stack[at])
    }

    fn top_node(&mut self) -> Parsed<&mut PickledValue> {
        let top = self.top()?;
        Ok(&mut self.nodes[top.0 as usize])
    }

    fn topmost(&mut self, count: usize) -> Parsed<Vec<Id>> {
        let from = self.reachable(count)?;
        Ok(self.stack.split_off(from))
    }

    fn pop(&mut self) -> Parsed<Id> {
        self.reachable(1)?;
        self.stack.pop().ok_or_else(empty)
    }

    /// Takes one value off the stack, or the mark if that is on top.
    fn pop_any(&mut self) -> Parsed<()> {
        if self.marks.last() == Some(&self.stack.len()) {
            self.marks.pop();
            return Ok(());
        }
        self.pop().map(drop)
    }

    /// All above the last mark, which goes too.
    fn marked(&mut self) -> Parsed<Vec<Id>> {
        let from = self.marks.pop().ok_or_else(empty)?;
        if from > self.stack.len() {
            return Err(empty());
        }
        Ok(self.stack.split_off(from))
    }
}

/// The value that an instruction has in itself, if it is one of these: constants, numbers, strings and empty containers.
fn literal(op: u8, input: &mut PickleBytes) -> Parsed<Option<PickledValue>> {
    Ok(Some(match op {
        b'N' => PickledValue::None,
        0x88 => PickledValue::Bool(true),
        0x89 => PickledValue::Bool(false),
        b'J' => PickledValue::Int(i32::from_le_bytes(input.array()?).into()),
        b'K' => PickledValue::Int(input.byte()?.into()),
        b'M' => PickledValue::Int(u16::from_le_bytes(input.array()?).into()),
        b'G' => PickledValue::Float(f64::from_be_bytes(input.array()?)),
        b'F' => PickledValue::Float(parse(&input.line_text()?)?),
        b'I' => match input.line_text()?.trim() {
            "01" => PickledValue::Bool(true),
            "00" => PickledValue::Bool(false),
            number => PickledValue::Int(parse(number)?),
        },
        b'L' => decimal(&input.line_text()?)?,
        0x8a | 0x8b => {
            let len = input.length(if op == 0x8a { 1 } else { 4 })?;
            long(&input.vec(len)?)
        }
        // Strings: quoted, escaped, or behind a length of one, four or eight bytes.
        b'S' => PickledValue::Bytes(Blob::Here(unquoted(&input.line()?)?)),
        b'V' => {
            // Latin-1, with escapes for what it lacks.
            let text: String = input.line()?.into_iter().map(char::from).collect();
            PickledValue::Text(unescaped(&text))
        }
        b'U' | b'C' => bytes(1, input)?,
        b'T' | b'B' => bytes(4, input)?,
        0x8e | 0x96 => bytes(8, input)?,
        0x8c => text(1, input)?,
        b'X' => text(4, input)?,
        0x8d => text(8, input)?,
        b']' | 0x8f => PickledValue::List(Vec::new()),
        b')' => PickledValue::Tuple(Vec::new()),
        b'}' => PickledValue::Dict(Vec::new()),
        _ => return Ok(None),
    }))
}

fn bytes(width: usize, input: &mut PickleBytes) -> Parsed<PickledValue> {
    let len = input.length(width)?;
    Ok(PickledValue::Bytes(input.blob(len)?))
}

fn text(width: usize, input: &mut PickleBytes) -> Parsed<PickledValue> {
    let len = input.length(width)?;
    Ok(PickledValue::Text(input.text(len)?))
}

fn empty() -> String {
    "it takes from an empty stack".into()
}

fn pairs(items: &[Id]) -> Parsed<Vec<(Id, Id)>> {
    match items.chunks_exact(2) {
        chunks if chunks.remainder().is_empty() => Ok(chunks.map(|pair| (pair[0], pair[1])).collect()),
        _ => Err("it has a key without a value".into()),
    }
}

/// A decimal number of any length, maybe with an `L` behind it.
fn decimal(line: &str) -> Parsed<PickledValue> {
    let digits = line.trim().trim_end_matches('L');
    let plain = digits.trim_start_matches('-');
    match digits.parse() {
        Ok(number) => Ok(PickledValue::Int(number)),
        Err(_) if !plain.is_empty() && plain.bytes().all(|b| b.is_ascii_digit()) => Ok(PickledValue::BigInt),
        Err(_) => Err(format!("{digits:?} is not a number")),
    }
}

fn parse<T: std::str::FromStr>(text: &str) -> Parsed<T> {
    text.trim().parse().map_err(|_| format!("{text:?} is not a number"))
}
