"""Rotary embedding with angles that come out of concrete positions: `rope/rope`.

`MUT` puts a fault into the fast one: `rope/rope.mutant<n>`. The fast build takes the hardware's sine,
cosine and power.
"""

from .build import BOTH, add

add("rope/rope.cu", modes=BOTH)
for fault in (1, 2):
    add("rope/rope.cu", f"mutant{fault}", modes=BOTH, defines={"MUT": fault}, lines=True)
