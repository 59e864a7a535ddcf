"""System call filters that the program puts on itself: it must survive with us inside."""

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
