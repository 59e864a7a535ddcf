#!/usr/bin/env python3
"""Holds the manual to the tool: options, JSON fields, version; and links must lead somewhere.

    docs_test.py HEAPLEDGER
"""

import json
import re
import subprocess
import sys
import unittest

from scratch import ROOT, ScratchTest
import repo

TOOL = sys.argv.pop()
MANUAL = (ROOT / "docs/manual.md").read_text()
LIVE = (ROOT / "docs/live.md").read_text()
ADVISE = (ROOT / "docs/advise.md").read_text()
REPLAY = (ROOT / "docs/replay.md").read_text()
MAN_PAGE = (ROOT / "docs/man/heapledger.1").read_text().replace("\\-", "-")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")


def output(*arguments, **options):
    return subprocess.run([TOOL, *arguments], check=True, capture_output=True, text=True,
                          **options).stdout


def keys_of(value):
    """All field names of a JSON value, those inside its fields included."""
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


def anchors_of(text):
    """The anchors that headings get when the page is shown."""
    titles = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {"#" + re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


class DocsTest(ScratchTest):
    def test_every_option_is_described(self):
        settings = {"--" + name for name in re.findall(r"`([a-z-]+)=", output("settings"))}
        for command in ("run", "report", "info", "seal", "diff", "fleet", "check", "doctor", "ctl", "link-flags", "plot",
                        "flamegraph", "graph", "view", "import", "core", "snapshot", "top", "advise",
                        "replay"):
            options = set(re.findall(r"(?<![\w-])--[a-z-]+", output(command, "--help"))) - {"--help"}
            self.assertTrue(options)
            described = settings if command == "run" else set()  # in the table of settings
            missing = [name for name in options - described if f"`{name}" not in MANUAL + LIVE + ADVISE + REPLAY]
            self.assertEqual(missing, [], command)
            self.assertEqual([name for name in options if name not in MAN_PAGE], [], command)

    def test_every_setting_is_described(self):
        for command in ("settings", "figures"):
            self.assertIn(output(command), MANUAL, "the manual's table is not what the tool prints")

    def test_every_field_is_described(self):
        output("run", "-q", "-o", "ls.ledger", "--", "/bin/ls", cwd=self.folder)
        for command in ("report", "info"):
            answer = json.loads(output(command, "--json", "ls.ledger", cwd=self.folder))
            for ledger in answer["ledgers"]:
                ledger.pop("entries_by_kind", None)  # its fields are the kinds, listed in format.md
            unknown = [key for key in keys_of(answer) if f"`{key}`" not in MANUAL]
            self.assertEqual(unknown, [], f"{command} --json")

    def test_every_field_of_a_replay_is_described(self):
        output("run", "-q", "-o", "ls.ledger", "--", "/bin/ls", cwd=self.folder)
        few = ("replay", "ls.ledger", "--json", "--allocators", "glibc")
        for more in (("--rounds", "1"), ("--check",)):
            answer = json.loads(output(*few, *more, cwd=self.folder))
            for one in answer["candidates"]:
                (one.get("system_calls") or {}).pop("by_name", None)  # the kernel's names
            self.assertIn(answer.pop("schema"), REPLAY)
            unknown = [key for key in keys_of(answer) if f"`{key}`" not in REPLAY]
            self.assertEqual(unknown, [], more)

    def test_links_lead_somewhere(self):
        seen = 0
        for path in repo.files(ROOT):
            if path.suffix != ".md":
                continue
            for name, anchor in LINK.findall((ROOT / path).read_text()):
                target = (ROOT / path).parent / name if name else ROOT / path
                self.assertTrue(target.exists(), f"{path}: {name}")
                if anchor and target.suffix == ".md":
                    self.assertIn(anchor, anchors_of(target.read_text()), f"{path}: {name}{anchor}")
                seen += 1
        self.assertGreater(seen, 10)

    def test_one_version(self):
        header = (ROOT / "include/heapledger.h").read_text()
        version = re.search(r'HEAPLEDGER_VERSION "(.*)"', header).group(1)
        self.assertEqual(output("--version").split()[1], version)
        self.assertIn(f"Heapledger {version}", MAN_PAGE)


if __name__ == "__main__":
    unittest.main()
