//! The `trustpath` command.

mod paper;

fn main() {
    println!("{}", paper::TARGETS.join(" "));
}
