"""Processes: fork in all its forms, exec, spawn, and children that must not be lost."""

import os
import subprocess

import harness
from run_hazard import accounts


def by_origin(answer):
    origins = [ledger["origin"] for ledger in answer["ledgers"]]
    return {origin: origins.count(origin) for origin in ("started", "forked")}


def expect_taken(hazard, name, run, answer):
    """Demands what the accounts of all processes say together; who frees what is left open, as
    a child may free what its parent took."""
    wanted = accounts(run.stdout)
    own = hazard.own(answer, name)
    harness.expect_figures(own, {key: wanted[key] for key in ("calls", "bytes", "resizes")},
                           "what all processes took")
    foreign = harness.foreign_sums(answer, f"processes_{name}")
    harness.expect_equal(answer["by_function"]["free"] - foreign["frees"], wanted["frees"],
                         "calls of free in all processes")


def family(hazard, name, *arguments, forked, started=1, status=0, **options):
    """A program whose processes print their accounts: all are found, all is in their ledgers."""
    _, with_us = hazard.both(name, *arguments, **options)
    harness.expect_equal(with_us.status, status, "exit status")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    harness.expect_figures(by_origin(answer), {"started": started, "forked": forked}, "origins")
    expect_taken(hazard, name, with_us, answer)
    harness.expect_equal(answer["totals"]["unmatched_frees"], 0, "unmatched frees")
    return with_us, answer


def fork_while_threads_allocate(hazard):
    """40 forks of a threaded program; no child hangs, each has a ledger with all its calls."""
    _, with_us = hazard.both("fork_busy")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    harness.expect_figures(by_origin(answer), {"started": 1, "forked": 40}, "origins")
    harness.expect_equal(answer["totals"]["unmatched_frees"], 0, "unmatched frees")
    calls = sorted(harness.own_sums(harness.report([ledger["path"]]), "processes_fork_busy")["calls"]
                   for ledger in answer["ledgers"] if ledger["origin"] == "forked")
    harness.expect_equal(calls, [1100 + i for i in range(40)], "calls of the children")


def first_call_of_a_child_by_a_thread(hazard):
    """Neither of its threads is in the other's window: each call is there once."""
    _, with_us = hazard.both("fork_thread_first")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    harness.expect_figures(by_origin(answer), {"started": 1, "forked": 20}, "origins")
    harness.expect_equal(answer["totals"]["unmatched_frees"], 0, "unmatched frees")
    calls = [harness.own_sums(harness.report([ledger["path"]]), "processes_fork_thread_first")["calls"]
             for ledger in answer["ledgers"] if ledger["origin"] == "forked"]
    harness.expect_equal(calls, [40001] * 20, "calls of the children")


def fork_inherits(hazard):
    """The child may free and resize what the parent took: inherited, not unmatched."""
    _, answer = family(hazard, "fork_inherit", forked=1)
    # 40 freed and 10 resized: each ends the life of a block of the parent.
    harness.expect_equal(answer["totals"]["inherited_frees"], 50, "inherited frees")
    child = next(one for one in answer["ledgers"] if one["origin"] == "forked")
    parent = next(one for one in answer["ledgers"] if one["origin"] == "started")
    foreign = harness.foreign_sums(harness.report([parent["path"]]), "processes_fork_inherit")
    harness.expect_figures(child, {"parent_pid": parent["pid"],
                                   "inherited_blocks": 100 + foreign["end_blocks"],
                                   "inherited_bytes": 104950 + foreign["end_bytes"]}, "the child")


def forked_child_exits(hazard):
    family(hazard, "fork_plain", "exit", forked=1)


def forked_child_underscore_exits(hazard):
    """The 5,000 allocations of a child that leaves by _exit are there."""
    family(hazard, "fork_plain", "_exit", forked=1)


def silent_child_leaves_no_ledger(hazard):
    with_us, _ = family(hazard, "fork_plain", "silent", forked=0)
    harness.expect_equal(len(with_us.ledgers), 1, "ledgers")


def fork_eight_deep(hazard):
    family(hazard, "fork_deep", forked=8, status=8)


def atfork_handlers_allocate(hazard):
    """What handlers of pthread_atfork do belongs to the process they do it in."""
    _, with_us = hazard.both("atfork_handlers")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    harness.expect_figures(by_origin(answer), {"started": 1, "forked": 20}, "origins")
    harness.expect_equal(answer["totals"]["unmatched_frees"], 0, "unmatched frees")
    for ledger in answer["ledgers"]:
        if ledger["origin"] == "started":
            continue
        alone = harness.report([ledger["path"]])
        harness.expect_figures(hazard.own(alone, "atfork_handlers"), {"calls": 11}, "a child")
        harness.expect_equal(alone["by_function"]["free"], 12, "calls of free in a child")


