"""System call filters that the program puts on itself: it must survive with us inside."""

import os

import harness
from run_hazard import accounts, expect_stop


def stopped_or_whole(hazard, run, name):
    """Whatever was recorded is right: all of it, or a beginning and the reason for its end."""
    harness.expect_equal(len(run.ledgers), 1, "ledgers")
    answer = harness.report(run)
    ledger = answer["ledgers"][0]
    if ledger["complete"]:
        hazard.expect_account(run, answer, name)
        return
    answer = expect_stop(run.ledgers[0], "system call filter")
    own, wanted = hazard.own(answer, name), accounts(run.stdout)
    harness.expect(1000 < own["calls"] <= wanted["calls"], f"{own['calls']} calls entered")


def few_allocations(hazard, name, *arguments, status):
    """What fits in the window needs no system call: nothing is lost."""
    hazard.exact(name, *arguments, status=status)


def many_allocations(hazard, name, *arguments, status):
    _, with_us = hazard.both(name, *arguments)
    harness.expect_equal(with_us.status, status, "exit status")
    stopped_or_whole(hazard, with_us, name)


def strict_mode(hazard):
    """It also forbids the tick counter, so a clean stop at once is right too."""
    many_allocations(hazard, "strict", "2000", status=12)
    many_allocations(hazard, "strict", "300000", status=12)


def fork_under_a_killing_filter(hazard):
    """The child inherits the filter: it is not recorded, and lives."""
    _, with_us = hazard.both("fork_filtered")
    harness.expect_equal((with_us.status, with_us.stdout), (17, b"child exited 7\n"), "the end")
    harness.expect_equal(len(with_us.ledgers), 1, "ledgers")
    told = harness.tool_json("info", with_us.ledgers)["ledgers"][0]["unrecorded"]
    harness.expect_equal([(one["reason"], one["count"]) for one in told], [("filter", 1)],
                         "what its parent's ledger tells of it")


def killing_filter_few(hazard):
    few_allocations(hazard, "killing", "prctl", "2000", status=13)


def killing_filter_by_prctl(hazard):
    many_allocations(hazard, "killing", "prctl", "300000", status=13)


def killing_filter_by_syscall(hazard):
    many_allocations(hazard, "killing", "syscall", "300000", status=13)


def refusing_filter(hazard):
    many_allocations(hazard, "refusing", status=14)


def filter_in_one_thread(hazard):
    many_allocations(hazard, "one_thread", status=15)


def started_under_a_filter(hazard):
    """The second image cannot write a ledger; it runs all the same."""
    _, with_us = hazard.both("started_filtered", stderr=False)
    harness.expect_equal(with_us.status, 16, "exit status")


def refused(hazard, kind):
    """Nothing was installed: all is recorded, and memory is sampled to the end."""
    _, answer = hazard.exact("probes", kind, status=18)
    harness.expect(answer["totals"]["rss_peak_bytes"] > 64 << 20, "the last samples are missing")


def questions_of_libseccomp(hazard):
    """They cost nothing either: the ledger is no larger than what is in it."""
    refused(hazard, "libseccomp")
    run, _ = hazard.exact("probes", "libseccomp", status=18)
    harness.expect(os.path.getsize(run.ledgers[0]) < 8 << 20, "the ledger has a large hole")


def wrong_filters_are_refused(hazard):
    refused(hazard, "wrong")


def strict_mode_is_refused(hazard):
    refused(hazard, "late")


def filter_for_all_threads_is_refused(hazard):
    """The kernel's answer is positive."""
    refused(hazard, "all")


def filter_with_a_listener(hazard):
    """The kernel's answer is positive here as well, and it is there."""
    many_allocations(hazard, "listener", status=19)


def filter_for_all_threads(hazard):
    many_allocations(hazard, "all_threads", status=20)


def filter_in_a_child_before_it_allocates(hazard):
    """It has its ledger before its filter."""
    _, with_us = hazard.both("child_filters")
    harness.expect(with_us.stdout.endswith(b"child exited 7\n"), harness.shown(with_us.stdout))
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    child = [one["path"] for one in answer["ledgers"] if one["origin"] == "forked"]
    harness.expect_equal(len(child), 1, "ledgers of the child")
    wanted = accounts(with_us.stdout)
    harness.expect_figures(hazard.own(harness.report(child), "child_filters"),
                           {"calls": wanted["calls"], "bytes": wanted["bytes"]}, "the child")


def ticks_forbidden(hazard):
    """That is no filter: the ledger says what it is."""
    _, with_us = hazard.both("ticks")
    harness.expect_equal(with_us.status, 21, "exit status")
    answer = expect_stop(with_us.ledgers[0], "no ticks")
    harness.expect("PR_SET_TSC" in answer["ledgers"][0]["stopped"], "the reason")
    harness.expect_equal(hazard.own(answer, "ticks")["calls"], 2000, "calls until then")
