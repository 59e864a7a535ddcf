"""The arithmetic of bench/micro and bench/callgrind_count, apart from the running of programs."""


def instructions_per_turn(short_count, short_turns, long_count, long_turns):
    """Two runs of different length, subtracted: start-up and exit fall out."""
    return (long_count - short_count) / (long_turns - short_turns)


def per_call(document):
    """Google Benchmark's JSON as CPU nanoseconds per heap call, by benchmark."""
    return {row["name"]: row["cpu_time"] / row["calls"] for row in document["benchmarks"]}


def best_of(rounds):
    """The smallest value of each benchmark over several rounds."""
    return {name: min(result[name] for result in rounds) for name in rounds[0]}
