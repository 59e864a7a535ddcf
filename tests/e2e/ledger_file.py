"""A second reader of ledgers, written from docs/format.md alone.

It is slow and simple, and shares no code with the analyzer: tests use it to look at single fields
of the header, and to check that the page is enough to write a reader and that two readers agree.
It only gives figures that do not depend on the order of entries in different streams.
"""

import collections
import struct

PRIME = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1
WINDOW, CHUNK = b"\xb1HLW", b"\xb1HLC"

STOP_REASONS = {0: None, 1: "disk full", 2: "quota", 3: "file size limit", 4: "no permission",
                5: "file gone", 6: "no memory", 7: "no descriptors", 8: "another error",
                9: "system call filter", 10: "too many threads", 11: "no ticks"}

Header = collections.namedtuple(
    "Header", "version header_bytes extent_bytes time_shift page_bytes machine pid parent_pid "
    "run_id origin parent_window parent_offset parent_seq stop_reason stop_errno exit_ticks missed")

Sample = collections.namedtuple("Sample", "window time rss highest ticks files")

CALLOC_AT_ONCE = 17
SIMPLE = {1: "calloc", 2: "realloc", 3: "reallocarray", 4: "valloc", 5: "pvalloc",
          CALLOC_AT_ONCE: "calloc"}
ALIGNED = {6: "posix_memalign", 7: "aligned_alloc", 8: "memalign"}
RESIZED = {9: "realloc", 10: "reallocarray"}
FREED = {11: "realloc", 12: "reallocarray", 13: "free_sized", 14: "free_aligned_sized"}


def checksum(data):
    lanes = [1, 2, 3, 4]
    padded = data + bytes(-len(data) % 8)
    for i, (word,) in enumerate(struct.iter_unpack("<Q", padded)):
        lane = ((lanes[i % 4] ^ word) * PRIME) & MASK
        lanes[i % 4] = lane ^ (lane >> 29)
    total = (len(data) * PRIME) & MASK
    for lane in lanes:
        total = ((total ^ lane) * PRIME) & MASK
        total ^= total >> 32
    return total


def read_header(path):
    with open(path, "rb") as file:
        data = file.read(176)
    if data[:8] != b"HPLEDGER":
        raise ValueError(f"{path} is not a ledger")
    first = struct.unpack_from("<8IQ", data, 8)
    origin = struct.unpack_from("<3IQ", data, 124)
    stop_reason, stop_errno, _, exit_ticks, missed = struct.unpack_from("<IIQQQ", data, 144)
    return Header(*first, *origin, stop_reason, stop_errno, exit_ticks, missed)


def stop_reason(path):
    """Why recording stopped, as a word from docs/format.md; None: it did not."""
    return STOP_REASONS[read_header(path).stop_reason]


class Payload:
    """Walks the entries of one block."""

    def __init__(self, data):
        self.data, self.at, self.previous = data, 0, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        first = self.data[self.at]
        length = 9 if first == 0 else (first & -first).bit_length()
        raw = int.from_bytes(self.data[self.at:self.at + length], "little")
        self.at += length
        return raw >> (8 if first == 0 else length)

    def pointer(self):
        folded = self.number()
        zigzag = folded & ((1 << 60) - 1)
        units = (zigzag >> 1) ^ -(zigzag & 1)
        self.previous = (self.previous + units * 16 + (folded >> 60)) & MASK
        return self.previous


class Ledger:
    """Totals of one ledger; `sites` maps a site's pc to its [calls, bytes]."""

    def __init__(self, path):
        self.header = read_header(path)
        self.by_function = collections.Counter()
        self.calls = self.bytes = self.frees = self.resizes = 0
        self.site_calls, self.site_pcs, self.thread_names = {}, {}, set()
        self._codes, self._chains = {}, []  # number -> pc; (site, codes): a code may come later
        self.modules = {}  # path -> (start, end)
        self.samples = []  # of memory, window by window
        for window, base_time, payload in self._payloads(path):
            self._window, self._time = window, base_time
            self._read(Payload(payload))
        for first, numbers in self._chains:
            for place, number in enumerate(numbers):
                self.site_pcs[first + place] = self._codes[number]

    def _payloads(self, path):
        with open(path, "rb") as file:
            data = file.read()
        size, chosen = self.header.extent_bytes, {}
        for start in range(self.header.header_bytes, len(data), size):
            block = data[start:start + size]
            magic, window, seq, base_time = struct.unpack_from("<4sIQQ", block)
            payload = block[64:]
            if magic == CHUNK:
                used, wanted = struct.unpack_from("<IQ", block, 28)
                payload = payload[:used]
                if checksum(payload) == wanted:
                    chosen[window, seq] = base_time, payload
            elif magic == WINDOW:
                chosen.setdefault((window, seq), (base_time, payload))
        return [(key[0], *chosen[key]) for key in sorted(chosen)]

    def _allocated(self, function, site, size):
        self.by_function[function] += 1
        self.calls += 1
        self.bytes += size
        tally = self.site_calls.setdefault(site, [0, 0])
        tally[0] += 1
        tally[1] += size

    def _freed(self, function):
        self.by_function[function] += 1
        self.frees += 1

    def _read(self, payload):
        while payload.at < len(payload.data):
            tag = payload.byte()
            if tag == 0:
                return
            shape, upper = tag & 3, tag >> 2
            if shape == 3:
                self._other(upper, payload)
                continue
            self._time += payload.number() if upper == 63 else upper
            payload.pointer()
            if shape == 1:
                self._freed("free")
            else:
                self._allocated("malloc", payload.number(), payload.number())

    def _other(self, kind, payload):
        if kind >= 32:
            end = payload.number()
            end += payload.at
            self._time += payload.number()
            self._long(kind, payload, end)
            payload.at = end
            return
        if kind != CALLOC_AT_ONCE:
            self._time += payload.number()
        payload.pointer()
        if kind in FREED:
            self._freed(FREED[kind])
        elif kind in RESIZED:
            self._time += payload.number()  # duration
            payload.pointer()
            self.resizes += 1
            self._allocated(RESIZED[kind], payload.number(), payload.number())
        elif kind in SIMPLE:
            self._allocated(SIMPLE[kind], payload.number(), payload.number())
        else:
            self._allocated(ALIGNED[kind], payload.number(), payload.number())
            payload.number()  # alignment

    def _long(self, kind, payload, end):
        if kind == 34:
            site, _, _, pc = (payload.number() for _ in range(4))
            self.site_pcs[site] = pc
        elif kind == 59:
            number, _, pc = (payload.number() for _ in range(3))
            self._codes[number] = pc
        elif kind == 60:
            first, _ = payload.number(), payload.number()  # and how far back its parent is
            numbers = []
            while payload.at < end:
                numbers.append(payload.number())
            self._chains.append((first, numbers))
        elif kind == 35:
            _, _, start, stop, _, build_id = (payload.number() for _ in range(6))
            path = payload.data[payload.at + build_id:end].decode(errors="replace")
            self.modules[path] = (start, stop)
        elif kind == 37:
            rss, highest, ticks, _ = (payload.number() for _ in range(4))
            files = payload.number() if payload.at < end else None
            self.samples.append(Sample(self._window, self._time, rss, highest, ticks, files))
        elif kind in (32, 33):
            if kind == 32:
                payload.number(), payload.number()  # index, tid
            self.thread_names.add(payload.data[payload.at:end].decode(errors="replace"))
