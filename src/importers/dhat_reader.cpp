#include "importers/dhat_reader.h"

#include <algorithm>
#include <utility>

#include "analyzer/error.h"
#include "importers/named_sites.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr uint64_t kMostBlocks = 500'000'000;
constexpr uint64_t kLastAddress = uint64_t{1} << 56;
constexpr uint64_t kStepsForProgress = 1 << 16;
constexpr uint64_t kMoreEntries = 4;  // besides births, for a short life that ends in between

// From one block of a group to the next.
uint64_t distance(const Blocks& blocks) {
  return (blocks.largest() + 31) / 16 * 16;
}

}  // namespace

Imported DhatReader::read(uint64_t ended_ns, const ImportProgress& progress) {
  progress_ = &progress;
  DhatFile file = read_dhat(lines_);
  imported_.what = "DHAT";
  write_command(ledger_, file.command, imported_.what);
  add_stacks(file);
  solve_all(file);
  add_sums();
  write_history(file);
  imported_.notes.push_back(
      "DHAT has sums of stacks, not blocks: when blocks began and ended, their sizes and lifetimes,"
      " and the most of a single stack mean nothing in this ledger");
  if (contradictions_ > 0) {
    imported_.notes.push_back("figures that contradict one another in " +
                              counted(contradictions_, "program point") +
                              ": the peak and the end there are as in the file, the totals are"
                              " not");
  }
  if (most_bytes_ > peak_.bytes) {
    imported_.notes.push_back(
        "by the file's other figures its peak is too low, so the peak of the ledger is another");
  }
  ledger_.finish(4096, ended_ns);
  return std::move(imported_);
}

void DhatReader::add_stacks(const DhatFile& file) {
  NamedSites sites(ledger_);
  std::vector<uint32_t> frames;
  for (const DhatPoint& point : file.points) {
    frames.clear();
    for (uint32_t frame : point.frames) frames.push_back(sites.frame(file.frames[frame]));
    stacks_.emplace_back().site = sites.site(frames);
  }
}

// Blocks that live long are live at the peak and at the end. But where others that are live at
// neither are as large as the peak, they have to come after it, and nothing else may be live then.
void DhatReader::solve_all(const DhatFile& file) {
  uint64_t peak_bytes = 0;
  for (const DhatPoint& point : file.points) {
    peak_bytes = std::min(peak_bytes + point.at_peak.bytes, kLastAddress);
  }
  for (LiveAtBoth prefer : {LiveAtBoth::kMuch, LiveAtBoth::kLittle}) {
    bool good = true;
    contradictions_ = 0;
    for (size_t i = 0; i < stacks_.size(); ++i) {
      const DhatLives& lives = stacks_[i].lives = solve(file.points[i], peak_bytes, prefer);
      if (!lives.exact) ++contradictions_;
      if (lives.neither.count > 0 && lives.neither.largest() >= peak_bytes) good = false;
    }
    if (good) return;
  }
}

void DhatReader::add_sums() {
  auto add = [](Blocks& to, const Blocks& more) {
    to.count += more.count;
    to.bytes += more.bytes;
  };
  for (Stack& stack : stacks_) {
    const DhatLives& lives = stack.lives;
    for (const Blocks* blocks : {&lives.neither, &lives.peak, &lives.both, &lives.end}) {
      blocks_ += blocks->count;
      if (blocks->count <= kMostBlocks && blocks_ <= kMostBlocks) continue;
      throw Error(lines_.name() + ": has more than " + with_commas(kMostBlocks) +
                      " blocks, more than can be imported",
                  ErrorKind::kData);
    }
    add(peak_, lives.peak);
    add(peak_, lives.both);
    add(end_, lives.both);
    add(end_, lives.end);
    both_bytes_ += lives.both.bytes;
    stack.neither_at = room_for(lives.neither, true);
    stack.peak_at = room_for(lives.peak, false);
    stack.both_at = room_for(lives.both, false);
    stack.end_at = room_for(lives.end, false);
  }
}

// Blocks of one group have addresses at equal distances, so none has to be remembered. Of those
// that live one after the other, two are live at a time.
uint64_t DhatReader::room_for(const Blocks& blocks, bool one_after_the_other) {
  uint64_t room = distance(blocks);
  uint64_t count = one_after_the_other ? std::min<uint64_t>(blocks.count, 2) : blocks.count;
  if (count > 0 && room > (kLastAddress - next_address_) / count) {
    throw Error(lines_.name() + ": has more memory than there can be", ErrorKind::kData);
  }
  return std::exchange(next_address_, next_address_ + count * room);
}

