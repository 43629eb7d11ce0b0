"""Bits of floats in several formats, and lanes that may have parted."""

from .build import add

add("formats/words.cu", arch="compute_90")
