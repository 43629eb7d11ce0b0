"""The half-precision math of cuda_fp16.h and cuda_bf16.h: `half/<name>[.tag].precise`, `bfloat/<name>[.tag].precise`.

Their code is a float's function with a nudge for single inputs. `crate/src/decide/idioms/table.rs` names those that it
recognizes, as in `elementary`.
"""

from .build import PRECISE, add

TYPES = {"half": ("__half", "<cuda_fp16.h>"), "bfloat": ("__nv_bfloat16", "<cuda_bf16.h>")}
FUNCTIONS = ("exp", "exp2", "exp10", "log", "log2", "log10", "sin", "cos")

for folder, (type_name, header) in TYPES.items():
    for name in FUNCTIONS:
        defines = {"T": type_name, "HEADER": header, "EXPR": f"h{name}(v)"}
        add("math/half.cu", output=f"{folder}/{name}", modes=PRECISE, defines=defines)

# A float's functions of a bf16.
OF_FLOATS = {name: f"{name}f" for name in ("exp", "log", "log1p", "tanh", "sin", "cos", "erf")}
for name, function in OF_FLOATS.items():
    defines = {"T": "__nv_bfloat16", "HEADER": "<cuda_bf16.h>", "EXPR": f"__float2bfloat16({function}(__bfloat162float(v)))"}
    add("math/half.cu", output=f"bfloat/float_{name}", modes=PRECISE, defines=defines)

# A float rounded to bf16 by its word.
ROUNDINGS = {
    "even": "b + 0x7fffu + ((b >> 16) & 1)",
    "even_unless_nan": "(b & 0x7fffffffu) > 0x7f800000u ? b | 0x400000u : b + 0x7fffu + ((b >> 16) & 1)",
    "up": "b + 0x8000u",
}
for name, expression in ROUNDINGS.items():
    add("math/rounded_word.cu", output=f"rounded_word/{name}", defines={"EXPR": expression})
