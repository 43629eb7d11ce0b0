//! Formulas against numbers worked out by hand.
