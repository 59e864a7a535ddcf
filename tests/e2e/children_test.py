"""children=off: the program is recorded, what it starts is not."""

import os
import unittest

import harness


def names(run):
    return sorted(os.path.basename(path).split(".")[0] for path in run.ledgers)


def command(*words):
    return [harness.program("counted"), "starts", *words]


class Children(unittest.TestCase):
    def test_followed_unless_told_otherwise(self):
        run = harness.recorded(command("sh", "-c", "true; env true"))
        self.assertEqual(run.status, 0)
        self.assertLessEqual({"counted", "env", "true"}, set(names(run)))

    def test_by_hand(self):
        run = harness.recorded(command("sh", "-c", "true; env true; python3 -c pass"),
                               words="children=off")
        self.assertEqual((run.status, run.stderr, names(run)), (0, b"", ["counted"]))

    def test_forked_by_hand(self):
        run = harness.recorded([harness.program("counted"), "fork"], words="children=off")
        self.assertEqual((run.status, names(run)), (0, ["counted"]))
        self.assertEqual(harness.report(run)["totals"]["calls"], 5)

    def test_forked_in_count_mode(self):
        run = harness.recorded([harness.program("counted"), "fork"],
                               words="children=off mode=count")
        self.assertEqual((run.status, names(run)), (0, ["counted"]))
        self.assertEqual(harness.report(run)["counts"]["calls"], 5)

    def test_under_run(self):
        run = harness.recorded_by_tool(command("sh", "-c", "true; env true"),
                                       options=("--children", "off"))
        self.assertEqual((run.status, names(run)), (0, ["counted"]))
        self.assertEqual(harness.report(run)["totals"]["calls"], 4)

    def test_under_run_an_image_that_replaces_itself_is_no_child(self):
        run = harness.recorded_by_tool(["sh", "-c", "true; exec " + harness.program("counted")
                                        + " sizes"], options=("--children", "off"))
        self.assertEqual(run.status, 0)
        self.assertIn("counted", names(run))


if __name__ == "__main__":
    unittest.main()
