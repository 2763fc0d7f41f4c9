use trustpath_table::npy::Array;
use trustpath_vision::{cpu::Engine, network::Network, weights::Weights};
fn main() {
    let n = Network::by_name("resnet12").unwrap();
    let w = Weights::read_safetensors("/work/shared/weights/resnet12-cifar-fs.safetensors").unwrap();
    let e = Engine::new(&n, w).unwrap();
    let x = Array::open("/work/shared/weights/parity-cifar-fs-input.npy".as_ref()).unwrap().to_f32s().unwrap();
    let y = Array::open("/work/shared/weights/parity-cifar-fs-output.npy".as_ref()).unwrap().to_f64s().unwrap();
    let f = e.features(&x).unwrap();
    let scale = y.iter().fold(0f64, |a, b| a.max(b.abs()));
    let mut worst = 0f64; let mut rel = 0f64; let (mut se, mut sy) = (0.0, 0.0);
    for (a, b) in f.iter().zip(&y) { let d = (*a as f64 - b).abs(); worst = worst.max(d); rel = rel.max(d / b.abs().max(1e-3)); se += d*d; sy += b*b; }
    println!("max abs {worst:.3e} of max {scale:.3}, worst element-wise relative {rel:.3e}, rel norm {:.3e}", (se/sy as f64).sqrt());
}
