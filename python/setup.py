"""Builds the extension, and the library beside it, with CMake.

REEL_BUILD_DIR names a build of this repository to take them from, in place of building anew.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def version() -> str:
    found = re.search(r"project\(reel VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    if not found:
        sys.exit("CMakeLists.txt names no version of reel.")
    return found[1]


class BuildWithCMake(build_ext):
    def run(self) -> None:
        build = Path(os.environ["REEL_BUILD_DIR"]) if os.environ.get("REEL_BUILD_DIR") else self.build_anew()
        target = HERE if self.inplace else Path(self.build_lib).resolve()
        # Into reel/: the extension and the library, which finds itself there.
        subprocess.run(
            ["cmake", "--install", str(build), "--component", "python_wheel", "--prefix", str(target)], check=True
        )

    def build_anew(self) -> Path:
        build = Path(self.build_temp).resolve() / "cmake"
        # The page of `reel view` belongs to the program; without it nothing is fetched from a network.
        subprocess.run(
            ["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release", "-DREEL_DEVELOPER_MODE=OFF",
             "-DREEL_PAGE=OFF", f"-DPython_EXECUTABLE={sys.executable}"],
            check=True,
        )
        jobs = str(os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", str(build), "--target", "reel_python", "--parallel", jobs], check=True)
        return build


setup(
    version=version(),
    ext_modules=[Extension("reel._reel", sources=[])],
    cmdclass={"build_ext": BuildWithCMake},
)
