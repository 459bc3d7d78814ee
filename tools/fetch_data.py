"""Fetch the texts of the included plans, and check them: python tools/fetch_data.py --help."""

from __future__ import annotations

import argparse
import sys
import urllib.request
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import read_packed, write_packed
from hopefear.base.progress import print_line, progress_bar

TANAKA = (
    "https://raw.githubusercontent.com/odashi/small_parallel_enja/312408a11c5fbcbc09443bebb18121f7efdcd61e/"
)
"""Where the small parts of the Tanaka corpus are (CC BY)."""

PARTS = 5
"""Files of each side of the training text, there."""

FETCHED = {
    "tanaka/dev.en": "04a2673449770657fd5e3b963cb856be3130923212b6db8ac7eaeef18f06c041",
    "tanaka/dev.ja": "cd534f56b8639dc130f86a365e5ec0aa70042000bdd740a622fbbf8b6be4acca",
    "tanaka/test.en": "45edb380749ec2b49cca7618fc5a7595fc9f791180672ba466b90c873a4aa8bf",
    "tanaka/test.ja": "d37dc460a81b064e4106c8913eb11fa300da05cf3f58a7a5bbfec7e20947ddef",
    "tanaka/train.en.gz": "148b05dcd28638fe20ee84f2b1127001c80982be352007dda241fb759adadc76",
    "tanaka/train.ja.gz": "fc81a1434349ec98a449d7ae9cd2530057f689637684ecfed3501ea6a8a07ecc",
}
"""SHA-256 of the texts that can be fetched, uncompressed."""

OTHERS = {
    "bible-es-en/dev.en.0": "2ea61fcc54dac03b581e9debf96da6cfce014c9a7a6ef980644ceb572971918f",
    "bible-es-en/dev.en.1": "9b5ac5aae781981e040035009d0a630b68f63470380c66d32e361af907eb976c",
    "bible-es-en/dev.es": "88ab151beec2aa8bc82c4c090b4cc3f6fb94771efebbba9c2d8559194b2b87d1",
    "bible-es-en/test.en.0": "97efbabd85a95c934a4f6f9c7177c52c2beda4532a31367953fb12fd28c86213",
    "bible-es-en/test.en.1": "146e32e5e12f9b178576860e39e27dc2117b034f81698db48067c12bf9fae0aa",
    "bible-es-en/test.es": "e49d963d9a6bd71f8d3b67878a6dd2f32535ffc8aae5a54b4016c9101e61e509",
    "bible-es-en/train.en.gz": "a7d90e0f211350e905be714a02d5de376558a79a94d5dc5781d48d9ef70f6e28",
    "bible-es-en/train.es.gz": "ccf86c5afd623f9d33b535c2f9aa92f20668de70f3e27cd75b3d46a8163204b8",
    "bible-de-en/dev.de": "2f42ca573fe61446491afd9aa8d6f5c161a201ffa4512c519051c41a7f068e68",
    "bible-de-en/dev.en.0": "b85f74a42dc6d72f90995fa3466b42a915b08b6bbf891eb7c58e4844b8c2d401",
    "bible-de-en/dev.en.1": "b05cc9d0d69aba63b2ee35a9b0a66a54f536484e372bf60921c112e74408878b",
    "bible-de-en/dev.en.2": "eb0ee023b47750502f8e55e02c193afa046fe52c17d385a26ea42a7734a925e9",
    "bible-de-en/dev.en.3": "fd4a37e98d127268dc22ae80a40d15ab7bfcd4e601f9f817c5231a58d9cabc5e",
    "bible-de-en/test.de": "208be85df364a2985c8357b6bd4e7fabd2590751e65d3320fd2bbdfd462d13ce",
    "bible-de-en/test.en.0": "3455579057207310fc3ddd7236ad5371ecf988bff08287a654bb37c144ae16f7",
    "bible-de-en/test.en.1": "d7dbcf3dc05cee17206203916bf91512205104863f31ef39c155fcffdb42b2e9",
    "bible-de-en/test.en.2": "342ead9ba22eb323e47a7bfd2859b2acc85221989102c2b179818557878aed71",
    "bible-de-en/test.en.3": "03ac03ed219d3482fef6b5b112912d9c27c6dd96fd30cc25d6341be751ff2a38",
    "bible-de-en/train.de.gz": "9c8ace731248523836e1cd7d53a6e205b89f41048b444370381506064f85f942",
    "bible-de-en/train.en.gz": "4f2524864bfbae1d8d13907492522d4bd0209fae566f6228e5609dcbd755c3d4",
    "python-docs/en-es/dev.documents": "8fc82ad96bc3d55aa261e0ba9fd1e9185437818679ff33c50a737575a398d07b",
    "python-docs/en-es/dev.en": "9b152b00e3370813cbb9ace30f78d44f047be7b67cbae8d192dc409256d7e648",
    "python-docs/en-es/dev.es": "4ad14d41ec922a8e486c1b16f8043c7f4e534d9fa913868985ab00eddf2b3013",
    "python-docs/en-es/test.documents": "84fecb82af770b258cbc78efe9720c35be7072ab9b60e4d52f295d71e26c47d0",
    "python-docs/en-es/test.en": "87f4f796f07a07172f518f991af3e00fef50c58f50d461c0a31f39b68af7ae6b",
    "python-docs/en-es/test.es": "add19f6272144fd2d1ccf15821509028a7e8bb957be6e9bfdcd7d111f0d39bbd",
    "python-docs/en-es/train.en.gz": "9ad4503209ac11adc4da46b36b61659076d0c89fd315dd152a0b8c72b5015473",
    "python-docs/en-es/train.es.gz": "f00104297c917d669a86a30bde79be08aa4e2494e82fc41b9778b536023ef366",
    "python-docs/en-ja/dev.documents": "1bd16c1a417d7bbb6eafeeb36af4001db054d6fb0ea68f61b1ee5ba9ed7b4aa9",
    "python-docs/en-ja/dev.en": "9d651184de8259040475b8cbf7ac6ee85e4e64f99adb1905aab32f62dd001133",
    "python-docs/en-ja/dev.ja": "d47314d775a7020979813014e8171e58f5093bf5b7175ae1c633e8b8133cad96",
    "python-docs/en-ja/test.documents": "ae0fd435b8d584bcb9ea47be72784e7f6d4b9c8030bafab1cffed85376de49e9",
    "python-docs/en-ja/test.en": "f2e108438e17c900d2208adbd65e5d7bd426c71df916f21a27d8bb648a858755",
    "python-docs/en-ja/test.ja": "9f4ec4a743af555cbdaab532898c7df94fbcd0464ca57b68ffdc17329932cf53",
    "python-docs/en-ja/train.en.gz": "007fd49dd81f8c5743e9a355460a207ce30b6bf448924414c4a89dbf47ca2c30",
    "python-docs/en-ja/train.ja.gz": "cc61fcf78660773154987bacd0c22904cc7e077c15a86894d867f7e849630b48",
}
"""SHA-256 of the texts that cannot be fetched as they are, uncompressed."""

