"""Builds of the first kernels: softmax, saxpy, transpose, reduction, scan, layer norm, math and so on."""

from .build import BOTH, PRECISE, add

# --- softmax ------------------------------------------------------------------------------------
for n in (4, 128, 1024):
    for kernel in ("naive", "online", "online_tree"):
        add(f"softmax/softmax_{kernel}.cu", f"n{n}", BOTH, defines={"N": n})
for n in (128, 1024):
    add("softmax/softmax_online_shuffle.cu", f"n{n}", BOTH, defines={"N": n})
# Between those, for the sizes that `npm run peers` measures.
for n in (16, 64, 256):
    for kernel in ("naive", "online"):
        add(f"softmax/softmax_{kernel}.cu", f"n{n}", PRECISE, defines={"N": n})
add("softmax/softmax_block.cu", "n128", BOTH, defines={"N": 128}, lines=True)
add("softmax/softmax_serial.cu", "", PRECISE)
add("softmax/softmax_columns.cu", "", PRECISE)
for form in (0, 1):
    add("softmax/softmax_skipping.cu", f"n12.{form}", BOTH, defines={"N": 12, "FORM": form})
for mutant in (1, 2, 3):
    defines = {"N": 12, "FORM": 1, "MUTANT": mutant}
    add("softmax/softmax_skipping.cu", f"n12.mutant{mutant}", PRECISE, defines=defines, lines=True)
for form in (0, 1, 2):
    add("softmax/softmax_guarded.cu", f"n9.{form}", PRECISE, defines={"N": 9, "FORM": form})
add("softmax/softmax_guarded.cu", "n9.from_0", PRECISE, defines={"N": 9, "FORM": 1, "START": 0})
add("softmax/softmax_guarded.cu", "n9.mutant", PRECISE, defines={"N": 9, "FORM": 1, "MUTANT": 1}, lines=True)
for mutant, name in [(1, "left_over"), (2, "one_too_far")]:
    add("softmax/softmax_columns.cu", name, PRECISE, defines={"MUTANT": mutant}, lines=True)
add("softmax/softmax_extern_exp.cu", "n4", defines={"N": 4}, extern=True)
add("softmax/softmax_unshifted.cu", "n128", BOTH, defines={"N": 128})
add("softmax/softmax_online.cu", "n128.cuda13", BOTH, defines={"N": 128}, nvrtc=13, arch="compute_90")
add("softmax/softmax_online.cu", "n4.debug", defines={"N": 4}, debug=True)

for mutant in ("naive_no_barrier", "online_no_rescale", "naive_sum_one_short", "online_one_short",
               "online_reads_past_end", "naive_writes_past_end", "naive_uninitialized"):
    for n in (4, 128):
        add(f"softmax/mutants/{mutant}.cu", f"n{n}", PRECISE, defines={"N": n}, lines=True)
for mutant in ("online_no_barrier", "block_no_barrier", "tree_no_rescale", "naive_max_one_short",
               "naive_different_barriers", "naive_barrier_counts", "naive_named_barrier"):
    add(f"softmax/mutants/{mutant}.cu", "n128", PRECISE, defines={"N": 128}, lines=True)
add("softmax/mutants/online_no_barrier.cu", "n128", ("fast",), defines={"N": 128})
add("softmax/mutants/online_no_rescale.cu", "n4", ("fast",), defines={"N": 4})
add("softmax/mutants/online_no_barrier.cu", "n1024", ("fast",), defines={"N": 1024}, lines=True)

# --- saxpy --------------------------------------------------------------------------------------
for kernel in ("saxpy", "saxpy_stride", "saxpy_float4", "saxpy_unfused", "saxpy_double",
               "saxpy_widened", "saxpy_half", "saxpy_half2", "saxpy_half_through_float",
               "saxpy_struct", "saxpy_call", "saxpy_shifted", "axpy_out"):
    add(f"saxpy/{kernel}.cu")
for kernel in ("saxpy_unguarded", "saxpy_misaligned", "saxpy_wrong_sign", "saxpy_two_threads",
               "saxpy_undefined_register"):
    add(f"saxpy/{kernel}.cu", lines=True)
