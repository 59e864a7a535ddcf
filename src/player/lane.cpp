#include "player/lane.h"

#include "player/functions.h"
#include "player/lanes.h"
#include "player/memory.h"
#include "player/play.h"

namespace heapledger::player {

using schedule::Aligned;
using schedule::Word;

// Every kind of call, but kFreeNull.
template <class How>
inline void Play<How>::make(const Request& request) {
  const uint64_t size = request.size;
  switch (request.kind) {
    case Word::kMalloc:
      return allocate(request, [=] { return functions.malloc(size); });
    case Word::kCalloc:
      return allocate(request, [=] { return functions.calloc(1, size); });
    case Word::kReallocNew:
      return allocate(request, [=] { return functions.realloc(nullptr, size); });
    case Word::kReallocArrayNew:
      return allocate(request, [=] { return functions.reallocarray(nullptr, 1, size); });
    case Word::kAligned:
      return allocate(request, [&] { return align(request); });
    case Word::kValloc:
      return allocate(request, [=] { return functions.valloc(size); });
    case Word::kPvalloc:
      return allocate(request, [=] { return functions.pvalloc(size); });
    case Word::kRealloc:
      return resize(request, [=](void* old) { return functions.realloc(old, size); });
    case Word::kReallocArray:
      return resize(request, [=](void* old) { return functions.reallocarray(old, 1, size); });
    case Word::kFree:
      return release(request, [](void* block) { functions.free(block); });
    case Word::kFreeSized:
      return release(request, [=](void* block) { functions.free_sized(block, size); });
    case Word::kFreeAlignedSized:
      return release(request, [&](void* block) {
        functions.free_aligned_sized(block, request.alignment, request.size);
      });
    case Word::kReallocFree:
      return release(request, [](void* block) { return functions.realloc(block, 0); });
    case Word::kReallocArrayFree:
      return release(request, [](void* block) { return functions.reallocarray(block, 1, 0); });
    default:
      __builtin_unreachable();
  }
}

// Another lane's block, once it is there, into a slot of this one.
template <class How>
void Play<How>::take(uint32_t from, uint32_t generation, uint32_t slot) {
  auto& source = slots_[from];
  const auto is_there = [&] {
    const uint64_t word = source.load(std::memory_order_acquire);
    return word >> kAddressBits == generation && (word & kAddressMask) != 0;
  };
  if (!is_there()) wait_until(run_, is_there);
  const uint64_t target = empty(slot);
  if constexpr (How::kChecked) world.contents[slot] = world.contents[from];
  const uint64_t taken = source.load(std::memory_order_relaxed);
  source.store(taken & ~kAddressMask, std::memory_order_release);
  slots_[slot].store(target | (taken & kAddressMask), std::memory_order_relaxed);
}

// The call failed when it was recorded. What it gives now is given back; a block that got another
// size stays where it is.
template <class How>
void Play<How>::make_failing(const Request& request) {
  const uint64_t size = request.size;
  const uint64_t word = slots_[request.slot].load(std::memory_order_relaxed);
  auto* old = reinterpret_cast<void*>(word & kAddressMask);
  const bool is_resize = request.kind == Word::kRealloc || request.kind == Word::kReallocArray;
  void* block = timed([&]() -> void* {
    switch (request.kind) {
      case Word::kMalloc:
        return functions.malloc(size);
      case Word::kCalloc:
        return functions.calloc(1, size);
      case Word::kReallocNew:
        return functions.realloc(nullptr, size);
      case Word::kReallocArrayNew:
        return functions.reallocarray(nullptr, 1, size);
      case Word::kAligned:
        return align(request);
      case Word::kValloc:
        return functions.valloc(size);
      case Word::kPvalloc:
        return functions.pvalloc(size);
      case Word::kRealloc:
        return functions.realloc(old, size);
      case Word::kReallocArray:
        return functions.reallocarray(old, 1, size);
      default:
        return nullptr;
    }
  });
  if (block == nullptr) return;
  if (is_resize) {
    slots_[request.slot].store((word & ~kAddressMask) | reinterpret_cast<uintptr_t>(block),
                               std::memory_order_release);
  } else {
    give_back(block);
  }
}

template <class How>
void Play<How>::prefix(Prefixes& prefixes, uint64_t word) {
  const uint32_t argument = schedule::argument_of(word);
  switch (schedule::kind_of(word)) {
    case Word::kHigh:
      prefixes.high = uint64_t{argument} << 32;
      break;
    case Word::kAlign:
      prefixes.alignment = uint64_t{1} << (argument & 0x3f);
      prefixes.aligned = static_cast<Aligned>(argument >> 8);
      break;
    case Word::kFails:
      prefixes.fails = true;
      break;
    default:
      prefixes.takes = true;
      prefixes.from = schedule::slot_of(word);
      prefixes.generation = argument;
  }
}

// A call with prefixes, from the first of them on. They may go on in another chunk.
template <class How>
const uint64_t* Play<How>::make_prefixed(const uint64_t* cursor) {
  Prefixes prefixes;
  uint64_t word = *cursor++;
  while (schedule::kind_of(word) >= Word::kHigh) {
    if (schedule::kind_of(word) == Word::kNext) {
      cursor = next_chunk(run_, schedule::argument_of(word));
    } else {
      prefix(prefixes, word);
    }
    word = *cursor++;
  }
  const Request request{cursor,
                        schedule::kind_of(word),
                        schedule::slot_of(word),
                        prefixes.high | schedule::argument_of(word),
                        prefixes.alignment,
                        prefixes.aligned};
  if (prefixes.takes) take(prefixes.from, prefixes.generation, request.slot);
  if (request.kind == Word::kFreeNull) {
    timed([] { functions.free(nullptr); });
  } else if (prefixes.fails) {
    make_failing(request);
  } else {
    make(request);
  }
  return cursor;
}

// One call, with the words before it, if any. Out of the loop's way, which keeps its variables in
// registers.
template <class How>
[[gnu::noinline]] const uint64_t* play_prefixed(LaneRun& run, const uint64_t* cursor) {
  return Play<How>(run).make_prefixed(cursor);
}

template <class How>
inline void Play<How>::all() {
  const uint64_t* cursor = run_.words;
  for (;;) {
    const uint64_t word = *cursor++;
    const uint32_t slot = schedule::slot_of(word);
    const uint32_t argument = schedule::argument_of(word);
    const auto request = [&](Word kind) { return Request{cursor, kind, slot, argument}; };
    switch (schedule::kind_of(word)) {
      // clang-format off
      case Word::kMalloc: make(request(Word::kMalloc)); break;
      case Word::kCalloc: make(request(Word::kCalloc)); break;
      case Word::kRealloc: make(request(Word::kRealloc)); break;
      case Word::kFree: make(request(Word::kFree)); break;
      case Word::kFreeNull: timed([] { functions.free(nullptr); }); break;
      case Word::kSpawn: spawn_lane(run_, slot, argument); break;
      case Word::kPhase: pass_phase(run_, argument); break;
      case Word::kPause: pause_until(run_, schedule::pause_ns(word)); break;
      case Word::kAwait: await_frees(run_, slot, argument); break;
      case Word::kNext: cursor = next_chunk(run_, argument); break;
      case Word::kEnd: return;
      // What is rare, or has words before it.
      case Word::kReallocNew:
      case Word::kReallocArrayNew:
      case Word::kValloc:
      case Word::kPvalloc:
      case Word::kReallocArray:
      case Word::kFreeSized:
      case Word::kReallocFree:
      case Word::kReallocArrayFree:
      case Word::kHigh:
      case Word::kAlign:
      case Word::kFails:
      case Word::kTake:
        cursor = play_prefixed<How>(run_, cursor - 1);
        break;
      // clang-format on
      default:
        __builtin_unreachable();  // chunks are checked when they are read
    }
  }
}

namespace {

template <class How>
void play(LaneRun& run) {
  Play<How>(run).all();
}

template <bool kTimed, bool kStrict>
PlayLane choose_by_touch() {
  if (world.has(kCheck)) return play<Way<kTimed, Touch::kNone, true, kStrict>>;
  switch (world.touch) {
    case Touch::kFirst:
      return play<Way<kTimed, Touch::kFirst, false, kStrict>>;
    case Touch::kAll:
      return play<Way<kTimed, Touch::kAll, false, kStrict>>;
    default:
      return play<Way<kTimed, Touch::kNone, false, kStrict>>;
  }
}

template <bool kTimed>
PlayLane choose_by_order() {
  return world.header.strict != 0 ? choose_by_touch<kTimed, true>()
                                  : choose_by_touch<kTimed, false>();
}

}  // namespace

PlayLane choose_play() {
  return world.has(kLatency) ? choose_by_order<true>() : choose_by_order<false>();
}

}  // namespace heapledger::player
