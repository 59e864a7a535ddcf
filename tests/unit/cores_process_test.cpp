// Processes that run, and core dumps of them by gcore and by the kernel: what is read of one is
// what is read of the other, and what the loader says of its modules is what is found.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "analyzer/error.h"
#include "cores/elf_core.h"
#include "cores/memory.h"

namespace heapledger::cores {
namespace {

using Words = std::vector<std::string>;

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A program that waits for input in a folder of its own, until this object ends.
class WaitingProgram {
 public:
  WaitingProgram() {
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    int in[2];
    int out[2];
    EXPECT_EQ(::pipe2(in, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
    child_ = ::fork();
    if (child_ == 0) run(in[0], out[1]);
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
    // It echoes a byte: so it is loaded, and waits for the next.
    EXPECT_TRUE(answers());
  }
  ~WaitingProgram() {
    end(SIGKILL);
    ::close(to_);
    ::close(from_);
    std::filesystem::remove_all(folder_);
  }
  WaitingProgram(const WaitingProgram&) = delete;
  WaitingProgram& operator=(const WaitingProgram&) = delete;

  uint32_t pid() const { return static_cast<uint32_t>(child_); }
  const std::string& folder() const { return folder_; }

  bool answers() const {
    char byte = 'x';
    if (::write(to_, &byte, 1) != 1 || ::read(from_, &byte, 1) != 1) return false;
    // Until it waits for the next, and nothing of it changes any more.
    const std::string reading = std::to_string(SYS_read) + " 0x0 ";
    for (int i = 0; i < 10'000; ++i) {
      if (read_file("/proc/" + std::to_string(child_) + "/syscall").starts_with(reading)) break;
      ::usleep(1000);
    }
    return true;
  }

  void end(int signal) {
    if (child_ <= 0) return;
    ::kill(child_, signal);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  [[noreturn]] void run(int in, int out) const {
    rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_CORE, &limit);
    // Otherwise the kernel notes in its memory which processor it is on.
    ::setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
    if (::chdir(folder_.c_str()) != 0 || ::dup2(in, 0) < 0 || ::dup2(out, 1) < 0) ::_exit(1);
    ::execl("/bin/cat", "cat", "-u", "--", "-", "no such file", "", nullptr);
    ::_exit(1);
  }

  std::string folder_ = "/tmp/heapledger_process_XXXXXX";
  pid_t child_ = -1;
  int to_ = -1;
  int from_ = -1;
};

const Words kCommand{"cat", "-u", "--", "-", "no such file", ""};

// All that can be read: page by page, but for pages of zeros and what the kernel makes up.
std::map<uint64_t, std::string> pages_of(const Memory& memory) {
  std::map<uint64_t, std::string> pages;
  const std::string zeros(4096, '\0');
  std::set<std::string> modules;
  for (const Module& module : memory.modules()) modules.insert(module.path);
  for (const Region& region : memory.regions()) {
    // Dumps leave out files that are no programs, and nothing proves that a file is still the same.
    if (region.path.starts_with('/') && !modules.contains(region.path)) continue;
    for_each_piece(memory, region, 65536, [&](uint64_t address, auto bytes) {
      for (size_t at = 0; at + 4096 <= bytes.size(); at += 4096) {
        std::string page(reinterpret_cast<const char*>(bytes.data()) + at, 4096);
        if (page != zeros) pages[address + at] = std::move(page);
      }
    });
  }
  return pages;
}

// Which files a process has as its modules, and where.
std::vector<Words> module_lines(const Memory& memory) {
  std::vector<Words> lines;
  for (const Module& module : memory.modules()) {
    lines.push_back({module.path, module.file, std::to_string(module.start),
                     std::to_string(module.end), std::to_string(module.bias), module.build_id});
  }
  return lines;
}

// What a dump must hold: every page that the process had; and it may hold no other. The kernel's
// own pages are in dumps alone.
void expect_same_pages(const std::map<uint64_t, std::string>& expected, const Memory& dump) {
  auto found = pages_of(dump);
  size_t missing = 0;
  size_t different = 0;
  for (const auto& [address, page] : expected) {
    auto place = found.find(address);
    if (place == found.end()) {
      ++missing;
    } else if (place->second != page) {
      ++different;
    }
  }
  EXPECT_GT(expected.size(), 100U);
  EXPECT_EQ(missing, 0U);
  EXPECT_EQ(different, 0U);
}

std::string state_of(uint32_t pid) {
  std::string text = read_file("/proc/" + std::to_string(pid) + "/stat");
  size_t end = text.rfind(") ");
  return end == std::string::npos ? "" : text.substr(end + 2, 1);
}

TEST(ProcessMemory, ModulesAreTheLoadersOwn) {
  struct Loaded {
    uint64_t bias;
    std::string build_id;
  };
  std::map<uint64_t, Loaded> expected;  // by the address of the program headers
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* to) {
        Loaded loaded{info->dlpi_addr, {}};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_NOTE || segment.p_align == 8) continue;
          const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
          const auto* end = at + segment.p_memsz;
          while (at + 16 <= end) {
            const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
            const char* contents = at + 12 + (note->n_namesz + 3) / 4 * 4;
            if (note->n_type == NT_GNU_BUILD_ID) loaded.build_id.assign(contents, note->n_descsz);
            at = contents + (note->n_descsz + 3) / 4 * 4;
          }
        }
        auto headers = reinterpret_cast<uint64_t>(info->dlpi_phdr);
        (*static_cast<std::map<uint64_t, Loaded>*>(to))[headers] = loaded;
        return 0;
      },
      &expected);
  auto memory = open_process(static_cast<uint32_t>(::getpid()));
  size_t matched = 0;
  for (const auto& [headers, loaded] : expected) {
    for (const Module& module : memory->modules()) {
      if (headers < module.start || headers >= module.end) continue;
      ++matched;
      EXPECT_EQ(module.bias, loaded.bias) << module.path;
      EXPECT_EQ(module.build_id, loaded.build_id) << module.path;
      EXPECT_EQ(module.file, module.path);
    }
  }
  EXPECT_EQ(matched, memory->modules().size());
  EXPECT_GE(matched, 3U);
  // The vdso alone is no file.
  EXPECT_LE(expected.size() - matched, 1U);
}

