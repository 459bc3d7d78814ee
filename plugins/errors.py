"""Errors about plugins."""

from __future__ import annotations

from hopefear.decoder.errors import InputError, failure

__all__ = ["InputError", "PluginError", "failure"]


class PluginError(InputError):
    """A plugin is unknown, its class or its arguments are wrong, or it gave a wrong answer.

    The message begins with the plugin's name.
    """
