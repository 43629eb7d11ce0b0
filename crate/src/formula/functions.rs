//! THE table of functions: what a formula can call, how, and what it means.
//!
//! A row is the name, the parameters with their defaults, the meaning, and a line of help. What can be said in
//! the language itself is said in it ([`Meaning::Text`]): the last line is the value, lines before give parts
//! a name. The rest is a [`Primitive`], which `meaning` knows. Names and parameters follow the Python array
//! API (2024.12) and, for operators of deep learning, `torch.nn.functional`; where those round or keep a
//! running state, the real function is meant.

use super::graph;

/// What a function is, if it is not said in the language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Primitive {
    /// Reals to reals, element by element.
    Real(graph::Function),
    /// To a whole number nearby; whole numbers stay.
    Rounding(graph::Function),
    /// Numbers of one kind to a number of that kind, element by element.
    Arithmetic(graph::Function),
    /// Along axes.
    Fold(graph::Fold),
    Where,
    CumSum,
    Mean,
    Reshape,
    Permute,
    Concat,
    Stack,
    BroadcastTo,
    Arange,
    Full,
    Take,
    Cast,
    Einsum,
    Conv1d,
    Conv2d,
    MaxPool2d,
    AvgPool2d,
    Count,
    ExpandDims,
    Flip,
}

/// What a function means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// It is known to `meaning`.
    Primitive(Primitive),
    /// Lines of the language.
    Text(&'static str),
}

/// One function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Its parameters, as in Python: `x, axis=-1`.
    pub parameters: &'static str,
    /// What it means.
    pub meaning: Meaning,
    /// What it gives, in a line; only where it can be asked for (`afterwards`).
    pub help: &'static str,
}

macro_rules! functions {
    ($($name:literal ($parameters:literal) $kind:ident $meaning:tt, $help:literal;)*) => {
        /// All functions.
        pub const FUNCTIONS: &[Function] = &[$(Function {
            name: $name,
            parameters: $parameters,
            meaning: functions!(@ $kind $meaning),
            help: if cfg!(feature = "afterwards") { $help } else { "" },
        }),*];
    };
    (@ real $function:ident) => { Meaning::Primitive(Primitive::Real(graph::Function::$function)) };
    (@ rounds $function:ident) => { Meaning::Primitive(Primitive::Rounding(graph::Function::$function)) };
    (@ counts $function:ident) => { Meaning::Primitive(Primitive::Arithmetic(graph::Function::$function)) };
    (@ folds $fold:ident) => { Meaning::Primitive(Primitive::Fold(graph::Fold::$fold)) };
    (@ known $meaning:ident) => { Meaning::Primitive(Primitive::$meaning) };
    (@ says $meaning:expr) => { Meaning::Text($meaning) };
}

