//! When each step runs, and where its values lie.
//!
//! Steps are cut into segments wherever a single map is alive. A segment takes as many images
//! together as keep its maps in cache: early layers have large maps and few filters, late ones small
//! maps and a large number of filters, whose reading must pay for several images.

use super::attention::AttentionScratch;
use super::block::{Block16, MapShape};
use super::conv::ConvScratch;
use super::fuse::{Everywhere, FusedStep, Work};
use super::{pool, tokens};
use crate::network::MapIndex;

/// Blocks of maps that stay in cache: 4 MiB.
const MAPS_IN_CACHE: usize = 1 << 16;

/// Where a value lies while a segment runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MapPlace {
    /// What the segment begins with.
    Input,
    /// What it ends with.
    Output,
    /// In between.
    Slot(usize),
}

struct PlannedStep {
    work: Work,
    then: Option<Everywhere>,
    inputs: Vec<MapPlace>,
    /// The shape of each input.
    shapes: Vec<MapShape>,
    output: MapPlace,
    /// Blocks that come out for an image.
    blocks: usize,
}

/// Steps between two maps.
pub(super) struct PlanSegment {
    steps: Vec<PlannedStep>,
    slots: usize,
    input: MapShape,
    pub output: MapShape,
    /// Images that run together.
    together: usize,
}

/// Memory that segments share, one after another.
#[derive(Default)]
pub(super) struct Workspace {
    slots: Vec<Vec<Block16>>,
    scratch: StepScratch,
}

/// Memory that steps share, one after another.
#[derive(Default)]
struct StepScratch {
    conv: ConvScratch,
    attention: AttentionScratch,
}

/// The segments of a network.
pub(super) fn plan((steps, shapes): (Vec<FusedStep>, Vec<Option<MapShape>>)) -> Vec<PlanSegment> {
    let shape = |value: MapIndex| shapes[value].unwrap_or(MapShape { channels: 0, height: 0, width: 0 });
    // When each value is read for the last time; the last of all is read when all is done.
    let mut last_read = vec![0; shapes.len()];
    for (i, step) in steps.iter().enumerate() {
        step.inputs.iter().for_each(|&input| last_read[input] = i);
        last_read[step.output] = i;
    }
    let mut segments = Vec::new();
    let mut begun: Vec<(usize, FusedStep)> = Vec::new();
    let mut alive: Vec<MapIndex> = vec![0];
    let mut input = 0;
    for (i, step) in steps.into_iter().enumerate() {
        let output = step.output;
        begun.push((i, step));
        alive.push(output);
        alive.retain(|&value| last_read[value] > i || value == output);
        if alive.len() == 1 {
            let steps = std::mem::take(&mut begun);
            segments.push(segment(steps, input, output, shape, &last_read));
            input = output;
        }
    }
    segments
}

fn segment(
    steps: Vec<(usize, FusedStep)>,
    input: MapIndex,
    output: MapIndex,
    shape: impl Fn(MapIndex) -> MapShape,
    last_read: &[usize],
) -> PlanSegment {
    // Which value lies in each slot.
    let mut slots: Vec<Option<MapIndex>> = Vec::new();
    let mut largest = shape(input).blocks();
    let mut planned = Vec::new();
    for (i, FusedStep { work, then, inputs, output: made }) in steps {
        let place = |value: &MapIndex| match slots.iter().position(|slot| *slot == Some(*value)) {
            Some(slot) => MapPlace::Slot(slot),
            None => MapPlace::Input,
        };
        let places = inputs.iter().map(place).collect();
        let shapes = inputs.iter().map(|&input| shape(input)).collect();
        let target = if made == output {
            MapPlace::Output
        } else {
            let free = slots.iter().position(Option::is_none).unwrap_or(slots.len());
            slots.resize(slots.len().max(free + 1), None);
            slots[free] = Some(made);
            MapPlace::Slot(free)
        };
        for slot in &mut slots {
            if slot.is_some_and(|value| last_read[value] <= i) {
                *slot = None;
            }
        }
        let blocks = shape(made).blocks();
        largest = largest.max(blocks);
        planned.push(PlannedStep { work, then, inputs: places, shapes, output: target, blocks });
    }
    let together = (MAPS_IN_CACHE / largest.max(1)).max(1);
    let (slots, input, output) = (slots.len(), shape(input), shape(output));
    PlanSegment { steps: planned, slots, input, output, together }
}

impl PlanSegment {
    /// Takes the maps of any number of images to theirs at its end.
    pub fn run(&self, input: &[Block16], output: &mut [Block16], workspace: &mut Workspace) {
        let inputs = input.chunks(self.together * self.input.blocks());
        let outputs = output.chunks_mut(self.together * self.output.blocks());
        inputs.zip(outputs).for_each(|(input, output)| self.together(input, output, workspace));
    }

    fn together(&self, input: &[Block16], output: &mut [Block16], workspace: &mut Workspace) {
        let images = input.len() / self.input.blocks();
        let Workspace { slots, scratch } = workspace;
        slots.resize_with(slots.len().max(self.slots), Vec::new);
        for step in &self.steps {
            // What is written is taken out, so that the rest can be read.
            let MapPlace::Slot(slot) = step.output else {
                step.run(input, slots, output, scratch);
                continue;
            };
            let mut made = std::mem::take(&mut slots[slot]);
            if made.len() < images * step.blocks {
                made.resize(images * step.blocks, Block16::ZERO);
            }
            step.run(input, slots, &mut made[..images * step.blocks], scratch);
            slots[slot] = made;
        }
    }
}

impl PlannedStep {
    fn run(&self, input: &[Block16], slots: &[Vec<Block16>], output: &mut [Block16], scratch: &mut StepScratch) {
        let images = output.len() / self.blocks;
        let map = |i: usize| match self.inputs[i] {
            MapPlace::Slot(slot) => &slots[slot][..images * self.shapes[i].blocks()],
            MapPlace::Input | MapPlace::Output => input,
        };
        match &self.work {
            Work::Conv(conv) => {
                let residual = (self.inputs.len() > 1).then(|| map(1));
                conv.run(map(0), residual, output, &mut scratch.conv);
            }
            Work::Depthwise(conv) => conv.run(map(0), output),
            Work::Pool(pool) => pool.run(self.shapes[0], map(0), output),
            Work::Affine(affine) => affine.run(self.shapes[0].positions(), map(0), output),
            Work::Add(rectifier) => pool::add(map(0), map(1), *rectifier, output),
            Work::Tokens(tokens) => tokens.run(map(0), output),
            Work::LayerNorm(norm) => tokens::normalise(norm, self.shapes[0], map(0), output),
            &Work::Attention(attention) => {
                tokens::attend(attention, self.shapes[0], map(0), output, &mut scratch.attention);
            }
            Work::Pooling(pooling) => {
                pooling.run(self.shapes[0], map(0), output, &mut scratch.attention);
            }
            Work::First => tokens::first(self.shapes[0], map(0), output),
            Work::Concat => {
                let mut begin = 0;
                for (i, shape) in self.shapes.iter().enumerate() {
                    let maps = map(i).chunks_exact(shape.blocks());
                    for (map, out) in maps.zip(output.chunks_exact_mut(self.blocks)) {
                        out[begin..begin + map.len()].copy_from_slice(map);
                    }
                    begin += shape.blocks();
                }
            }
        }
        if let Some(then) = self.then {
            then(output);
        }
    }
}
