"""The board of runs that are under way: what their folders say, as a page and as text."""

from __future__ import annotations

from .page import board_html, board_page
from .places import ExperimentState, RunState, State, look, look_at_all
from .plugin_board import PluginBoard
from .plugin_look import PluginTrial
from .serving import serve
from .terminal import board_text
