"""What addr2line and eu-addr2line say about addresses, and how an answer of ours differs from theirs.

An answer is a list of frames (function, file, line), the innermost first; paths are normalised, an
unknown file is "" and an unknown line 0."""

import os
import posixpath
import re
import subprocess

ADDRESS = re.compile(r"^0x[0-9a-f]+$")
SAME = "same"
DEPTH = "other inlined calls"
LINE = "other lines"
NAME = "other names"
UNEXPLAINED = (DEPTH, LINE, NAME)


def run(command, fine=(0,), **more):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", **more)
    if done.returncode not in fine:
        raise AssertionError(f"{command} failed: {done.stderr}")
    return done.stdout


def function_addresses(binary, *options):
    """(start, size) of every function that has a size."""
    found = []
    for line in run(["nm", "-S", "--defined-only", *options, binary]).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tTwWiuV":
            found.append((int(words[0], 16), int(words[1], 16)))
    return sorted({entry for entry in found if entry[1] > 0})


def call_addresses(binary):
    """Of every call the address that a ledger has for it: that of what follows, less one."""
    found = []
    after_call = False
    for line in run(["objdump", "-d", "--no-show-raw-insn", binary]).splitlines():
        instruction = re.match(r"^\s+([0-9a-f]+):\t(\S+)", line)
        if not instruction:
            after_call = False
            continue
        if after_call:
            found.append(int(instruction[1], 16) - 1)
        after_call = instruction[2].startswith("call")
    return found


def debug_bytes(binary):
    total = 0
    for line in run(["readelf", "-SW", binary]).splitlines():
        section = re.match(r"^\s*\[ *\d+\] \.debug_\S+ +\S+ +\S+ +\S+ +([0-9a-f]+)", line)
        if section:
            total += int(section[1], 16)
    return total


def split_place(text):
    """("file", line) of "file:line", with the column, if there is one, left out."""
    text = re.sub(r" \(discriminator \d+\)$", "", text)
    file, _, line = text.rpartition(":")
    file = "" if file in ("??", "") else posixpath.normpath(file)
    return file, 0 if line == "?" else int(line)


def parse(text, tidy=lambda name, place: (name, place)):
    """Address -> answer, from what `addr2line -a -f -i -C` prints."""
    answers = {}
    lines = text.split("\n")
    frames = None
    at = 0
    while at + 1 < len(lines):
        if ADDRESS.match(lines[at]):
            frames = answers[int(lines[at], 16)] = []
            at += 1
            continue
        name, place = tidy(lines[at], lines[at + 1])
        frames.append((name, *split_place(place)))
        at += 2
    return answers


def parse_elfutils(text):
    """The same from `eu-addr2line -a -f -i -C`, which prints columns and says what is inlined where."""
    def tidy(name, place):
        without_column = place.rpartition(":")[0] if place.count(":") >= 2 else place
        return re.sub(r" inlined at .*", "", name), without_column
    return parse(text, tidy)


def ask(command, addresses, parser=parse):
    text = "".join(f"0x{address:x}\n" for address in addresses)
    # eu-addr2line says by 1 that it did not know all of them.
    return parser(run(command, fine=(0, 1) if "eu-" in command[0] else (0,), input=text))


def addr2line(binary, addresses):
    return ask(["addr2line", "-a", "-f", "-i", "-C", "-e", binary], addresses)


def eu_addr2line(binary, addresses):
    return ask(["eu-addr2line", "-a", "-f", "-i", "-C", "-e", binary], addresses, parse_elfutils)


def symbolizer():
    return os.path.join(os.environ["HEAPLEDGER_PROGRAMS"], "symbolize")


def ours(binary, addresses, *options):
    return ask([symbolizer(), *options, binary], addresses)


def plain(name):
    """Without what compilers append to the symbols of cloned functions."""
    return re.sub(r"( \[clone [^]]*\])+$|(\.(cold|part|isra|constprop|lto_priv)(\.\d+)*)+$", "", name)


def agree(mine, theirs):
    """Whether two names mean the same function. GCC gives functions of one file no mangled name:
    the peers then have the plain name, or that of the symbol with its parameters; we the plain name
    with what is around it, which -g1 does not tell."""
    if mine == theirs or mine.endswith("::" + theirs) or theirs.startswith(mine + "("):
        return True
    if mine == last_part(theirs):
        return True
    # Lambdas are numbered and spelled by each in its own way.
    return "lambda" in mine and last_part(mine) == last_part(theirs)


def last_part(name):
    """The function alone, without what is around it, its arguments and its parameters."""
    name = name.replace("operator()", "operator ")
    outside = []
    depth = 0
    for character in name:
        depth -= character in ">)}"
        if depth == 0 and character not in ">)}<({":
            outside.append(character)
        depth += character in "<({"
    return "".join(outside).removesuffix(" const").rpartition("::")[2].strip()


def both_halves_agree(mine, theirs, others):
    """Whether addr2line has the same calls and eu-addr2line the same innermost line: the first
    mistakes the file there at times, and the second knows no inlined calls in some ranges."""
    calls = (len(mine) == len(theirs) and mine[1:] == theirs[1:]
             and agree(plain(mine[0][0]), plain(theirs[0][0])))
    return calls and bool(others) and mine[0][1:] == others[0][1:]


def difference(mine, theirs):
    """SAME, one of UNEXPLAINED, or why the two differ although neither is wrong."""
    if mine == theirs:
        return SAME
    my_names = [plain(frame[0]) for frame in mine]
    their_names = [plain(frame[0]) for frame in theirs]
    my_places = [frame[1:] for frame in mine]
    their_places = [frame[1:] for frame in theirs]
    if their_names == ["??"]:
        return "no function known to the peer"
    if len(mine) == 1 and re.search(r"\+0x[0-9a-f]+$", mine[0][0]):
        return "the peer guesses: the function before"
    if my_names == their_names and my_places == [("", 0)] and theirs[0][2] == 0:
        return "the peer adds a file from the symbol table"
    if my_names == their_names and my_places == their_places:
        return "same, but for the suffix of a clone"
    if len(mine) != len(theirs):
        return DEPTH
    if my_places != their_places:
        return LINE
    same = [agree(a, b) for a, b in zip(my_names, their_names)]
    if all(same):
        return "same, with more of the namespace or without the parameters"
    if all(same[1:]) and agree(my_names[-1], their_names[0]):
        return "the peer calls what is inlined by the name of the symbol"
    return NAME
