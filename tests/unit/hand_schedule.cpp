#include "hand_schedule.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace heapledger::test {

using schedule::Word;

HandSchedule::HandSchedule(uint32_t lanes, uint32_t slots_per_lane, uint32_t phases)
    : slots_per_lane_(slots_per_lane), lanes_(lanes), phases_(phases) {
  for (uint32_t lane = 0; lane < lanes; ++lane) ends_.push_back(lane);
}

HandSchedule& HandSchedule::add(uint32_t lane, Word kind, uint32_t slot, uint32_t argument) {
  lanes_[lane].words.push_back(schedule::make_word(kind, slot, argument));
  if (kind >= Word::kMalloc && kind <= Word::kFreeNull) ++lanes_[lane].calls;
  if (kind == Word::kPhase && argument < phases_.size()) ++phases_[argument].lanes;
  return *this;
}

HandSchedule& HandSchedule::pause(uint32_t lane, uint64_t ns) {
  lanes_[lane].words.push_back(schedule::make_pause(ns));
  return *this;
}

HandSchedule& HandSchedule::ends(std::vector<uint32_t> order) {
  ends_ = std::move(order);
  return *this;
}

HandSchedule& HandSchedule::strict() {
  strict_ = 1;
  return *this;
}

HandSchedule& HandSchedule::words_in_chunk(uint32_t words) {
  words_in_chunk_ = words;
  return *this;
}

std::vector<uint64_t> HandSchedule::chunks(std::vector<schedule::Lane>& table) const {
  std::vector<uint64_t> all;
  const auto number = [&] { return static_cast<uint32_t>(all.size() / schedule::kChunkWords); };
  const auto fill = [&] { all.resize((number() + 1) * uint64_t{schedule::kChunkWords}); };
  for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    const auto& words = lanes_[lane].words;
    table.push_back(
        {number(), lane, lanes_[lane].calls, 0, 0, 0, lane * slots_per_lane_, slots_per_lane_});
    uint32_t in_chunk = 0;
    for (uint64_t word : words) {
      if (in_chunk++ == words_in_chunk_) {
        all.push_back(schedule::make_word(Word::kNext, 0, number() + 1));
        if (all.size() % schedule::kChunkWords != 0) fill();
        in_chunk = 1;
      }
      all.push_back(word);
    }
    all.push_back(schedule::make_word(Word::kEnd, 0, 0));
    if (all.size() % schedule::kChunkWords != 0) fill();
  }
  return all;
}

namespace {

template <typename Row>
uint64_t append(std::string& file, const std::vector<Row>& rows) {
  file.resize((file.size() + 7) / 8 * 8);
  const uint64_t at = file.size();
  file.append(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(Row));
  return at;
}

}  // namespace

std::string HandSchedule::bytes() const {
  std::vector<schedule::Lane> table;
  const std::vector<uint64_t> words = chunks(table);
  schedule::Header header{};
  header.magic = schedule::kMagic;
  header.version = schedule::kVersion;
  header.lanes = static_cast<uint32_t>(lanes_.size());
  header.phases = static_cast<uint32_t>(phases_.size());
  header.slots = header.lanes * slots_per_lane_;
  header.chunks = static_cast<uint32_t>(words.size() / schedule::kChunkWords);
  header.strict = strict_;
  for (const auto& lane : lanes_) header.calls += lane.calls;

  std::string file(sizeof header, '\0');
  header.lanes_at = append(file, table);
  header.ends_at = append(file, ends_);
  header.phases_at = append(file, phases_);
  file.resize((file.size() + schedule::kChunkBytes - 1) / schedule::kChunkBytes *
              schedule::kChunkBytes);
  header.chunks_at = append(file, words);
  file.replace(0, sizeof header, reinterpret_cast<const char*>(&header), sizeof header);
  return file;
}

namespace {

class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : fd_(::memfd_create("hand", 0)) {
    if (::write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      throw std::runtime_error("no memory for a file");
    }
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int fd() const { return fd_; }

 private:
  int fd_;
};

int run_player(std::vector<std::string> arguments, const std::string& library) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  std::string preload = "LD_PRELOAD=" + library;
  const bool preloads = library != "libc" && library != "null";
  char* environment[] = {preloads ? preload.data() : nullptr, nullptr};
  pid_t child = 0;
  if (::posix_spawn(&child, pointers[0], nullptr, nullptr, pointers.data(), environment) != 0) {
    throw std::runtime_error("the player cannot be started");
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

HandPlayed play_by_hand(const std::string& bytes, const std::string& library, uint32_t flags,
                        player::Touch touch) {
  return play_expecting(library, bytes, library, flags, touch);
}

HandPlayed play_expecting(const std::string& expected, const std::string& bytes,
                          const std::string& library, uint32_t flags, player::Touch touch) {
  const MemoryFile file(bytes);
  const MemoryFile shared(std::string(sizeof(results::Results), '\0'));
  HandPlayed played;
  played.status =
      run_player({HEAPLEDGER_PLAYER_PATH, std::to_string(file.fd()), std::to_string(shared.fd()),
                  std::to_string(flags), std::to_string(static_cast<uint32_t>(touch)), expected},
                 library);
  played.results = std::make_unique<results::Results>();
  if (::pread(shared.fd(), played.results.get(), sizeof(results::Results), 0) !=
      static_cast<ssize_t>(sizeof(results::Results))) {
    throw std::runtime_error("the results cannot be read");
  }
  return played;
}

}  // namespace heapledger::test
