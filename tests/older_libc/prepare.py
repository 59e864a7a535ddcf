"""Fetches an older C library from Debian's archive and builds the programs of the hazards and of the stacks tests
with it: `prepare.py FOLDER`.

FOLDER/root becomes the library with its headers, as its packages unpack, and FOLDER/programs what is built with it;
the programs name its loader, so they run on it here. The packages come from where this machine's own come from
and are checked with Debian's keys. Exit status 77: they cannot be had, and why is said.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77
RELEASE = "bullseye"  # glibc 2.31: the last that has the loader's functions and the threads apart
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
PACKAGES = ("libc6", "libc6-dev", "linux-libc-dev", "libcrypt1", "libcrypt-dev", "libgcc-s1", "libstdc++6",
            "libstdc++-10-dev")
LIBRARIES = "x86_64-linux-gnu"

# What that libc lacks: nothing that a program on it could do.
NOT_THERE = {
    "descriptors_closes_everything": "close_range",
    "descriptors_takes_every_number": "close_range",
    "processes_exec_forms": "execveat",
    "processes_fork_in_handler": "_Fork",
    "results_passed_through": "mallinfo2",
}
HAZARD_FLAGS = ("-O1 -g -w -fno-builtin -fno-optimize-sibling-calls -fno-inline-functions -D_GNU_SOURCE "
                "-rdynamic -Wl,-z,now").split()
STACKS = {  # as tests/stacks/CMakeLists.txt has them
    "older-O0": ("shapes.cpp", "-O0 -fno-omit-frame-pointer -fcf-protection"),
    "older-O2": ("shapes.cpp", "-O2 -fomit-frame-pointer -fcf-protection"),
    "loading": ("loading.cpp", "-O2"),
    "reloaded": ("reloaded.cpp", "-O2 -Wl,-z,now"),
    "plugin_narrow.so": ("plugin.cpp", '-O2 -shared -fPIC -DBYTES=201 -DFRAME="0x1008"'),
    "plugin_wide.so": ("plugin.cpp", '-O2 -shared -fPIC -DBYTES=302 -DFRAME="0x2008"'),
    "plugin_shifted.so": ("plugin.cpp", '-O2 -shared -fPIC -DBYTES=302 -DFRAME="0x2008" -DSHIFT="240"'),
}


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def archive():
    """Where this machine has its libc from."""
    found = re.match(r"'(\S+)/pool/", run("apt-get", "--print-uris", "download", "libc6"))
    if not found:
        raise LookupError("apt-get does not say where libc6 comes from")
    return found[1]


def unpack(folder):
    apt, packages, root = folder / "apt", folder / "packages", folder / "root"
    for made in (apt / "lists/partial", apt / "cache/archives/partial", packages, root):
        made.mkdir(parents=True, exist_ok=True)
    sources = apt / "sources.list"
    sources.write_text(f"deb [signed-by={KEYS}] {archive()} {RELEASE} main\n", encoding="utf-8")
    own = {"Dir::State::Lists": apt / "lists", "Dir::Cache": apt / "cache", "Dir::Etc::SourceList": sources,
           "Dir::Etc::SourceParts": "/nonexistent", "Dir::State::status": "/dev/null",
           "APT::Sandbox::User": "root", "Acquire::Retries": "3"}
    get = ["apt-get", *(word for name, value in own.items() for word in ("-o", f"{name}={value}"))]
    run(*get, "--error-on=any", "update")
    run(*get, "download", *PACKAGES, cwd=packages)
    for package in packages.glob("*.deb"):
        run("dpkg-deb", "-x", str(package), str(root))
    # Links to /lib mean the one in here.
    for link in (path for path in root.rglob("*") if path.is_symlink()):
        target = os.readlink(link)
        if target.startswith("/"):
            link.unlink()
            link.symlink_to(os.path.relpath(f"{root}{target}", link.parent))
    shutil.rmtree(apt)
    shutil.rmtree(packages)


def flags_of(root):
    """Those of the compiler and the C++ library; of the linker."""
    headers = [root / "usr/include/c++/10", root / f"usr/include/{LIBRARIES}/c++/10"]
    folders = [root / f"usr/lib/{LIBRARIES}", root / f"lib/{LIBRARIES}", root / f"usr/lib/gcc/{LIBRARIES}/10"]
    compile_c = [f"--sysroot={root}", f"-B{folders[0]}"]
    compile_cpp = [*compile_c, "-std=c++20", "-nostdinc++", *(word for path in headers for word in ("-isystem", path))]
    link = [*(f"-L{path}" for path in folders), f"-Wl,--dynamic-linker={root}/lib64/ld-linux-x86-64.so.2",
            f"-Wl,--disable-new-dtags,-rpath,{folders[1]}:{folders[0]}", "-pthread", "-ldl", "-lm"]
    return compile_c, compile_cpp, link


def wanted(root, programs):
    """A compiler's command line for each program."""
    compile_c, compile_cpp, link = flags_of(root)
    include = [f"-I{TESTS / 'hazards'}", f"-I{TESTS.parent / 'include'}"]
    for source in sorted((TESTS / "hazards").glob("*/*.c*")):
        name = f"{source.parent.name}_{source.stem}"
        if name in NOT_THERE:
            continue
        plugin = source.stem.startswith("plugin_")
        compiler = ["g++", *compile_cpp] if source.suffix == ".cpp" else ["gcc", *compile_c]
        yield [*compiler, *HAZARD_FLAGS, *(["-shared", "-fPIC"] if plugin else []), *include, source,
               "-o", programs / (name + ".so" * plugin), *link]
    for name, (source, flags) in STACKS.items():
        yield ["g++", *compile_cpp, "-w", *flags.split(), TESTS / "stacks" / source, "-o", programs / name, *link]


def build(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode != 0 else ""


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    try:
        unpack(folder)
    except (LookupError, OSError, subprocess.CalledProcessError) as problem:
        print(f"the packages of Debian {RELEASE} cannot be had: {problem} {getattr(problem, 'stderr', '')}")
        return SKIPPED
    programs = folder / "programs"
    programs.mkdir()
    with concurrent.futures.ThreadPoolExecutor(2) as two:
        faults = [text for text in two.map(build, wanted(folder / "root", programs)) if text]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