TEST(ProcessMemory, TellsWhatTheProcessIs) {
  WaitingProgram program;
  auto memory = open_process(program.pid());
  EXPECT_EQ(memory->pid(), program.pid());
  EXPECT_EQ(memory->command(), kCommand);
  EXPECT_EQ(memory->executable(), std::filesystem::canonical("/bin/cat"));
  ASSERT_EQ(memory->threads().size(), 1U);
  EXPECT_EQ(memory->threads()[0].tid, program.pid());
  EXPECT_EQ(memory->threads()[0].name, "cat");
  EXPECT_TRUE(program.answers());
}

TEST(ProcessMemory, HoldsStillOnlyWhileItIsHeld) {
  WaitingProgram program;
  {
    auto memory = stop_process(program.pid());
    EXPECT_EQ(state_of(program.pid()), "t");
    ASSERT_EQ(memory->threads().size(), 1U);
    const Thread& thread = memory->threads()[0];
    EXPECT_GE(thread.registers.size(), 16U);
    bool on_stack = false;
    for (const Region& region : memory->regions()) {
      if (region.path != "[stack]") continue;
      on_stack = thread.stack_pointer >= region.start && thread.stack_pointer < region.end;
    }
    EXPECT_TRUE(on_stack);
  }
  EXPECT_NE(state_of(program.pid()), "t");
  EXPECT_TRUE(program.answers());
}