void DhatReader::write_history(const DhatFile& file) {
  short_lives(false);
  // The last of the peak's blocks is born at the very moment.
  births_left_ = peak_.count;
  last_birth_ns_ = file.peak_ns;
  ledger_.at(file.peak_ns - std::min(file.peak_ns, peak_.count + kMoreEntries));
  // Blocks of no bytes first: the peak is reached when all of its bytes are there.
  for (bool empty : {true, false}) {
    for (const Stack& stack : stacks_) {
      births(stack.lives.peak, stack.peak_at, stack.site, empty);
      births(stack.lives.both, stack.both_at, stack.site, empty);
    }
  }
  for (const Stack& stack : stacks_) deaths(stack.lives.peak, stack.peak_at);
  short_lives(true);
  ledger_.at(file.end_ns - std::min(file.end_ns, end_.count + kMoreEntries));
  for (bool empty : {true, false}) {
    for (const Stack& stack : stacks_) births(stack.lives.end, stack.end_at, stack.site, empty);
  }
  end_last_short_life();
  ledger_.at(file.end_ns - std::min<uint64_t>(file.end_ns, 1));
}

// Those as large as the peak have to come after it: before, they would be the first to reach it.
void DhatReader::short_lives(bool as_large_as_the_peak) {
  for (const Stack& stack : stacks_) {
    const Blocks& blocks = stack.lives.neither;
    bool large = blocks.largest() >= peak_.bytes && both_bytes_ == 0;
    if (large != as_large_as_the_peak) continue;
    uint64_t room = distance(blocks);
    for (uint64_t i = 0; i < blocks.count; ++i) {
      short_life({stack.neither_at + i % 2 * room, blocks.size_of(i)}, stack.site);
    }
  }
}

// Those of no bytes, or all others.
void DhatReader::births(const Blocks& blocks, uint64_t first, uint32_t site, bool empty) {
  if (blocks.count == 0) return;
  uint64_t room = distance(blocks);
  uint64_t filled = std::min(blocks.count, blocks.bytes);  // the larger ones come first
  uint64_t end = empty ? blocks.count : filled;
  for (uint64_t i = empty ? filled : 0; i < end; ++i) {
    birth({first + i * room, blocks.size_of(i)}, site);
  }
}

void DhatReader::deaths(const Blocks& blocks, uint64_t first) {
  uint64_t room = distance(blocks);
  for (uint64_t i = 0; i < blocks.count; ++i) death({first + i * room, blocks.size_of(i)});
}

// A short life ends when the next block is born, not before: a block that ends as the next thing
// after its birth would be called temporary. It ends before where both would reach the peak.
void DhatReader::birth(Block block, uint32_t site) {
  if (last_short_.address != 0 && live_bytes_ + block.size >= peak_.bytes) end_last_short_life();
  if (births_left_ == 1) ledger_.at(last_birth_ns_ - std::min<uint64_t>(last_birth_ns_, 1));
  if (births_left_ > 0) --births_left_;
  ledger_.malloc(block.address, block.size, site);
  live_bytes_ += block.size;
  most_bytes_ = std::max(most_bytes_, live_bytes_);
  just_born_ = block.address;
  ++imported_.calls;
  step();
  if (last_short_.address != 0) end_last_short_life();
}

void DhatReader::short_life(Block block, uint32_t site) {
  birth(block, site);
  last_short_ = block;
}

void DhatReader::end_last_short_life() {
  if (last_short_.address != 0) death(std::exchange(last_short_, {}));
}

void DhatReader::death(const Block& block) {
  if (just_born_ == block.address) ledger_.free(0);  // something else, so it is not temporary
  ledger_.free(block.address);
  live_bytes_ -= block.size;
  just_born_ = 0;
  ++imported_.frees;
  step();
}

void DhatReader::step() {
  uint64_t done = imported_.calls + imported_.frees;
  if (*progress_ && done % kStepsForProgress == 0) (*progress_)(done, 2 * blocks_);
}

}  // namespace heapledger
