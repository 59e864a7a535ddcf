"""Which tools and workloads take part: those asked for, as far as they are here."""

import fnmatch

from benchlib.install import install_packages
from benchlib.place import BenchError


def select(rows, patterns, what):
    """The rows whose names match; a pattern that matches none is a mistake worth stopping for."""
    wanted = [pattern.strip() for pattern in patterns.split(",") if pattern.strip()]
    names = [row.name for row in rows]
    for pattern in wanted:
        if not fnmatch.filter(names, pattern):
            raise BenchError(f"no {what} is called {pattern}. There are: {', '.join(names)}")
    return [
        row
        for row in rows
        if row.name == "native" or any(fnmatch.fnmatch(row.name, p) for p in wanted)
    ]


def leave_out_missing(tools, workloads, place, install):
    """What can run here, and a note for everything else."""
    if install:
        missing = [t for t in tools if t.missing(place)] + [w for w in workloads if w.missing()]
        install_packages([package for row in missing for package in row.packages])
    notes = []
    for row, why in [(t, t.missing(place)) for t in tools] + [(w, w.missing()) for w in workloads]:
        if why:
            hint = f" (Debian: {' '.join(row.packages)}; --install)" if row.packages else ""
            notes.append(f"skipped {row.name}: {why}{hint}")
    return (
        [t for t in tools if not t.missing(place)],
        [w for w in workloads if not w.missing()],
        notes,
    )
