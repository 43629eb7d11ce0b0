"""The math library's functions, and what is built from them: `elementary/<name>[.cuda13].{precise,fast}`.

Each is compiled alone by both toolkits. `crate/src/decide/idioms/table.rs` names those whose inlined
code it recognizes; `crate/src/decide/idioms/shapes.txt` is made from them.
"""

from .build import BOTH, PRECISE, add

# name -> expression over v, or over a and b
FUNCTIONS = {
    "log1p": "log1pf(v)",
    "expm1": "expm1f(v)",
    "erf": "erff(v)",
    "erfc": "erfcf(v)",
    "normcdf": "normcdff(v)",
    "sin": "sinf(v)",
    "cos": "cosf(v)",
    "tan": "tanf(v)",
    "sinpi": "sinpif(v)",
    "cospi": "cospif(v)",
    "sinh": "sinhf(v)",
    "cosh": "coshf(v)",
    "asinh": "asinhf(v)",
    "atan": "atanf(v)",
    "asin": "asinf(v)",
    "acos": "acosf(v)",
    "atanh": "atanhf(v)",
    "acosh": "acoshf(v)",
    "cbrt": "cbrtf(v)",
    "rcbrt": "rcbrtf(v)",
    "round": "roundf(v)",
    "floor": "floorf(v)",
    "pow_minus_one": "powf(v,-1.0f)",
    "pow_fraction": "powf(v,0.37f)",
    "pow_minus_fraction": "powf(v,-0.37f)",
    "pow_even": "powf(v,6.0f)",
    "pow_minus_even": "powf(v,-6.0f)",
    "pow_odd": "powf(v,5.0f)",
    "pow_minus_odd": "powf(v,-5.0f)",
    "pow_of_two": "powf(2.0f,v)",
    "pow_of_ten": "powf(10.0f,v)",
    "sigmoid_by_tanh": "0.5f*tanhf(0.5f*v)+0.5f",
    "silu_by_tanh": "0.5f*v*(1.0f+tanhf(0.5f*v))",
    "gelu_tanh": "0.5f*v*(1.0f+tanhf(0.7978845608f*(v+0.044715f*v*v*v)))",
    "gelu_erf": "0.5f*v*(1.0f+erff(v*0.7071067812f))",
    "gelu_erfc": "0.5f*v*erfcf(-v*0.7071067812f)",
    "gelu_normcdf": "v*normcdff(v)",
    "softplus": "log1pf(expf(v))",
    "softplus_stable": "fmaxf(v,0.0f)+log1pf(expf(-fabsf(v)))",
    "mish": "v*tanhf(log1pf(expf(v)))",
    "elu": "(v>0.0f?v:expm1f(v))",
}
FUNCTIONS_OF_TWO = {
    "pow": "powf(a,b)",
    "hypot": "hypotf(a,b)",
    "fmod": "fmodf(a,b)",
    "atan2": "atan2f(a,b)",
    "rotate": "a*cosf(b)-b*sinf(b)",
}
# The same functions, otherwise: one toolkit is enough.
EXPRESSIONS = {
    "pow_two": "powf(v,2.0f)",
    "pow_three": "powf(v,3.0f)",
    "pow_half": "powf(v,0.5f)",
    "pow_minus_half": "powf(v,-0.5f)",
    "sigmoid_by_exp": "1.0f/(1.0f+expf(-v))",
    "silu_by_exp": "v/(1.0f+expf(-v))",
    "tanh_by_library": "tanhf(v)",
}
# And those that are compared as precise builds only; the last are mistakes.
PRECISE_EXPRESSIONS = {
    "floor_by_ceil": "-ceilf(-v)",
    "ceil": "ceilf(v)",
    "trunc": "truncf(v)",
    "rint": "rintf(v)",
    "log_of_one_more": "logf(1.0f+v)",
    "exp_less_one": "expf(v)-1.0f",
    "one_less_erfc": "1.0f-erfcf(v)",
    "one_less_erf": "1.0f-erff(v)",
    "cube_root_by_pow": "powf(v,0.333333333f)",
    "sin_over_cos": "sinf(v)/cosf(v)",
    "sinh_by_exp": "0.5f*(expf(v)-expf(-v))",
    "cosh_by_exp": "0.5f*(expf(v)+expf(-v))",
    "tanh_by_expm1": "expm1f(2.0f*v)/(expm1f(2.0f*v)+2.0f)",
    "log2_by_log": "logf(v)*1.44269504f",
    "log_by_log2": "log2f(v)*0.693147181f",
    "exp_of_log": "expf(logf(v))",
    "square": "v*v",
    "cube": "v*v*v",
    "reciprocal": "1.0f/v",
    "square_root": "sqrtf(v)",
    "tanh_by_exp": "1.0f-2.0f/(1.0f+expf(2.0f*v))",
    "gelu_by_sigmoid": "v/(1.0f+expf(-1.5957691216f*(v+0.044715f*v*v*v)))",
    "softplus_by_log": "logf(1.0f+expf(v))",
    "softplus_threshold": "(v>20.0f?v:log1pf(expf(v)))",
    "mish_by_exp": "v*((1.0f+expf(v))*(1.0f+expf(v))-1.0f)/((1.0f+expf(v))*(1.0f+expf(v))+1.0f)",
    "elu_by_exp": "(v>0.0f?v:expf(v)-1.0f)",
    "gelu_tanh_half": "0.5f*v*(1.0f+tanhf(0.5f*0.7978845608f*(v+0.044715f*v*v*v)))",
    "gelu_tanh_square": "0.5f*v*(1.0f+tanhf(0.7978845608f*(v+0.044715f*v*v)))",
    "gelu_erf_unscaled": "0.5f*v*(1.0f+erff(v))",
    "gelu_erf_two": "0.5f*v*(1.0f+erff(v*1.4142135624f))",
    "softplus_no_max": "log1pf(expf(-fabsf(v)))",
    "softplus_no_one": "logf(expf(v))",
    "elu_swapped": "(v<0.0f?v:expm1f(v))",
    "tanh_sign": "2.0f/(1.0f+expf(2.0f*v))-1.0f",
    "tanh_unscaled": "1.0f-2.0f/(1.0f+expf(v))",
    "cos_for_sin": "cosf(v)",
    "sin_of_double": "sinf(2.0f*v)",
    # Rounding and limits.
    "int8_limits_first": "(float)__float2int_rn(fminf(fmaxf(v*0.125f,-128.0f),127.0f))",
    "int8_round_first": "(float)min(max(__float2int_rn(v*0.125f),-128),127)",
    "int8_limits_by_tests": "(float)__float2int_rn(v*0.125f<-128.0f?-128.0f:v*0.125f>127.0f?127.0f:v*0.125f)",
    "int8_limit_127": "(float)min(max(__float2int_rn(v*0.125f),-127),127)",
    "int8_away_limits_first": "(float)(int)roundf(fminf(fmaxf(v*0.125f,-128.0f),127.0f))",
    "int8_away_round_first": "(float)min(max((int)roundf(v*0.125f),-128),127)",
    "int8_floor_limits_first": "(float)(int)floorf(fminf(fmaxf(v*0.125f,-128.0f),127.0f))",
    "int8_floor_tests_first": "(float)(int)floorf(v*0.125f<-128.0f?-128.0f:v*0.125f>127.0f?127.0f:v*0.125f)",
    # What is known of the argument answers the question whether it is 0, and what stands around the function has
    # been moved inside of its other choices.
    "log2_limited": "log2f(fmaxf(v,1e-12f))",
    "log2_limited_by_log": "logf(fmaxf(v,1e-12f))*1.44269504f",
    "log2_limited_by_log_elsewhere": "logf(fmaxf(v,1e-11f))*1.44269504f",
    "minus_log_limited_less_one": "-logf(fmaxf(v,0.5f))-1.0f",
    "minus_log_limited_less_one_by_log2": "-1.0f-log2f(fmaxf(v,0.5f))*0.693147181f",
    # The sign of an argument goes into the library's constants.
    "sin_of_minus": "sinf(-v)",
    "normcdf_of_minus": "normcdff(-v)",
    "one_less_normcdf": "1.0f-normcdff(v)",
    "cos_of_minus": "cosf(-v)",
    "tan_of_minus": "tanf(-v)",
    "erf_of_minus": "erff(-v)",
    "erfc_of_minus": "erfcf(-v)",
    "tanh_of_minus": "tanhf(-v)",
    "expm1_of_minus": "expm1f(-v)",
    "minus_sin": "-sinf(v)",
    "minus_tan": "-tanf(v)",
    "minus_erf": "-erff(v)",
    "two_less_erfc": "2.0f-erfcf(v)",
    "minus_tanh": "-tanhf(v)",
    "exp_of_minus_less_one": "1.0f/expf(v)-1.0f",
}
PRECISE_EXPRESSIONS_OF_TWO = {
    "limited_sum": "__saturatef(a)+__saturatef(b)",
    "limited_sum_limited": "__saturatef(__saturatef(a)+__saturatef(b))",
    "bytes_by_shift": "(float)(min(max(__float2int_rn(a),0),255)|min(max(__float2int_rn(b),0),255)<<8)",
    "bytes_swapped": "(float)(min(max(__float2int_rn(b),0),255)|min(max(__float2int_rn(a),0),255)<<8)",
    "hypot_by_sqrt": "sqrtf(a*a+b*b)",
    "hypot_no_square": "sqrtf(a*a+b)",
    "fmod_by_trunc": "a-b*truncf(a/b)",
    "fmod_by_floor": "a-b*floorf(a/b)",
    "pow_swapped": "powf(b,a)",
    "pow_by_exp": "expf(b*logf(a))",
    # Guards that ask what the function asks itself, and others.
    "guard_pow": "(a==1.0f?7.0f:powf(a,b))+(a==37.0f?powf(a,b)+a-37.0f:powf(a,b))",
    "guard_pow_turned": "(a!=1.0f?powf(a,b):7.0f)+powf(a,b)",
    "guard_pow_eight": "(a!=1.0f?powf(a,b):8.0f)+powf(a,b)",
    # Arguments that are quotients, squares, clamps and functions.
    "square_of_quotient_by_pow": "powf(a/b,2.0f)",
    "square_of_quotient": "(a/b)*(a/b)",
    "square_of_quotient_cubed": "(a/b)*(a/b)*(a/b)",
    "pow_of_sum_of_squares": "powf(a*a+1.0f,b)",
    "pow_of_sum_of_squares_by_exp": "expf(b*logf(a*a+1.0f))",
    "focal_by_pow": "powf(1.0f-1.0f/(1.0f+expf(-a)),2.0f)*b",
    "focal_by_product": "b/((1.0f+expf(a))*(1.0f+expf(a)))",
    "tanh_of_clamp": "tanhf(fminf(fmaxf(a,-1.0f),1.0f))+b",
    "tanh_of_clamp_by_exp": "1.0f-2.0f/(1.0f+expf(2.0f*fminf(fmaxf(a,-1.0f),1.0f)))+b",
    "tanh_of_other_clamp_by_exp": "1.0f-2.0f/(1.0f+expf(2.0f*fminf(fmaxf(a,-1.0f),2.0f)))+b",
    "hypot_of_quotient": "hypotf(a/b,b)",
    "hypot_of_quotient_by_sqrt": "sqrtf(a/b*(a/b)+b*b)",
    "guard_log": "(a<=0.0f?b:logf(a))+(b==0.0f?a:3.0f*logf(b))",
    "guard_log_turned": "(b!=0.0f?logf(b)*3.0f:a)+(a>0.0f?logf(a):b)",
    "guard_tanh": "(fabsf(a)<0.55f?b:tanhf(a))",
    "guard_tanh_by_exp": "(fabsf(a)<0.55f?b:1.0f-2.0f/(1.0f+expf(2.0f*a)))",
}
for source, expressions in (("unary", FUNCTIONS), ("binary", FUNCTIONS_OF_TWO)):
    for name, expression in expressions.items():
        add(f"math/{source}.cu", output=f"elementary/{name}", modes=BOTH, defines={"EXPR": expression})
        add(f"math/{source}.cu", tag="cuda13", output=f"elementary/{name}", modes=PRECISE, defines={"EXPR": expression}, nvrtc=13)
