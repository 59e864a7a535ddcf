"""Runs a program natively and recorded, each in a fresh folder, and compares what can be seen.

A program is recorded by hand (LD_PRELOAD and HEAPLEDGER around it), so that a failure is the
runtime's, or through `heapledger run` where a test asks for it. Ledgers go to a folder of their
own: whatever else the recorded run leaves behind must be what the native run left. A hang is a
failure like any other; only the process group that was started here is ever killed.

ctest sets HEAPLEDGER_TOOL (the tool), HEAPLEDGER_LIB (libheapledger.so) and HEAPLEDGER_PROGRAMS
(the folder with the test programs). With HEAPLEDGER_KEEP set, the folders stay for a look.
"""

import atexit
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import tempfile

TOOL = os.environ.get("HEAPLEDGER_TOOL", "")
LIB = os.environ.get("HEAPLEDGER_LIB", "")
PROGRAMS = os.environ.get("HEAPLEDGER_PROGRAMS", "")
HANG_SECONDS = 300

MEASURES = ("calls", "frees", "resizes", "bytes", "end_bytes", "end_blocks", "temporary_calls")
FUNCTIONS = ("malloc", "calloc", "realloc", "reallocarray", "posix_memalign", "aligned_alloc",
             "memalign", "valloc", "pvalloc", "free", "free_sized", "free_aligned_sized")


# A Python program that leaves a child behind, which goes on until a file "end" can be read.
LEAVES_A_CHILD = """
import os
ready, tell = os.pipe()
if os.fork() == 0:
    null = os.open("/dev/null", os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    block = bytearray(100000)
    os.write(tell, b"!")
    open("end", "rb").read()
    os._exit(0)
os.read(ready, 1)
os._exit(9)
"""


class Failure(AssertionError):
    """What was seen is not what had to be."""


class Skip(Exception):
    """The test needs something that this machine does not permit."""


@dataclasses.dataclass
class Run:
    """What one run showed to the outside."""

    command: list
    folder: str
    ledger_folder: str
    status: int | None  # exit status, None when a signal ended it
    signal: int | None
    stdout: bytes
    stderr: bytes
    files: dict  # relative path -> content, of what is left in the working folder

    @property
    def ledgers(self):
        """Paths of the ledgers, sorted by name."""
        if not os.path.isdir(self.ledger_folder):
            return []
        names = sorted(os.listdir(self.ledger_folder))
        return [os.path.join(self.ledger_folder, name) for name in names]

    def ledger_of(self, name):
        """The only ledger of the executable `name`."""
        found = [path for path in self.ledgers if os.path.basename(path).startswith(name + ".")]
        expect_equal(len(found), 1, f"number of ledgers of {name} in {self.ledgers}")
        return found[0]


def program(name):
    path = os.path.join(PROGRAMS, name)
    if not os.path.exists(path):
        raise Failure(f"test program {path} is not built")
    return path


def fresh_folder():
    """A new empty folder that goes away when the test ends."""
    path = tempfile.mkdtemp(prefix="heapledger-test-")
    os.chmod(path, 0o777)  # some programs give up root on the way
    if "HEAPLEDGER_KEEP" in os.environ:
        print("kept:", path)
    else:
        atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


# Names that tools find are kept for the tools of the same test.
os.environ["XDG_CACHE_HOME"] = fresh_folder()


def escaped(text):
    """`text` as a value in the HEAPLEDGER variable."""
    return text.replace("\\", "\\\\").replace(" ", "\\ ")


def plain_environment(extra=None):
    """Ours without anything of Heapledger in it, plus `extra`."""
    keep = {key: value for key, value in os.environ.items()
            if not key.startswith("HEAPLEDGER") and key != "LD_PRELOAD"}
    keep["LC_ALL"] = "C"
    keep.update(extra or {})
    return keep


def recording_environment(ledger_folder, extra=None, words=""):
    """The environment that records a program by hand; `words` are further ones for HEAPLEDGER."""
    variables = {"LD_PRELOAD": LIB,
                 "HEAPLEDGER": f"out={escaped(ledger_folder)}/%e.%p.ledger {words}"}
    variables.update(extra or {})
    return plain_environment(variables)


def content_of(path):
    if os.path.islink(path):
        return "link to " + os.readlink(path)
    with open(path, "rb") as file:
        return file.read()


def files_in(folder):
    left = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            left[os.path.relpath(path, folder)] = content_of(path)
    return left


def execute(command, environment, folder, ledger_folder, stdin=b"", timeout=HANG_SECONDS,
            before_exec=None):
    """Runs `command` to its end in `folder`; a hang is a Failure and its group is killed."""
    process = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True, preexec_fn=before_exec)
    try:
        stdout, stderr = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        raise Failure(f"{command} hung for {timeout} s and was killed\n"
                      f"stdout so far: {shown(stdout)}\nstderr so far: {shown(stderr)}") from None
    code = process.returncode
    return Run(command, folder, ledger_folder, code if code >= 0 else None,
               -code if code < 0 else None, stdout, stderr, files_in(folder))


