"""File descriptors: the program's are the program's, ours are never seen."""

import os

import harness
from run_hazard import accounts


def closes_everything(hazard, how):
    """Our bytes never reach the program's files, its bytes never ours, and all is entered."""
    for _ in range(4):  # it depends on which instant a descriptor is closed
        hazard.exact("closes_everything", how)


def closes_everything_by_loop(hazard):
    closes_everything(hazard, "loop")


def closes_everything_by_close_range(hazard):
    closes_everything(hazard, "range")


def descriptor_numbers(hazard):
    """In a single thread, the numbers of descriptors are the native ones."""
    hazard.exact("closes_alone")


def closes_standard_descriptors(hazard):
    hazard.exact("closes_standard")


def started_without_standard_descriptors(hazard):
    command = [hazard.path("without_standard")]
    plain = harness.native(command, before_exec=lambda: os.closerange(0, 3))
    with_us = harness.recorded(command, before_exec=lambda: os.closerange(0, 3))
    harness.expect_same(plain, with_us)
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    harness.expect_figures(hazard.own(answer, "without_standard"),
                           accounts(with_us.files["report"]), "the program's own calls")


def takes_every_number(hazard):
    hazard.exact("takes_every_number")


def descriptor_table_full(hazard):
    """No free descriptor when a window is full: the program never notices, and the ledger either
    holds everything or says why it stopped."""
    _, with_us = hazard.both("table_full")
    answer = harness.report(with_us)
    ledger = answer["ledgers"][0]
    if ledger["complete"]:
        hazard.expect_account(with_us, answer, "table_full")
    else:
        harness.expect(ledger["stopped"], "an incomplete ledger does not say why")


def locks_and_leaks(hazard):
    hazard.exact("locks")
