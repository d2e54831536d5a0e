"""What a process does not share with the one that it was forked from, such as a server's workers with their parent.

Both would use one connection and its keys, one ephemeral key, and locks that nobody releases any more.
"""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Renewable(Protocol):
    def renew(self) -> None:
        """Begins anew, without touching what the other process has."""


_renewables: WeakSet[Renewable] = WeakSet()


def renew_after_fork(renewable: Renewable) -> None:
    """Has it renewed in each process that is forked from this one."""
    _renewables.add(renewable)


def _renew_all() -> None:
    for each in list(_renewables):
        each.renew()


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