TEST(ProcessMemory, AllThreadsAreHeldWithTheirOwnPointers) {
  constexpr int kThreads = 6;
  struct Shared {
    std::atomic<int> started;
    std::atomic<pid_t> tids[kThreads];
  };
  auto* shared = static_cast<Shared*>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  auto wait_for_ever = [shared](int number) {
    shared->tids[number] = ::gettid();
    ++shared->started;
    for (;;) ::pause();
  };
  pid_t child = ::fork();
  if (child == 0) {
    std::vector<std::thread> threads;
    for (int i = 1; i < kThreads; ++i) threads.emplace_back(wait_for_ever, i);
    wait_for_ever(0);
  }
  while (shared->started < kThreads) ::usleep(1000);
  {
    auto memory = stop_process(static_cast<uint32_t>(child));
    std::map<uint32_t, uint64_t> pointers;  // sanitizers may have threads of their own
    for (const Thread& thread : memory->threads()) pointers[thread.tid] = thread.thread_pointer;
    std::set<uint64_t> own;
    for (const std::atomic<pid_t>& tid : shared->tids) {
      own.insert(pointers[static_cast<uint32_t>(tid.load())]);
    }
    EXPECT_EQ(own.size(), size_t{kThreads});
    EXPECT_FALSE(own.contains(0));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::munmap(shared, 4096);
}

TEST(ProcessMemory, PagesNobodyTouchedAreLeftAlone) {
  // Reading all of this would take the time and the tables of 16 million pages.
  constexpr size_t kBytes = size_t{1} << 36U;
  void* place = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(place, MAP_FAILED);
  ::madvise(place, kBytes, MADV_NOHUGEPAGE);
  char* middle = static_cast<char*>(place) + kBytes / 2;
  *middle = 'm';
  auto memory = open_process(static_cast<uint32_t>(::getpid()));
  auto start = reinterpret_cast<uint64_t>(place);
  Region region;
  region.start = start;
  region.end = start + kBytes;
  size_t bytes = 0;
  bool seen = false;
  for_each_piece(*memory, region, 65536, [&](uint64_t address, auto piece) {
    bytes += piece.size();
    auto wanted = reinterpret_cast<uint64_t>(middle);
    seen = seen ||
           (wanted >= address && wanted - address < piece.size() && piece[wanted - address] == 'm');
  });
  EXPECT_TRUE(seen);
  EXPECT_LE(bytes, 1U << 20U);
  ::munmap(place, kBytes);
}

TEST(ProcessMemory, RefusesAProcessThatIsGone) {
  pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  auto pid = static_cast<uint32_t>(child);
  // Ended and not waited for, and then not there at all.
  EXPECT_THROW(open_process(pid), Error);
  EXPECT_THROW(stop_process(pid), Error);
  ::waitpid(child, nullptr, 0);
  EXPECT_THROW(open_process(pid), Error);
  EXPECT_THROW(stop_process(pid), Error);
}

TEST(CoreOfProcess, GcoreHasWhatTheProcessHad) {
  if (::system("command -v gcore >/dev/null") != 0) {
    GTEST_SKIP() << "gcore is missing: install the package gdb";
  }
  WaitingProgram program;
  std::string dump = program.folder() + "/dump";
  std::string pid = std::to_string(program.pid());
  std::string command = "gcore -o " + dump + " " + pid + " >/dev/null 2>&1 </dev/null";
  ASSERT_EQ(::system(command.c_str()), 0);
  auto process = stop_process(program.pid());
  auto core = open_core(dump + "." + pid, "", "");
  EXPECT_EQ(core->pid(), program.pid());
  EXPECT_EQ(core->command(), kCommand);
  EXPECT_EQ(core->executable(), process->executable());
  EXPECT_EQ(module_lines(*core), module_lines(*process));
  ASSERT_EQ(core->threads().size(), 1U);
  EXPECT_EQ(core->threads()[0].registers, process->threads()[0].registers);
  EXPECT_EQ(core->threads()[0].thread_pointer, process->threads()[0].thread_pointer);
  EXPECT_EQ(core->problems(), Words());
  expect_same_pages(pages_of(*process), *core);
}

// Where the kernel puts a core: in the folder of the program, or somewhere that a test cannot know.
bool kernel_writes_here() {
  return read_file("/proc/sys/kernel/core_pattern").starts_with("core");
}

std::string only_file_in(const std::string& folder) {
  std::string found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) found = entry.path();
  return found;
}

