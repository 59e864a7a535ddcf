/* Heapledger for programs that want to talk to the recorder they may be running under.
 *
 * Including this header adds no library and no cost: the functions of the runtime are weak
 * references, which the loader binds to libheapledger.so when the program is recorded and leaves
 * empty when it is not. Each function below looks first whether there is something to call; without
 * us it does nothing and returns 0. So a program that includes this header runs unchanged without
 * us, with nothing to link. C99 and C++, GCC and Clang.
 *
 *     #include <heapledger.h>
 *
 *     int main(void) {
 *       load();
 *       heapledger_marker("loaded");            // heapledger report --at loaded
 *       heapledger_stop();                      // not interested in what comes now
 *       warm_up();
 *       heapledger_start();
 *       serve();
 *     }
 *
 * Results: 1 means done. 0 means not: the runtime is not there, there is no ledger (any more), or
 * what the comment says. Nothing here ever ends or harms the program.
 *
 * "Thread-safe": from any number of threads at once. "Signal-safe": from a signal handler too, even
 * one that interrupted an allocation. All may be called from constructors, of a library that is
 * preloaded beside us too.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The version this header belongs to: "MAJOR.MINOR.PATCH". */
#define HEAPLEDGER_VERSION "0.1.0"

/* A reference that stays open until the program is loaded. Without noplt, GCC would let the linker
 * settle it as "not there" in an executable that is not position independent (-no-pie). Clang
 * does not know the attribute: compile such a file with -fno-plt. */
#if defined(__clang__)
#define HEAPLEDGER_OPTIONAL __attribute__((weak))
#else
#define HEAPLEDGER_OPTIONAL __attribute__((weak, noplt))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Which threads a question is about. */
#define HEAPLEDGER_ALL_THREADS 0
#define HEAPLEDGER_THIS_THREAD 1

/* What heapledger_statistics() tells. */
#define HEAPLEDGER_SIZE_CLASSES 64
struct heapledger_figures { /* NOLINT: a C name */
  uint64_t calls;           /* that returned a block, resizes included */
  uint64_t frees;           /* resizes not included */
  uint64_t resizes;         /* of an existing block */
  uint64_t bytes;           /* requested by all calls */
  int64_t live_blocks;      /* now; of one thread: what it allocated less what it freed */
  int64_t live_bytes;       /* likewise */
  uint64_t peak_bytes;      /* most bytes live at any moment; 0 where that is not known */
  /* calls: [0] for 0 bytes, [n] for 2^(n-1) to 2^n-1 bytes */
  uint64_t sizes[HEAPLEDGER_SIZE_CLASSES];
};

/* A region of code that has a name; yours to keep between begin and end. */
struct heapledger_scope { /* NOLINT: a C name */
  const char* name;
  uint64_t at_begin[7]; /* ours */
};

/* What a thread did in a scope. */
struct heapledger_scope_figures { /* NOLINT: a C name */
  uint64_t calls;
  uint64_t bytes;
  uint64_t frees;
  int64_t live_blocks; /* more (or, negative, fewer) than when it began */
  int64_t live_bytes;
};

/* The functions of the runtime. A program calls those further down. */
const char* heapledger_version(void) HEAPLEDGER_OPTIONAL;
int heapledger_api_enabled(void) HEAPLEDGER_OPTIONAL;
int heapledger_api_start(void) HEAPLEDGER_OPTIONAL;
int heapledger_api_stop(void) HEAPLEDGER_OPTIONAL;
int heapledger_api_start_thread(void) HEAPLEDGER_OPTIONAL;
int heapledger_api_stop_thread(void) HEAPLEDGER_OPTIONAL;
int heapledger_api_mode(const char* words) HEAPLEDGER_OPTIONAL;
int heapledger_api_stacks_for(uint64_t at_least, uint64_t at_most) HEAPLEDGER_OPTIONAL;
int heapledger_api_clear(void) HEAPLEDGER_OPTIONAL;
int heapledger_api_marker(const char* name) HEAPLEDGER_OPTIONAL;
int heapledger_api_scope_begin(struct heapledger_scope* scope) HEAPLEDGER_OPTIONAL;
int heapledger_api_scope_end(struct heapledger_scope* scope,
                             struct heapledger_scope_figures* figures,
                             size_t bytes) HEAPLEDGER_OPTIONAL;
