"""How programs begin and end: nothing is lost at either edge."""

import os
import signal
import struct

import harness
import ledger_file


def preinit_array_allocates(hazard):
    """Blocks taken before any library's constructor are entered, and freed much later."""
    hazard.exact("preinit")


def constructors_and_exit_handlers(hazard):
    """Order is native; frees in atexit, on_exit and destructors are entered."""
    hazard.exact("constructors", status=5)


def static_destructors(hazard):
    hazard.exact("static_destructors")


def sudden_end(hazard, how, status, with_signal=None):
    _, with_us = hazard.both("sudden", how)
    harness.expect_equal(with_us.status, status, "exit status")
    harness.expect_equal(with_us.signal, with_signal, "signal")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    hazard.expect_account(with_us, answer, "sudden")
    return with_us


def ends_by_return(hazard):
    run = sudden_end(hazard, "return", 0)
    header = ledger_file.read_header(run.ledgers[0])
    harness.expect(header.exit_ticks > 0, "the end by exit is not in the ledger")


def ends_by_underscore_exit(hazard):
    sudden_end(hazard, "_exit", 7)


def ends_by_underscore_capital_exit(hazard):
    sudden_end(hazard, "_Exit", 8)


def ends_by_quick_exit(hazard):
    sudden_end(hazard, "quick_exit", 9)


def ends_by_exit_group(hazard):
    sudden_end(hazard, "exit_group", 10)


def ends_by_abort(hazard):
    sudden_end(hazard, "abort", None, signal.SIGABRT)


def ends_by_crash(hazard):
    sudden_end(hazard, "segv", None, signal.SIGSEGV)


def ends_by_sigkill(hazard):
    run = sudden_end(hazard, "sigkill", None, signal.SIGKILL)
    harness.expect_equal(ledger_file.read_header(run.ledgers[0]).exit_ticks, 0,
                         "exit time of a killed program")


def ends_by_sigterm(hazard):
    sudden_end(hazard, "sigterm", None, signal.SIGTERM)


def ends_by_stack_overflow(hazard):
    """Every allocation made before the crash is in the ledger."""
    counter = os.path.join(harness.fresh_folder(), "counter")
    with open(counter, "w+b") as file:
        run = harness.recorded([hazard.path("overflow")],
                               before_exec=lambda: os.dup2(file.fileno(), 2))
    harness.expect_equal(run.signal, signal.SIGSEGV, "signal")
    with open(counter, "rb") as file:
        (depth,) = struct.unpack("<Q", file.read(8))
    harness.expect(depth > 500, f"the recursion ended at depth {depth}")
    answer = harness.report(run)
    harness.expect_complete(answer)
    calls = hazard.own(answer, "overflow")["calls"]
    harness.expect(calls in (depth, depth + 1), f"{calls} calls entered, {depth} were made")


def exit_while_threads_allocate(hazard):
    _, with_us = hazard.both("exit_while_busy")
    harness.expect_equal(with_us.status, 3, "exit status")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    least = 40000
    harness.expect(hazard.own(answer, "exit_while_busy")["calls"] >= least, "calls were lost")


def main_thread_leaves_first(hazard):
    hazard.exact("main_thread_leaves", status=6)
