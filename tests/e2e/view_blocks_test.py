"""What the server of `heapledger view` says of single blocks: when they came and went, where they lay,
the life of one. What is expected is worked out from the calls that `export --entries` lists."""

import collections
import csv
import io
import unittest

import export_program
import viewing

# Blocks that are kept, that live for one step, that end at once; one that grows by resizes and is
# freed by another thread; and an address that many have in turn.
PROGRAM = """
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { kSteps = 8 };
static void* volatile kept[kSteps * 10];
static void* grown;

static void wait_a_little(void) {
  struct timespec time = {0, 5000000};
  nanosleep(&time, NULL);
}
__attribute__((noinline)) static void keep(int step) {
  for (int i = 0; i < 10; ++i) kept[step * 10 + i] = malloc(1000 + (size_t)step);
}
__attribute__((noinline)) static void borrow(void) {
  void* volatile held[20];
  for (int i = 0; i < 20; ++i) held[i] = malloc(300);
  wait_a_little();
  for (int i = 0; i < 20; ++i) free(held[i]);
}
__attribute__((noinline)) static void churn(void) {
  for (int i = 0; i < 100; ++i) {
    void* volatile block = malloc(5000);
    // One of them is there for a while.
    if (i == 60) wait_a_little();
    free(block);
  }
}
static pthread_barrier_t both;
static void* end_it(void* unused) {
  // As long as two threads take part, every entry has a time of its own.
  void* volatile first = malloc(1);
  free(first);
  pthread_barrier_wait(&both);
  pthread_barrier_wait(&both);
  free(grown);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_barrier_init(&both, NULL, 2);
  pthread_create(&thread, NULL, end_it, NULL);
  pthread_barrier_wait(&both);
  grown = malloc(40);
  for (int step = 0; step < kSteps; ++step) {
    keep(step);
    borrow();
    churn();
    if (step < 5) grown = realloc(grown, 4000u << step);
  }
  pthread_barrier_wait(&both);
  pthread_join(thread, NULL);
  return 0;
}
"""

Block = collections.namedtuple("Block", "address size birth end how tid by site")


def blocks_of(entries):
    """All blocks of the calls, in the order of their births; and what they became by resizes."""
    live, blocks, became = {}, [], {}

    def end(address, row, how):
        block = live.pop(address, None)
        if block is None:
            return None
        blocks.append(block._replace(end=int(row["time_ns"]), how=how, by=int(row["tid"])))
        return blocks[-1]

    for row in entries:
        address = int(row["address"] or "0", 0)
        if row["what"] == "free":
            end(address, row, "freed")
            continue
        old = end(int(row["old_address"], 0), row, "resized") if row["what"] == "resize" else None
        if address != 0:
            tid = int(row["tid"])
            birth = int(row["time_ns"]) + int(row["took_ns"])  # when the call came back
            live[address] = Block(address, int(row["size"]), birth, None, "left", tid, tid, int(row["site"]))
            if old:
                became[old] = birth
    return sorted([*blocks, *live.values()], key=lambda block: block.birth), became