functions! {
    // Of each element.
    "exp"("x") real Exp, "e to the power x";
    "exp2"("x") real Exp2, "2 to the power x";
    "expm1"("x") says "exp(x) - 1", "exp(x) - 1";
    "log"("x") real Log, "natural logarithm";
    "log2"("x") real Log2, "logarithm to base 2";
    "log10"("x") says "log(x) / log(10)", "logarithm to base 10";
    "log1p"("x") says "log(1 + x)", "log(1 + x)";
    "sqrt"("x") real Sqrt, "square root";
    "cbrt"("x") real Cbrt, "cube root";
    "rsqrt"("x") says "1 / sqrt(x)", "1 / sqrt(x)";
    "reciprocal"("x") says "1 / x", "1 / x";
    "square"("x") says "x * x", "x * x";
    "pow"("x, y") says "x ** y", "x to the power y";
    "abs"("x") counts Abs, "absolute value";
    "neg"("x") says "-x", "-x";
    "sign"("x") says "astype(where(x > 0, 1, where(x < 0, -1, 0)), x.dtype)", "-1, 0 or 1";
    "floor"("x") rounds Floor, "the next whole number below";
    "ceil"("x") rounds Ceil, "the next whole number above";
    "round"("x") rounds Round, "the nearest whole number, ties to even";
    "trunc"("x") rounds Trunc, "the next whole number towards 0";
    "sin"("x") real Sin, "sine";
    "cos"("x") real Cos, "cosine";
    "tan"("x") says "sin(x) / cos(x)", "tangent";
    "sinh"("x") says "(exp(x) - exp(-x)) / 2", "hyperbolic sine";
    "cosh"("x") says "(exp(x) + exp(-x)) / 2", "hyperbolic cosine";
    "tanh"("x") real Tanh, "hyperbolic tangent";
    "atan"("x") real Atan, "inverse of the tangent";
    "asinh"("x") says "log(x + sqrt(x * x + 1))", "inverse of the hyperbolic sine";
    "acosh"("x") says "log(x + sqrt(x * x - 1))", "inverse of the hyperbolic cosine";
    "atanh"("x") says "log((1 + x) / (1 - x)) / 2", "inverse of the hyperbolic tangent";
    "erf"("x") real Erf, "error function";
    "maximum"("a, b") counts Maximum, "the larger of two";
    "minimum"("a, b") counts Minimum, "the smaller of two";
    "clip"("x, min=None, max=None") says "low = x if min is None else maximum(x, min)
        low if max is None else minimum(low, max)", "x, not below min and not above max";
    "where"("condition, a, b") known Where, "a where the condition holds, b elsewhere";
    "astype"("x, dtype") known Cast, "the same numbers in another type";
    // Activations.
    "relu"("x") says "maximum(x, 0)", "x where it is positive, 0 elsewhere";
    "relu6"("x") says "minimum(maximum(x, 0), 6)", "x between 0 and 6";
    "leaky_relu"("x, negative_slope=0.01") says "where(x > 0, x, negative_slope * x)", "x where it is positive, a part of it elsewhere";
    "elu"("x, alpha=1") says "where(x > 0, x, alpha * (exp(x) - 1))", "x where it is positive, alpha (exp(x) - 1) elsewhere";
    "sigmoid"("x") says "1 / (1 + exp(-x))", "1 / (1 + exp(-x))";
    "silu"("x") says "x / (1 + exp(-x))", "x sigmoid(x)";
    "mish"("x") says "x * tanh(log(1 + exp(x)))", "x tanh(softplus(x))";
    "softplus"("x, beta=1") says "log(1 + exp(beta * x)) / beta", "log(1 + exp(beta x)) / beta";
    "softsign"("x") says "x / (1 + abs(x))", "x / (1 + |x|)";
    "hardtanh"("x, min_val=-1, max_val=1") says "minimum(maximum(x, min_val), max_val)", "x between two limits";
    "hardsigmoid"("x") says "minimum(maximum(x + 3, 0), 6) / 6", "a line between 0 and 1";
    "hardswish"("x") says "x * minimum(maximum(x + 3, 0), 6) / 6", "x hardsigmoid(x)";
    "gelu"("x, approximate='none'") says "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))) if approximate == 'tanh' else 0.5 * x * (1 + erf(x / sqrt(2)))", "x times the normal distribution's cumulative function, or its approximation by 'tanh'";
    // Along axes.
    "sum"("x, axis=None, keepdims=False") folds Sum, "sum along axes";
    "prod"("x, axis=None, keepdims=False") folds Product, "product along axes";
    "mean"("x, axis=None, keepdims=False") known Mean, "mean along axes";
    "max"("x, axis=None, keepdims=False") folds Max, "largest along axes";
    "min"("x, axis=None, keepdims=False") folds Min, "smallest along axes";
    "all"("x, axis=None, keepdims=False") folds All, "whether all hold";
    "any"("x, axis=None, keepdims=False") folds Any, "whether some holds";
    "argmax"("x, axis=None, keepdims=False") folds ArgMax, "the place of the largest; of several, the first";
    "argmin"("x, axis=None, keepdims=False") folds ArgMin, "the place of the smallest; of several, the first";
    "var"("x, axis=None, correction=0, keepdims=False") says "d = x - mean(x, axis=axis, keepdims=True)
        sum(d * d, axis=axis, keepdims=keepdims) / (count(x, axis) - correction)", "variance: the mean of squared deviations";
    "std"("x, axis=None, correction=0, keepdims=False") says "sqrt(var(x, axis, correction, keepdims))", "standard deviation";
    "distinct"("x") says "f = reshape(x, -1)
        all(where(arange(f.shape[0])[:, None] == arange(f.shape[0])[None, :], True, f[:, None] != f[None, :]))", "whether no two elements are equal";
    "count"("x, axis=None") known Count, "how many elements lie along axes";
    "cumsum"("x, axis=None") known CumSum, "running sum, its own element included";
    "logsumexp"("x, axis=None, keepdims=False") says "log(sum(exp(x), axis=axis, keepdims=keepdims))", "log of the sum of exponentials";
    "softmax"("x, axis=-1") says "t = exp(x)
        t / sum(t, axis=axis, keepdims=True)", "exp(x) / sum of exp(x)";
    "log_softmax"("x, axis=-1") says "x - log(sum(exp(x), axis=axis, keepdims=True))", "log of softmax";
    "layer_norm"("x, weight=None, bias=None, eps=1e-5") says "n = (x - mean(x, axis=-1, keepdims=True)) / sqrt(var(x, axis=-1, keepdims=True) + eps)
        s = n if weight is None else n * weight
        s if bias is None else s + bias", "x with mean 0 and variance 1 along the last axis, scaled and shifted";
    "rms_norm"("x, weight=None, eps=0") says "n = x / sqrt(mean(x * x, axis=-1, keepdims=True) + eps)
        n if weight is None else n * weight", "x with mean square 1 along the last axis, scaled";
    "group_norm"("x, num_groups, weight=None, bias=None, eps=1e-5") says "g = reshape(x, [x.shape[0], num_groups, x.shape[1] // num_groups, -1])
        n = (g - mean(g, axis=[2, 3], keepdims=True)) / sqrt(var(g, axis=[2, 3], keepdims=True) + eps)
        c = reshape(n, [x.shape[0], x.shape[1], -1])
        s = c if weight is None else c * weight[:, None]
        reshape(s if bias is None else s + bias[:, None], x.shape)", "x with mean 0 and variance 1 in each group of channels (axis 1), scaled and shifted";
    "cross_entropy"("x, target, axis=-1") says "hit = arange(x.shape[axis]) == expand_dims(target, -1)
        log(sum(exp(x), axis=axis)) - sum(where(hit, x, 0), axis=axis)", "-log_softmax(x) at the target, for each row; classes are the last axis";
    "mse_loss"("x, y") says "mean((x - y) ** 2)", "mean of squared differences";
    // Shapes.
    "reshape"("x, shape") known Reshape, "the same elements, row by row, in another shape";
    "permute_dims"("x, axes") known Permute, "axes in another order";
    "expand_dims"("x, axis=0") known ExpandDims, "with one more axis of length 1";
    "concat"("arrays, axis=0") known Concat, "arrays behind one another along an axis";
    "stack"("arrays, axis=0") known Stack, "arrays behind one another along a new axis";
    "broadcast_to"("x, shape") known BroadcastTo, "repeated to a shape";
    "flip"("x, axis=None") known Flip, "in the opposite order";
    "arange"("start, stop=None, step=1") known Arange, "0, 1, 2, …";
    "zeros"("shape") says "full(shape, 0.0)", "zeros";
    "ones"("shape") says "full(shape, 1.0)", "ones";
    "full"("shape, fill_value") known Full, "one value everywhere";
    "zeros_like"("x") says "astype(full(x.shape, 0), x.dtype)", "zeros in the shape of x";
    "ones_like"("x") says "astype(full(x.shape, 1), x.dtype)", "ones in the shape of x";
    "take"("x, indices, axis=0") known Take, "the elements at indices along an axis";
    // Products.
    "matmul"("a, b") says "a @ b", "matrix product";
    "einsum"("subscripts, a, b=None, c=None") known Einsum, "sum of products over the letters that the result lacks";
    "conv1d"("x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1") known Conv1d, "convolution of (batch, channels, length)";
    "conv2d"("x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1") known Conv2d, "convolution of (batch, channels, height, width)";
    "max_pool2d"("x, kernel_size, stride=None, padding=0") known MaxPool2d, "largest in each window";
    "avg_pool2d"("x, kernel_size, stride=None, padding=0") known AvgPool2d, "mean of each window, what is padded counted";
}

/// A function by its name.
pub fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}