int heapledger_api_statistics(struct heapledger_figures* statistics, int threads,
                              size_t bytes) HEAPLEDGER_OPTIONAL;
int heapledger_api_report(int fd, const char* path, const char* options) HEAPLEDGER_OPTIONAL;
uint32_t heapledger_api_pool(const char* name) HEAPLEDGER_OPTIONAL;
void heapledger_api_pool_alloc(uint32_t pool, const void* block, size_t size) HEAPLEDGER_OPTIONAL;
void heapledger_api_pool_free(uint32_t pool, const void* block) HEAPLEDGER_OPTIONAL;
void heapledger_api_pool_resize(uint32_t pool, const void* old_block, const void* block,
                                size_t size) HEAPLEDGER_OPTIONAL;

/* --- Is it there? --- */

/* 1 when the runtime is in this process, else 0. The answer never changes while the process lives.
 * The runtime may be loaded and yet not recording (no permission to write its file, for one).
 * heapledger_version() is its version, in the form of HEAPLEDGER_VERSION; call it only if this is
 * 1. Thread-safe, signal-safe. */
static inline int heapledger_loaded(void) {
  return heapledger_version != 0;
}

/* 1 when allocations of the calling thread are being recorded at this moment. Thread-safe,
 * signal-safe. */
static inline int heapledger_enabled(void) {
  return heapledger_api_enabled != 0 ? heapledger_api_enabled() : 0;
}

/* --- What is recorded --- */

/* Stops recording, and goes on with it in the mode it was in. Between the two, calls cost nothing
 * and leave no trace; a report says that there was a gap. A program that is started with mode=off
 * begins to be recorded with the first heapledger_start(). Thread-safe, signal-safe. */
static inline int heapledger_stop(void) {
  return heapledger_api_stop != 0 ? heapledger_api_stop() : 0;
}
static inline int heapledger_start(void) {
  return heapledger_api_start != 0 ? heapledger_api_start() : 0;
}

/* The same for the calling thread alone. Thread-safe, signal-safe. */
static inline int heapledger_stop_thread(void) {
  return heapledger_api_stop_thread != 0 ? heapledger_api_stop_thread() : 0;
}
static inline int heapledger_start_thread(void) {
  return heapledger_api_start_thread != 0 ? heapledger_api_start_thread() : 0;
}

/* Changes the mode: "count", "trace", "sample sample=64K". The words are those of HEAPLEDGER and of
 * `heapledger run`; mode, sample, sample-calls, weigh, stacks-for and log can change while a
 * program runs. 0: a word is not understood, or another thread is changing the mode. Thread-safe.
 */
static inline int heapledger_mode(const char* words) {
  return heapledger_api_mode != 0 ? heapledger_api_mode(words) : 0;
}

/* From now on only blocks of these sizes get a stack; the others are counted without. (0,
 * SIZE_MAX): all of them. Thread-safe. */
static inline int heapledger_stacks_for(uint64_t at_least, uint64_t at_most) {
  return heapledger_api_stacks_for != 0 ? heapledger_api_stacks_for(at_least, at_most) : 0;
}

/* --- Moments --- */

/* Gives this moment a name: `heapledger report --at NAME`, `--between NAME NAME`. Names are cut
 * after 256 bytes. 0: also in a handler that interrupted an allocation. Thread-safe, signal-safe.
 */
static inline int heapledger_marker(const char* name) {
  return heapledger_api_marker != 0 ? heapledger_api_marker(name) : 0;
}

/* A picture of the heap as it is now, to be looked at at any later time: in a ledger every moment
 * is one, so this is a marker, too. Thread-safe, signal-safe. */
static inline int heapledger_snapshot(const char* name) {
  return heapledger_marker(name);
}

/* Statistics of all threads count from here (but for what is live; a thread's own go on), and so
 * does `heapledger report --between clear end`: enters a marker "clear". Thread-safe, signal-safe.
 */
static inline int heapledger_clear(void) {
  return heapledger_api_clear != 0 ? heapledger_api_clear() : 0;
}

/* Names a region. The ledger gets the markers NAME and NAME:end, for `--between NAME NAME:end`.
 * heapledger_scope_end() tells what the calling thread allocated in between; the first scope of a
 * process has statistics kept from then on. Without a recorder it returns 0 and all figures are 0.
 * Scopes may nest; begin and end belong to one thread. Thread-safe. */
