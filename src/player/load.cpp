#include "player/load.h"

#include "player/kernel.h"
#include "player/outcome.h"
#include "player/world.h"

namespace heapledger::player {

World world{};

namespace {

using results::Outcome;

// Memory that is there from now on: touched, and not given back.
void* own_memory(uint64_t bytes) {
  constexpr uint64_t kLargePage = uint64_t{1} << 21;
  const bool large = bytes >= kLargePage;
  if (large) bytes = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* memory = kernel::map(bytes + 1, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
  if (memory == nullptr) {
    end_run(Outcome::kBadSchedule, "no memory for %llu bytes of the player's own",
            static_cast<unsigned long long>(bytes));
  }
  if (large) kernel::prefer_large_pages(memory, bytes);
  auto* at = static_cast<volatile char*>(memory);
  for (uint64_t touched = 0; touched < bytes; touched += 4096) at[touched] = 0;
  return memory;
}

void read_all(void* into, uint64_t bytes, uint64_t at) {
  auto* place = static_cast<char*>(into);
  while (bytes > 0) {
    const long got = kernel::pread(world.schedule_fd, place, bytes, at);
    if (got <= 0) end_run(Outcome::kBadSchedule, "the schedule cannot be read: it ends too early");
    place += got;
    bytes -= static_cast<uint64_t>(got);
    at += static_cast<uint64_t>(got);
  }
}

void check_header(uint64_t file_bytes) {
  const auto& header = world.header;
  if (header.magic != schedule::kMagic) end_run(Outcome::kBadSchedule, "this is not a schedule");
  if (header.version != schedule::kVersion) {
    end_run(Outcome::kBadSchedule, "a schedule of version %u, the player knows %u", header.version,
            schedule::kVersion);
  }
  if (header.lanes == 0 || header.lanes > schedule::kMaxLanes ||
      header.phases > schedule::kMaxPhases || header.slots > schedule::kMaxSlots) {
    end_run(Outcome::kBadSchedule, "a schedule of %u lanes, %u phases and %u slots", header.lanes,
            header.phases, header.slots);
  }
  const auto is_inside = [&](uint64_t at, uint64_t count, uint64_t size) {
    return at <= file_bytes && count * size <= file_bytes - at;
  };
  if (!is_inside(header.lanes_at, header.lanes, sizeof(schedule::Lane)) ||
      !is_inside(header.ends_at, header.lanes, sizeof(uint32_t)) ||
      !is_inside(header.phases_at, header.phases, sizeof(schedule::Phase)) ||
      !is_inside(header.chunks_at, header.chunks, schedule::kChunkBytes)) {
    end_run(Outcome::kBadSchedule, "the schedule is cut, or its header is damaged");
  }
}

void check_lanes() {
  const auto& header = world.header;
  for (uint32_t number = 0; number < header.lanes; ++number) {
    const auto& lane = world.lanes[number];
    if (lane.first_chunk >= header.chunks || lane.first_slot > header.slots ||
        lane.slots > header.slots - lane.first_slot || world.ends[number] >= header.lanes) {
      end_run(Outcome::kBadSchedule, "lane %u of the schedule is damaged", number);
    }
  }
}

template <typename Row>
const Row* read_table(uint64_t at, uint32_t count) {
  void* table = own_memory(count * sizeof(Row));
  read_all(table, count * sizeof(Row), at);
  return static_cast<const Row*>(table);
}

}  // namespace

void load_schedule() {
  const int64_t file_bytes = kernel::size_of(world.schedule_fd);
  if (file_bytes < static_cast<int64_t>(sizeof world.header)) {
    end_run(Outcome::kBadSchedule, "this is not a schedule");
  }
  read_all(&world.header, sizeof world.header, 0);
  check_header(static_cast<uint64_t>(file_bytes));
  const auto& header = world.header;
  world.lanes = read_table<schedule::Lane>(header.lanes_at, header.lanes);
  world.ends = read_table<uint32_t>(header.ends_at, header.lanes);
  world.phases = read_table<schedule::Phase>(header.phases_at, header.phases);
  check_lanes();

  world.states = static_cast<LaneState*>(own_memory(header.lanes * sizeof(LaneState)));
  world.slots = static_cast<Slot*>(own_memory(header.slots * sizeof(Slot)));
  for (uint32_t slot = 0; slot < header.slots; ++slot) {
    world.slots[slot].store(kFreshSlot, std::memory_order_relaxed);
  }
  if (world.has(kCheck)) {
    world.contents = static_cast<Contents*>(own_memory(header.slots * sizeof(Contents)));
  }
}

}  // namespace heapledger::player
