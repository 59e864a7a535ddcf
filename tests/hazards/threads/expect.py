"""Threads: from their first allocation to the ones they make after their end."""

import os
import re

import harness
import ledger_file


def after_tls_destructors(hazard):
    hazard.exact("after_tls_destructors")


def thread_local_destructors(hazard):
    hazard.exact("thread_local_destructors")


def born_and_dying(hazard):
    """Every entry is there; neither memory nor the file grows with the threads ever started."""
    plain, with_us = hazard.both("born_and_dying", stderr=False)
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    hazard.expect_account(with_us, answer, "born_and_dying")
    harness.expect_equal(answer["ledgers"][0]["threads"], 5001, "threads in the ledger")
    for what, most in ((b"resident", 16 << 20), (b"mapped", 256 << 20)):
        before, after = (int(re.search(what + rb" (\d+)", run.stderr).group(1))
                         for run in (plain, with_us))
        harness.expect(after - before <= most, f"{what}: {before} bytes natively, {after} recorded")
    size = os.path.getsize(with_us.ledgers[0])
    harness.expect(size <= 4 << 20, f"the ledger takes {size} bytes")


def alive_at_once(hazard):
    _, answer = hazard.exact("alive_at_once")
    harness.expect_equal(answer["ledgers"][0]["threads"], 2001, "threads in the ledger")


def smallest_stack(hazard):
    hazard.exact("smallest_stack")


def names(hazard):
    """The names that threads gave themselves are in the ledger, whenever they did it."""
    with_us, _ = hazard.exact("names")
    wanted = {"threads_names", "named-first", "named-later", 'odd "name" \\'}
    by_file = ledger_file.Ledger(with_us.ledgers[0]).thread_names
    harness.expect(wanted <= by_file, f"thread names in the ledger: {by_file}")
    (ledger,) = harness.tool_json("info", with_us.ledgers)["ledgers"]
    harness.expect_equal(sorted(thread["name"] for thread in ledger["threads"]),
                         ["named-first", "named-later", 'odd "name" \\', "threads_names"],
                         "the last name of each thread")


def handed_over(hazard):
    _, with_us = hazard.both("handed_over")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    hazard.expect_account(with_us, answer, "handed_over")
    harness.expect_figures(answer["totals"], {"unmatched_frees": 0, "inherited_frees": 0}, "frees")


def cancelled(hazard):
    hazard.exact("cancelled")


def resized_while_the_old_address_is_reused(hazard):
    """The old block dies before the resize, however long the thread is held up in the middle."""
    for _ in range(3):  # it depends on where the scheduler interrupts
        _, answer = hazard.exact("resized_busy")
        harness.expect_equal(answer["totals"]["unmatched_frees"], 0, "unmatched frees")
