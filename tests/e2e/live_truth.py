"""The program `live_truth`, its own account of what it holds, and the comparison with a report."""

import json
import os
import struct
import subprocess

import harness

SLOTS, MOST_THREADS = 1000, 16
ACCOUNT = struct.Struct(f"<4Q{2 * SLOTS}Q")
FUNCTIONS = ("take_small", "take_zeroed", "take_aligned", "take_other")


class Truth:
    """What the program held, and what each of its threads was about to change."""

    def __init__(self, path, threads):
        with open(path, "rb") as file:
            data = file.read()
        self.blocks = {}
        self.unsure = set()  # addresses that may be there or not
        self.unsure_sizes = 0  # operations under way
        self.calls = self.bytes = 0
        for thread in range(threads):
            words = ACCOUNT.unpack_from(data, thread * ACCOUNT.size)
            busy, calls, size = words[:3]
            self.calls += calls
            self.bytes += size
            if busy:
                self.unsure_sizes += 1
            for slot in range(SLOTS):
                address, size = words[4 + 2 * slot:6 + 2 * slot]
                if slot + 1 == busy:
                    if address:
                        self.unsure.add(address)
                elif address:
                    self.blocks[address] = size


def own_blocks(answer):
    """Address and size of the blocks that the program's own functions took."""
    found = {}
    for block in answer["blocks"]:
        names = [frame["function"] for frame in block["frames"][:1]]
        if names and names[0].split("(")[0] in FUNCTIONS:
            harness.expect(block["address"] not in found, f"twice: {block}")
            found[block["address"]] = block["size"]
    return found


def tool(*words, status=0):
    """The parsed answer of the tool."""
    done = subprocess.run([harness.TOOL, *words, "--json"], env=harness.plain_environment(),
                          capture_output=True, timeout=2 * harness.HANG_SECONDS, check=False)
    if done.returncode != status:
        raise harness.Failure(f"{words} ended with {done.returncode}, not {status}:\n"
                              f"{harness.shown(done.stderr)}")
    return harness.with_frames(json.loads(done.stdout))


BLOCKS = ("--blocks", "--top", "1000000", "--frames", "3")


def compare(truth, answer):
    """Every block that the program held is there with its size, and no other, within one operation of
    each thread."""
    found = own_blocks(answer)
    missing = {address: size for address, size in truth.blocks.items()
               if found.get(address) != size and address not in truth.unsure}
    more = {address: size for address, size in found.items() if address not in truth.blocks}
    harness.expect(not missing, f"not there, or of another size: {dict(list(missing.items())[:5])}, "
                   f"{len(missing)} of {len(truth.blocks)}")
    harness.expect(len(more) <= truth.unsure_sizes,
                   f"{len(more)} blocks that it does not hold, {truth.unsure_sizes} being changed")


def start(folder, ledgers, threads, operations, seed, end, words):
    path = os.path.join(folder, "truth")
    environment = harness.recording_environment(ledgers, words=words)
    command = [harness.program("live_truth"), path, str(threads), str(operations), str(seed), end]
    process = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE,
                               start_new_session=True)
    return process, path