add("saxpy/axpy_out.cu", "last_missing", defines={"LAST": 1}, lines=True)
add("saxpy/saxpy.cu", "debug", debug=True)
add("saxpy/saxpy.cu", "cuda13", nvrtc=13, arch="compute_90")

# --- transpose ----------------------------------------------------------------------------------
SQUARE = {"SIZE": 32, "TILE": 16}
for kernel in ("transpose_naive", "transpose_tiled"):
    add(f"transpose/{kernel}.cu", defines=SQUARE)
for kernel in ("transpose_no_barrier", "transpose_same_block"):
    add(f"transpose/{kernel}.cu", defines=SQUARE, lines=True)
for kernel in ("transpose_in_place", "transpose_swap"):
    add(f"transpose/{kernel}.cu", defines={"SIZE": 16})
add("transpose/transpose_in_place_no_barrier.cu", defines={"SIZE": 16}, lines=True)
RAGGED = {"WIDTH": 40, "HEIGHT": 24, "TILE": 16, "ROWS": 4}
add("transpose/transpose_rectangular.cu", defines=RAGGED)
add("transpose/transpose_rectangular_naive.cu", defines={"WIDTH": 40, "HEIGHT": 24})

# --- reduction ----------------------------------------------------------------------------------
REAL = {"N": 256, "TYPE": "float"}
WHOLE = {"N": 256, "TYPE": "int"}
for kernel in ("sum_serial", "sum_interleaved", "sum_shared", "sum_accumulate", "sum_atomic",
               "sum_atomic_shared"):
    add(f"reduction/{kernel}.cu", defines=REAL)
    add(f"reduction/{kernel}.cu", "int", defines=WHOLE)
for kernel in ("sum_no_barrier", "sum_one_level_short", "sum_atomic_no_barrier"):
    add(f"reduction/{kernel}.cu", defines=REAL, lines=True)
add("reduction/sum_serial.cu", "int.n32", defines={"N": 32, "TYPE": "int"})
add("reduction/sum_redux.cu")
add("reduction/sum_dynamic.cu")
add("reduction/sum_shuffle_down.cu", defines={"N": 256})
add("reduction/sum_shuffle_no_barrier.cu", defines={"N": 256}, lines=True)
add("reduction/sum_butterfly.cu")
add("reduction/sum_each.cu")
add("reduction/lowest.cu")
add("memory/contents_left.cu")
add("reduction/lowest.cu", "cuda13", nvrtc=13, arch="compute_90")
add("reduction/sum_syncwarp.cu", defines={"N": 256})
add("reduction/sum_syncwarp_once.cu", defines={"N": 256}, lines=True)
add("reduction/sum_warp_synchronous.cu", defines={"N": 256}, lines=True)
add("reduction/sum_per_block.cu", defines={"N": 128})
add("reduction/sum_per_row.cu", defines={"N": 128})
add("reduction/sum_blocks_collide.cu", defines={"N": 128}, lines=True)
add("reduction/sum_all_write.cu", defines={"N": 128}, lines=True)
for kernel in ("max_serial", "max_shared"):
    add(f"reduction/{kernel}.cu", defines={"N": 64})
add("reduction/max_from_zero.cu", defines={"N": 64}, lines=True)
for kernel in ("dot_serial", "dot_backwards", "dot_four_sums", "dot_pairwise", "dot_kahan"):
    add(f"reduction/{kernel}.cu", defines={"N": 64})
add("reduction/dot_crossed.cu", defines={"N": 64}, lines=True)

# --- scan ---------------------------------------------------------------------------------------
for kernel in ("scan_serial", "scan_double_buffer", "scan_in_place", "scan_blelloch", "scan_shuffle"):
    add(f"scan/{kernel}.cu", defines={"N": 128})
for kernel in ("scan_in_place_one_barrier", "scan_one_round_short"):
    add(f"scan/{kernel}.cu", defines={"N": 128}, lines=True)

