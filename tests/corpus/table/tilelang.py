"""Builds of the CUDA references for the TileLang kernels, which compile_tilelang.py builds."""

from .build import add

for columns in (32, 64):
    add("triton/product.cu", output=f"tilelang/product_{columns}", defines={"COLUMNS": columns, "DEPTH": 128})
