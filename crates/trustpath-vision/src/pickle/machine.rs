//! The stack machine of a pickle, with every instruction that calls something replaced by one that notes
//! what was to be called.

use std::collections::HashMap;

use super::input::{Input, Said};
use super::literal::{long, unescaped, unquoted};
use super::{Blob, Document, Id, Node, Object};
use crate::source::Section;
use crate::{Error, Result};

/// The most nodes, and the highest stack: a gigabyte. The largest pickle known here, tieredImageNet's, makes
/// some five million.
const MOST: usize = 24 << 20;

pub(super) fn run(section: &Section, offset: u64) -> Result<Document> {
    let refuse = |reason, at| Error::Pickle {
        name: section.name().into(),
        reason: format!("{reason}, at byte {at}"),
    };
    let mut input = Input::new(section, offset).map_err(|reason| refuse(reason, offset))?;
    let mut machine = Machine::default();
    loop {
        let at = input.at();
        let step = input.byte().and_then(|op| machine.step(op, &mut input));
        match step.map_err(|reason| refuse(reason, at))? {
            None => {}
            Some(root) => {
                let nodes = machine.nodes;
                return Ok(Document { section: section.clone(), nodes, root, end: input.at() });
            }
        }
    }
}

#[derive(Default)]
struct Machine {
    nodes: Vec<Node>,
    stack: Vec<Id>,
    marks: Vec<usize>,
    memo: HashMap<u64, Id>,
}

impl Machine {
    /// Follows one instruction; the last one gives the result.
    fn step(&mut self, op: u8, input: &mut Input) -> Said<Option<Id>> {
        match op {
            b'.' => return self.pop().map(Some),
            // Protocol and frames are of no concern to a reader that has the whole file.
            0x80 => drop(input.byte()?),
            0x95 => drop(input.length::<8>()?),
            b'(' => self.mark()?,
            b'0' => drop(self.pop_any()?),
            b'1' => drop(self.marked()?),
            b'2' => self.stack_push(*self.stack.last().ok_or_else(empty)?)?,
            b'N' => self.push(Node::None)?,
            0x88 => self.push(Node::Bool(true))?,
            0x89 => self.push(Node::Bool(false))?,
            b'F' | b'I' | b'J' | b'K' | b'L' | b'M' | b'G' | 0x8a | 0x8b => {
                self.number(op, input)?
            }
            b'S' | b'T' | b'U' | b'V' | b'X' | b'B' | b'C' | 0x8c..=0x8e | 0x96 => {
                self.string(op, input)?;
            }
            b']' | 0x8f => self.push(Node::List(Vec::new()))?,
            b')' => self.push(Node::Tuple(Vec::new()))?,
            b'}' => self.push(Node::Dict(Vec::new()))?,
            b't' | b'l' | b'd' | 0x91 | 0x85..=0x87 => self.gather(op)?,
            b'a' | b'e' | b's' | b'u' | 0x90 => self.fill(op)?,
            b'p' | b'q' | b'r' | 0x94 | b'g' | b'h' | b'j' => self.remember(op, input)?,
            b'c' | 0x93 | b'R' | 0x81 | 0x92 | b'i' | b'o' | b'b' | b'P' | b'Q' => {
                self.note(op, input)?;
            }
            0x82..=0x84 => {
                return Err(
                    "it uses a registry of extensions, which is private to its program".into()
                );
            }
            0x97 | 0x98 => {
                return Err("its buffers are kept outside of it; write it in one piece".into());
            }
            op => return Err(format!("it has the unknown instruction {op:#04x}")),
        }
        Ok(None)
    }

