//! Images per second of the CPU engine, on random images and made-up weights.
//!
//! `cargo run --release -p trustpath-vision --example throughput -- [backbone] [images] [rounds]`

use std::time::Instant;

use trustpath::random::Random;
use trustpath_vision::cpu::Engine;
use trustpath_vision::network::Network;
use trustpath_vision::weights::{NetworkWeights, Parameter};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "resnet12".into());
    let images: usize = args.next().map_or(Ok(64), |n| n.parse())?;
    let rounds: usize = args.next().map_or(Ok(5), |n| n.parse())?;
    let network = Network::by_name(&name)?;
    let mut generator = Random::stream(1, 0);
    let mut random = || 2.0 * generator.uniform() as f32 - 1.0;
    let mut made = |(key, shape): (String, Vec<usize>)| {
        let count: usize = shape.iter().product();
        let scale = (3.0 * shape[0] as f32 / count as f32).sqrt();
        let value = |x: f32| if shape.len() == 1 { 1.0 } else { scale * x };
        let values = (0..count).map(|_| value(random())).collect();
        (key, Parameter { shape, values })
    };
    let parameters = network.parameters().into_iter().map(&mut made).collect();
    let begin = Instant::now();
    let engine = Engine::new(&network, NetworkWeights::new("made up", parameters))?;
    let ready = begin.elapsed().as_secs_f64();
    let values: Vec<f32> = (0..images * 3 * network.input.size.pow(2)).map(|_| random()).collect();
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let begin = Instant::now();
        engine.features(&values)?;
        best = best.min(begin.elapsed().as_secs_f64());
    }
    let threads = rayon::current_num_threads();
    let speed = images as f64 / best;
    println!("{name} {speed:.1} images/s with {threads} threads, ready after {ready:.2} s");
    Ok(())
}