static inline int heapledger_scope_begin(struct heapledger_scope* scope, const char* name) {
  scope->name = name;
  return heapledger_api_scope_begin != 0 ? heapledger_api_scope_begin(scope) : 0;
}
static inline int heapledger_scope_end(struct heapledger_scope* scope,
                                       struct heapledger_scope_figures* figures) {
  struct heapledger_scope_figures none = {0, 0, 0, 0, 0};
  *figures = none;
  return heapledger_api_scope_end != 0 ? heapledger_api_scope_end(scope, figures, sizeof none) : 0;
}

/* --- Figures and reports --- */

/* Figures of the moment, since the start or the last heapledger_clear(). `threads` is
 * HEAPLEDGER_ALL_THREADS or HEAPLEDGER_THIS_THREAD. 0: statistics are not kept; they are with
 * statistics=on (`heapledger run --statistics on`), with every=, and after the first scope.
 * Thread-safe, signal-safe. */
static inline int heapledger_statistics(struct heapledger_figures* statistics, int threads) {
  return heapledger_api_statistics != 0
             ? heapledger_api_statistics(statistics, threads, sizeof *statistics)
             : 0;
}

/* Writes a report on this process, as it is now, to a descriptor or to a file that is made anew.
 * `options` are those of `heapledger report`, or null: "--json", "--sort calls --top 5",
 * "--below main --at loaded"; with "--to" those of `heapledger export`: "--to collapsed --metric
 * calls". Runs the heapledger tool and waits for it; the program's wait() and SIGCHLD do not see
 * that. 0: the tool was not found, or it failed and said why on stderr. Thread-safe. */
static inline int heapledger_report(int fd, const char* options) {
  return heapledger_api_report != 0 ? heapledger_api_report(fd, NULL, options) : 0;
}
static inline int heapledger_report_to(const char* path, const char* options) {
  return heapledger_api_report != 0 ? heapledger_api_report(-1, path, options) : 0;
}

/* --- Pools of your own --- */

/* A program that cuts blocks out of larger ones can announce them; the report then has the pool
 * beside the heap: calls, bytes, live, peak, and who asks. They are not added to the heap's
 * figures, which have the memory already.
 *
 * heapledger_pool() gives the number of the pool of that name, a new one if there is none; 0
 * without us, or when there are too many (1000), and then the rest does nothing. All thread-safe.
 */
static inline uint32_t heapledger_pool(const char* name) {
  return heapledger_api_pool != 0 ? heapledger_api_pool(name) : 0;
}

/* A block was handed out. Call it after that. */
static inline void heapledger_pool_alloc(uint32_t pool, const void* block, size_t size) {
  if (heapledger_api_pool_alloc != 0) heapledger_api_pool_alloc(pool, block, size);
}

/* A block goes back. Call it before that. */
static inline void heapledger_pool_free(uint32_t pool, const void* block) {
  if (heapledger_api_pool_free != 0) heapledger_api_pool_free(pool, block);
}

/* A block got another size, and perhaps another place. */
static inline void heapledger_pool_resize(uint32_t pool, const void* old_block, const void* block,
                                          size_t size) {
  if (heapledger_api_pool_resize != 0) heapledger_api_pool_resize(pool, old_block, block, size);
}

#ifdef __cplusplus
}

namespace heapledger {

/* A region for as long as the object lives:
 *
 *     {
 *       heapledger::Scope scope("parse");
 *       parse();
 *       std::cerr << scope.end().bytes << "\n";   // or let it end by itself
 *     }
 *
 * One thread's, like heapledger_scope. */
class Scope {
 public:
  explicit Scope(const char* name) { heapledger_scope_begin(&scope_, name); }
  ~Scope() {
    if (open_) end();
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /* Ends the region now. `known`, if given, tells whether the figures mean anything. */
  heapledger_scope_figures end(bool* known = nullptr) {
    heapledger_scope_figures figures = heapledger_scope_figures();
    bool told = open_ && heapledger_scope_end(&scope_, &figures) != 0;
    open_ = false;
    if (known != nullptr) *known = told;
    return figures;
  }

 private:
  heapledger_scope scope_;
  bool open_ = true;
};

/* The calling thread is not recorded for as long as the object lives. */
class Pause {
 public:
  Pause() : stopped_(heapledger_enabled() != 0 && heapledger_stop_thread() != 0) {}
  ~Pause() {
    if (stopped_) heapledger_start_thread();
  }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  bool stopped_;
};

}  // namespace heapledger
#endif
