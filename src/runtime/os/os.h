// The whole contract between the runtime and the operating system.
//
// Every function is a raw system call or the clock: none touches errno, none is a cancellation
// point, none allocates, none takes a lock; all may be called in a signal handler. Unless said
// otherwise they return 0 or a non-negative value, or -errno. No descriptor outlives the function
// of ours that opened it.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace heapledger::runtime::os {

// --- files ---

// Identity of a file: tells whether a path still leads to the file we made.
struct FileId {
  uint64_t device = 0;
  uint64_t inode = 0;
  bool operator==(const FileId&) const = default;
};

// Creates a new file, readable and writable, or fails with -EEXIST. Returns the descriptor.
int create_file(const char* path);
// Creates a file without a name on the file system of `path`; give_name() makes it appear. -errno
// where the file system cannot do that.
int create_nameless(const char* path);
// Makes the folder that `path` is in; not those around it.
long make_folder_of(const char* path);
// The file appears at `path`, or -EEXIST.
long give_name(int fd, const char* path);
// Opens an existing file for reading and writing (or reading only); never creates one.
int open_file(const char* path);
int open_readonly(const char* path);
void close_file(int fd);
long file_id(int fd, FileId& id);
long remove_file(const char* path);
bool is_executable(const char* path);
// By the real user, as all programs do that did not change theirs.
bool may_read(const char* path);
bool may_write(const char* path);
// Reserves [offset, offset + bytes) on disk, reading as zeros, so that a mapping of it can never
// meet a full disk. Falls back to writing zeros where the file system cannot reserve.
long reserve(int fd, uint64_t offset, uint64_t bytes);
// Gives that back: it reads as zeros and takes no space, where the file system can do that.
void give_back(int fd, uint64_t offset, uint64_t bytes);
// Writes all of it or fails; a short write is continued. The iovecs are used up.
long write_all_at(int fd, iovec* parts, int count, uint64_t offset);
long read_some(int fd, void* to, size_t bytes);
long read_at(int fd, void* to, size_t bytes, uint64_t offset);
// To descriptor 2, as far as it goes.
void write_stderr(const char* text, size_t bytes);
// The largest offset that may be written to without SIGXFSZ.
uint64_t file_size_limit();
long read_link(const char* path, char* to, size_t bytes);
long current_folder(char* to, size_t bytes);
// The path that this program was executed by; a script's, where an interpreter runs one. Null where
// nobody knows.
const char* executed_path();

// --- memory ---

// Fresh zeroed private memory, or nullptr.
void* map_private(size_t bytes);
// A shared, writable mapping of [offset, offset + bytes) of the file, or nullptr.
void* map_file(int fd, uint64_t offset, size_t bytes);
void unmap(void* at, size_t bytes);
// What is mapped at `at` becomes this process's own memory, with the same content: whoever writes
// there no longer writes into the file. -errno: it stays as it was.
long make_private(void* at, size_t bytes);

// What is mapped at `at` gives way to memory of this process's own that reads as zeros.
void make_fresh(void* at, size_t bytes);

// Gives the memory of a private mapping back; it stays mapped and reads as zeros.
void discard(void* at, size_t bytes);
// Of a private mapping, not touched yet: the kernel is asked for large pages, so that one page
// fault is taken where there would be hundreds. Takes more memory where little of it is used.
inline constexpr size_t kLargePageBytes = size_t{2} << 20;
void prefer_large_pages(void* at, size_t bytes);
// Of a mapped file: pages are read when they are touched, and not before.
void read_nothing_ahead(void* at, size_t bytes);
// Whether the 8 bytes at `at`, which is not null, can be read, found out without touching them.
bool is_readable(const void* at);
// Makes the page read as zeros in forked children (and only there). -errno before Linux 4.14.
long wipe_on_fork(void* page, size_t bytes);
uint32_t page_bytes();

// --- processes and threads ---

uint32_t process_id();
uint32_t parent_process_id();
uint32_t user_id();
uint32_t thread_id();
// Whether a thread of this process exists. Errs on the side of true.
bool thread_exists(uint32_t tid);
// The calling thread's name; `name` holds 16 bytes and is terminated.
void thread_name(char* name);
long host_name(char* to, size_t bytes);
// Lets other threads run.
void yield_processor();
// Keeps signals from the calling thread; returns what restore_signals wants to have back.
uint64_t block_signals();
void restore_signals(uint64_t signals);
// Whether the calling thread runs on its alternate signal stack.
bool on_signal_stack();
// Sends a signal to the calling thread.
long signal_thread(int signal);
// Whether the 4 bytes at `at` are something else than `value`, found out without touching them. No
// where nothing is mapped.
bool is_another_word(const void* at, uint32_t value);
// Never returns; handlers run meanwhile.
[[noreturn]] void wait_for_ever();
[[noreturn]] void end_process(int status);

// --- time ---

struct Clocks {
  uint64_t monotonic_ns;
  uint64_t realtime_ns;
};
Clocks read_clocks();
// The processor time that the calling thread has had.
uint64_t thread_time_ns();

}  // namespace heapledger::runtime::os
