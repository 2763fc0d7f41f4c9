//! Run-time choice of instruction set.

use pulp::{Arch, NullaryFnOnce};

/// Calls `work(arguments)` compiled for the widest instruction set of this machine. The compiler vectorises it for that set
/// as long as everything it calls is `#[inline(always)]`.
///
/// The arguments are passed rather than captured, because a closure that only borrows is called through a wrapper that the
/// compiler may not inline, and would then compile for the lowest instruction set. The same happens to a function that is passed
/// by its name: pass `#[inline(always)] |a| function(a)`.
#[inline(always)]
pub(crate) fn dispatch<A, R>(arguments: A, work: impl FnOnce(A) -> R) -> R {
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
