"""Results and errno of the whole family: libc's, to the letter; only what succeeded is entered."""

import harness
from run_hazard import accounts


def odd_calls(hazard):
    hazard.exact("odd_calls")


def errno_kept(hazard):
    _, with_us = hazard.both("errno_kept")
    harness.expect(b"changed 0\n" in with_us.stdout, harness.shown(with_us.stdout))
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    hazard.expect_account(with_us, answer, "errno_kept")


def relatives_passed_through(hazard):
    hazard.exact("passed_through")


def new_and_delete(hazard):
    """Each form counts once, through malloc or aligned_alloc, wherever libstdc++ calls them."""
    _, with_us = hazard.both("new_and_delete")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    library = [group for group in answer["groups"]
               if harness.module_name(group).startswith("libstdc++")]
    # Beside the program's blocks there is the pool for exceptions that libstdc++ makes at its
    # start and never frees; and each of the two refusals throws one exception, taken and freed.
    seen, wanted = harness.sums(library), accounts(with_us.stdout)
    beside = {name: seen[name] - wanted[name] for name in ("calls", "frees")}
    harness.expect_equal(beside, {"calls": 1 + 2, "frees": 2}, "calls beside the program's own")
    harness.expect_equal(answer["by_function"]["aligned_alloc"], 60, "calls of aligned_alloc")


def sized_frees_of_c23(hazard):
    _, with_us = hazard.both("c23_frees", stderr=False)
    harness.expect_equal(with_us.stderr, b"there: 1 1\n", "the functions seen by the program")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    hazard.expect_account(with_us, answer, "c23_frees")
    harness.expect_figures(answer["by_function"], {"free_sized": 100, "free_aligned_sized": 100},
                           "calls by function")
