#!/usr/bin/env python3
"""Plants wrong includes in a small tree and demands that check_layers.py finds each of them. The
tree uses the project's own table, so a row that allows too much is found here too."""

import unittest

from scratch import ROOT, ScratchTest
import check_layers


class LayersTest(ScratchTest):
    def setUp(self):
        super().setUp()
        self.plant("docs/layers.md", (ROOT / "docs/layers.md").read_text())
        for name in ("format/layout.h", "runtime/os/os.h", "runtime/hooks/hooks.h",
                     "runtime/modes/trace.h", "runtime/ledger/window.h", "analyzer/query.h",
                     "cli/commands.h", "cli/shared/options.h", "cli/report/text.h", "cli/run/words.h"):
            self.plant(f"src/{name}", "#pragma once\n")

    def problems_with(self, name, include):
        self.plant(name, f"// A planted file.\n#include {include}\n")
        return list(check_layers.problems(self.folder))

    def assert_wrong(self, name, include):
        found = self.problems_with(name, include)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{name}:2: "), found)

    def test_downward_includes_are_good(self):
        self.assertEqual(self.problems_with("src/cli/a.cpp", '"analyzer/query.h"'), [])
        self.assertEqual(self.problems_with("src/runtime/hooks/a.cpp", '"runtime/modes/trace.h"'), [])
        self.assertEqual(self.problems_with("src/runtime/os/a.cpp", '"format/layout.h"'), [])

    def test_own_layer_is_good_also_without_folder(self):
        self.assertEqual(self.problems_with("src/analyzer/a.cpp", '"query.h"'), [])

    def test_format_includes_nothing_above(self):
        self.assert_wrong("src/format/a.h", '"analyzer/query.h"')

    def test_analyzer_does_not_include_cli(self):
        self.assert_wrong("src/analyzer/a.cpp", '"cli/commands.h"')

    def test_analyzer_does_not_include_the_runtime(self):
        self.assert_wrong("src/analyzer/a.cpp", '"runtime/os/os.h"')

    def test_runtime_does_not_include_the_analyzer(self):
        self.assert_wrong("src/runtime/hooks/a.cpp", '"analyzer/query.h"')

    def test_os_does_not_include_ledger(self):
        self.assert_wrong("src/runtime/os/a.cpp", '"runtime/ledger/window.h"')

    def test_ledger_does_not_include_modes(self):
        self.assert_wrong("src/runtime/ledger/a.cpp", '"runtime/modes/trace.h"')

    def test_modes_do_not_include_hooks(self):
        self.assert_wrong("src/runtime/modes/a.cpp", '"runtime/hooks/hooks.h"')

    def test_a_room_includes_what_its_layer_may_and_its_top(self):
        self.assertEqual(self.problems_with("src/cli/report/a.cpp", '"analyzer/query.h"'), [])
        self.assertEqual(self.problems_with("src/cli/report/a.cpp", '"cli/commands.h"'), [])
        self.assertEqual(self.problems_with("src/cli/main.cpp", '"cli/shared/options.h"'), [])

    def test_a_room_includes_the_rooms_it_names_and_no_other(self):
        self.assertEqual(self.problems_with("src/cli/report/a.cpp", '"cli/shared/options.h"'), [])
        self.assertEqual(self.problems_with("src/cli/run/a.cpp", '"cli/report/text.h"'), [])
        self.assert_wrong("src/cli/report/a.cpp", '"cli/run/words.h"')

    def test_a_shared_room_includes_no_command(self):
        self.assert_wrong("src/cli/shared/a.cpp", '"cli/report/text.h"')

    def test_a_layer_below_includes_no_room(self):
        self.assert_wrong("src/analyzer/a.cpp", '"cli/shared/options.h"')

    def test_a_wrong_way_by_dots_is_found(self):
        self.assert_wrong("src/analyzer/a.cpp", '"../cli/commands.h"')

    def test_a_deeper_folder_belongs_to_its_layer(self):
        self.assert_wrong("src/runtime/os/x86_64/a.h", '"runtime/ledger/window.h"')

    def test_runtime_brings_no_library(self):
        self.assert_wrong("src/runtime/ledger/a.cpp", "<vector>")
        self.assertEqual(self.problems_with("src/runtime/ledger/a.cpp", "<cstring>"), [])
        self.assertEqual(self.problems_with("src/runtime/ledger/a.cpp", "<sys/mman.h>"), [])
        self.assertEqual(self.problems_with("src/analyzer/a.cpp", "<vector>"), [])

    def test_an_unknown_folder_is_found(self):
        self.plant("src/stray/a.cpp", "int a;\n")
        self.assertEqual(len(list(check_layers.problems(self.folder))), 1)

    def test_a_row_that_points_upwards_is_found(self):
        page = (ROOT / "docs/layers.md").read_text()
        row = "| format | `src/format` | – |"
        self.assertIn(row, page)
        self.plant("docs/layers.md", page.replace(row, "| format | `src/format` | analyzer |"))
        found = list(check_layers.problems(self.folder))
        self.assertEqual(len(found), 1, found)
        self.assertIn("format may include analyzer", found[0])


if __name__ == "__main__":
    unittest.main()