# --- layernorm ----------------------------------------------------------------------------------
for n in (4, 64):
    for kernel in ("layernorm_two_pass", "layernorm_one_pass", "layernorm_welford"):
        add(f"layernorm/{kernel}.cu", f"n{n}", BOTH, defines={"N": n})
add("layernorm/layernorm_two_pass.cu", "n96", BOTH, defines={"N": 96})
add("layernorm/layernorm_block.cu", "n96", BOTH, defines={"N": 96})
for kernel in ("layernorm_unbiased", "layernorm_epsilon_outside"):
    add(f"layernorm/{kernel}.cu", "n4", PRECISE, defines={"N": 4}, lines=True)

# --- histogram, pattern -------------------------------------------------------------------------
add("histogram/histogram_global.cu", lines=True)
add("histogram/histogram_shared.cu", defines={"BINS": 8})
add("histogram/histogram_weighted.cu")
add("histogram/histogram_weighted_serial.cu", defines={"N": 32})
add("histogram/histogram_plain.cu", lines=True)
add("pattern/own_slot.cu", defines={"N": 64})
add("pattern/half_slot.cu", defines={"N": 64}, lines=True)
add("pattern/rotate.cu", defines={"N": 64})
for form in range(5):
    add("pattern/one_value.cu", f"{form}", defines={"FORM": form}, lines=form in (1, 2, 4))
add("pattern/rotate_no_barrier.cu", defines={"N": 64}, lines=True)
add("pattern/bytes.cu", defines={"N": 64})
add("pattern/bytes_no_barrier.cu", defines={"N": 64}, lines=True)
add("pattern/scatter.cu", lines=True)
add("pattern/gather.cu")
add("pattern/compact.cu", lines=True)
add("pattern/compact_ballot.cu")
add("pattern/compact_serial.cu")
for kernel in ("relu_branch", "relu_max", "flag_each_negative", "stencil"):
    add(f"pattern/{kernel}.cu")
for kernel in ("relu_wrong_side", "flag_any_negative", "halve_until", "barrier_in_branch"):
    add(f"pattern/{kernel}.cu", lines=True)

# --- sync ---------------------------------------------------------------------------------------
for kernel in ("order_same", "lanes_then_block", "counts_agree", "third_party", "early_return",
               "ragged_loop", "reset_total", "producer_consumer_serial"):
    add(f"sync/{kernel}.cu")
for kernel in ("order_swapped", "lanes_and_block", "counts_differ", "third_party_too_early",
               "spin", "reset_total_late"):
    add(f"sync/{kernel}.cu", lines=True)
add("sync/producer_consumer.cu", defines={"ROUNDS": 4})
add("sync/producer_consumer_overrun.cu", defines={"ROUNDS": 4}, lines=True)

add("sync/fence_is_no_barrier.cu", lines=True)
for rule, mutants in enumerate((1, 2, 1, 1, 1, 2, 1, 0), start=1):
    arch = {"arch": "compute_90"} if rule == 2 else {}
    add("sync/rules.cu", str(rule), defines={"RULE": rule}, **arch)
    for mutant in range(1, mutants + 1):
        add("sync/rules.cu", f"{rule}.mutant{mutant}", defines={"RULE": rule, "MUTANT": mutant}, lines=True, **arch)

# --- warp ---------------------------------------------------------------------------------------
for kernel in ("shuffle_reverse", "plain_reverse", "votes", "votes_plain", "block_votes",
               "redux_range", "range_serial", "exchange_syncwarp"):
    add(f"warp/{kernel}.cu")
for kernel in ("shuffle_segments", "plain_segments"):
    add(f"warp/{kernel}.cu", defines={"DISTANCE": 3})
add("warp/exchange_shuffle_as_barrier.cu", lines=True)
for form, wrong in ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1)):
    add("warp/above.cu", f"{form}.wrong" if wrong else f"{form}", defines={"FORM": form, "WRONG": wrong})
for distance in (8, 16):
    add("warp/half_mask.cu", f"distance{distance}", defines={"DISTANCE": distance}, lines=True)

