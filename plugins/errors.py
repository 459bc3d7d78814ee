"""Errors about plugins."""

from __future__ import annotations

from hopefear.base.errors import InputError


class PluginError(InputError):
    """A plugin is unknown, its class or its arguments are wrong, or it gave a wrong answer.

    The message begins with the plugin's name.
    """
