"""Fully static programs with libheapledger_static.a in them: the ledger tells what they did."""

import os
import re
import subprocess
import unittest

import harness
import linking

ARCHIVE = os.path.join(os.path.dirname(harness.LIB), "libheapledger_static.a")


class Static(unittest.TestCase):
    def recorded(self, program, words=""):
        folder, ledgers = harness.fresh_folder(), harness.fresh_folder()
        environment = harness.recording_environment(ledgers, words=words)
        del environment["LD_PRELOAD"]
        run = harness.execute([program], environment, folder, ledgers)
        self.assertEqual((run.status, run.stdout), (7, b""), run)
        return run

    def try_form(self, language, compiler, form):
        program = linking.build(compiler, language, form, *linking.flags("--static"))
        run = self.recorded(program, "crosscheck=1")
        answer = harness.report(run)
        harness.expect_complete(answer)
        linking.expect_account(run, answer, language)
        stacks = {tuple(linking.named(group)[:3]) for group in answer["groups"]}
        wanted = ("innermost", "main") if language == "c" else ("numbers", "main")
        self.assertTrue(any(wanted in (stack[:2], stack[1:]) for stack in stacks), stacks)
        ledger = harness.tool_json("info", run.ledgers)["ledgers"][0]
        self.assertGreater(ledger["stacks_checked"], 0)
        self.assertEqual(ledger["stacks_differing"], 0)

    def test_c(self):
        for compiler in linking.COMPILERS["c"]:
            for form in ("-static", "-static-pie"):
                with self.subTest(compiler=compiler, form=form):
                    self.try_form("c", compiler, form)

    def test_cpp(self):
        for compiler in linking.COMPILERS["cpp"]:
            for form in ("-static", "-static-pie"):
                with self.subTest(compiler=compiler, form=form):
                    self.try_form("cpp", compiler, form)

    def test_run_takes_it_even_stripped(self):
        program = linking.build("gcc", "c", "-static", "-s", *linking.flags("--static"))
        run = harness.recorded_by_tool([program])
        self.assertEqual((run.status, len(run.ledgers)), (7, 1), run.stderr)
        harness.expect_complete(harness.report(run))

    def test_run_names_the_flags_to_others(self):
        program = linking.build("gcc", "c", "-static")
        run = harness.recorded_by_tool([program])
        self.assertEqual(run.status, 125)
        self.assertIn(b"heapledger link-flags --static", run.stderr)

    def test_every_hook_has_its_flag(self):
        names = subprocess.run(["nm", ARCHIVE], capture_output=True, text=True, check=True).stdout
        hooks = set(re.findall(r" T __wrap_(\w+)", names))
        wrapped = {flag.split("=")[1] for flag in linking.flags("--static") if "--wrap=" in flag}
        self.assertIn("malloc", hooks)
        self.assertEqual(hooks, wrapped)


if __name__ == "__main__":
    unittest.main()