# --- matmul -------------------------------------------------------------------------------------
PRODUCT = {"SIZE": 32, "DEPTH": 64, "TILE": 16}
for kernel in ("matmul_naive", "matmul_tiled"):
    add(f"matmul/{kernel}.cu", defines=PRODUCT)
    add(f"matmul/{kernel}.cu", "k512", defines={"SIZE": 32, "DEPTH": 512, "TILE": 32})
for kernel in ("matmul_one_barrier", "matmul_transposed_tile"):
    add(f"matmul/{kernel}.cu", defines=PRODUCT, lines=True)
add("matmul/matmul_registers.cu", defines={"SIZE": 32, "DEPTH": 64, "TILE": 32})

# --- memory -------------------------------------------------------------------------------------
for kernel in ("polynomial", "polynomial_table", "permute_table", "permute_switch", "local_array",
               "reverse", "generic_pointer", "generic_pointer_plain"):
    add(f"memory/{kernel}.cu")
add("memory/local_uninitialized.cu", lines=True)
add("memory/unsupported_texture.cu", lines=True)
add("memory/assertion.cu", extern=True)
add("memory/local_array.cu", "debug", debug=True)

# --- math: name -> expression -------------------------------------------------------------------
UNARY = {
    "identity": "v",
    "exp": "expf(v)",
    "exp_intrinsic": "__expf(v)",
    "exp2": "exp2f(v)",
    "exp_by_exp2": "exp2f(v*1.44269504f)",
    "exp_few_digits": "exp2f(v*1.4427f)",
    "exp10": "exp10f(v)",
    "log": "logf(v)",
    "log2": "log2f(v)",
    "log10": "log10f(v)",
    "tanh": "tanhf(v)",
    "exp_of_double": "expf(2.0f*v)",
    "exp_squared": "expf(v)*expf(v)",
    "sqrt": "sqrtf(v)",
    "sqrt_rn": "__fsqrt_rn(v)",
    "sqrt_by_rsqrt": "v*rsqrtf(v)",
    "sqrt_squared": "sqrtf(v)*sqrtf(v)",
    "sqrt_of_square": "sqrtf(v*v)",
    "rsqrt": "rsqrtf(v)",
    "rsqrt_by_division": "1.0f/sqrtf(v)",
    "rcp": "1.0f/v",
    "rcp_rn": "__frcp_rn(v)",
    "rcp_of_rcp": "1.0f/(1.0f/v)",
    "rcp_of_sqrt_of_square": "rsqrtf(v*v)",
    "abs": "fabsf(v)",
    "abs_by_max": "fmaxf(v,-v)",
    "abs_by_select": "(v<0.0f?-v:v)",
    "relu": "fmaxf(v,0.0f)",
    "relu_by_select": "(v>0.0f?v:0.0f)",
    "relu_by_abs": "0.5f*(v+fabsf(v))",
    "leaky_relu": "(v>0.0f?v:0.125f*v)",
    "leaky_relu_by_max": "fmaxf(v,0.125f*v)",
    "clamp": "fminf(fmaxf(v,-1.0f),1.0f)",
    "clamp_other_order": "fmaxf(fminf(v,1.0f),-1.0f)",
    "clamp_crossed": "fmaxf(fminf(v,-1.0f),1.0f)",
    "saturate": "__saturatef(v)",
    "saturate_by_clamp": "fminf(fmaxf(v,0.0f),1.0f)",
    "sigmoid": "1.0f/(1.0f+expf(-v))",
    "sigmoid_by_quotient": "expf(v)/(expf(v)+1.0f)",
    "sigmoid_by_exp2": "1.0f/(1.0f+exp2f(-1.44269504f*v))",
    "tanh_by_exp": "(expf(v)-expf(-v))/(expf(v)+expf(-v))",
    "tanh_by_sigmoid": "1.0f-2.0f/(expf(2.0f*v)+1.0f)",
    "silu": "v/(1.0f+expf(-v))",
    "silu_by_product": "v*(expf(v)/(1.0f+expf(v)))",
    # 1 / sqrt(32), typed, computed, and folded with log2(e)
    "scale": "v*0.17677669f",
    "scale_by_division": "v/sqrtf(32.0f)",
    "scaled_exp": "expf(v*0.17677669f)",
    "scaled_exp_folded": "exp2f(v*0.25503486f)",
}
BINARY = {
    "sum_and_back": "a+b-b",
    "sum": "a+b",
    "difference": "a-b",
    "div": "a/b",
    "div_intrinsic": "__fdividef(a,b)",
    "div_rn": "__fdiv_rn(a,b)",
    "div_by_rcp": "a*__frcp_rn(b)",
    "div_swapped": "b/a",
    "div_and_back": "a/b*b",
    "max": "fmaxf(a,b)",
    "max_by_select": "(a>b?a:b)",
    "max_by_min": "-fminf(-a,-b)",
    "max_by_abs": "0.5f*(a+b+fabsf(a-b))",
    "min": "fminf(a,b)",
    "max_plus_min": "fmaxf(a,b)+fminf(a,b)",
    "exp_of_sum": "expf(a+b)",
    "exp_times_exp": "expf(a)*expf(b)",
    "exp_of_product": "expf(a*b)",
    "exp_of_difference": "expf(a-b)",
    "exp_over_exp": "expf(a)/expf(b)",
    "square_of_sum": "(a+b)*(a+b)",
    "square_expanded": "a*a+2.0f*a*b+b*b",
    "square_no_cross": "a*a+b*b",
    "factor": "(a*a-b*b)/(a-b)",
    "rcp_sum": "1.0f/a+1.0f/b",
    "rcp_sum_combined": "(a+b)/(a*b)",
    "rcp_of_sum": "1.0f/(a+b)",
    "length": "sqrtf(a*a+b*b)",
    "length_by_rsqrt": "(a*a+b*b)*rsqrtf(a*a+b*b)",
    "softmax_of_two": "expf(a-fmaxf(a,b))/(expf(a-fmaxf(a,b))+expf(b-fmaxf(a,b)))",
    "sigmoid_of_difference": "1.0f/(1.0f+expf(b-a))",
}
TERNARY = {
    "fma": "fmaf(a,b,c)",
    "mul_then_add": "__fadd_rn(__fmul_rn(a,b),c)",
    "max_scaled": "c*fmaxf(a,b)",
    "max_of_scaled": "fmaxf(a*c,b*c)",
    "max_shifted": "fmaxf(a,b)+c",
    "max_of_shifted": "fmaxf(a+c,b+c)",
    "max_exp_scaled": "expf(c)*fmaxf(a,b)",
    "max_of_exp_scaled": "fmaxf(expf(c)*a,expf(c)*b)",
    "max_left": "fmaxf(fmaxf(a,b),c)",
    "max_right": "fmaxf(b,fmaxf(c,a))",
    "div_div": "(a/b)/c",
    "div_by_product": "a/(b*c)",
    "div_by_quotient": "a/(b/c)",
    "product_of_sum": "a*(b+c)",
    "sum_of_products": "a*b+a*c",
    "median": "fmaxf(fminf(a,b),fminf(fmaxf(a,b),c))",
    "median_by_sum": "a+b+c-fmaxf(a,fmaxf(b,c))-fminf(a,fminf(b,c))",
}
for source, expressions in (("unary", UNARY), ("binary", BINARY), ("ternary", TERNARY)):
    for name, expression in expressions.items():
        add(f"math/{source}.cu", output=f"math/{name}", modes=BOTH, defines={"EXPR": expression})
# CUDA 13 takes a sign over with an instruction where CUDA 12 uses and/or.
add("math/unary.cu", output="math/tanh.cuda13", modes=BOTH, defines={"EXPR": "tanhf(v)"}, nvrtc=13)
for form, wrong in ((0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (1, 1), (1, 2), (2, 2), (5, 1)):
    tag = f"{form}.wrong{wrong}" if wrong else f"{form}"
    add("sync/decided.cu", tag, defines={"FORM": form, "WRONG": wrong}, lines=wrong > 0)