TEST(CoreOfProcess, KernelsCoreHasWhatTheProcessHad) {
  if (!kernel_writes_here()) GTEST_SKIP() << "kernel.core_pattern is no plain file name";
  WaitingProgram program;
  uint32_t pid = program.pid();
  auto process = open_process(pid);
  auto pages = pages_of(*process);
  program.end(SIGABRT);
  std::string path = only_file_in(program.folder());
  ASSERT_FALSE(path.empty());
  auto core = open_core(path, "", "");
  EXPECT_EQ(core->pid(), pid);
  EXPECT_EQ(core->command(), kCommand);
  EXPECT_EQ(core->executable(), process->executable());
  EXPECT_EQ(module_lines(*core), module_lines(*process));
  ASSERT_EQ(core->threads().size(), 1U);
  EXPECT_EQ(core->threads()[0].stack_pointer, process->threads()[0].stack_pointer);
  EXPECT_EQ(core->problems(), Words());
  expect_same_pages(pages, *core);

  // Another program is not taken for this one, however it is called.
  auto other = open_core(path, "/bin/ls", "");
  ASSERT_EQ(other->problems().size(), 1U);
  EXPECT_NE(other->problems()[0].find("/bin/ls is not the program of this core"),
            std::string::npos);

  // A copy under another root is found first.
  std::string root = program.folder() + "/root";
  std::filesystem::create_directories(
      std::filesystem::path(root + process->executable()).parent_path());
  std::filesystem::copy_file("/bin/cat", root + process->executable());
  EXPECT_EQ(open_core(path, "", root)->modules()[0].file, root + process->executable());
  // Unless it is another.
  std::filesystem::copy_file("/bin/ls", root + process->executable(),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(open_core(path, "", root)->modules()[0].file, process->executable());
}

TEST(CoreOfProcess, ProgramIsFoundWithoutTheListOfFiles) {
  if (!kernel_writes_here()) GTEST_SKIP() << "kernel.core_pattern is no plain file name";
  WaitingProgram program;
  auto process = open_process(program.pid());
  auto pages = pages_of(*process);
  program.end(SIGABRT);
  std::string bytes = read_file(only_file_in(program.folder()));
  // As a dump of an old kernel: the note with the list becomes one that nobody knows.
  size_t list = bytes.find(std::string("ELIFCORE\0", 9));
  ASSERT_NE(list, std::string::npos);
  bytes[list] = 'X';
  auto source = [&] { return in_memory("core", bytes); };
  auto bare = open_core_source(source(), "", "");
  EXPECT_TRUE(bare->modules().empty());
  auto wrong = open_core_source(source(), "/bin/ls", "");
  EXPECT_TRUE(wrong->modules().empty());
  auto core = open_core_source(source(), "/bin/cat", "");
  ASSERT_EQ(core->modules().size(), 1U);
  const Module& expected = process->modules()[0];
  EXPECT_EQ(core->modules()[0].start, expected.start);
  EXPECT_EQ(core->modules()[0].bias, expected.bias);
  EXPECT_EQ(core->modules()[0].build_id, expected.build_id);
  EXPECT_EQ(core->executable(), "/bin/cat");
  // With its code, which the dump leaves out.
  auto found = pages_of(*core);
  for (const auto& [address, page] : pages) {
    if (address < expected.start || address >= expected.end) continue;
    EXPECT_TRUE(found[address] == page) << address;
  }
}

TEST(CoreOfProcess, CoreWithoutTheFirstPagesOfModules) {
  if (!kernel_writes_here()) GTEST_SKIP() << "kernel.core_pattern is no plain file name";
  WaitingProgram program;
  auto process = open_process(program.pid());
  std::ofstream("/proc/" + std::to_string(program.pid()) + "/coredump_filter") << "0x3";
  program.end(SIGABRT);
  auto core = open_core(only_file_in(program.folder()), "", "");
  // Where they were is as the files say, but nothing proves these files right.
  ASSERT_EQ(core->modules().size(), process->modules().size());
  for (size_t i = 0; i < core->modules().size(); ++i) {
    EXPECT_EQ(core->modules()[i].path, process->modules()[i].path);
    EXPECT_EQ(core->modules()[i].bias, process->modules()[i].bias);
    EXPECT_EQ(core->modules()[i].file, "");
    EXPECT_FALSE(core->number<uint8_t>(core->modules()[i].start));
  }
  ASSERT_EQ(core->problems().size(), 1U);
  EXPECT_NE(core->problems()[0].find("no file here is proved"), std::string::npos);
}

}  // namespace
}  // namespace heapledger::cores
