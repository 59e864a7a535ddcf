"""One run of one command under one tool: started by the stopwatch, its output checked against the
native one, its files weighed. Nothing that is measured happens in this process."""

import json
import os
import shutil
import signal
import struct
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass

# Would change what is measured if they came from the user's shell.
DROPPED = (
    "LD_PRELOAD",
    "HEAPLEDGER",
    "HEAPPROFILE",
    "HEAPCHECK",
    "MALLOC_CONF",
    "BENCH_COUNT",
    "GLIBC_TUNABLES",
    "PYTHONMALLOC",
    "DEBUGINFOD_URLS",
    "VALGRIND_OPTS",
)


class RunFailed(Exception):
    """The command did not do under a tool what it does natively; the text says what."""


@dataclass(frozen=True)
class Run:
    sample: dict  # wall and cpu in seconds, rss and file in bytes
    files: list  # paths of what the tool left
    output: bytes  # what the command printed


def clean_environment():
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in DROPPED and not name.startswith("MALLOC_")
    }
    return {**kept, "LC_ALL": "C"}


@contextmanager
def scratch_folder(place):
    os.makedirs(place.scratch, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="run.", dir=place.scratch)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def parse_stopwatch(text):
    """The stopwatch's line as (seconds, bytes) and the wait status."""
    wall, user, system, rss, status = (int(word) for word in text.split())
    return {"wall": wall / 1e9, "cpu": (user + system) / 1e9, "rss": rss}, status


def files_below(folder):
    found = []
    for parent, _, names in os.walk(folder):
        found += [os.path.join(parent, name) for name in names]
    return sorted(found)


def last_lines(path, count=3):
    with open(path, "rb") as file:
        text = file.read()[-2000:].decode("utf-8", "replace")
    return " / ".join(text.strip().splitlines()[-count:])


def wait_or_kill(process, timeout):
    """Waits; after the time limit ends the command's whole session, and only that."""
    try:
        process.wait(timeout)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def run_once(place, folder, environment, command, timeout):
    """Runs `command`; its files are expected in `folder`/files."""
    result, errors = os.path.join(folder, "result"), os.path.join(folder, "stderr")
    output = os.path.join(folder, "stdout")
    recording = os.path.join(folder, "files")
    settings = [f"{name}={value}" for name, value in environment.items()]
    with open(output, "wb") as out, open(errors, "wb") as err:
        process = subprocess.Popen(
            [place.program("stopwatch"), result] + settings + ["--"] + command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=folder,
            env=clean_environment(),
            start_new_session=True,
        )
        try:
            wait_or_kill(process, timeout)
        except subprocess.TimeoutExpired:
            raise RunFailed(f"not done after {timeout:.0f} s") from None
    if process.returncode != 0:
        raise RunFailed(f"stopwatch failed: {last_lines(errors)}")
    with open(result) as file:
        sample, status = parse_stopwatch(file.read())
    if status != 0:
        raise RunFailed(f"exit status {os.waitstatus_to_exitcode(status)}: {last_lines(errors)}")
    files = files_below(recording)
    sample["file"] = sum(os.path.getsize(path) for path in files) if files else None
    with open(output, "rb") as file:
        return Run(sample, files, file.read())


def run_tool(place, tool, workload, command, expected, timeout, inspect=None):
    """One run under `tool`. `inspect` sees the files before they are deleted."""
    with scratch_folder(place) as folder:
        recording = os.path.join(folder, "files")
        os.mkdir(recording)
        launch = tool.launch(place, recording)
        run = run_once(
            place,
            folder,
            {**workload.environment, **launch.environment},
            launch.prefix + command,
            timeout,
        )
        # Scripts around a program print lines of their own before and after it.
        if expected not in run.output:
            raise RunFailed("its output is not the native one")
        if tool.records and not run.sample["file"]:
            raise RunFailed("it left no recording")
        return run.sample, inspect(run.files) if inspect else None


def count_calls(place, workload, command, timeout):
    """The native output, and how many blocks the command takes and gives back, by an independent
    count."""
    with scratch_folder(place) as folder:
        run = run_once(place, folder, workload.environment, command, timeout)
        counts = os.path.join(folder, "counts")
        counting = {"LD_PRELOAD": place.program("libcount_calls.so"), "BENCH_COUNT": counts}
        run_once(place, folder, {**workload.environment, **counting}, command, timeout)
        with open(counts, "rb") as file:
            allocations, frees = struct.unpack("=QQ", file.read())
        return run.output, {"allocations": allocations, "frees": frees}


def read_ledgers(place, files):
    """What our own report says about a recording, or None when the tool is not built."""
    if not os.path.exists(place.heapledger):
        return None
    report = subprocess.run(
        [place.heapledger, "report", "--json"] + files, capture_output=True, env=clean_environment()
    )
    try:
        facts = json.loads(report.stdout)
        ledgers = facts["ledgers"]
        return {
            "entries": sum(ledger["entries"] for ledger in ledgers),
            "complete": all(ledger["complete"] for ledger in ledgers),
            "missed": sum(ledger["missed"] for ledger in ledgers),
            "calls": facts["totals"]["calls"],
            "frees": facts["totals"]["frees"],
        }
    except (ValueError, KeyError, TypeError) as error:
        message = report.stderr.decode("utf-8", "replace").strip() or repr(error)
        raise RunFailed(f"heapledger report cannot read the recording: {message}") from None
