"""What goes wrong with plugins."""

from __future__ import annotations

from hopefear.decoder.errors import InputError

__all__ = ["InputError", "PluginError"]


class PluginError(InputError):
    """A plugin is unknown, wrongly declared, wrongly configured, or has answered wrongly.

    The message begins with the plugin's name.
    """
