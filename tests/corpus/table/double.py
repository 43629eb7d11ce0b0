"""The math library's functions in double precision, which float kernels call where a literal lacks its `f`:
`double/<name>[.cuda13]`.

Like those of `elementary.py`, each is compiled alone by both toolkits, for the idiom table. Optimization levels and
architectures change nothing: these have no fast versions.
"""

from .build import add

# name -> expression over v, or over a and b
FUNCTIONS = {
    "exp": "exp(v)",
    "exp2": "exp2(v)",
    "exp10": "exp10(v)",
    "expm1": "expm1(v)",
    "log": "log(v)",
    "log2": "log2(v)",
    "log10": "log10(v)",
    "log1p": "log1p(v)",
    "tanh": "tanh(v)",
    "sinh": "sinh(v)",
    "cosh": "cosh(v)",
    "asinh": "asinh(v)",
    "acosh": "acosh(v)",
    "atanh": "atanh(v)",
    "atan": "atan(v)",
    "asin": "asin(v)",
    "acos": "acos(v)",
    "erf": "erf(v)",
    "erfc": "erfc(v)",
    "normcdf": "normcdf(v)",
    "sin": "sin(v)",
    "cos": "cos(v)",
    "tan": "tan(v)",
    "cbrt": "cbrt(v)",
    "rcbrt": "rcbrt(v)",
    "round": "round(v)",
    "pow_fraction": "pow(v,0.37)",
    "pow_minus_fraction": "pow(v,-0.37)",
    "pow_even": "pow(v,6.0)",
    "pow_minus_even": "pow(v,-6.0)",
    "pow_odd": "pow(v,5.0)",
    "pow_minus_odd": "pow(v,-5.0)",
    "pow_two": "pow(v,2.0)",
    "pow_three": "pow(v,3.0)",
    "pow_half": "pow(v,0.5)",
    "pow_minus_half": "pow(v,-0.5)",
    "pow_minus_one": "pow(v,-1.0)",
}
FUNCTIONS_OF_TWO = {
    "pow": "pow(a,b)",
    "hypot": "hypot(a,b)",
    "atan2": "atan2(a,b)",
}
# What float kernels make of them; the last are mistakes.
OF_FLOATS = {
    "gelu_tanh": "0.5*v*(1.0+tanh(0.7978845608028654*(v+0.044715*v*v*v)))",
    "gelu_erf": "0.5*v*(1.0+erf(v/sqrt(2.0)))",
    "sigmoid": "1.0/(1.0+exp(-1.0*v))",
    "softplus": "log(1.0+exp(1.0*v))",
    "elu": "v>0?v:exp(1.0*v)-1.0",
    "square": "pow((double)v,2.0)",
    "cube": "pow((double)v,3.0)",
    "root": "pow((double)v,0.5)",
    "normalized": "v/sqrt(pow((double)v,2.0)+1e-6)",
    "log_of_magnitude": "-log(fabs(v)+1e-8)",
    # Functions of functions.
    "mish": "v*tanh(log(1.0+exp(1.0*v)))",
    "tanh_of_power": "tanh(pow((double)v,3.0))",
    "mish_of_two": "v*tanh(log(2.0+exp(1.0*v)))",
    "gelu_erf_inverse_root": "0.5*v*(1.0+erf(v*sqrt(2.0)))",
    "sigmoid_of_minus": "1.0/(1.0+exp(1.0*v))",
    "softplus_of_minus": "log(1.0+exp(-1.0*v))",
    "cube_unsigned": "pow(fabs((double)v),3.0)",
}
OF_FLOATS_TO_COMPARE = {
    "float_normalized": "v*rsqrtf(v*v+1e-6f)",
    "float_tanh_of_power": "tanhf(v*v*v)",
    "float_log_of_magnitude": "-logf(fabsf(v)+1e-8f)",
}
for name, expression in OF_FLOATS.items():
    add("math/unary.cu", output=f"double/of_float_{name}", defines={"EXPR": expression})
for name, expression in OF_FLOATS_TO_COMPARE.items():
    add("math/unary.cu", output=f"double/{name}", defines={"EXPR": expression})
for source, expressions in (("unary", FUNCTIONS), ("binary", FUNCTIONS_OF_TWO)):
    for name, expression in expressions.items():
        add(f"double/{source}.cu", output=f"double/{name}", defines={"EXPR": expression})
        add(f"double/{source}.cu", tag="cuda13", output=f"double/{name}", defines={"EXPR": expression}, nvrtc=13)