class Blocks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        binary = export_program.compile_program("blocks", PROGRAM, "gcc", ("-O1", "-g", "-pthread"))
        cls.ledger = export_program.record([binary], "blocks")
        text = export_program.export(cls.ledger, "csv", "--entries")
        cls.blocks, cls.became = blocks_of(csv.DictReader(io.StringIO(text)))
        cls.view = viewing.View("--no-browser", cls.ledger)
        cls.view.wait_for_event("index")
        recording = cls.view.recording()
        cls.threads = [thread["tid"] for thread in recording["threads"]]
        cls.edges = recording["edges"]
        cls.duration = recording["duration_ns"]

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()

    def lives(self, answer, part):
        """A table of lives as blocks."""
        table = answer[part]

        def value(name, i):
            return table.get(name, [0] * table["count"])[i]

        return [Block(value("address", i), value("size", i), value("birth_ns", i),
                      None if answer["texts"][value("end", i)] == "left" else value("end_ns", i),
                      answer["texts"][value("end", i)], self.threads[value("thread", i)],
                      self.threads[value("by", i)], value("site", i)) for i in range(table["count"])]

    def life(self, block, time):
        return self.view.ask("/api/block_life", {"address": block.address + block.size // 2, "time_ns": time})

    # --- when they came and went ---

    def bucket(self, time):
        return time // self.edges["width_ns"]

    def test_plane_of_births_and_ends(self):
        plane = self.view.ask("/api/cohorts", {"question": {}})["cohorts"]
        self.assertEqual(plane["width_ns"], plane["buckets_per_cell"] * self.edges["width_ns"])
        self.assertLessEqual(plane["count"], 128)
        wanted = collections.defaultdict(lambda: [0, 0])
        for block in self.blocks:
            end = plane["count"] if block.end is None else block.end // plane["width_ns"]
            cell = wanted[block.birth // plane["width_ns"], end]
            cell[0] += 1
            cell[1] += block.size
        cells = plane["cells"]
        columns = [cells.get(name, [0] * cells["count"]) for name in ("birth", "death", "blocks", "bytes")]
        self.assertEqual({(birth, death): [blocks, size] for birth, death, blocks, size in zip(*columns)}, wanted)
        # Steps in which some were born and stayed, and some ended in the bucket of their birth.
        self.assertGreater(sum(1 for birth, death in wanted if birth == death), 7)
        self.assertGreater(sum(1 for _, death in wanted if death == plane["count"]), 7)

    def test_plane_of_a_function(self):
        cells = self.view.ask("/api/cohorts", {"question": {"filter": "function=keep"}})["cohorts"]
        self.assertEqual(set(cells["cells"]["death"]), {cells["count"]})
        self.assertEqual(sum(cells["cells"]["blocks"]), 80)
        self.assertEqual(sum(cells["cells"]["bytes"]), 10 * sum(range(1000, 1008)))

    def cohort(self, born, **more):
        question = {"by": "function", "sort": "bytes", **more.pop("question", {})}
        answer = self.view.ask("/api/cohort", {"question": question, "born": born, **more})["answer"]
        return answer["totals"], viewing.rows_of(answer["rows"], answer)

    def test_who_the_blocks_of_a_rectangle_are_of(self):
        middle, last = self.bucket(self.duration // 2), self.edges["count"] - 1
        for born, died, left in (((0, last), (0, last), True), ((0, middle), (0, middle), False),
                                 ((0, middle), (middle + 1, last), False), ((middle, last), None, True),
                                 ((middle, middle), (middle, middle), False), ((0, last), (0, last), False)):
            wanted = [block for block in self.blocks if born[0] <= self.bucket(block.birth) <= born[1] and
                      (left if block.end is None else died and died[0] <= self.bucket(block.end) <= died[1])]
            totals, rows = self.cohort(born, left=left, **({"died": died} if died else {}))
            sizes = [block.size for block in wanted]
            self.assertEqual((totals["calls"], totals["bytes"]), (len(sizes), sum(sizes)), (born, died, left))
            self.assertEqual(totals["live_blocks"], sum(1 for block in wanted if block.end is None))
            self.assertEqual(totals["ended_blocks"], sum(1 for block in wanted if block.end is not None))
            self.assertNotIn("frees", totals)
            for name, of_it in (("keep", lambda size: 1000 <= size < 1008), ("borrow", lambda size: size == 300),
                                ("churn", lambda size: size == 5000)):
                bytes_of = {row["name"]: row["all"]["bytes"] for row in rows}
                self.assertEqual(bytes_of.get(name, 0), sum(size for size in sizes if of_it(size)), (name, born))

    def test_wrong_rectangles(self):
        for more, word in (({}, "born"), ({"born": [2, 1]}, "born"), ({"born": [0, 1], "died": 3}, "died")):
            refused = self.view.ask("/api/cohort", {"question": {"by": "owner"}, **more}, 400)
            self.assertIn(word, refused["error"]["text"])
        refused = self.view.ask("/api/cohorts", {"question": {"filter": "size>=9"}}, 400)
        self.assertIn("cohorts", refused["error"]["text"])

    # --- where they lay ---

    def mean_live(self, begin, end):
        def part(block):
            until = end if block.end is None else min(block.end, end)
            return max(0, until - max(block.birth, begin)) * block.size

        return sum(part(block) for block in self.blocks) / (end - begin)

    def check_columns(self, answer, begin, end):
        width = (end - begin) / answer["columns"]
        self.assertAlmostEqual(answer["column_ns"], width, places=3)
        self.assertEqual(answer["begin_ns"], begin)
        self.assertEqual(len(answer["cells"]), answer["rows"] * answer["columns"])
        for column in range(answer["columns"]):
            held = sum(answer["cells"][column::answer["columns"]]) + answer["elsewhere"][column]
            wanted = self.mean_live(begin + column * width, begin + (column + 1) * width)
            # Every cell is rounded.
            self.assertAlmostEqual(held, wanted, delta=answer["rows"] / 2 + 1)

    def test_map_columns_add_up(self):
        self.check_columns(self.view.ask("/api/map", {"question": {}, "columns": 20, "rows": 40})["map"],
                           0, self.duration)

    def test_map_of_a_range(self):
        begin, end = self.duration // 4, self.duration // 2
        question = {"between": [f"{begin}ns", f"{end}ns"]}
        answer = self.view.ask("/api/map", {"question": question, "columns": 7, "rows": 30})["map"]
        self.check_columns(answer, begin, end)

    def test_map_has_blocks_where_they_are(self):
        kept = [block for block in self.blocks if 1000 <= block.size < 1008]
        # From when all of them are there.
        begin = max(block.birth for block in kept) + 1
        question = {"filter": "function=keep", "between": [f"{begin}ns", f"{self.duration}ns"]}
        answer = self.view.ask("/api/map", {"question": question, "columns": 10, "rows": 200})["map"]
        regions = answer["regions"]
        held = collections.Counter()
        for block in kept:
            for byte in range(block.address, block.address + block.size):
                begin, row = next((begin, row) for begin, end, row in
                                  zip(regions["begin"], regions["end"], regions.get("first_row", [0]))
                                  if begin <= byte < end)
                held[row + (byte - begin) // answer["cell_bytes"]] += 1
        last = answer["cells"][answer["columns"] - 1::answer["columns"]]
        self.assertEqual({row: size for row, size in enumerate(last) if size > 0}, held)
        self.assertGreater(len(held), 3)

    # --- the life of one ---

    def test_life_of_a_resized_block(self):
        steps = [next(block for block in self.blocks if block.size == 40)]
        while steps[-1].how == "resized":
            steps.append(next(block for block in self.blocks if block.birth == self.became[steps[-1]]))
        self.assertEqual([step.size for step in steps], [40, *(4000 << step for step in range(5))])
        block = steps[3]
        answer = self.life(block, (block.birth + block.end) // 2)
        self.assertEqual(self.lives(answer, "block"), [block])
        self.assertEqual(self.lives(answer, "before"), steps[:3])
        self.assertEqual(answer["resizes_before"], 3)
        self.assertEqual(self.lives(answer, "after"), [steps[4]])
        last = self.life(steps[-1], steps[-1].birth)
        self.assertEqual(self.lives(last, "block"), [steps[-1]])
        self.assertEqual(steps[-1].how, "freed")
        self.assertNotEqual(steps[-1].by, steps[-1].tid)

    def test_neighbours(self):
        block = next(block for block in self.blocks if block.size == 1004)
        there = sorted(one for one in self.blocks
                       if one.birth <= block.birth and (one.end is None or one.end > block.birth))
        place = there.index(block)
        near = [one for one in there[max(0, place - 8):place + 9]
                if one != block and -65536 <= one.address - block.address <= 65536]
        answer = self.life(block, block.birth)
        self.assertEqual(self.lives(answer, "neighbours"), near)
        self.assertGreater(len(near), 8)

    def test_other_tenants_of_an_address(self):
        churned = [block for block in self.blocks if block.size == 5000]
        block = churned[-40]  # the one that was there for a while
        self.assertGreater(block.end, block.birth)
        byte = block.address + block.size // 2
        tenants = [one for one in self.blocks if one.address <= byte < one.address + one.size]
        place = tenants.index(block)
        answer = self.life(block, block.birth)
        self.assertEqual(self.lives(answer, "tenants"), tenants[max(0, place - 32):place] + tenants[place + 1:place + 33])
        self.assertEqual((answer["tenants_before"], answer["tenants_after"]), (place, len(tenants) - place - 1))
        self.assertGreater(min(place, len(tenants) - place - 1), 32)

    def test_nobody_there(self):
        answer = self.view.ask("/api/block_life", {"address": 64, "time_ns": self.duration})
        self.assertEqual([answer[part]["count"] for part in ("block", "before", "after", "neighbours", "tenants")],
                         [0] * 5)
        refused = self.view.ask("/api/block_life", {"address": 64}, 400)
        self.assertIn("time_ns", refused["error"]["text"])


if __name__ == "__main__":
    unittest.main()
