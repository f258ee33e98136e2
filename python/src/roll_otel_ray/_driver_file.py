"""The file in which a driver says where its collector listens, as the Java agent reads it."""

from __future__ import annotations

import ipaddress
import os
import re
import stat
import sys
from pathlib import Path
from urllib.parse import urlsplit

from ._log import warn

_MOST_BYTES = 64 << 10
_ROOT = 0
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)")
_PLAIN = re.compile(r"[\x20-\x7e]*")


class DriverFile:
    """Whoever can write it decides where spans go. So it is believed only where no other user
    can."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._logged = False

    def read(self) -> dict[str, str]:
        """What it says; empty where there is none, or it is not believed."""
        try:
            doubt = self._doubt()
            if doubt:
                self._say(doubt)
                return {}
            # A link may have taken its place meanwhile.
            opened = os.open(self._path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with open(opened, "rb") as file:
                text = file.read(_MOST_BYTES).decode("latin-1")
        except OSError:
            return {}
        pairs = (line.split("=", 1) for line in text.splitlines() if not line.startswith("#"))
        return {pair[0]: _unescaped(pair[1]) for pair in pairs if len(pair) == 2}

    def _doubt(self) -> str:
        """Why it may be a stranger's; empty where it is ours alone."""
        facts = os.lstat(self._path)
        if not stat.S_ISREG(facts.st_mode):
            return "it is not a regular file"
        if sys.platform == "win32":
            return ""  # no modes, and no owners by number
        us = os.geteuid()
        of_folder = us == _ROOT and facts.st_uid == os.stat(self._path.parent).st_uid
        if facts.st_uid != us and not of_folder:
            return f"it belongs to another user, {facts.st_uid}"
        mode = stat.S_IMODE(facts.st_mode)
        # A file system without modes shows all of them.
        if mode & 0o022 and mode & 0o777 != 0o777:
            return "others may write it"
        return ""

    def _say(self, doubt: str) -> None:
        if not self._logged:
            self._logged = True
            warn(
                f"the collector's address in {self._path} is not trusted: {doubt}; remove the file"
            )


def is_usable(endpoint: str, token: str) -> bool:
    """Whether spans may be sent there: over HTTP, and the token can stand in a header."""
    try:
        url = urlsplit(endpoint)
        is_web = url.scheme in ("http", "https") and bool(url.hostname)
        return is_web and _PLAIN.fullmatch(token) is not None
    except ValueError:
        return False


def is_loopback(endpoint: str) -> bool:
    host = urlsplit(endpoint).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], value)