def fork_after_clearenv_and_chdir(hazard):
    family(hazard, "fork_later", forked=1)


def fork_in_signal_handler(hazard):
    """_Fork inside our hook: the parent's figures are exact, the children's calls are entered or
    counted as missed."""
    _, with_us = hazard.both("fork_in_handler", stderr=False)
    answer = harness.report(with_us)
    parent = [one["path"] for one in answer["ledgers"] if one["origin"] == "started"]
    harness.expect_equal(len(parent), 1, "ledgers of the parent")
    alone = harness.report(parent)
    harness.expect_complete(alone)
    harness.expect_figures(hazard.own(alone, "fork_in_handler"), accounts(with_us.stderr),
                           "what the parent took")
    children = [one for one in answer["ledgers"] if one["origin"] == "forked"]
    harness.expect(0 < len(children) <= 40, f"{len(children)} ledgers of children")
    for child in children:
        calls = harness.report([child["path"]])["totals"]["calls"]
        harness.expect_equal(calls + child["missed"], 5, f"entered and missed in {child['path']}")


def raw_clone_as_fork(hazard):
    family(hazard, "raw_clone", forked=3)


def vfork_then_exec(hazard):
    """The vfork child leaves no trace; the exec'd images allocate nothing of their own."""
    _, with_us = hazard.both("vfork_exec")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    harness.expect_equal(by_origin(answer)["forked"], 0, "forked ledgers")
    hazard.expect_account(with_us, answer, "vfork_exec")


def vfork_child_allocates(hazard):
    """A vfork child that allocates in its parent's memory disturbs neither of them."""
    _, with_us = hazard.both("vfork_exec", "allocate")
    answer = harness.report(with_us)
    harness.expect_equal(by_origin(answer)["forked"], 0, "forked ledgers")
    wanted = accounts(with_us.stdout)["calls"]
    calls = hazard.own(answer, "vfork_exec")["calls"]
    harness.expect(wanted <= calls <= wanted + 200,
                   f"{calls} calls entered, the parent alone made {wanted}, its children 200")


def spawned_programs(hazard):
    """posix_spawn, system, popen: each program started has its own ledger."""
    _, with_us = hazard.both("spawns")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    expect_taken(hazard, "spawns", with_us, answer)
    commands = [ledger["command"][1:] for ledger in answer["ledgers"]
                if os.path.basename(ledger["executable"]) == "processes_spawns"]
    harness.expect_equal(sorted(commands), [[], ["101"], ["102"], ["103"]], "commands")


def exec_replaces(hazard, mode):
    _, with_us = hazard.both("exec_in_place", "3", mode)
    harness.expect_equal(with_us.status, 40, "exit status")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    harness.expect_figures(by_origin(answer), {"started": 4, "forked": 0}, "origins")
    pids = {ledger["pid"] for ledger in answer["ledgers"]}
    harness.expect_equal(len(pids), 1, "process ids")
    return with_us, answer


def exec_in_place(hazard):
    """A new ledger for each image of the same process; no descriptor leaks across."""
    with_us, answer = exec_replaces(hazard, "main")
    expect_taken(hazard, "exec_in_place", with_us, answer)


def exec_from_a_thread(hazard):
    exec_replaces(hazard, "thread")


def second_image_unrecorded(hazard, how):
    with_us, answer = hazard.exact("cleared_environment", how)
    harness.expect_equal(len(with_us.ledgers), 1, "ledgers")
    harness.expect_equal(by_origin(answer)["started"], 1, "started ledgers")


def environment_emptied_by_execle(hazard):
    second_image_unrecorded(hazard, "execle")


def environment_emptied_by_clearenv(hazard):
    second_image_unrecorded(hazard, "clearenv")


def preload_removed_by_unsetenv(hazard):
    second_image_unrecorded(hazard, "unsetenv")


def daemon(hazard):
    """Twice forked, every descriptor closed, folder changed: still recorded."""
    _, with_us = hazard.both("daemonised")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    last = [one for one in answer["ledgers"] if one["origin"] == "forked"]
    harness.expect_equal(len(last), 1, "ledgers of forked processes")
    harness.expect_equal(hazard.own(answer, "daemonised")["calls"], 50001, "calls")
    harness.expect_equal(answer["totals"]["unmatched_frees"], 0, "unmatched frees")


