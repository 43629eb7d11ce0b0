"""Builds of the operators of deep learning that `docs/operators.md` lists: `tests/operators/cuda` has their specs."""

from .build import add

# name -> expression over v, or over a and b
ELEMENTWISE = {
    "negative": "-v",
    "reciprocal": "1.0f/v",
    "exp": "expf(v)",
    "sin": "sinf(v)",
    "cos": "cosf(v)",
    "log": "logf(v)",
    "abs": "fabsf(v)",
    "rsqrt": "rsqrtf(v)",
    "tanh": "tanhf(v)",
    "relu": "fmaxf(v,0.0f)",
    "leaky_relu": "(v>0.0f?v:0.01f*v)",
    "squared_relu": "fmaxf(v,0.0f)*fmaxf(v,0.0f)",
    "gelu": "0.5f*v*(1.0f+erff(v*0.70710678f))",
    "sigmoid": "1.0f/(1.0f+expf(-v))",
    "silu": "v/(1.0f+expf(-v))",
}
OF_TWO = {
    "plus": "a+b",
    "minus": "a-b",
    "times": "a*b",
    "over": "a/b",
    "swiglu": "a/(1.0f+expf(-a))*b",
}
for name, expression in ELEMENTWISE.items():
    add("operators/elementwise.cu", output=f"operators/{name}", defines={"OF(v)": expression})
for name, expression in OF_TWO.items():
    add("operators/elementwise.cu", output=f"operators/{name}", defines={"BINARY": 1, "OF(a,b)": expression})
for name in ("gelu", "silu"):
    add("operators/gated.cu", output=f"operators/{name}_and_multiply",
        defines={"COLUMNS": 512, "OF(v)": ELEMENTWISE[name]})

add("operators/zeros.cu")
add("operators/cat.cu", defines={"LEFT": 384, "RIGHT": 640})
ROWS = {"COLUMNS": 1024, "THREADS": 128}
add("operators/reduce.cu", output="operators/sum", defines=ROWS | {"FOLD": "Sum"})
add("operators/reduce.cu", output="operators/max", defines=ROWS | {"FOLD": "Max"})
for name in ("softmax", "softmax_online", "layer_norm", "rms_norm", "cross_entropy", "softmax_gradient", "layer_norm_gradient"):
    add(f"operators/{name}.cu", defines=ROWS)
add("operators/softmax.cu", output="operators/log_softmax", defines=ROWS | {"LOG": 1})
# The compiler takes logf's branch out of the loop.
add("operators/softmax.cu", output="operators/log_softmax_branch", defines={"COLUMNS": 64, "THREADS": 32, "LOG": 2})
add("operators/group_norm.cu", defines={"CHANNELS": 16, "GROUP": 4, "PIXELS": 256, "THREADS": 128})
add("operators/rotary.cu", defines={"DIM": 128})
add("operators/adam.cu")

PRODUCT = {"DEPTH": 256, "COLUMNS": 64}
add("operators/product.cu", defines=PRODUCT)
add("operators/product.cu", output="operators/product_int8", defines=PRODUCT | {"INT8": 1})
add("operators/product.cu", output="operators/product_int4", defines=PRODUCT | {"INT4": 1})
add("operators/convolution.cu", defines={"IN": 16, "OUT": 32, "SIDE": 16})
ATTENTION = {"ROWS": 16, "KEYS": 128, "DIM": 64, "SCALE": "0.125f"}
add("operators/attention.cu", defines=ATTENTION)
add("operators/attention.cu", output="operators/attention_causal", defines=ATTENTION | {"ROWS": 64, "KEYS": 64, "CAUSAL": 1})
add("operators/attention.cu", output="operators/attention_grouped", defines=ATTENTION | {"HEADS": 2})
for of, name in enumerate(("queries", "keys", "values")):
    add("operators/attention_gradient.cu", output=f"operators/attention_gradient_{name}", defines=ATTENTION | {"OF": of})
