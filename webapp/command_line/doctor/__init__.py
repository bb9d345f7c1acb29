"""`tokenscope doctor`: checks the settings and the machine of a site, and says what to do about each finding.

It does not start the site: it works with settings that keep the site from starting and while the database is down. It
changes nothing: it creates no file that stays, and migrates no database.
"""

from __future__ import annotations

from webapp.command_line.doctor.report import EPILOG, add_arguments, doctor

__all__ = ["EPILOG", "add_arguments", "doctor"]
