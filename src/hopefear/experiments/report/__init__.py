"""Tables, figures and the page of an experiment."""

from __future__ import annotations

from .report import Report, write_report
