#!/usr/bin/env python3
"""Makes stand-ins for the C library's files as they were before glibc 2.34: what is linked with them asks for no
symbol younger than 2.17, and finds each where it was then.

    stand_ins.py C_COMPILER FOLDER

Each symbol of this machine's own libc gets the newest version that is old enough. Those that 2.34 and its
forerunners moved into libc.so.6 go back to where they came from, by their names.
"""

import pathlib
import re
import subprocess
import sys

OLDEST = (2, 17)
LIBRARIES = ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1")
MOVED = (
    (r"dl(addr1?|close|error|info|m?open|v?sym)", "libdl.so.2"),
    (r"(aio|lio|mq|shm|timer)_\w+", "librt.so.1"),
    (r"(forkpty|openpty|login|logout|login_tty|logwtmp)", "libutil.so.1"),
    (r"(pthread|sem)_\w+|__pthread_\w+", "libpthread.so.0"),
)
STAYED = {"__libc_start_main"}  # a new version for another reason


def numbers(version):
    found = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.(\d+))?", version)
    return tuple(int(part or 0) for part in found.groups()) if found else None


def symbols(path):
    """(name, kind, binding, bytes, address, version, whether it is the default) of all that the library exports."""
    text = subprocess.run(["readelf", "--dyn-syms", "--wide", path], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        columns = line.split()
        if len(columns) == 8 and columns[6] not in ("UND", "ABS") and "@" in columns[7]:
            name, version = columns[7].split("@", 1)
            yield name, columns[3], columns[4].lower(), int(columns[2], 0), columns[1], version.lstrip("@"), version.startswith("@")


def home_of(name, library, young):
    """The file in which a symbol was whose present version is young."""
    if library == "libc.so.6" and young and name not in STAYED:
        for pattern, home in MOVED:
            if re.fullmatch(pattern, name):
                return home
    return library


def chosen(compiler):
    """By library: {name: (kind, binding, bytes, address, version)}."""
    found = {library: {} for library in LIBRARIES}
    for library in ("libc.so.6", "libm.so.6"):
        path = subprocess.run([compiler, f"-print-file-name={library}"], capture_output=True, text=True,
                              check=True).stdout.strip()
        old, young = {}, set()
        for name, kind, binding, size, address, version, default in symbols(path):
            number = numbers(version)
            if number is None:
                continue
            if default and number[:2] > OLDEST:
                young.add(name)
            if number[:2] <= OLDEST and (name not in old or number > numbers(old[name][-1])):
                old[name] = (kind, binding, size, address, version)
        for name, symbol in old.items():
            found[home_of(name, library, name in young)][name] = symbol
    return found


SECTIONS = {"OBJECT": (".bss", "object"), "TLS": ('.section .tbss,"awT",@nobits', "tls_object")}


def assembly(names):
    # Data is copied into programs, by its size, and with it go the weak names it has; of functions only the name matters.
    places = {}
    for name, (kind, binding, size, address, _) in sorted(names.items()):
        places.setdefault((kind, address) if kind in SECTIONS else (kind, name), []).append((name, binding, size))
    for (kind, _), here in places.items():
        section, what = SECTIONS.get(kind, (".text", "function"))
        yield f"{section}\n.balign 32"
        for name, binding, size in here:
            yield f".{binding} {name}\n.type {name}, @{what}\n.size {name}, {size}\n{name}:"
        yield f".skip {max(8, *(size for _, _, size in here))}"
    yield '.section .note.GNU-stack,"",@progbits\n'


def version_script(names):
    versions = sorted({symbol[-1] for symbol in names.values()}, key=numbers)
    for version in versions:
        here = "; ".join(sorted(name for name, symbol in names.items() if symbol[-1] == version))
        yield f"{version} {{ global: {here}; {'local: *; ' if version == versions[0] else ''}}};"


def main():
    compiler, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for library, names in chosen(compiler).items():
        source, script = folder / f"{library}.s", folder / f"{library}.map"
        source.write_text("\n".join(assembly(names)), encoding="utf-8")
        script.write_text("\n".join(version_script(names)) + "\n", encoding="utf-8")
        subprocess.run([compiler, "-shared", "-nostdlib", f"-Wl,-soname,{library}", f"-Wl,--version-script={script}",
                        "-o", folder / library, source], check=True)


if __name__ == "__main__":
    main()
