"""Figures on the page as the command line writes them, and filters put together and taken apart:
format_test.py ESBUILD PAGE

What is expected was worked out by hand from src/text/text.h and src/analyzer/query/filter.h.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77

# A function of format.ts or filter.ts, what it is given, and what comes out.
CASES = [
    ("bytes", [0], "0 B"),
    ("bytes", [1023], "1023 B"),
    ("bytes", [1024], "1.0 KiB"),
    ("bytes", [6400], "6.2 KiB"),  # 6.25: ties go to the even digit
    ("bytes", [6500], "6.3 KiB"),
    ("bytes", [1048524], "1023.9 KiB"),
    ("bytes", [1048525], "1.0 MiB"),  # 1023.95 would be shown as 1024.0
    ("bytes", [6295832], "6.0 MiB"),
    ("bytes", [2**40 * 3 // 2], "1.5 TiB"),
    ("bytes", [-2048], "−2.0 KiB"),
    ("duration", [999], "999 ns"),
    ("duration", [1250], "1.2 us"),
    ("duration", [56900000], "56.9 ms"),
    ("duration", [999949999], "999.9 ms"),
    ("duration", [999950000], "1.00 s"),
    ("duration", [4964350731], "4.96 s"),
    ("duration", [123000000000], "2 min 3 s"),
    ("duration", [3720000000000], "1 h 2 min"),
    ("count", [41270], "41,270"),
    ("count", [999], "999"),
    ("count", [1234567], "1,234,567"),
    ("counted", [1, "block"], "1 block"),
    ("counted", [0, "block"], "0 blocks"),
    ("percent", [794, 1000], "79.4%"),
    ("percent", [1, 0], "0.0%"),
    ("percent", [1, 800], "0.1%"),  # 0.125
    ("change", [1536, "bytes"], "+1.5 KiB"),
    ("change", [-4, "count"], "−4"),
    ("place", ["/src/shop.cpp", 35], "shop.cpp:35"),
    ("place", ["", 35], ""),
    ("withoutArguments", ["(anonymous namespace)::draw(int)"], "(anonymous namespace)::draw"),
    ("withoutArguments", ["main"], "main"),
    ("shellWord", ["a b'c"], "'a b'\\''c'"),
    ("shellWord", ["--at"], "--at"),
    ("conditionsOf", ["function=f(int, long),size>=1k"], ["function=f(int, long)", "size>=1k"]),
    ("conditionsOf", ["function=map<a, b>::at,thread=!main"],
     ["function=map<a, b>::at", "thread=!main"]),
    ("conditionsOf", [""], []),
    ("withCondition", ["size>=1k", "thread=main"], "size>=1k,thread=main"),
    ("withCondition", ["size>=1k", "size>=1k"], "size>=1k"),
    ("withoutCondition", ["size>=1k,thread=main", "size>=1k"], "thread=main"),
    ("exactly", ["main"], "[m]ain"),
    ("exactly", ["f(char*)"], "f(char\\*)"),
    ("exactly", ["operator<(A, B)"], "[o]perator??A? B?"),
    ("plainCondition", ["function=![m]ain"], "function=!main"),
    ("fitted", ["parse(int)", 10], "parse(int)"),
    ("fitted", ["parse(int)", 9], "parse"),
    ("fitted", ["shop::Shelf<a::b>::put(int)", 5], "put"),
    ("fitted", ["parse_lines", 6], "parse…"),
    ("niceStep", [13491025, 4, 2], 4194304),
    ("niceStep", [5.7e9, 10, 10], 1e9),
    ("classConditions", ["size", "16 B to <32 B", "32 B to <64 B"], ["size>=16B", "size<64B"]),
    ("classConditions", ["lifetime", "under 1 us", "under 1 us"], ["lifetime<1us"]),
    ("classConditions", ["lifetime", "10 min and more", "never freed"], ["lifetime>=10min"]),
    ("classConditions", ["lifetime", "1 s to <10 s", "10 min and more"],
     ["lifetime>=1s", "lifetime<never"]),
    ("classConditions", ["size", "0 B", "1 B"], ["size>=0B", "size<=1B"]),
    ("classConditions", ["size", "1 B", "1 B"], ["size=1B"]),
    ("classConditions", ["size", "1 B", "2 B to <4 B"], ["size>=1B", "size<4B"]),
]
# Blocks of two times of birth: 100 bytes that end with the second time, 50 that are left, 7 of the third.
PLANE = {"width": 10, "count": 4, "birth": [0, 0, 2], "death": [1, 4, 2], "bytes": [100, 50, 7],
         "blocks": [1, 1, 1]}
CASES += [
    ("bornOf", [PLANE, 9], {"all": [150, 0, 7, 0], "alive": [150, 0, 0, 0]}),
    ("bornOf", [PLANE, 19], {"all": [150, 0, 7, 0], "alive": [150, 0, 0, 0]}),
    ("bornOf", [PLANE, 20], {"all": [150, 0, 7, 0], "alive": [50, 0, 7, 0]}),
    ("bornOf", [PLANE, 39], {"all": [150, 0, 7, 0], "alive": [50, 0, 0, 0]}),
    ("gathered", [["/lib/a.so has no debug information: x"]], ["/lib/a.so has no debug information: x"]),
    ("gathered", [["/lib/a.so has no debug information: x", "cut", "/b.so has no debug information: x"]],
     ["2 modules have no debug information: x: a.so, b.so", "cut"]),
]
MODULES = ("format", "filter", "plane", "gathered", "flame_tree", "timeline_frame", "class_conditions")


def main(esbuild, page):
    node = shutil.which("node")
    if not node:
        print("not here: node, of the Debian package nodejs")
        return 1 if os.environ.get("HEAPLEDGER_REQUIRE_CLIENTS") else SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "cases.mjs")
        made = os.path.join(folder, "made.mjs")
        with open(script, "w", encoding="utf-8") as file:
            for number, name in enumerate(MODULES):
                file.write(f"import * as m{number} from {json.dumps(os.path.join(page, name))};\n")
            all_of = ", ".join(f"...m{number}" for number in range(len(MODULES)))
            file.write(f"const all = {{ {all_of} }};\nconst cases = {json.dumps(CASES)};\n"
                       "console.log(JSON.stringify(cases.map(([name, given]) => all[name](...given))));\n")
        subprocess.run([esbuild, script, "--bundle", "--format=esm", "--log-level=warning",
                        "--outfile=" + made], check=True)
        found = json.loads(subprocess.run([node, made], check=True, capture_output=True,
                                          text=True).stdout)
    wrong = [(name, given, wanted, seen)
             for (name, given, wanted), seen in zip(CASES, found, strict=True) if seen != wanted]
    for name, given, wanted, seen in wrong:
        print(f"{name}({given}): {seen!r}, not {wanted!r}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
