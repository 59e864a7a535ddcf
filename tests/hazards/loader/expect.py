"""The loader: plugins that come and go, its lock, and who else is loaded."""

import os
import re
import shutil
import subprocess

import harness


def expect_both_plugins(with_us, sizes):
    """20 rounds of each plugin, the second at the place of the first: their sites are told apart."""
    same_place = int(re.search(rb"same place (\d+)", with_us.stderr).group(1))
    harness.expect(same_place > 0, "the second plugin never came to the place of the first")
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    for plugin, size in sizes.items():
        calls = 20 * (10 + 1)
        harness.expect_figures(harness.own_sums(answer, f"loader_plugin_{plugin}.so"),
                               {"calls": calls, "bytes": calls * size, "frees": calls,
                                "end_blocks": 0}, f"plugin {plugin}")


def plugins_at_one_address(hazard):
    """One after the other."""
    _, with_us = hazard.both("plugins_in_turn", stderr=False)
    expect_both_plugins(with_us, {"one": 1001, "two": 2002})


def plugin_at_the_place_of_one_being_unloaded(hazard):
    """Before the thread that unloads the first is back from dlclose."""
    _, with_us = hazard.both("place_taken", stderr=False)
    expect_both_plugins(with_us, {"one": 1001, "two": 2002})


def copied_plugin_at_the_place_of_one_being_unloaded(hazard):
    """The same with a copy of the first plugin: only the name of the file differs."""
    folder = harness.fresh_folder()
    for name, original in (("place_taken", "place_taken"), ("plugin_one.so", "plugin_one.so"),
                           ("plugin_two.so", "plugin_one.so")):
        shutil.copy(hazard.path(original), os.path.join(folder, f"loader_{name}"))
    command = [os.path.join(folder, "loader_place_taken")]
    plain = harness.native(command)
    with_us = harness.recorded(command)
    harness.expect_same(plain, with_us, False)
    expect_both_plugins(with_us, {"one": 1001, "two": 1001})


def deep_binding(hazard):
    """At worst missed entries, never a crash; what we do see is exact."""
    _, with_us = hazard.both("deep_binding")
    answer = harness.report(with_us)
    own = hazard.own(answer, "deep_binding")
    harness.expect_figures(own, {"calls": 200 * 50 + 1000}, "the program's own calls")


def second_namespace(hazard):
    hazard.exact("second_namespace")


def loader_lock_held_by_callback(hazard):
    hazard.exact("loader_lock_held")


def loader_lock_held_by_constructor(hazard):
    hazard.exact("constructor_waits")


def loading_while_allocating(hazard):
    _, with_us = hazard.both("loading_busy", stderr=False)
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    with_us.stdout = with_us.stderr  # the account differs from run to run
    hazard.expect_account(with_us, answer, "loading_busy")
    # One plugin often comes to the place of the other, and by the same stack.
    for plugin in ("one", "two"):
        harness.expect_figures(harness.own_sums(answer, f"loader_plugin_{plugin}.so"),
                               {"calls": 1000, "frees": 1000}, f"plugin {plugin}")


def behind_or_before(hazard, order):
    other = harness.program("loader_plugin_interposer.so")
    command = [hazard.path("interposed")]
    plain = harness.native(command, env={"LD_PRELOAD": other})
    libraries = ":".join(harness.LIB if who == "us" else other for who in order)
    with_us = harness.recorded(command, env={"LD_PRELOAD": libraries})
    harness.expect_same(plain, with_us)
    harness.expect(b"1000 mallocs of 4321" in plain.stderr, harness.shown(plain.stderr))
    answer = harness.report(with_us)
    harness.expect_complete(answer)
    seen = [group for group in answer["groups"] if group["bytes"] == 4321000]
    harness.expect_equal([(group["calls"], group["frees"]) for group in seen], [(1000, 500)],
                         "the group of the program's blocks")


def another_preloaded_library_behind_us(hazard):
    behind_or_before(hazard, ("us", "other"))


def another_preloaded_library_before_us(hazard):
    behind_or_before(hazard, ("other", "us"))


def no_error_of_ours_in_dlerror(hazard):
    hazard.exact("clean_error")


def thread_local_storage_of_a_plugin(hazard):
    """The loader allocates for it on first touch, in whatever the thread is doing."""
    _, answer = hazard.exact("storage")
    blocks = [group for group in answer["groups"] if harness.module_name(group).startswith("ld-")]
    harness.expect(sum(group["bytes"] for group in blocks) >= 5 * 9 * 200000,
                   "the loader's blocks are not in the ledger")


def expect_unseen(run, *words):
    """The report says that calls went past us and why; `check` gives no verdict."""
    ledger = harness.report(run)["ledgers"][0]
    harness.expect_equal(ledger["complete"], False, "complete")
    for word in words:
        harness.expect(word in ledger["unseen"], f"{word!r} is not said: {ledger['unseen']}")
    judged = subprocess.run([harness.TOOL, "check", run.ledgers[0], "--max-never-freed", "0"],
                            env=harness.plain_environment(), capture_output=True, check=False)
    harness.expect_equal(judged.returncode, 3, "exit status of check")
    harness.expect(ledger["unseen"] in judged.stderr.decode(), harness.shown(judged.stderr))


def malloc_in_the_executable(hazard):
    """Not one call comes to us, and that is no empty heap."""
    _, with_us = hazard.both("own_malloc")
    expect_unseen(with_us, "no call could be seen", "malloc, calloc, realloc and free",
                  "loader_own_malloc itself")


def free_in_the_executable(hazard):
    """Half of it is seen: all blocks seem to stay."""
    _, with_us = hazard.both("own_free")
    expect_unseen(with_us, "no call of free was seen", "loader_own_free itself")
    answer = harness.report(with_us)
    harness.expect_equal(hazard.own(answer, "own_free")["calls"], 1000, "calls of malloc")


def malloc_of_a_library_before_us(hazard):
    """A whole allocator in front of us, which passes nothing on."""
    other = harness.program("loader_plugin_allocator.so")
    command = [hazard.path("interposed")]
    plain = harness.native(command, env={"LD_PRELOAD": other})
    with_us = harness.recorded(command, env={"LD_PRELOAD": f"{other}:{harness.LIB}"})
    harness.expect_same(plain, with_us)
    expect_unseen(with_us, "no call could be seen", "plugin_allocator.so", "before the recorder")
