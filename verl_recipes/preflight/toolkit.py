"""The CUDA toolkit: flash-attention comes as source and is compiled where it is installed.

``python -m verl_recipes.preflight.toolkit`` is run by ``make`` between the two steps of the
installation for GPUs, so that a missing compiler is said before an hour of compiling, not by it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from verl_recipes.preflight import pins
from verl_recipes.preflight.result import MISSING, OK, CheckResult

NAME = "CUDA toolkit"

COMPILED = "flash-attn"
"""The package of the extras that is compiled."""

PLACES = ("CUDA_HOME", "CUDA_PATH")
"""Variables that name the folder of a toolkit; torch's builds read them in this order."""

USUAL = Path("/usr/local/cuda")

MEMORY_GIB = 9
"""Memory that flash-attention's own setup reckons with for each compiler it starts."""

_RELEASE = re.compile(r"release (\d+)\.(\d+)")


def check() -> CheckResult:
    """Check that flash-attention is there, or that what compiles it is."""
    if has := pins.version(COMPILED):
        return CheckResult(NAME, OK, f"not needed: {COMPILED} {has} is installed")
    compiler, wanted = find_nvcc(), cuda_of_torch()
    version = f"CUDA toolkit {wanted}" if wanted else "the CUDA toolkit of the torch that is pinned"
    remedy = f"install {version}, and name its folder by CUDA_HOME if nvcc is not on PATH"
    if compiler is None:
        detail = f"no nvcc, and {COMPILED} is compiled at its installation"
        return CheckResult(NAME, MISSING, detail, remedy)
    found = release(compiler)
    if found is None:
        return CheckResult(NAME, MISSING, f"{compiler} does not say its release", remedy)
    if wanted and found.partition(".")[0] != wanted.partition(".")[0]:
        detail = f"{compiler} is of CUDA {found}, torch is built for CUDA {wanted}"
        return CheckResult(NAME, MISSING, detail, remedy)
    return CheckResult(NAME, OK, f"{compiler}, CUDA {found}")


def find_nvcc() -> Path | None:
    """Return the compiler that a build would take, None if there is none."""
    for folder in filter(None, map(os.environ.get, PLACES)):
        if (named := Path(folder) / "bin" / "nvcc").is_file():
            return named
    if on_path := shutil.which("nvcc"):
        return Path(on_path)
    return usual if (usual := USUAL / "bin" / "nvcc").is_file() else None


def release(compiler: Path) -> str | None:
    """Return the CUDA release of a compiler, such as 13.0; None if it does not say."""
    try:
        done = subprocess.run(
            [str(compiler), "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _RELEASE.search(done.stdout)
    return f"{found[1]}.{found[2]}" if found else None


def cuda_of_torch() -> str | None:
    """Return the CUDA release that the installed torch is built for; None without one."""
    if pins.version("torch") is None:
        return None
    import torch

    found: str | None = torch.version.cuda
    return found


def main() -> int:
    """Print the result; 1 if the compile cannot work."""
    found = check()
    if found.status == OK:
        print(found)
        if pins.version(COMPILED) is None:
            print(
                f"{COMPILED} is compiled now, which may take an hour. MAX_JOBS=4, say, bounds the "
                f"compilers that run at a time; each takes up to {MEMORY_GIB} GiB of memory."
            )
        return 0
    print(f"the installation for GPUs cannot go on: {found}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
