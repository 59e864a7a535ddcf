"""What bench/stacks measures, and its arithmetic, apart from the running of programs."""

WAYS = ["heapledger", "libunwind", "libgcc", "glibc"]
SHAPES = ["hot", "alternating", "recursion", "shifted"]
DEPTHS = [8, 16, 32, 128]

# Roughly what a frame costs, for choosing how long to measure. Never shown.
ROUGH_NANOSECONDS = {"none": 1, "heapledger": 3, "libunwind": 8, "libgcc": 120, "glibc": 120}


def turns_for(way, shape, depth, seconds):
    """An even number of turns that takes about `seconds`."""
    stacks = seconds * 1e9 / (10 + ROUGH_NANOSECONDS[way] * depth)
    turns = stacks / (2 * depth) if shape == "recursion" else stacks
    return max(2, int(turns) // 2 * 2)


def slopes(best, ways, depths, threads):
    """Rows (name, nanoseconds a frame by way): how much a frame more costs. In a hot loop all frames
    but the innermost are as they were; shifted, none is where it was."""
    least, most = min(depths), max(depths)
    rows = []
    for shape, name in (("hot", "as last time (verified)"), ("shifted", "elsewhere (walked)")):
        values = []
        for way in ways:
            more = best[way, shape, most, threads] - best[way, shape, least, threads]
            empty = best["none", shape, most, threads] - best["none", shape, least, threads]
            values.append((more - empty) / (most - least))
        rows.append((name, values))
    return rows