    fn number(&mut self, op: u8, input: &mut Input) -> Said<()> {
        let node = match op {
            b'J' => Node::Int(i32::from_le_bytes(input.array()?).into()),
            b'K' => Node::Int(input.byte()?.into()),
            b'M' => Node::Int(u16::from_le_bytes(input.array()?).into()),
            b'G' => Node::Float(f64::from_be_bytes(input.array()?)),
            b'F' => Node::Float(parse(&input.line_text()?)?),
            b'I' => match input.line_text()?.trim() {
                "01" => Node::Bool(true),
                "00" => Node::Bool(false),
                number => Node::Int(parse(number)?),
            },
            b'L' => {
                let line = input.line_text()?;
                let digits = line.trim().trim_end_matches('L');
                let plain = !digits.is_empty()
                    && digits.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
                match (digits.parse(), plain) {
                    (Ok(number), _) => Node::Int(number),
                    (_, true) => Node::BigInt,
                    _ => return Err(format!("{digits:?} is no number")),
                }
            }
            0x8a | 0x8b => {
                let len = if op == 0x8a { input.length::<1>()? } else { input.length::<4>()? };
                long(&input.vec(len)?)
            }
            _ => return Err(empty()),
        };
        self.push(node)
    }

    fn string(&mut self, op: u8, input: &mut Input) -> Said<()> {
        let node = match op {
            b'S' => Node::Bytes(Blob::Here(unquoted(&input.line()?)?)),
            b'V' => {
                // Latin-1, with escapes for what it lacks.
                let text: String = input.line()?.into_iter().map(char::from).collect();
                Node::Text(unescaped(&text))
            }
            b'U' | b'C' => {
                let len = input.length::<1>()?;
                Node::Bytes(input.blob(len)?)
            }
            b'T' | b'B' => {
                let len = input.length::<4>()?;
                Node::Bytes(input.blob(len)?)
            }
            0x8e | 0x96 => {
                let len = input.length::<8>()?;
                Node::Bytes(input.blob(len)?)
            }
            _ => {
                let len = match op {
                    0x8c => input.length::<1>()?,
                    b'X' => input.length::<4>()?,
                    _ => input.length::<8>()?,
                };
                Node::Text(input.text(len)?)
            }
        };
        self.push(node)
    }

    /// Makes one of several: tuples, lists, dictionaries and frozen sets.
    fn gather(&mut self, op: u8) -> Said<()> {
        let items = match op {
            0x85..=0x87 => {
                let from = self.reachable(usize::from(op - 0x84))?;
                self.stack.split_off(from)
            }
            _ => self.marked()?,
        };
        self.push(match op {
            b'l' | 0x91 => Node::List(items),
            b'd' => Node::Dict(pairs(&items)?),
            _ => Node::Tuple(items),
        })
    }

    /// Puts something into what is below it on the stack.
    fn fill(&mut self, op: u8) -> Said<()> {
        let items = match op {
            b'a' => vec![self.pop()?],
            b's' => {
                let from = self.reachable(2)?;
                self.stack.split_off(from)
            }
            _ => self.marked()?,
        };
        let to = self.top()?;
        let entries = if matches!(op, b's' | b'u') { Some(pairs(&items)?) } else { None };
        match (&mut self.nodes[to.0 as usize], entries) {
            (Node::Dict(dict), Some(entries)) => dict.extend(entries),
            (Node::Object(object), Some(entries)) => object.entries.extend(entries),
            (Node::List(list), None) => list.extend(items),
            (Node::Object(object), None) => object.items.extend(items),
            _ => return Err("it fills something that is no list or dictionary".into()),
        }
        Ok(())
    }

    fn remember(&mut self, op: u8, input: &mut Input) -> Said<()> {
        let key = match op {
            b'p' | b'g' => parse(&input.line_text()?)?,
            b'q' | b'h' => input.length::<1>()?,
            b'r' | b'j' => input.length::<4>()?,
            _ => self.memo.len() as u64,
        };
        if matches!(op, b'g' | b'h' | b'j') {
            let id = self.memo.get(&key).ok_or_else(|| format!("it remembers nothing as {key}"))?;
            return self.stack_push(*id);
        }
        let top = self.top()?;
        if self.memo.len() >= MOST {
            return Err("it remembers too much".into());
        }
        self.memo.insert(key, top);
        Ok(())
    }