def unrecorded(run, reason):
    """How many programs the ledgers of a run say could not be recorded, for this reason."""
    ledgers = harness.tool_json("info", run.ledgers)["ledgers"]
    return sum(group["count"] for ledger in ledgers for group in ledger["unrecorded"]
               if group["reason"] == reason)


def compiled(folder, source, *flags):
    """The program `target` in `folder`."""
    path = os.path.join(folder, "target")
    with open(path + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    done = subprocess.run(["cc", "-o", path, path + ".c", *flags], capture_output=True, check=False)
    if done.returncode != 0:
        raise harness.Skip(f"the compiler here cannot make it: {done.stderr.decode()}")


TELLS_ITS_ENVIRONMENT = """
#include <stdio.h>
#include <stdlib.h>
extern char** environ;
int main(int count, char** arguments) {
  int variables = 0;
  while (environ[variables] != NULL) ++variables;
  void* block = malloc(10);
  printf("%s %d %d LD_PRELOAD=%s HEAPLEDGER=%s\\n", arguments[0], count, variables,
         getenv("LD_PRELOAD"), getenv("HEAPLEDGER"));
  free(block);
  return 7;
}
"""


def every_form_of_exec(hazard):
    """A program with AddressSanitizer, which does not run with us in front: started in each way it
    is as it natively is, its environment too; and each start is noted."""
    folder = harness.fresh_folder()
    compiled(folder, TELLS_ITS_ENVIRONMENT, "-fsanitize=address")
    with open(os.path.join(folder, "text"), "w", encoding="utf-8") as file:
        file.write("echo no program\n")
    os.chmod(os.path.join(folder, "text"), 0o755)
    plain, with_us = hazard.both("exec_forms", folder)
    harness.expect_equal(plain.stdout.count(b": 7\n"), 30, "starts that succeed natively")
    harness.expect_equal(unrecorded(with_us, "AddressSanitizer"), 30, "programs noted")
    harness.expect_equal(unrecorded(with_us, "cleared environment"), 0, "notes of what never ran")
    answer = harness.report(with_us)
    hazard.expect_account(with_us, answer, "exec_forms")


def children_of_another_user(hazard):
    """After setuid a child may not write where the ledgers are: it is told in its parent's, and
    nothing is said on stderr."""
    if os.geteuid() != 0:
        raise harness.Skip("only root can become another user")
    ledgers = harness.fresh_folder()
    os.chmod(ledgers, 0o700)
    plain = harness.native([hazard.path("other_user")])
    with_us = harness.recorded([hazard.path("other_user")], ledger_folder=ledgers)
    harness.expect_same(plain, with_us)
    harness.expect_equal(plain.stdout.count(b"s: 4"), 2, "children that natively end well")
    told = unrecorded(with_us, "no ledger") + unrecorded(with_us, "out of reach")
    harness.expect_equal(told, 2, "children that the parent's ledger tells of")
    harness.expect_equal(len(with_us.ledgers), 1, "ledgers")
    hazard.expect_account(with_us, harness.report(with_us), "other_user")


def handler_forks_and_both_return(hazard):
    """Nothing of the parent is missing, and its ledger is written by itself alone. A call that is
    interrupted is the parent's, or the child's too where it had not come to be entered yet."""
    _, with_us = hazard.both("fork_returns", stderr=False)
    answer = harness.report(with_us)
    parent = [one["path"] for one in answer["ledgers"] if one["origin"] == "started"]
    alone = harness.report(parent)
    harness.expect_complete(alone)
    harness.expect_figures(hazard.own(alone, "fork_returns"), accounts(with_us.stderr),
                           "what the parent took")
    harness.expect_equal(alone["totals"]["unmatched_frees"], 0, "unmatched frees")
    children = [one for one in answer["ledgers"] if one["origin"] == "forked"]
    harness.expect_equal(len(children), 60, "ledgers of children")
    for child in children:
        of_child = harness.report([child["path"]])
        harness.expect_complete(of_child)
        seen = (of_child["totals"]["calls"], of_child["totals"]["bytes"])
        harness.expect(seen in ((5, 25000), (6, 25024)), f"{seen} taken in {child['path']}")


def titles_over_the_arguments(hazard):
    """Both processes are told by what was executed."""
    _, with_us = hazard.both("titles", "a", "", "word with spaces")
    wanted = [hazard.path("titles"), "a", "", "word with spaces"]
    ledgers = harness.report(with_us)["ledgers"]
    harness.expect_equal([one["command"] for one in ledgers], [wanted] * 2, "commands")
    names = [os.path.basename(one["path"]) for one in ledgers]
    harness.expect(all(name.startswith("processes_titles.") for name in names), str(names))
