//! Warpproof.
