"""Programs linked with -lheapledger record themselves, as if it were preloaded."""

import os
import unittest

import harness
import linking


class Linked(unittest.TestCase):
    def recorded(self, program, words=""):
        folder = harness.fresh_folder()
        variables = {"HEAPLEDGER": words} if words else {}
        return harness.execute([program], harness.plain_environment(variables), folder, folder)

    def try_compiler(self, language, compiler):
        program = linking.build(compiler, language, *linking.flags())
        run = self.recorded(program)
        self.assertEqual((run.status, run.stdout), (7, b""), run)
        # The default name, in the current folder.
        self.assertEqual(len(run.ledgers), 1, run.ledgers)
        self.assertRegex(os.path.basename(run.ledgers[0]), r"^program\.\d+\.ledger$")
        answer = harness.report(run)
        harness.expect_complete(answer)
        linking.expect_account(run, answer, language)

    def test_c(self):
        for compiler in linking.COMPILERS["c"]:
            with self.subTest(compiler=compiler):
                self.try_compiler("c", compiler)

    def test_cpp(self):
        for compiler in linking.COMPILERS["cpp"]:
            with self.subTest(compiler=compiler):
                self.try_compiler("cpp", compiler)

    def test_the_variable_is_heeded(self):
        program = linking.build("gcc", "c", *linking.flags())
        run = self.recorded(program, "out=other.%p.ledger")
        self.assertRegex(os.path.basename(run.ledgers[0]), r"^other\.\d+\.ledger$")

    def test_under_run_there_is_one_ledger(self):
        program = linking.build("gcc", "c", *linking.flags())
        run = harness.recorded_by_tool([program])
        self.assertEqual((run.status, len(run.ledgers)), (7, 1), run.stderr)


if __name__ == "__main__":
    unittest.main()
