"""The lines of the files that go with the input, read as the decoder reads its own."""

from hopefear.decoder.lines import each_line

__all__ = ["each_line"]
