"""The table of builds: which source, with which defines and options, gives which PTX file.

One row per committed `.ptx`. Families with transcendental functions or division are built twice,
`precise` and `fast` (`--use_fast_math`), because NVRTC inlines different instruction sequences;
kernels with a fault carry line information (`.loc`) so that a report can name the CUDA line.
"""

from . import basics, blackwell, blocks  # noqa: F401
from . import attention, attention_mma, convolution, tilelang, triton  # noqa: F401
from . import tensor, tensor_maps  # noqa: F401
from . import double, elementary, halves, instructions  # noqa: F401
from . import harris  # noqa: F401
from . import matmul  # noqa: F401
from . import gemm  # noqa: F401
from . import field  # noqa: F401
from . import bulk, cheating, choices  # noqa: F401
from . import trials  # noqa: F401
from . import unwritten  # noqa: F401
from . import rope  # noqa: F401
from . import guards  # noqa: F401
from . import environment  # noqa: F401
from . import constants, contracts, indices, locks  # noqa: F401
from . import integers, narrow, saturation, signals, signatures, sizes, structs, swaps  # noqa: F401
from . import cluster, formats, operators, texture, warpgroup  # noqa: F401
from .build import TABLE, Build  # noqa: F401
