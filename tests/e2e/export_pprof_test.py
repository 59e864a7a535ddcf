"""pprof profiles: Go's pprof and npm's pprof-format read them, and what they find is what the report
says, to the byte."""

import functools
import gzip
import json
import os
import re
import subprocess
import unittest

import clients
import export_program
import harness
from export_program import export, report

GO_PPROF = "/usr/lib/go-1.*/pkg/tool/linux_*/pprof"
TYPES = ("alloc_objects", "alloc_space", "inuse_objects", "inuse_space")
# The same figures as the report names them, of a group.
FIGURES = dict(zip(TYPES, ("calls", "bytes", "live_blocks", "live_bytes")))

# Decodes a profile to JSON, with texts in place of their numbers; writes it again as well.
DECODE = """
const fs = require('fs');
const zlib = require('zlib');
const { Profile } = require('pprof-format');
const bytes = zlib.gunzipSync(fs.readFileSync(process.argv[2]));
const profile = Profile.decode(bytes);
fs.writeFileSync(process.argv[3], zlib.gzipSync(profile.encode()));
const text = (number) => profile.stringTable.strings[Number(number)];
const type = (one) => [text(one.type), text(one.unit)];
console.log(JSON.stringify({
  strings: profile.stringTable.strings,
  types: profile.sampleType.map(type),
  default_type: text(profile.defaultSampleType),
  period_type: type(profile.periodType),
  period: Number(profile.period),
  time: String(profile.timeNanos),
  duration: Number(profile.durationNanos),
  comments: profile.comment.map(text),
  samples: profile.sample.map((one) => ({ locations: one.locationId.map(Number),
                                          values: one.value.map(Number) })),
  mappings: profile.mapping.map((one) => ({
    id: Number(one.id), start: Number(one.memoryStart), limit: Number(one.memoryLimit),
    file: text(one.filename), build_id: text(one.buildId),
    has: [one.hasFunctions, one.hasFilenames, one.hasLineNumbers, one.hasInlineFrames] })),
  locations: profile.location.map((one) => ({
    id: Number(one.id), mapping: Number(one.mappingId), address: Number(one.address),
    lines: one.line.map((line) => [Number(line.functionId), Number(line.line)]) })),
  functions: profile.function.map((one) => ({ id: Number(one.id), name: text(one.name),
                                              file: text(one.filename) })),
}));
"""


@functools.cache
def profile(ledger, *options):
    """The path of the export of a ledger."""
    path = os.path.join(harness.fresh_folder(), "heap.pb.gz")
    export(ledger, "pprof", "-o", path, *options)
    return path


def pprof(path, *options):
    """What Go's pprof prints."""
    tool = clients.first_file(GO_PPROF, "golang-1.19-go")
    # It keeps things in a home folder, and would ask the network for what it misses.
    environment = dict(os.environ, HOME=os.path.dirname(path), PPROF_TMPDIR=os.path.dirname(path))
    return clients.run([tool, *options, path], env=environment)


def sums(path):
    """The four values, each over all samples, as pprof has them."""
    text = pprof(path, "-raw")
    samples = re.findall(r"^ *(\d+) +(\d+) +(\d+) +(\d+): [\d ]+$", text, re.MULTILINE)
    columns = zip(*[[int(value) for value in sample] for sample in samples])
    return dict(zip(TYPES, [sum(column) for column in columns]))


def top(path, value):
    """By the name of a function: its own value, and that with all it calls."""
    text = pprof(path, "-top", "-nodecount=0", "-nodefraction=0", "-edgefraction=0",
                 "-sample_index=" + value, "-unit=B")
    lines = text[text.index("flat%"):].splitlines()[1:]
    rows = [re.sub(r" \((partial-)?inline\)$", "", line).split(None, 5) for line in lines]
    exact = {name: (int(flat.removesuffix("B")), int(cum.removesuffix("B")))
             for flat, _, _, cum, _, name in rows}
    return {name: pair for name, pair in exact.items() if pair[1] != 0}


@functools.cache
def decoded(ledger, *options):
    """The profile as pprof-format has it, and the path of what it writes itself."""
    path = profile(ledger, *options)
    again = os.path.join(harness.fresh_folder(), "again.pb.gz")
    return json.loads(clients.run_node(DECODE, path, again)), again


def names_at(content, location):
    names = {one["id"]: one["name"] for one in content["functions"]}
    return [names[function] for function, _ in location["lines"]]


