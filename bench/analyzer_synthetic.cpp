// Writes a ledger of any size, as a large program would leave it: several threads that allocate and
// free in bursts, blocks handed from one to another, a million call stacks of which a few do most
// of the work. Written with the format's own encoder, the same bytes for the same arguments.
//
//   analyzer_synthetic FILE [ENTRIES 100000000] [SITES 1000000] [THREADS 8] [LIVE 400000]
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "format/checksum.h"
#include "format/entry_encoder.h"
#include "format/layout.h"

namespace {

using namespace heapledger::format;

constexpr uint64_t kStartTicks = 5'000'000'000;
constexpr uint32_t kRoom = 256;
constexpr uint32_t kFanOut = 8;  // sites per parent

struct Random {
  uint64_t state = 0x9E3779B97F4A7C15ull;
  uint64_t operator()() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
  double share() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
};

class Output {
 public:
  explicit Output(const char* path) : file_(std::fopen(path, "wb")) {
    if (file_ == nullptr) {
      std::perror(path);
      std::exit(1);
    }
  }
  ~Output() { std::fclose(file_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(const void* bytes, size_t count) {
    if (std::fwrite(bytes, 1, count, file_) == count) return;
    std::perror("analyzer_synthetic");
    std::exit(1);
  }
  void rewind() { std::rewind(file_); }

 private:
  std::FILE* file_;
};

class Window {
 public:
  Window(Output& output, uint32_t id) : output_(output), payload_(kPayloadBytes + kRoom) {
    header_.magic = kChunkMagic;
    header_.window = id;
    header_.thread = id;
    state_.time = kStartTicks;
    restart();
  }

  EncoderState& with_room(size_t bytes) {
    if (used() + bytes + kMaxShortEntryBytes > kPayloadBytes) flush();
    return state_;
  }

  void flush() {
    header_.bytes = used();
    header_.checksum = checksum(payload_.data(), header_.bytes);
    header_.header_checksum = checksum(&header_, offsetof(ExtentHeader, header_checksum));
    output_.write(&header_, sizeof header_);
    output_.write(payload_.data(), kPayloadBytes);
    ++header_.seq;
    restart();
  }

 private:
  uint32_t used() const { return static_cast<uint32_t>(state_.cursor - payload_.data()); }
  void restart() {
    std::memset(payload_.data(), 0, payload_.size());
    header_.base_time = state_.time;
    state_.cursor = payload_.data();
    state_.pointer = 0;
  }

  Output& output_;
  ExtentHeader header_{};
  std::vector<unsigned char> payload_;
  EncoderState state_;
};

struct Block {
  uint64_t address;
  uint32_t size_class;
};

class Program {
 public:
  Program(Output& output, uint32_t sites, uint32_t threads, size_t live)
      : sites_(sites), live_target_(live), free_(64) {
    windows_.reserve(threads);
    for (uint32_t i = 0; i < threads; ++i) windows_.emplace_back(output, i);
  }

  // Who the threads are, and where the code is.
  void introduce() {
    for (uint32_t i = 0; i < windows_.size(); ++i) {
      std::string name = i == 0 ? "main" : "worker" + std::to_string(i);
      LongEntry(windows_[i].with_room(64), Kind::kThread, time_)
          .number(i)
          .number(1000 + i)
          .bytes(name.data(), name.size())
          .finish();
    }
    constexpr char kPath[] = "/usr/bin/synthetic";
    LongEntry(windows_[0].with_room(256), Kind::kModule, time_)
        .number(1)
        .number(1)
        .number(0x400000)
        .number(0x40000000)
        .number(0x400000)
        .number(4)
        .bytes("\x01\x02\x03\x04", 4)
        .bytes(kPath, sizeof kPath - 1)
        .finish();
    described_.assign(sites_ + 1, false);
  }

  uint64_t time() const { return time_; }
  uint64_t entries() const { return entries_; }

  void burst() {
    Window& window = windows_[random_() % windows_.size()];
    uint64_t length = 20 + random_() % 200;
    bool growing = live_.size() < live_target_;
    for (uint64_t i = 0; i < length; ++i) {
      time_ += 1 + random_() % 40;
      if (live_.empty() || random_() % 100 < (growing ? 52u : 49u)) {
        allocate(window);
      } else {
        free(window);
      }
    }
    if (random_() % 4096 == 0) sample(window);
  }

  void finish() {
    for (Window& window : windows_) window.flush();
  }

 private:
  // A few sites do most of the work; all do some.
  uint32_t pick_site() {
    double u = random_.share();
    return 1 + static_cast<uint32_t>(u * u * u * u * static_cast<double>(sites_));
  }

  void describe(Window& window, uint32_t site) {
    if (site == 0 || described_[site]) return;
    uint32_t parent = site / kFanOut;
    describe(window, parent);
    described_[site] = true;
    LongEntry(window.with_room(96), Kind::kSite, time_)
        .number(site)
        .number(parent)
        .number(1)
        .number(0x400000 + uint64_t{site} % 300'007 * 16 + 5)
        .finish();
    ++entries_;
  }

  void allocate(Window& window) {
    uint32_t site = std::min(pick_site(), sites_);
    describe(window, site);
    uint64_t size = random_() % 16 == 0 ? random_() % 20'000 : 8 + site % 25 * 8;
    auto size_class = static_cast<uint32_t>(64 - __builtin_clzll(size | 15));
    std::vector<uint64_t>& unused = free_[size_class];
    uint64_t address = next_;
    if (unused.empty()) {
      next_ += uint64_t{1} << size_class;
    } else {
      address = unused.back();
      unused.pop_back();
    }
    append_malloc(window.with_room(0), time_, address, site, size);
    live_.push_back({address, size_class});
    ++entries_;
  }

  // Mostly of the young, any of them now and then.
  void free(Window& window) {
    size_t reach = random_() % 4 == 0 ? live_.size() : std::min<size_t>(live_.size(), 64);
    size_t at = live_.size() - 1 - random_() % reach;
    append_free(window.with_room(0), time_, live_[at].address);
    free_[live_[at].size_class].push_back(live_[at].address);
    live_[at] = live_.back();
    live_.pop_back();
    ++entries_;
  }

  void sample(Window& window) {
    uint64_t rss = live_.size() * 300 + 20'000'000;
    highest_ = std::max(highest_, rss);
    LongEntry(window.with_room(128), Kind::kMemory, time_)
        .number(rss)
        .number(highest_)
        .number(time_)
        .number(time_)
        .finish();
    ++entries_;
  }

  Random random_;
  uint32_t sites_;
  size_t live_target_;
  std::vector<Window> windows_;
  std::vector<bool> described_;
  std::vector<Block> live_;
  std::vector<std::vector<uint64_t>> free_;  // addresses to use again, by size class
  uint64_t next_ = 0x7f0000000000;
  uint64_t time_ = kStartTicks + 100;
  uint64_t entries_ = 0;
  uint64_t highest_ = 0;
};

uint64_t argument(int argc, char** argv, int at, uint64_t otherwise) {
  return argc > at ? std::strtoull(argv[at], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: analyzer_synthetic FILE [ENTRIES [SITES [THREADS [LIVE]]]]\n");
    return 2;
  }
  uint64_t entries = argument(argc, argv, 2, 100'000'000);
  Output output(argv[1]);
  FileHeader header{};
  std::memcpy(header.magic, kFileMagic, sizeof header.magic);
  header.version = kVersion;
  header.header_bytes = kMinHeaderBytes;
  header.extent_bytes = kExtentBytes;
  header.page_bytes = 4096;
  header.machine = 62;
  header.pid = 4242;
  header.start = {kStartTicks, kStartTicks, 1'700'000'000'000'000'000};
  std::vector<char> page(kMinHeaderBytes);
  output.write(page.data(), page.size());

  Program program(output, static_cast<uint32_t>(argument(argc, argv, 3, 1'000'000)),
                  static_cast<uint32_t>(argument(argc, argv, 4, 8)),
                  argument(argc, argv, 5, 400'000));
  program.introduce();
  while (program.entries() < entries) program.burst();
  program.finish();

  uint64_t length = program.time() - kStartTicks + 1000;
  header.latest[1] = {header.start.ticks + length, header.start.monotonic_ns + length,
                      header.start.realtime_ns + length};
  header.latest_index = 1;
  header.exit_ticks = header.start.ticks + length;
  output.rewind();
  output.write(&header, sizeof header);
  std::fprintf(stderr, "%" PRIu64 " entries\n", program.entries());
  return 0;
}
