"""Compile the bridge against a cdec."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.texts import split_lines, split_words

SOURCES = Path(__file__).parent / "native"
_NEEDED = "_ZTI15FeatureFunction"  # type_info of FeatureFunction, which shows that cdec exports its symbols
_EXPORT = (
    "expected a cdec whose symbols a library can use, got one that hides them: build cdec again with "
    "-DCMAKE_EXE_LINKER_FLAGS=-rdynamic (or -DCMAKE_ENABLE_EXPORTS=ON)"
)


@dataclass(frozen=True, slots=True)
class Bridge:
    """A compiled bridge."""

    library: Path

    def line(self, config: str = "plugins.ini") -> str:
        """Return the line of a cdec.ini that loads the library."""
        return f"feature_function=External {self.library} --config {config}"


def build(source: Path, built: Path, output: Path) -> Bridge:
    """Compile the bridge for a cdec and this Python."""
    compiler = shlex.split(os.environ.get("CXX") or "c++")
    if shutil.which(compiler[0]) is None:
        raise InputError(f"expected a C++ compiler (c++, or the one that CXX names), got no {compiler[0]}")
    include = _include_folders(source, built)
    _check_executable(built / "decoder" / "cdec")
    output = output.absolute()
    with written_whole(output) as beside:
        command = [
            *compiler,
            *("-std=c++17", "-O2", "-fPIC", "-shared", "-w", "-DHAVE_CONFIG_H"),
            f'-DHOPEFEAR_PYTHON="{sys.executable}"',
            *(f"-I{folder}" for folder in include),
            *map(str, sorted(SOURCES.glob("*.cc"))),
            *("-o", str(beside), "-Wl,-z,nodelete"),  # Python cannot be unloaded
            *_python_library(),
        ]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            last = "\n".join(split_lines(result.stderr)[-20:])
            raise InputError(f"the bridge does not compile against the cdec in {source}:\n{last}")
    return Bridge(output)


def _include_folders(source: Path, built: Path) -> list[Path]:
    for folder, file in ((source, "decoder/ff.h"), (source, "utils/fdict.h"), (built, "config.h")):
        if not (folder / file).is_file():
            raise InputError(
                f"expected {file} of {'cdec' if folder is source else 'a built cdec'}", path=folder
            )
    python = Path(sysconfig.get_paths()["include"])
    if not (python / "Python.h").is_file():
        raise InputError("expected Python.h: install the headers of this Python", path=python)
    return [built, source, source / "decoder", source / "utils", python]


def _check_executable(cdec: Path) -> None:
    if not cdec.is_file():
        raise InputError("expected cdec's executable: build cdec first", path=cdec)
    if shutil.which("nm") is None:
        raise InputError("expected nm, which comes with a compiler, to see whether cdec shows its symbols")
    symbols = subprocess.run(["nm", "-D", "--defined-only", str(cdec)], capture_output=True, text=True)
    if not any(split_words(line)[-1:] == (_NEEDED,) for line in split_lines(symbols.stdout)):
        raise InputError(_EXPORT, path=cdec)


def _python_library() -> list[str]:
    """Return the linker's arguments for libpython."""
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        raise InputError(f"expected a Python with a shared libpython, got one without: {sys.executable}")
    name = str(sysconfig.get_config_var("LDLIBRARY"))
    folders = [Path(sysconfig.get_config_var("LIBDIR")), Path(sys.base_prefix, "lib")]
    for folder in folders:
        if (folder / name).is_file():
            return [str(folder / name), f"-Wl,-rpath,{folder}"]
    raise InputError(f"expected {name}: install the development files of this Python", path=folders[0])