    /// Notes what Python would look up, call or change.
    fn note(&mut self, op: u8, input: &mut Input) -> Said<()> {
        match op {
            b'c' => {
                let (module, name) = (input.line_text()?, input.line_text()?);
                self.push(Node::Global { module, name })
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let text = |id: Id| match &self.nodes[id.0 as usize] {
                    Node::Text(text) => Ok(text.clone()),
                    _ => Err("it names something by what is no text".to_string()),
                };
                let (module, name) = (text(module)?, text(name)?);
                self.push(Node::Global { module, name })
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
                self.push(Node::Global { module, name })?;
                let callable = self.pop()?;
                self.push(Node::Tuple(args))?;
                let args = self.pop()?;
                self.object(callable, args)
            }
            b'o' => {
                let mut items = self.marked()?.into_iter();
                let callable = items.next().ok_or_else(empty)?;
                self.push(Node::Tuple(items.collect()))?;
                let args = self.pop()?;
                self.object(callable, args)
            }
            b'b' => {
                let state = self.pop()?;
                let to = self.top()?;
                match &mut self.nodes[to.0 as usize] {
                    Node::Object(object) => object.state = Some(state),
                    _ => return Err("it gives a state to what is no object".into()),
                }
                Ok(())
            }
            b'P' => {
                let text = input.line_text()?;
                self.push(Node::Text(text))?;
                let of = self.pop()?;
                self.push(Node::Persistent(of))
            }
            _ => {
                let of = self.pop()?;
                self.push(Node::Persistent(of))
            }
        }
    }

    fn object(&mut self, callable: Id, args: Id) -> Said<()> {
        let (items, entries) = (Vec::new(), Vec::new());
        self.push(Node::Object(Box::new(Object { callable, args, state: None, items, entries })))
    }

    fn push(&mut self, node: Node) -> Said<()> {
        if self.nodes.len() >= MOST {
            return Err(format!("it holds more than {MOST} things"));
        }
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node);
        self.stack_push(id)
    }

    fn stack_push(&mut self, id: Id) -> Said<()> {
        if self.stack.len() >= MOST {
            return Err(format!("it piles up more than {MOST} things"));
        }
        self.stack.push(id);
        Ok(())
    }

    fn mark(&mut self) -> Said<()> {
        if self.marks.len() >= MOST {
            return Err(format!("it piles up more than {MOST} things"));
        }
        self.marks.push(self.stack.len());
        Ok(())
    }

    /// Where the topmost `count` things begin; none may lie below the last mark.
    fn reachable(&self, count: usize) -> Said<usize> {
        let floor = self.marks.last().copied().unwrap_or(0);
        self.stack.len().checked_sub(count).filter(|&from| from >= floor).ok_or_else(empty)
    }

    fn top(&self) -> Said<Id> {
        self.reachable(1).map(|at| self.stack[at])
    }

    fn pop(&mut self) -> Said<Id> {
        self.reachable(1)?;
        self.stack.pop().ok_or_else(empty)
    }

    /// Takes one thing off the stack, or the mark if that is on top.
    fn pop_any(&mut self) -> Said<()> {
        if self.marks.last() == Some(&self.stack.len()) {
            self.marks.pop();
            return Ok(());
        }
        self.pop().map(drop)
    }

    /// All above the last mark, which goes too.
    fn marked(&mut self) -> Said<Vec<Id>> {
        let from = self.marks.pop().ok_or_else(empty)?;
        if from > self.stack.len() {
            return Err(empty());
        }
        Ok(self.stack.split_off(from))
    }
}

fn empty() -> String {
    "it takes from an empty stack".into()
}

fn pairs(items: &[Id]) -> Said<Vec<(Id, Id)>> {
    match items.chunks_exact(2) {
        chunks if chunks.remainder().is_empty() => {
            Ok(chunks.map(|pair| (pair[0], pair[1])).collect())
        }
        _ => Err("it has a key without a value".into()),
    }
}

fn parse<T: std::str::FromStr>(text: &str) -> Said<T> {
    text.trim().parse().map_err(|_| format!("{text:?} is no number"))
}
