"""The files of the repository: tracked ones and new ones that are not ignored. Without git (an unpacked
archive) everything outside build/ counts. The checks leave out what others wrote and we keep
unmodified, in third_party/."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPP_SUFFIXES = {".h", ".hpp", ".c", ".cc", ".cpp"}
HEADER_SUFFIXES = {".h", ".hpp"}


def all_files(root=ROOT):
    """All files of the repository at root, as sorted paths relative to it."""
    found = _from_git(root)
    if found is None:
        found = _from_walk(root)
    return sorted(path for path in found if (root / path).is_file())


def files(root=ROOT):
    """Those that are our own."""
    return [path for path in all_files(root) if path.parts[0] != "third_party"]


def cpp_files(root=ROOT):
    return [path for path in files(root) if path.suffix in CPP_SUFFIXES]


def finish(name, problems):
    """Prints the problems and ends with the exit status of a check."""
    for problem in problems:
        print(problem)
    print(f"{name}: {len(problems)} problem(s)" if problems else f"{name}: good")
    sys.exit(1 if problems else 0)


def _from_git(root):
    # Only when root is the top of the work tree: in a folder inside another repository git would
    # answer for that one.
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
    try:
        output = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return [Path(os.fsdecode(name)) for name in output.split(b"\0") if name]


def _from_walk(root):
    for folder, folders, names in os.walk(root):
        here = Path(folder).relative_to(root)
        if here == Path("."):
            folders[:] = [name for name in folders if name not in ("build", ".git")]
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (here / name for name in names)