for name, expression in EXPRESSIONS.items():
    add("math/unary.cu", output=f"elementary/{name}", modes=BOTH, defines={"EXPR": expression})
for source, expressions in (("unary", PRECISE_EXPRESSIONS), ("binary", PRECISE_EXPRESSIONS_OF_TWO)):
    for name, expression in expressions.items():
        add(f"math/{source}.cu", output=f"elementary/{name}", modes=PRECISE, defines={"EXPR": expression})
# CUDA 12's builds of these are in `math/`.
for name in ("exp", "exp2", "exp10", "log", "log2", "log10", "tanh"):
    modes = BOTH if name == "tanh" else PRECISE
    add("math/unary.cu", tag="cuda13", output=f"elementary/{name}", modes=modes, defines={"EXPR": f"{name}f(v)"}, nvrtc=13)
# Newer GPUs get other code for some of them.
BLACKWELL = {name: FUNCTIONS[name] for name in ("sin", "cos", "erf", "expm1", "log1p", "asinh", "sinpi", "cospi")}
BLACKWELL |= {name: f"{name}f(v)" for name in ("log", "log2", "log10")}
for name, expression in BLACKWELL.items():
    add("math/unary.cu", tag="sm100", output=f"elementary/{name}", modes=PRECISE, defines={"EXPR": expression}, arch="compute_100")
