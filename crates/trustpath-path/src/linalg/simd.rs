//! Run-time choice of instruction set.

use pulp::{Arch, NullaryFnOnce};

/// Calls `work(arguments)` compiled for the widest instruction set of this machine. The compiler vectorises it for that set
/// as long as everything it calls is `#[inline(always)]`.
///
/// So `work` is always a closure with that attribute, never the name of a function: a function is called through a wrapper that the
/// compiler may not inline, and would then be compiled for the lowest instruction set. The arguments are passed rather than captured
/// for the same reason.
#[inline(always)]
pub fn dispatch<A, R>(arguments: A, work: impl FnOnce(A) -> R) -> R {
    Arch::new().dispatch(Call { arguments, work })
}

struct Call<A, F> {
    arguments: A,
    work: F,
}

impl<A, R, F: FnOnce(A) -> R> NullaryFnOnce for Call<A, F> {
    type Output = R;

    #[inline(always)]
    fn call(self) -> R {
        (self.work)(self.arguments)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// Calls `check` with the path and the text of every source file.
    fn sources(folder: &Path, check: &mut dyn FnMut(&Path, &str)) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, check);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                check(&path, &fs::read_to_string(&path).unwrap());
            }
        }
    }

    #[test]
    fn every_kernel_is_inlined_into_the_code_for_its_instruction_set() {
        let mut calls = 0;
        // The kernels of all crates of the workspace.
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut |path, text| {
            let call = concat!("simd::", "dispatch(");
            for (at, _) in text.match_indices(call) {
                calls += 1;
                // The first closure of a call is its work; formatted, its attribute stands before it.
                let rest = &text[at..];
                let closure = rest.find('|').unwrap_or(rest.len());
                let inlined = rest[..closure].contains("#[inline(always)]");
                let line = text[..at].lines().count();
                assert!(inlined, "{}:{line}: work without #[inline(always)]", path.display());
            }
        });
        assert!(calls > 20, "{calls}");
    }
}