def native(command, env=None, **options):
    """Runs `command` without us."""
    folder = fresh_folder()
    return execute(command, plain_environment(env), folder, "", **options)


def recorded(command, env=None, ledger_folder=None, words="", **options):
    """Runs `command` with the runtime preloaded by hand."""
    folder, ledgers = fresh_folder(), ledger_folder or fresh_folder()
    environment = recording_environment(ledgers, env, words)
    return execute(command, environment, folder, ledgers, **options)


def recorded_by_tool(command, env=None, options=(), **how):
    """Runs `command` under `heapledger run`, quietly, with further `options` of it."""
    folder, ledgers = fresh_folder(), fresh_folder()
    pattern = os.path.join(ledgers, "%e.%p.ledger")
    command = [TOOL, "run", "-q", *options, "-o", pattern, "--"] + command
    return execute(command, plain_environment(env), folder, ledgers, **how)


def tool_json(verb, paths, status=0):
    """The parsed answer of `heapledger VERB --json` about `paths`."""
    if not paths:
        raise Failure(f"there is no ledger to {verb}")
    words = ["--top", "0"] if verb == "report" else []
    done = subprocess.run([TOOL, verb, "--json", *words] + list(paths), env=plain_environment(),
                          capture_output=True, timeout=2 * HANG_SECONDS, check=False)
    if done.returncode != status:
        raise Failure(f"heapledger {verb} ended with {done.returncode}, not {status}, "
                      f"for {paths}:\n{shown(done.stderr)}")
    return with_frames(json.loads(done.stdout))


def with_frames(answer):
    """A report in which each group and block has its own `frames`, out of the table of all."""
    for one in answer.get("groups", []) + answer.get("blocks", []):
        if "stack" in one:
            one["frames"] = [answer["frames"][place] for place in one["stack"]]
    return answer


def report(run_or_paths, status=0):
    """The report over all ledgers of a run, or over the given paths."""
    paths = run_or_paths.ledgers if isinstance(run_or_paths, Run) else run_or_paths
    return tool_json("report", paths, status)


def heap(answer, name):
    """What a report says about the heap of that name."""
    found = [one for one in answer["heaps"] if one["name"] == name]
    expect_equal(len(found), 1, f"heaps called {name}")
    return found[0]


def module_name(group):
    """Base name of the module a group's call was made from."""
    return os.path.basename(group["frames"][0]["module"]) if group["frames"] else ""


def sums(groups):
    """The measures that add up, over `groups`."""
    return {measure: sum(group[measure] for group in groups) for measure in MEASURES}


def own_sums(answer, name):
    """What the code of the executable or library `name` itself asked for."""
    return sums([group for group in answer["groups"] if module_name(group) == name])


def foreign_sums(answer, name):
    """What everything else in the process (libc, the loader, libstdc++) asked for."""
    return sums([group for group in answer["groups"] if module_name(group) != name])


def shown(value, limit=2000):
    """A value for people: bytes as text, long ones cut."""
    text = value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= limit else text[:limit] + f"… ({len(text)} characters)"


def expect(condition, message):
    if not condition:
        raise Failure(message)


def expect_equal(seen, wanted, what):
    if seen != wanted:
        raise Failure(f"{what}: seen {shown(seen)}, wanted {shown(wanted)}")


def expect_figures(seen, wanted, what):
    """Compares the figures named in `wanted`, and names every one that differs."""
    wrong = [f"  {name}: seen {seen.get(name)}, wanted {value}"
             for name, value in wanted.items() if seen.get(name) != value]
    if wrong:
        raise Failure(f"{what}:\n" + "\n".join(wrong))


def differing_files(left, right):
    lines = []
    for path in sorted(set(left) | set(right)):
        if left.get(path) != right.get(path):
            lines.append(f"file {path}: native {shown(left.get(path, 'absent'), 200)}, "
                         f"recorded {shown(right.get(path, 'absent'), 200)}")
    return lines


def expect_same(plain, with_us, stderr=True):
    """Demands that the recorded run cannot be told from the native one."""
    lines = []
    for name in ("status", "signal", "stdout") + (("stderr",) if stderr else ()):
        one, other = getattr(plain, name), getattr(with_us, name)
        if one != other:
            lines.append(f"{name}:\n  native:   {shown(one)}\n  recorded: {shown(other)}")
    lines += differing_files(plain.files, with_us.files)
    if lines:
        raise Failure(f"recorded differs from native for {with_us.command}\n" + "\n".join(lines)
                      + f"\nstderr of the recorded run: {shown(with_us.stderr)}")


def expect_complete(answer):
    """Demands that nothing is missing from any of the ledgers."""
    expect(answer["ledgers"], "the report names no ledger")
    for ledger in answer["ledgers"]:
        expect_figures(ledger, {"complete": True, "stopped": None, "missed": 0},
                       f"ledger {ledger['path']}")
