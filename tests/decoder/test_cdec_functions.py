"""Lines of a cdec.ini that are cdec's own: its line for plugins, and functions that only cdec has."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopefear.base import InputError
from hopefear.decoder import Decoder
from hopefear.decoder.cdec_functions import REFUSED

GRAMMAR = "[X] ||| a ||| x y ||| p=1\n[X] ||| b ||| z ||| p=1\n"
PLUGINS = "feature_function=Arity\nfeature_function=NgramFeatures -o 1\n"


def decoder_of(folder: Path, line: str) -> Decoder:
    (folder / "cdec.ini").write_text(f"formalism=scfg\nfeature_function={line}\n")
    return Decoder(folder / "cdec.ini", weights={"p": 1.0})


def plugins_ini(folder: Path, text: str = PLUGINS) -> None:
    (folder / "plugins.ini").write_text(text)


@pytest.mark.parametrize(
    "line",
    [
        "External /somewhere/libhopefear_bridge.so --config plugins.ini",
        "External ours.so --parse-ahead cdec.ini --config=plugins.ini --attributes parse,src_tree",
    ],
)
def test_external_loads_the_plugins_of_the_bridge(line: str, tmp_path: Path) -> None:
    plugins_ini(tmp_path)
    (tmp_path / "ours.so").write_bytes(b"\x7fELF...hopefear.cdec.bridge.session\0")
    forest = decoder_of(tmp_path, line).translate("a b", GRAMMAR)
    assert forest.viterbi_features() == {
        **{"p": 2, "Glue": 1, "Arity_0": 2, "Arity_1": 1, "Arity_2": 1},
        **{"U:x": 1, "U:y": 1, "U:z": 1, "U:</s>": 1},
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("External", "expected libhopefear_bridge.so, whose plugins hopefear loads itself, got 'nothing'"),
        ("External /lib/other.so -x", "got '/lib/other.so': a library of functions for cdec needs"),
        ("External libhopefear_bridge.so", "--config must be given"),
        ("External libhopefear_bridge.so --config missing.ini", "missing.ini: cannot be read: No such file"),
        (
            "External libhopefear_bridge.so --config plugins.ini --trees t",
            "unknown argument --trees, known are --config, --parse-ahead, --attributes; the other arguments "
            "of the bridge are options of hopefear's commands",
        ),
    ],
)
def test_external_refuses_all_else(line: str, message: str, tmp_path: Path) -> None:
    plugins_ini(tmp_path)
    with pytest.raises(InputError) as caught:
        decoder_of(tmp_path, line)
    assert message in str(caught.value)


def test_errors_in_plugins_ini_name_its_line(tmp_path: Path) -> None:
    plugins_ini(tmp_path, "# ours\nfeature_function=Arty\n")
    with pytest.raises(InputError, match=r"plugins\.ini:2: Arty: unknown feature function, near: Arity"):
        decoder_of(tmp_path, "External libhopefear_bridge.so --config plugins.ini")


@pytest.mark.parametrize("name", REFUSED)
def test_refused_functions_say_why(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        decoder_of(tmp_path, f"{name} some arguments")
    assert str(caught.value).endswith(
        f"cdec.ini:2: {name} is a function of cdec that hopefear does not have: {REFUSED[name]}"
    )