for name in ("erf", "expm1", "asinh", "cbrt", "rcbrt"):
    add("math/unary.cu", tag="cuda13.sm100", output=f"elementary/{name}", modes=PRECISE, defines={"EXPR": FUNCTIONS[name]}, arch="compute_100", nvrtc=13)
for name in ("sinpi", "cospi"):
    add("math/unary.cu", tag="sm90", output=f"elementary/{name}", modes=PRECISE, defines={"EXPR": FUNCTIONS[name]}, arch="compute_90")
add("math/binary.cu", tag="sm100", output="elementary/pow", modes=PRECISE, defines={"EXPR": "powf(a,b)"}, arch="compute_100")
add("math/binary.cu", tag="cuda13.sm100", output="elementary/fmod", modes=PRECISE, defines={"EXPR": "fmodf(a,b)"}, arch="compute_100", nvrtc=13)
for name in ("atan", "asin", "acos", "atanh", "acosh", "atan2"):
    source, expression = ("math/binary.cu", FUNCTIONS_OF_TWO[name]) if name == "atan2" else ("math/unary.cu", FUNCTIONS[name])
    for tag, more in (("sm100", {}), ("cuda13.sm100", {"nvrtc": 13})):
        add(source, tag=tag, output=f"elementary/{name}", modes=PRECISE, defines={"EXPR": expression}, arch="compute_100", **more)
add("elementary/sincos.cu", modes=BOTH)
add("elementary/sincos.cu", tag="cuda13", modes=PRECISE, nvrtc=13)
add("elementary/limited_powers.cu")
add("elementary/limited_powers.cu", tag="cuda13", nvrtc=13)