MADE_FROM = {
    "bible-es-en": "Reina-Valera 1909 and two public-domain English texts, tokenised, lower-cased",
    "bible-de-en": "Elberfelder 1871 and four public-domain English texts, tokenised, lower-cased",
    "python-docs": "the messages of github.com/python/python-docs-es and python-docs-ja, as they are written",
}


def sources(name: str) -> list[str]:
    """List the files from which a text is joined, by their names there."""
    plain = Path(name).name.removesuffix(".gz")
    return [f"{plain}.{i:03}" for i in range(PARTS)] if name.endswith(".gz") else [plain]


def checked(path: Path, expected: str) -> None:
    """Raise an `InputError` unless a file is there and has a checksum, uncompressed."""
    if (found := sha256(read_packed(path)).hexdigest()) != expected:
        raise InputError(f"expected the SHA-256 {expected}, got {found}", path=path)


def fetch(folder: Path, address: str = TANAKA, texts: Mapping[str, str] = FETCHED) -> None:
    """Fetch the texts that a folder lacks; a file is written when its checksum is right."""
    for name in progress_bar(list(texts), name="texts", unit="text"):
        path = folder / name
        if path.exists():
            checked(path, texts[name])
            continue
        content = b"".join(_read(f"{address}{one}") for one in sources(name))
        if (found := sha256(content).hexdigest()) != texts[name]:
            raise InputError(
                f"expected the SHA-256 {texts[name]}, got {found}", path=f"{address}{sources(name)[0]}"
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        write_packed(path, content)


def _read(address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            content: bytes = answer.read()
            return content
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be fetched: {error}", path=address) from None


def check(folder: Path, texts: Mapping[str, str]) -> list[str]:
    """List what is wrong with the texts of a folder."""
    wrong = []
    for name in progress_bar(list(texts), name="texts", unit="text"):
        try:
            checked(folder / name, texts[name])
        except InputError as error:
            wrong.append(str(error))
    return wrong


def main(words: Sequence[str] | None = None) -> int:
    """Fetch or check; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="for --data of hopefear experiment")
    parser.add_argument(
        "--check", action="store_true", help="fetch nothing; check all texts, also those of other origin"
    )
    given = parser.parse_args(words)
    if given.check:
        wrong = check(given.folder, FETCHED | OTHERS)
        print(
            "\n".join(wrong) or f"{given.folder}: all {len(FETCHED | OTHERS)} texts are those of the results"
        )
        return int(bool(wrong))
    try:
        fetch(given.folder)
    except InputError as error:
        print_line(f"error: {error}")
        return 1
    print(f"{given.folder}: {len(FETCHED)} texts of tanaka")
    for name, what in MADE_FROM.items():
        if not (given.folder / name).exists():
            print(f"{given.folder / name}: cannot be fetched; it is made from {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
