"""One build: a source, its defines and options, and the PTX file it gives."""


from dataclasses import dataclass, field


@dataclass(frozen=True)
class Build:
    source: str  # below kernels/
    output: str  # below kernels/, without .ptx
    defines: dict[str, object] = field(default_factory=dict, hash=False)
    fast: bool = False
    lines: bool = False
    debug: bool = False  # no optimization, full debug sections
    extern: bool = False  # calls functions that are not there
    arch: str = "compute_80"
    nvrtc: int = 12

    def options(self) -> list[str]:
        flags = [f"--gpu-architecture={self.arch}", "--std=c++17"]
        flags += ["--use_fast_math"] * self.fast
        flags += ["--generate-line-info"] * self.lines
        flags += ["--device-debug"] * self.debug
        flags += ["--relocatable-device-code=true"] * self.extern
        return flags + [f"-D{name}={value}" for name, value in self.defines.items()]


TABLE: list[Build] = []


def add(source: str, tag: str = "", modes: tuple[str, ...] = ("",), output: str = "", **more) -> None:
    """One row per mode: output is the source's name, the tag and the mode, joined by dots."""
    stem = output or source.removesuffix(".cu")
    for mode in modes:
        name = ".".join(part for part in (stem, tag, mode) if part)
        TABLE.append(Build(source, name, fast=mode == "fast", **more))


BOTH = ("precise", "fast")
PRECISE = ("precise",)
