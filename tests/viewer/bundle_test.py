"""How large the page may be, as it is sent and as it would be packed: bundle_test.py FOLDER

It asks for nothing but itself: no address of another machine is in it.
"""

import gzip
import os
import re
import sys

MOST_PACKED = 120 * 1024
OWN_WORDS = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml",
             "http://www.w3.org/1998/Math/MathML"}


def main(folder):
    packed = 0
    problems = []
    for name in ("index.html", "page.js", "page.css", "icon.svg"):
        with open(os.path.join(folder, name), "rb") as file:
            content = file.read()
        packed += len(gzip.compress(content, 9))
        for address in re.findall(rb"https?://[\w.:/-]+", content):
            if address.decode() not in OWN_WORDS:
                problems.append(f"{name} names {address.decode()}")
        if name == "page.js" and b"</script" in content.lower():
            problems.append("page.js could not stand inside of a page")
    print(f"the page: {packed} bytes packed")
    if packed > MOST_PACKED:
        problems.append(f"the page is {packed} bytes packed; {MOST_PACKED} are the most")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
