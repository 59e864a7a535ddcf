// What a recording can be asked to do: one structure, one table of words, one parser. The runtime
// reads `HEAPLEDGER="mode=sample every=10s"` with it inside the program, the options of
// `heapledger run` are made from the same table, and so is the page of the manual.
//
// Lives inside other programs: libc only, no allocation, no state.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapledger::settings {

// Values are part of the format: the file header says which one a ledger was begun with.
enum class Mode : uint32_t {
  kTrace = 0,   // every call is an entry
  kOff = 1,     // nothing until told otherwise
  kCount = 2,   // counters per thread, function and size class
  kLog = 3,     // a line of text for every call
  kSample = 4,  // a random choice of calls, each with its weight
  kLive = 5,    // tables of what is alive, and of sites; nothing of the past
};
inline constexpr unsigned kModes = 6;

// Where live mode keeps its tables.
enum class Tables : uint32_t { kMemory, kFile };

enum class Guard : uint32_t { kOff, kReport, kStop };

// A path or a pattern of one.
struct PathValue {
  char text[4096] = {};
  bool set(const char* value);  // false: empty or too long
  bool given() const { return text[0] != '\0'; }
};

struct Settings {
  Mode mode = Mode::kTrace;
  PathValue out;  // pattern of the ledger's path; empty: %e.%p.ledger
  uint64_t run_id = 0;

  // stacks
  uint32_t depth = 256;             // frames that are kept
  uint64_t stacks_at_least = 0;     // sizes that get a stack: from …
  uint64_t stacks_at_most = ~0ull;  // … to
  uint32_t cross_check = 0;         // every n-th is compared with another unwinder; 0: none
  bool by_mappings = false;         // modules are found as where libc lacks _dl_find_object

  // sample mode
  uint64_t sample_bytes = 512 << 10;  // mean distance; unused when sample_calls is set
  uint64_t sample_calls = 0;          // mean number of calls
  uint64_t seed = 0;                  // 0: from the clock
  bool weigh_time = false;            // samples carry the time since the thread's last one

  // live mode
  Tables tables = Tables::kMemory;
  bool live_sampled = false;  // only a random choice of blocks, as in sample mode

  // log mode
  int32_t log_fd = -1;  // -1: a file
  PathValue log_file;   // pattern; empty: the ledger's name with .log
  bool log_time = false;
  bool log_thread = false;
  bool log_stack = false;

  // beside any mode
  uint64_t every_ns = 0;      // a summary line and a marker so often; 0: none
  PathValue summary;          // pattern of the file for these lines; empty: the ledger's, .summary
  bool statistics = false;    // keep live statistics, for the API and for every=
  bool maps = false;          // enter mmap, munmap, mremap, brk
  Guard guard = Guard::kOff;  // bytes around each block
  PathValue allocator;        // a library to take malloc from; empty: the next in the link chain

  // processes
  bool children = true;            // record what the program starts
  uint64_t owner = 0;              // process that is not a child; 0: whoever has no recorded parent
  uint64_t skip_smaller_than = 0;  // ledgers with fewer calls are removed
  // What `run` has put into the environment beside us, with colons between: variables, and
  // libraries to preload.
  PathValue added;
  PathValue tool;  // the command line tool, for reports that the program asks for
};

// One word: `name=value`.
struct Word {
  const char* name;
  const char* value;    // how values look, for help: "N", "on|off"
  const char* initial;  // the default as text
  const char* help;     // a sentence
  bool (*set)(Settings&, const char* value);
  bool internal;  // between the tool and the runtime, or for tests: not in the help of `run`
};
extern const Word kWords[];
extern const size_t kWordCount;

const Word* find_word(const char* name, size_t length);

// Applies one word. False: no such word (known is null), or not a value for it.
bool apply(Settings& settings, const char* word, const Word*& known);

struct WrongWord {
  char text[sizeof(PathValue::text) + 64] = {};  // as far as it fits
  const Word* known = nullptr;                   // null: there is no such word
};

// All words of `text`, separated by spaces; a backslash makes the next character literal. On
// failure `wrong` tells which one was not understood; those before it have been applied. (It is the
// scratch space as well: nothing large goes on the caller's stack.)
bool parse(const char* text, Settings& settings, WrongWord& wrong);

// The name of a mode, as in mode=NAME.
const char* mode_name(Mode mode);

}  // namespace heapledger::settings
