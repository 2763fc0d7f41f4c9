//! Which pseudo-labelled instances to take in next.
