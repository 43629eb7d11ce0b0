"""Builds of kernels that read textures and surfaces."""

from .build import add

SMALL = {"W": 24, "H": 10}

add("texture/resize.cu", defines=SMALL)
add("texture/resize.cu", "no_half", defines=SMALL | {"MUTANT": 1}, lines=True)
for edge, name in enumerate(("clamp", "border", "wrap")):
    add("texture/blur.cu", name, defines={"W": 20, "H": 12, "EDGE": edge})
add("texture/transpose_surface.cu", defines={"W": 40, "H": 24})
for mutant, name in enumerate(("no_bytes", "clamped", "trapped"), 1):
    add("texture/transpose_surface.cu", name, defines={"W": 40, "H": 24, "MUTANT": mutant}, lines=True)
add("texture/lookup.cu")
add("texture/lookup.cu", "next", defines={"MUTANT": 1}, lines=True)
add("texture/pixels.cu", defines=SMALL)
add("texture/pixels.cu", "blue_red", defines=SMALL | {"MUTANT": 1}, lines=True)
add("texture/layers.cu", defines={"W": 16, "H": 8, "L": 4})
add("texture/layers.cu", "off", defines={"W": 16, "H": 8, "L": 4, "MUTANT": 1}, lines=True)
add("texture/cube.cu", defines={"N": 8})
add("texture/gather.cu", defines={"W": 16})
add("texture/in_place.cu", lines=True)
add("texture/struct_view.cu")
add("texture/warp_field.cu", defines={"N": 16})
add("texture/histogram_surface.cu", defines={"B": 64})
add("texture/blur.cu", "wrap.cuda13", defines={"W": 20, "H": 12, "EDGE": 2}, nvrtc=13, arch="compute_90")
add("texture/kinds.cu", defines={"N": 8, "L": 4}, lines=True)
add("texture/constant_view.cu")
add("texture/border.cu", lines=True)
add("texture/data_surface.cu", lines=True)
