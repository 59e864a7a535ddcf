"""Signals: handlers that allocate, jump away, or have hardly any stack."""

import re
import signal

import harness
from run_hazard import accounts


def entered_or_missed(hazard, name):
    """What the handler could not enter is counted: nothing vanishes without a trace."""
    _, with_us = hazard.both(name, stderr=False)
    answer = harness.report(with_us)
    wanted = accounts(with_us.stderr)
    own, totals = hazard.own(answer, name), answer["totals"]
    foreign = harness.foreign_sums(answer, f"signals_{name}")
    entered = own["calls"] + answer["by_function"]["free"] - foreign["frees"]
    made = wanted["calls"] + wanted["frees"]
    harness.expect_equal(entered + totals["missed"], made,
                         f"entered ({entered}) and missed ({totals['missed']})")
    harness.expect(totals["missed"] < made / 10, f"{totals['missed']} of {made} missed")
    harness.expect_equal(answer["ledgers"][0]["stopped"], None, "stopped")
    return answer


def handler_allocates(hazard):
    entered_or_missed(hazard, "handler_allocates")


def handlers_of_threads_allocate(hazard):
    entered_or_missed(hazard, "threads_signalled")


def handler_jumps_out(hazard):
    """A hook left by siglongjmp does not silence its thread."""
    hazard.exact("jumps_out")


def stack_depth(hazard, *mode):
    plain, with_us = hazard.both("small_stack", *mode, stderr=False)
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    hazard.expect_account(with_us, answer, "small_stack")
    before, after = (int(re.search(rb"depth (\d+)", run.stderr).group(1))
                     for run in (plain, with_us))
    harness.expect(after - before <= 2048,
                   f"the handler needs {before} bytes of stack natively, {after} recorded")


def hooks_take_little_stack(hazard):
    stack_depth(hazard)


def first_allocation_on_alternate_stack(hazard):
    stack_depth(hazard, "first")


def minimal_alternate_stack(hazard):
    hazard.exact("minimal_stack")


def process_state_untouched(hazard):
    """Signals, timers, limits, threads, errno, floating point: all as natively."""
    hazard.both("untouched")


def dispositions_are_the_programs_own(hazard):
    """Whatever stands in for a default: queries, results and flags are as natively."""
    hazard.both("dispositions")
    hazard.both("dispositions", before_exec=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))


def ended_by_the_same_signal(hazard):
    """In every state a signal whose default ends the program ends it, and nothing else."""
    hazard.both("ended_by_default")
