#include "settings/settings.h"

#include <cstring>

#include "settings/values.h"

namespace heapledger::settings {
namespace {

constexpr const char* kModeNames[kModes] = {"trace", "off", "count", "log", "sample", "live"};
constexpr uint32_t kMaxDepth = 4096;

bool set_mode(Settings& settings, const char* value) {
  for (unsigned i = 0; i < kModes; ++i) {
    if (strcmp(value, kModeNames[i]) != 0) continue;
    settings.mode = static_cast<Mode>(i);
    return true;
  }
  return false;
}

bool set_depth(Settings& settings, const char* value) {
  uint64_t depth;
  if (!read_number(value, 1, kMaxDepth, depth)) return false;
  settings.depth = static_cast<uint32_t>(depth);
  return true;
}

bool set_stacks_for(Settings& settings, const char* value) {
  uint64_t size;
  if (strcmp(value, "all") == 0) {
    settings.stacks_at_least = 0;
    settings.stacks_at_most = ~0ull;
  } else if (strcmp(value, "none") == 0) {
    settings.stacks_at_least = ~0ull;
    settings.stacks_at_most = 0;
  } else if (strncmp(value, ">=", 2) == 0 && read_size(value + 2, size)) {
    settings.stacks_at_least = size;
  } else if (strncmp(value, "<=", 2) == 0 && read_size(value + 2, size)) {
    settings.stacks_at_most = size;
  } else {
    return false;
  }
  return true;
}

bool set_cross_check(Settings& settings, const char* value) {
  uint64_t every;
  if (!read_number(value, 0, 1'000'000'000, every)) return false;
  settings.cross_check = static_cast<uint32_t>(every);
  return true;
}

bool set_modules(Settings& settings, const char* value) {
  settings.by_mappings = strcmp(value, "mappings") == 0;
  return settings.by_mappings || strcmp(value, "loader") == 0;
}

bool set_sample(Settings& settings, const char* value) {
  uint64_t bytes;
  if (!read_size(value, bytes) || bytes == 0 || bytes > 1ull << 50) return false;
  settings.sample_bytes = bytes;
  settings.sample_calls = 0;
  return true;
}

bool set_weigh(Settings& settings, const char* value) {
  settings.weigh_time = strcmp(value, "time") == 0;
  return settings.weigh_time || strcmp(value, "allocations") == 0;
}

bool set_tables(Settings& settings, const char* value) {
  settings.tables = strcmp(value, "file") == 0 ? Tables::kFile : Tables::kMemory;
  return settings.tables == Tables::kFile || strcmp(value, "memory") == 0;
}

bool set_live(Settings& settings, const char* value) {
  settings.live_sampled = strcmp(value, "sampled") == 0;
  return settings.live_sampled || strcmp(value, "all") == 0;
}

bool set_fd(Settings& settings, const char* value) {
  uint64_t fd;
  if (!read_number(value, 0, 1'000'000, fd)) return false;
  settings.log_fd = static_cast<int32_t>(fd);
  return true;
}

// Whether the list `text` begins with `item`; then moves past it and its comma.
bool take_item(const char*& text, const char* item) {
  size_t length = strlen(item);
  if (strncmp(text, item, length) != 0) return false;
  if (text[length] != '\0' && text[length] != ',') return false;
  text += length + (text[length] == ',' ? 1 : 0);
  return true;
}

bool set_log(Settings& settings, const char* value) {
  settings.log_time = settings.log_thread = settings.log_stack = false;
  if (strcmp(value, "calls") == 0) return true;
  const char* at = value;
  while (*at != '\0') {
    if (take_item(at, "time")) {
      settings.log_time = true;
    } else if (take_item(at, "thread")) {
      settings.log_thread = true;
    } else if (take_item(at, "stack")) {
      settings.log_stack = true;
    } else {
      return false;
    }
  }
  return at != value && at[-1] != ',';
}

bool set_guard(Settings& settings, const char* value) {
  constexpr const char* kNames[] = {"off", "report", "stop"};
  for (uint32_t i = 0; i < 3; ++i) {
    if (strcmp(value, kNames[i]) != 0) continue;
    settings.guard = static_cast<Guard>(i);
    return true;
  }
  return false;
}

template <PathValue Settings::*kField>
bool set_path(Settings& settings, const char* value) {
  return (settings.*kField).set(value);
}
template <bool Settings::*kField>
bool set_switch(Settings& settings, const char* value) {
  return read_switch(value, settings.*kField);
}
template <uint64_t Settings::*kField>
bool set_count(Settings& settings, const char* value) {
  return read_number(value, 1, 1ull << 50, settings.*kField);
}

bool set_run(Settings& settings, const char* value) {
  return read_hex(value, settings.run_id);
}
bool set_every(Settings& settings, const char* value) {
  return read_duration(value, settings.every_ns);
}

// Takes the next word off `text` into `word`, unescaped; null when there is none. `fits` says
// whether the word is whole.
const char* next_word(const char* text, char* word, size_t room, bool& fits) {
  while (*text == ' ') ++text;
  if (*text == '\0') return nullptr;
  size_t length = 0;
  fits = true;
  for (; *text != '\0' && *text != ' '; ++text) {
    if (*text == '\\' && text[1] != '\0') ++text;
    if (length + 1 < room) {
      word[length++] = *text;
    } else {
      fits = false;
    }
  }
  word[length] = '\0';
  return text;
}

}  // namespace

// The order is the order of help and manual.
const Word kWords[] = {
    {"mode", "trace|sample|live|count|log|off", "trace", "What is recorded of each call", set_mode,
     false},
    {"out", "PATTERN", "%e.%p.ledger", "Name of the ledgers", set_path<&Settings::out>, false},
    {"depth", "N", "256", "Frames of a stack to keep, 1 to 4096", set_depth, false},
    {"stacks-for", "all|none|>=SIZE|<=SIZE", "all",
     "Sizes that get a stack; the others are counted", set_stacks_for, false},
    {"sample", "SIZE", "512K", "Sample mode: mean number of bytes between samples", set_sample,
     false},
    {"sample-calls", "N", "", "Sample mode: mean number of calls between samples, instead of bytes",
     set_count<&Settings::sample_calls>, false},
    {"seed", "N", "", "Sample mode: the same random choice every time", set_count<&Settings::seed>,
     false},
    {"weigh", "allocations|time", "allocations",
     "Sample mode: time has each sample carry the time since the thread's last one", set_weigh,
     false},
    {"tables", "memory|file", "memory",
     "Live mode: in memory, where core dumps have them, or in the ledger, where a kill leaves them",
     set_tables, false},
    {"live", "all|sampled", "all",
     "Live mode: keep every block, or a random choice as sample and sample-calls say", set_live,
     false},
    {"fd", "N", "", "Log mode: write to this descriptor", set_fd, false},
    {"file", "PATTERN", "OUT.log", "Log mode: write to this file", set_path<&Settings::log_file>,
     false},
    {"log", "calls|time,thread,stack", "calls", "Log mode: what a line has besides the call",
     set_log, false},
    {"every", "TIME", "", "A summary line and a marker so often: 10s, 500ms, 5min", set_every,
     false},
    {"summary", "PATTERN", "OUT.summary", "File for the lines of every",
     set_path<&Settings::summary>, false},
    {"statistics", "on|off", "off", "Keep statistics that the program can ask for",
     set_switch<&Settings::statistics>, false},
    {"maps", "on|off", "off", "Record mmap, munmap, mremap and brk too",
     set_switch<&Settings::maps>, false},
    {"guard", "off|report|stop", "off", "Check bytes around each block; damage is told, or stops",
     set_guard, false},
    {"allocator", "PATH", "",
     "Take malloc from this library; run also knows jemalloc, tcmalloc and mimalloc",
     set_path<&Settings::allocator>, false},
    {"children", "on|off", "on", "Record what the program starts", set_switch<&Settings::children>,
     false},
    {"skip-smaller-than", "N", "", "Remove ledgers with fewer calls than this",
     set_count<&Settings::skip_smaller_than>, false},
    {"owner", "PID", "", "The process whose children are meant by children=off",
     set_count<&Settings::owner>, true},
    {"run", "HEX", "", "Number of the run that ledgers belong to", set_run, true},
    {"added", "LIST", "", "What else run has put into the environment", set_path<&Settings::added>,
     true},
    {"tool", "PATH", "", "The heapledger tool, for reports a program asks for",
     set_path<&Settings::tool>, true},
    {"crosscheck", "N", "0", "Compare every n-th stack with another unwinder", set_cross_check,
     true},
    {"modules", "loader|mappings", "loader", "How modules are found", set_modules, true},
};
const size_t kWordCount = sizeof kWords / sizeof kWords[0];

bool PathValue::set(const char* value) {
  size_t length = strlen(value);
  if (length == 0 || length >= sizeof text) return false;
  memcpy(text, value, length + 1);
  return true;
}

const Word* find_word(const char* name, size_t length) {
  for (const Word& word : kWords) {
    if (strlen(word.name) == length && strncmp(word.name, name, length) == 0) return &word;
  }
  return nullptr;
}

bool apply(Settings& settings, const char* word, const Word*& known) {
  const char* equals = strchr(word, '=');
  known = equals == nullptr ? find_word(word, strlen(word))
                            : find_word(word, static_cast<size_t>(equals - word));
  return known != nullptr && equals != nullptr && known->set(settings, equals + 1);
}

bool parse(const char* text, Settings& settings, WrongWord& wrong) {
  bool fits;
  while ((text = next_word(text, wrong.text, sizeof wrong.text, fits)) != nullptr) {
    if (!apply(settings, wrong.text, wrong.known) || !fits) return false;
  }
  return true;
}

const char* mode_name(Mode mode) {
  auto index = static_cast<uint32_t>(mode);
  return index < kModes ? kModeNames[index] : "unknown";
}

}  // namespace heapledger::settings
