"""Limits, permissions and places that go away: the program never notices, the ledger says why."""

import os
import resource
import shutil
import subprocess
import tempfile

import harness
from run_hazard import accounts, expect_stop


def whole_beginning(hazard, answer, run, name, least=1000):
    """What was entered before the stop is there, and no more than was made."""
    own, made = hazard.own(answer, name), accounts(run.stdout)
    harness.expect(least <= own["calls"] <= made["calls"],
                   f"{own['calls']} calls entered, {made['calls']} made")


def needs_root():
    if os.geteuid() != 0:
        raise harness.Skip("only root may do this")


def stops(hazard, name, *arguments, reason, **options):
    _, with_us = hazard.both(name, *arguments, **options)
    whole_beginning(hazard, expect_stop(with_us.ledgers[0], reason), with_us, name)
    return with_us


def file_size_limit_in_mid_run(hazard):
    """RLIMIT_FSIZE: no SIGXFSZ, and a clean stop."""
    stops(hazard, "file_size", str(200 << 10), reason="file size limit")


def file_size_limit_zero(hazard):
    stops(hazard, "file_size", "0", reason="file size limit")


def file_size_limit_with_handler(hazard):
    """The program's own SIGXFSZ still comes, and only that one."""
    stops(hazard, "file_size", "4096", "handler", reason="file size limit")


def limited(what, most):
    return lambda: resource.setrlimit(what, (most, most))


def file_size_limit_from_the_start(hazard):
    stops(hazard, "busy", before_exec=limited(resource.RLIMIT_FSIZE, 1 << 20),
          reason="file size limit")


def no_file_at_all(hazard):
    """With RLIMIT_FSIZE 0 from the start there can be no ledger; the program runs as ever."""
    _, with_us = hazard.both("busy", before_exec=limited(resource.RLIMIT_FSIZE, 0), stderr=False)
    harness.expect_equal(with_us.status, 17, "exit status")


def descriptor_limit_three(hazard):
    stops(hazard, "descriptors", "3", reason="no descriptors")


def descriptor_limit_zero(hazard):
    stops(hazard, "descriptors", "0", reason="no descriptors")


def descriptor_limit_from_the_start(hazard):
    """Four descriptors are enough for the loader, and for us."""
    hazard.exact("busy", status=17, before_exec=limited(resource.RLIMIT_NOFILE, 4))


def address_space_limit(hazard):
    _, with_us = hazard.both("address_space", stderr=False)
    harness.expect_equal(with_us.status, 0, "exit status")
    answer = harness.report(with_us)
    ledger = answer["ledgers"][0]
    with_us.stdout = with_us.stderr  # the account differs from run to run
    if ledger["complete"]:
        hazard.expect_account(with_us, answer, "address_space")
    else:
        expect_stop(with_us.ledgers[0], "no memory")
        whole_beginning(hazard, answer, with_us, "address_space")


def address_space_limit_from_the_start(hazard):
    """Little room for us: a ledger that stops, or none; the program runs as ever."""
    for megabytes in (8, 10, 11, 12, 13, 14, 16, 24):
        _, with_us = hazard.both("busy", stderr=False,
                                 before_exec=limited(resource.RLIMIT_AS, megabytes << 20))
        harness.expect_equal(with_us.status, 17, "exit status")


def in_own_mounts(hazard, name, prepare, arguments=()):
    """Records `name` with its ledgers in a folder that the shell lines `prepare` treat first, in
    a mount namespace of its own; gives back the run and a folder with copies of the ledgers."""
    needs_root()
    probe = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"]
    if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        raise harness.Skip("no mount namespace of one's own here")
    command = [hazard.path(name)] + list(arguments)
    plain = harness.native(command)
    place, copies = harness.fresh_folder(), harness.fresh_folder()
    environment = harness.recording_environment(place)
    inner = (f"{prepare}\n"
             "LD_PRELOAD=$INNER_PRELOAD \"$@\"; status=$?\n"
             "cp \"$PLACE\"/* \"$COPIES\"; exit $status")
    environment.update(PLACE=place, COPIES=copies, INNER_PRELOAD=environment.pop("LD_PRELOAD"))
    folder = harness.fresh_folder()
    with_us = harness.execute(["unshare", "-m", "sh", "-c", inner, "sh"] + command, environment,
                              folder, copies)
    return plain, with_us


