// Naming the addresses of this very program and of the libraries it has: the compiler says where
// they are (__LINE__), and the number of threads must make no difference.
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/function_starts.h"
#include "symbols/resolve.h"
#include "symbols/symbol_table.h"

namespace heapledger {

// Where it was called from, as a ledger has it but for the load bias.
[[gnu::noinline]] uintptr_t called_from() {
  return reinterpret_cast<uintptr_t>(__builtin_return_address(0)) - 1;
}

[[gnu::noinline]] uintptr_t known_place(unsigned& line) {
  line = __LINE__ + 1;
  const uintptr_t place = called_from();
  asm volatile("");
  return place;
}

namespace {

std::string own_path() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), static_cast<size_t>(length > 0 ? length : 0)};
}

struct Loaded {
  std::string path;
  uintptr_t bias = 0;
  uint64_t start = 0;  // of the code
  uint64_t size = 0;
};

std::vector<Loaded> loaded_modules() {
  std::vector<Loaded> modules;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* to) {
        auto& list = *static_cast<std::vector<Loaded>*>(to);
        Loaded module{list.empty() ? own_path() : info->dlpi_name, info->dlpi_addr};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
          module.start = segment.p_vaddr;
          module.size = segment.p_memsz;
        }
        list.push_back(module);
        return 0;
      },
      &modules);
  return modules;
}

TEST(Resolve, NamesAPlaceInThisProgram) {
  unsigned line = 0;
  const Loaded self = loaded_modules().front();
  const uint64_t address = known_place(line) - self.bias;
  const ModuleAddresses module{self.path, "", {address}};
  SymbolTable table;
  resolve({&module, 1}, {}, table);
  const auto frames = table.find(table.module(self.path, ""), address);
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(table.text(frames[0].function), "heapledger::known_place(unsigned int&)");
  EXPECT_TRUE(table.text(frames[0].file).ends_with("/tests/unit/symbols_resolve_test.cpp"));
  EXPECT_EQ(frames[0].line, line);
  EXPECT_FALSE(frames[0].inlined);
}

TEST(Resolve, UnwindTablesTellWhereAFunctionBegins) {
  unsigned line = 0;
  const Loaded self = loaded_modules().front();
  const uint64_t address = known_place(line) - self.bias;
  const uint64_t start = reinterpret_cast<uintptr_t>(&known_place) - self.bias;
  const ElfFile image(self.path);
  const FunctionStarts starts(image);
  EXPECT_EQ(starts.of(address), start);
  EXPECT_EQ(starts.of(start), start);
  EXPECT_NE(starts.of(start - 1), start);
  EXPECT_EQ(starts.of(0), std::nullopt);
  EXPECT_EQ(starts.of(UINT64_MAX), std::nullopt);
  const ElfFile none;
  EXPECT_EQ(FunctionStarts(none).of(address), std::nullopt);
}

TEST(Resolve, ADifferentBuildIsNotBelieved) {
  const Loaded self = loaded_modules().front();
  const ModuleAddresses module{self.path, "another", {self.start}};
  SymbolTable table;
  resolve({&module, 1}, {}, table);
  const uint32_t number = table.module(self.path, "another");
  EXPECT_EQ(table.source(number), SymbolSource::kNothing);
  EXPECT_EQ(table.remark(number), self.path + " was built differently from what ran");
  const auto frames = table.find(number, self.start);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(table.text(frames[0].function).find("+0x") != std::string_view::npos);
}

std::vector<ModuleAddresses> everything() {
  std::vector<ModuleAddresses> modules;
  for (const Loaded& module : loaded_modules()) {
    ModuleAddresses wanted{module.path, "", {}};
    const uint64_t step = module.size / 2000 + 1;
    for (uint64_t at = 0; at < module.size; at += step) {
      wanted.addresses.push_back(module.start + at);
    }
    modules.push_back(wanted);
  }
  modules.push_back({"/nowhere/libgone.so", "id", {1, 2, 3}});
  modules.push_back({"/nowhere/libempty.so", "", {}});
  return modules;
}

std::string in_words(const SymbolTable& table, std::span<const SymbolFrame> frames) {
  std::string words;
  for (const SymbolFrame& frame : frames) {
    words += std::string(table.text(frame.function)) + " " + std::string(table.text(frame.file)) +
             ":" + std::to_string(frame.line) + (frame.inlined ? " in " : "\n");
  }
  return words;
}

TEST(Resolve, ThreadsMakeNoDifference) {
  const auto modules = everything();
  ASSERT_GT(modules.size(), 4u);
  ResolveOptions alone;
  alone.threads = 1;
  ResolveOptions together;
  together.threads = 4;
  SymbolTable one;
  SymbolTable many;
  resolve(modules, alone, one);
  resolve(modules, together, many);
  EXPECT_EQ(one.encode(), many.encode());
  for (const ModuleAddresses& module : modules) {
    const uint32_t first = one.module(module.path, module.build_id);
    const uint32_t second = many.module(module.path, module.build_id);
    EXPECT_EQ(one.source(first), many.source(second));
    for (const uint64_t address : module.addresses) {
      const auto frames = one.find(first, address);
      ASSERT_FALSE(frames.empty()) << module.path;
      for (const SymbolFrame& frame : frames) ASSERT_NE(frame.function, 0u) << module.path;
      EXPECT_EQ(in_words(one, frames), in_words(many, many.find(second, address)));
    }
  }
}

TEST(Resolve, TellsHowFarItIs) {
  const auto modules = everything();
  std::vector<size_t> done;
  ResolveOptions options;
  options.threads = 2;
  options.progress = [&](const ResolveProgress& progress) {
    EXPECT_EQ(progress.modules, modules.size());
    EXPECT_EQ(progress.fetching, "");
    done.push_back(progress.modules_done);
  };
  SymbolTable table;
  resolve(modules, options, table);
  ASSERT_EQ(done.size(), modules.size());
  EXPECT_EQ(done.back(), modules.size());
}

TEST(Resolve, NothingToDoIsDone) {
  SymbolTable table;
  resolve({}, {}, table);
  EXPECT_EQ(table.module_count(), 0u);
}

}  // namespace
}  // namespace heapledger
