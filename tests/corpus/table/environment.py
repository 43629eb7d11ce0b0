"""What a kernel finds that no parameter gives it: module variables, addresses, lanes, clocks."""

from .build import add

add("environment/shared_size.cu", lines=True)
for version in (12, 13):
    tag = "" if version == 12 else "cuda13"
    add("environment/variables.cu", tag, nvrtc=version)
    add("environment/far.cu", tag, nvrtc=version)
    add("environment/places.cu", tag, arch="compute_90", nvrtc=version)
    add("environment/registers.cu", tag, nvrtc=version)