def full_disk(hazard):
    """A file system of 512 KiB: ENOSPC comes as a return code, never as SIGBUS."""
    plain, with_us = in_own_mounts(hazard, "busy", "mount -t tmpfs -o size=512k none \"$PLACE\"")
    harness.expect_same(plain, with_us, stderr=False)
    answer = expect_stop(with_us.ledgers[0], "disk full")
    whole_beginning(hazard, answer, with_us, "busy", least=1)


def hopelessly_full_disk(hazard):
    """A file system of 8 KiB, where not even one block has room."""
    plain, with_us = in_own_mounts(hazard, "busy", "mount -t tmpfs -o size=8k none \"$PLACE\"")
    harness.expect_same(plain, with_us, stderr=False)


def read_only_folder(hazard):
    plain, with_us = in_own_mounts(
        hazard, "busy", "mount -t tmpfs none \"$PLACE\"; mount -o remount,ro none \"$PLACE\"")
    harness.expect_same(plain, with_us, stderr=False)
    harness.expect_equal(with_us.ledgers, [], "ledgers")


def folder_without_permission(hazard):
    """An ordinary user may not write there: no ledger, and the program runs as ever."""
    needs_root()
    folder = harness.fresh_folder()
    os.chmod(folder, 0o555)
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", hazard.path("busy")]
    plain = harness.native(command)
    with_us = harness.recorded(command, ledger_folder=folder)
    harness.expect_same(plain, with_us, stderr=False)
    mine = [path for path in with_us.ledgers if "limits_busy" in path]  # setpriv was still root
    harness.expect_equal(mine, [], "ledgers")


def no_such_folder(hazard):
    command = [hazard.path("busy")]
    plain = harness.native(command)
    nowhere = os.path.join(harness.fresh_folder(), "nowhere")
    with_us = harness.recorded(command, ledger_folder=nowhere)
    harness.expect_same(plain, with_us, stderr=False)
    harness.expect_equal(os.path.exists(nowhere), False, "the folder was made")


def privileges_dropped(hazard):
    """After setuid the ledger cannot be opened any more; nobody but us is concerned."""
    needs_root()
    ledgers = harness.fresh_folder()
    os.chmod(ledgers, 0o755)
    command = [hazard.path("gives_up_root")]
    plain, with_us = harness.native(command), harness.recorded(command, ledger_folder=ledgers)
    harness.expect_same(plain, with_us)
    harness.expect_equal(len(with_us.ledgers), 1, "ledgers")
    answer = expect_stop(with_us.ledgers[0], "no permission")
    whole_beginning(hazard, answer, with_us, "gives_up_root")


def root_changed(hazard):
    """After chroot the ledger is out of reach, and nothing of ours appears in the new root."""
    needs_root()
    with_us = stops(hazard, "changes_root", reason="file gone")
    harness.expect_equal(with_us.files, {}, "files in the new root")


def ledger_lost(hazard, how):
    """Runs loses_ledger and gives back the run and the path of what was the ledger."""
    folder = tempfile.mkdtemp(prefix="heapledger-test-")
    kept = harness.fresh_folder()
    try:
        with_us = harness.recorded([hazard.path("loses_ledger"), how, folder, kept],
                                   ledger_folder=folder)
        left = {name: harness.content_of(os.path.join(folder, name))
                for name in (os.listdir(folder) if os.path.isdir(folder) else ())}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    harness.expect_equal((with_us.status, with_us.signal, with_us.stderr), (0, None, b""), "the run")
    harness.expect_equal(with_us.files, {}, "files left behind")
    ledger = os.path.join(kept, "kept.ledger")
    answer = expect_stop(ledger, "file gone")
    whole_beginning(hazard, answer, with_us, "loses_ledger")
    return left


def ledger_deleted(hazard):
    harness.expect_equal(ledger_lost(hazard, "delete"), {}, "files in the ledgers' folder")


def ledger_replaced(hazard):
    """Another file at the ledger's path is not ours: not a byte of it changes."""
    left = ledger_lost(hazard, "replace")
    harness.expect_equal(list(left.values()), [b"this file is the program's own\n"], "the new file")


def ledger_renamed(hazard):
    ledger_lost(hazard, "rename")


def folder_removed(hazard):
    ledger_lost(hazard, "remove")
