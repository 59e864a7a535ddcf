#!/usr/bin/env python3
"""Packs what is installed, with the portable tool and player in place of those built for this machine.

    make_tarball.py CMAKE BUILD_FOLDER PLAYER_DIR TARBALL

The same sources and packages make the same bytes. Beside the tarball is its checksum, for `sha256sum -c`; in it are
the licences of all that is linked in, as this machine's packages have them.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

# What is inside of our programs, by the package that brings its licence.
INSIDE = {
    "libboost-dev": "Boost.Beast and Boost.Asio",
    "libbz2-dev": "bzip2",
    "libcli11-dev": "CLI11",
    "libdw-dev": "elfutils: libdw and libelf",
    "libfmt-dev": "fmt",
    "libiberty-dev": "libiberty",
    "liblzma-dev": "liblzma",
    "libprotozero-dev": "protozero",
    "libsqlite3-dev": "SQLite",
    "libstdc++6": "the C++ library of GCC, and its libgcc",
    "libzstd-dev": "zstd",
    "nlohmann-json3-dev": "JSON for Modern C++",
    "robin-map-dev": "robin-map",
    "zlib1g-dev": "zlib",
}


def version_of(package):
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=True)
    return asked.stdout


def copyright_of(package):
    """Some packages have it as a link to that of another, in a folder or instead of one."""
    path = pathlib.Path("/usr/share/doc") / package / "copyright"
    if not path.is_file():
        raise SystemExit(f"make_tarball: {path} is missing; without it the tarball would carry no licence of {package}")
    return path.read_bytes()


def add_licences(folder):
    folder.mkdir()
    lines = ["Heapledger is under the Apache License 2.0 (heapledger.txt). Its programs have inside, of Debian's packages:\n"]
    for package, what in INSIDE.items():
        (folder / f"{package}.txt").write_bytes(copyright_of(package))
        lines.append(f"{what}: {package}.txt, of {package} {version_of(package)}")
    lines.append("\nand Preact, in the page of `heapledger view`: preact.txt. libdw and libelf are used under the LGPL; with\n"
                 "our sources `cmake --build build/release --target tarball` links the same with any version of them.")
    (folder / "README.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def stage(cmake, build, player, root):
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run([cmake, "--install", build, "--prefix", root], check=True, stdout=subprocess.DEVNULL)
    shutil.copy2(build / "portable/heapledger", root / "bin/heapledger")
    shutil.copy2(build / "portable/heapledger-player", root / player / "heapledger-player")
    add_licences(root / "licences")
    documents = root / "share/doc/heapledger"
    shutil.copy(documents / "copyright", root / "licences/heapledger.txt")
    shutil.copy(documents / "preact.LICENSE", root / "licences/preact.txt")


def pack(root, tarball):
    when = os.environ.get("SOURCE_DATE_EPOCH", "0")
    packed = subprocess.run(["tar", "--create", "--sort=name", f"--mtime=@{when}", "--owner=0", "--group=0",
                             "--numeric-owner", "--mode=u+rw,go+r,go-w", "--format=gnu", "--use-compress-program=zstd -19 -T1",
                             "--file", tarball, root.name], cwd=root.parent, check=False)
    if packed.returncode != 0:
        raise SystemExit("make_tarball: tar has failed")
    digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
    tarball.with_name(tarball.name + ".sha256").write_text(f"{digest}  {tarball.name}\n", encoding="ascii")


def main():
    cmake, build, player, tarball = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])
    root = build / "portable" / tarball.name.removesuffix(".tar.zst")
    stage(cmake, build, player, root)
    pack(root, tarball)
    print(f"{tarball}: {tarball.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