class Pprof(unittest.TestCase):
    def test_sums_are_the_totals_of_the_report(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled(),
                       export_program.hostile()):
            totals = report(ledger)["totals"]
            for options, blocks, size in (([], "peak_blocks", "peak_bytes"),
                                          (["--at", "end"], "end_blocks", "end_bytes")):
                with self.subTest(ledger=ledger, options=options):
                    self.assertEqual(sums(profile(ledger, *options)), {
                        "alloc_objects": totals["calls"], "alloc_space": totals["bytes"],
                        "inuse_objects": totals[blocks], "inuse_space": totals[size]})

    def test_ranges_and_filters(self):
        for options in (["--between", "start", "peak"], ["--filter", "size>=1k"]):
            figures = report(export_program.cpp(), *options)["figures"]
            self.assertGreater(figures["calls"], 0)
            self.assertEqual(sums(profile(export_program.cpp(), *options)),
                             {value: figures[name] for value, name in FIGURES.items()})

    def test_functions_are_those_of_the_report(self):
        for ledger in (export_program.cpp(), export_program.sampled()):
            groups = report(ledger, "--by", "function", "--top", "1000000")["groups"]
            for value, figure in FIGURES.items():
                with self.subTest(ledger=ledger, value=value):
                    wanted = {group["name"]: (group["self"][figure], group[figure])
                              for group in groups if group[figure]}
                    seen = top(profile(ledger), value)
                    # Those to blame, and whoever calls them; what they call to allocate is dropped.
                    self.assertEqual(seen, {name: wanted[name] for name in seen})
                    self.assertEqual(sum(flat for flat, _ in seen.values()),
                                     sum(own for own, _ in wanted.values()))

    def test_what_an_allocator_does_inside_goes_to_its_caller(self):
        ledger = export_program.python()
        groups = report(ledger, "--by", "function", "--top", "1000000")["groups"]
        wanted = {group["name"]: group["bytes"] for group in groups}
        seen = top(profile(ledger), "alloc_space")
        self.assertIn("_PyObject_Malloc", wanted)
        self.assertNotIn("_PyObject_Malloc", seen)
        self.assertEqual(sum(flat for flat, _ in seen.values()),
                         report(ledger)["totals"]["bytes"])
        self.assertLess(0, seen["_PyEval_EvalFrameDefault"][1])
        self.assertEqual([name for name, (_, cum) in seen.items() if cum > wanted[name]], [])

    def test_allocators_are_dropped(self):
        seen = top(profile(export_program.cpp()), "alloc_space")
        self.assertIn("shop::stock(int)", seen)
        self.assertEqual([name for name in seen if name.startswith("operator new")], [])
        with open(profile(export_program.cpp()), "rb") as file:
            self.assertIn(b"|operator new|", gzip.decompress(file.read()))

    def test_in_use_at_the_peak_is_what_is_shown_first(self):
        text = pprof(profile(export_program.cpp()), "-top", "-unit=B")
        self.assertIn("Type: inuse_space\n", text)
        peak = report(export_program.cpp())["totals"]["peak_bytes"]
        self.assertIn(f"Total samples = {peak}B", text)
        self.assertIn("File: shop\n", text)

    def test_the_innermost_function_comes_first(self):
        text = pprof(profile(export_program.cpp(), "--at", "end"), "-traces", "-unit=B")
        trace = next(part for part in text.split("\n---") if " 4321B " in part)
        names = [line[13:].strip() for line in trace.splitlines()[1:]]
        self.assertEqual(names[:7], ["shop::nested(int)"] * 6 + ["main"])
        self.assertEqual(names[-1], "_start")

    def test_what_the_format_demands(self):
        for ledger in (export_program.cpp(), export_program.python(), export_program.sampled(),
                       export_program.hostile()):
            with self.subTest(ledger=ledger):
                self.check_form(*decoded(ledger), ledger)

    def check_form(self, content, again, ledger):
        self.assertEqual(content["strings"][0], "")
        self.assertEqual(len(set(content["strings"])), len(content["strings"]))
        self.assertEqual(content["types"], [["alloc_objects", "count"], ["alloc_space", "bytes"],
                                            ["inuse_objects", "count"], ["inuse_space", "bytes"]])
        self.assertEqual(content["default_type"], "inuse_space")
        self.assertEqual(content["period_type"], ["space", "bytes"])
        for table in ("mappings", "locations", "functions"):
            ids = [one["id"] for one in content[table]]
            self.assertNotIn(0, ids)
            self.assertEqual(len(set(ids)), len(ids), table)
        mappings = {one["id"]: one for one in content["mappings"]}
        locations = {one["id"]: one for one in content["locations"]}
        for location in content["locations"]:
            mapping = mappings[location["mapping"]]
            self.assertTrue(location["lines"])
            if not mapping["file"].startswith("["):
                self.assertTrue(mapping["start"] <= location["address"] < mapping["limit"])
        for sample in content["samples"]:
            self.assertTrue(sample["locations"])
            self.assertTrue(set(sample["locations"]) <= set(locations))
        # Every place in the code is there once.
        places = [(one["mapping"], one["address"], str(one["lines"]))
                  for one in content["locations"]]
        self.assertEqual(len(set(places)), len(places))
        # What another writer makes of it is the same to pprof.
        self.assertEqual(pprof(again, "-raw"), pprof(profile(ledger), "-raw"))

    def test_mappings_are_those_of_the_ledger(self):
        info = harness.tool_json("info", [export_program.cpp()])["ledgers"][0]
        content, _ = decoded(export_program.cpp())
        first = content["mappings"][0]
        self.assertEqual(first["file"], info["executable"])
        known = {one["path"]: one for one in info["modules"]}
        for mapping in content["mappings"]:
            self.assertEqual(mapping["has"], [True] * 4)
            if mapping["file"].startswith("["):
                continue
            module = known[mapping["file"]]
            self.assertEqual((mapping["start"], mapping["limit"], mapping["build_id"]),
                             (module["start"], module["end"], module["build_id"]))
        self.assertEqual(content["time"], str(info["start_ns"]))
        self.assertEqual(content["duration"], info["duration_ns"])
        self.assertIn(info["executable"], content["comments"])

    def test_inlined_functions_are_lines_of_one_location(self):
        content, _ = decoded(export_program.cpp())
        main_file = content["mappings"][0]
        found = 0
        for location in content["locations"]:
            names = names_at(content, location)
            if location["mapping"] != main_file["id"] or "shop::make_item(int)" not in names:
                continue
            found += 1
            self.assertEqual(names[-2:], ["shop::make_item(int)", "shop::stock(int)"])
            # The address is inside the call: addr2line says the same of it.
            address = hex(location["address"] - main_file["start"])
            answer = subprocess.run(
                [clients.command("addr2line", "binutils"), "-f", "-C", "-i", "-e",
                 export_program.cpp_binary(), address],
                capture_output=True, text=True, check=True).stdout.splitlines()
            self.assertEqual(len(answer) // 2, len(names))
            lines = [int(place.rpartition(":")[2].split()[0]) for place in answer[1::2]]
            self.assertEqual([line for _, line in location["lines"]], lines)
        self.assertGreater(found, 0)

    def test_recursion_shares_a_location(self):
        content, _ = decoded(export_program.cpp())
        nested = [one["id"] for one in content["locations"]
                  if names_at(content, one) == ["shop::nested(int)"]]
        sample = next(one for one in content["samples"] if one["locations"][0] in nested)
        self.assertEqual(sample["values"][1], 4321)
        self.assertEqual(sum(one in nested for one in sample["locations"]), 6)
        self.assertEqual(len(nested), 2)  # the call of malloc, and that of itself

    def test_stacks_that_end_early(self):
        for name, *options in (("shallow", "--depth", "1"), ("none", "--stacks-for", "none")):
            ledger = export_program.record([export_program.cpp_binary()], name, *options)
            totals = report(ledger)["totals"]
            self.assertEqual(sums(profile(ledger))["alloc_space"], totals["bytes"])
            content, rewritten = decoded(ledger)
            self.check_form(content, rewritten, ledger)
            marks = [one for one in content["locations"]
                     if names_at(content, one)[0].startswith("[")]
            self.assertEqual([one["address"] for one in marks], [0])

    def test_period_is_the_distance_of_samples(self):
        self.assertEqual(decoded(export_program.cpp())[0]["period"], 1)
        self.assertEqual(decoded(export_program.sampled())[0]["period"], 2048)

    def test_hostile_names(self):
        path = profile(export_program.hostile(), "--raw-names")
        seen = top(path, "inuse_space")
        by_size = {flat: name for name, (flat, _) in seen.items() if flat}
        self.assertEqual(set(by_size), set(export_program.HOSTILE_NAMES.values()))
        self.assertEqual(by_size[101], 'semi;colon "quoted" <tag> & more')
        self.assertEqual(by_size[202], r"line\nbreak\ttab\x0dreturn")
        self.assertEqual(by_size[303], r"escape\x1b[31mred\x07")
        self.assertEqual(by_size[404], r"no utf-8 \xff\xfe\xc3 here")
        self.assertEqual(by_size[606], "long " + "x" * 10000)
        self.assertEqual(by_size[808], r"direction \u202e mark \u2028 separator")
        text = pprof(path, "-traces")
        self.assertTrue(all(c >= " " or c == "\n" for c in text), text)

    def test_several_processes(self):
        # The same program twice, each time somewhere else in memory, and another one.
        again = export_program.record([export_program.cpp_binary()], "again")
        ledgers = (export_program.cpp(), again, export_program.hostile())
        content, rewritten = decoded(ledgers)
        self.check_form(content, rewritten, ledgers)
        files = [one["file"] for one in content["mappings"]]
        self.assertEqual(files.count(export_program.cpp_binary()), 1)
        self.assertEqual(files[0], export_program.cpp_binary())
        path = profile(ledgers)
        totals = report(ledgers)["totals"]
        self.assertEqual(list(sums(path).values()),
                         [totals[name] for name in ("calls", "bytes", "peak_blocks", "peak_bytes")])
        self.assertIn("and 2 more processes", pprof(path, "-comments"))

    def test_a_profile_is_always_the_same(self):
        one = export(export_program.python(), "pprof", text=False)
        with open(profile(export_program.python()), "rb") as file:
            self.assertEqual(file.read(), one)
        self.assertGreater(len(gzip.decompress(one)), len(one))

    def test_metrics_are_refused(self):
        done = subprocess.run([harness.TOOL, "export", export_program.cpp(), "--to", "pprof",
                               "--metric", "calls"], capture_output=True, text=True, timeout=300)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--metric", done.stderr)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
