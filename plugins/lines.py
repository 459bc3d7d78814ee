"""Read the lines of files that belong to the input in the same way as the decoder reads the input."""

from hopefear.decoder.lines import each_line

__all__ = ["each_line"]
