"""What goes wrong with plugins."""

from __future__ import annotations

from hopefear.decoder.errors import InputError, failure

__all__ = ["InputError", "PluginError", "failure"]


class PluginError(InputError):
    """A plugin is unknown, wrongly declared, wrongly configured, or has answered wrongly.

    The message begins with the plugin's name.
    """
