// Names that were found before: the same as those found anew, believed only while the files are
// the same, and bounded.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/resolve.h"
#include "symbols/symbol_cache.h"
#include "symbols/symbol_table.h"

namespace heapledger {
namespace {

namespace fs = std::filesystem;

class SymbolsCache : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "heapledger-names-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    cache_ = (folder_ / "a" / "heapledger" / "names").string();
    // A copy of this very program, which is large enough to be worth it.
    program_ = (folder_ / "program").string();
    fs::copy_file("/proc/self/exe", program_);
    module_.path = program_;
    module_.build_id = ElfFile(program_).build_id();
    const auto start = static_cast<uint64_t>(entry_point());
    for (uint64_t i = 0; i < 200; ++i) module_.addresses.push_back(start + 97 * i);
    files_.image = files_.debug = program_;
  }
  void TearDown() override { fs::remove_all(folder_); }

  uint64_t entry_point() const {
    GElf_Ehdr header;
    const ElfFile file(program_);
    return gelf_getehdr(file.elf(), &header) != nullptr ? header.e_entry : 0;
  }

  std::string resolved(bool with_cache = true, const ModuleAddresses* wanted = nullptr) const {
    ResolveOptions options;
    if (with_cache) options.cache = cache_;
    SymbolTable table;
    resolve({wanted != nullptr ? wanted : &module_, 1}, options, table);
    return table.encode();
  }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    if (!fs::exists(cache_)) return found;
    for (const auto& entry : fs::directory_iterator(cache_)) found.push_back(entry.path());
    return found;
  }

  // One that is easily told apart from what resolving gives.
  void store_marked(const char* name) const {
    SymbolTable table;
    const uint32_t number = table.module(module_.path, module_.build_id);
    const SymbolFrame frame{table.intern(name)};
    for (uint64_t address : module_.addresses) table.set(number, address, {&frame, 1});
    SymbolCache(cache_).store(module_, files_, table);
  }
  bool gives(const char* name) const {
    SymbolTable table;
    ResolveOptions options;
    options.cache = cache_;
    resolve({&module_, 1}, options, table);
    const auto frames =
        table.find(table.module(module_.path, module_.build_id), module_.addresses.front());
    return !frames.empty() && table.text(frames.front().function) == name;
  }

  fs::path folder_;
  std::string cache_;
  std::string program_;
  ModuleAddresses module_;
  DebugFiles files_;
};

TEST_F(SymbolsCache, TheSameNamesTheSecondTime) {
  ASSERT_GE(module_.build_id.size(), 8u);
  const std::string anew = resolved(false);
  EXPECT_TRUE(entries().empty());
  EXPECT_EQ(resolved(), anew);
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_EQ(resolved(), anew);
  struct stat status;
  ASSERT_EQ(::stat(cache_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0700u);
}

TEST_F(SymbolsCache, ItIsReallyAsked) {
  store_marked("from the cache");
  EXPECT_TRUE(gives("from the cache"));
}

TEST_F(SymbolsCache, MoreAddressesAreAddedToIt) {
  ModuleAddresses some = module_;
  some.addresses.resize(50);
  resolved(true, &some);
  const auto first = fs::file_size(entries().at(0));
  EXPECT_EQ(resolved(), resolved(false));
  EXPECT_EQ(entries().size(), 1u);
  EXPECT_GT(fs::file_size(entries()[0]), first);
  EXPECT_EQ(resolved(true, &some), resolved(false, &some));
}

TEST_F(SymbolsCache, AnotherFileIsNotBelieved) {
  store_marked("of the old file");
  fs::last_write_time(program_, fs::last_write_time(program_) - std::chrono::seconds(5));
  EXPECT_FALSE(gives("of the old file"));
}

TEST_F(SymbolsCache, LookingUpAnewOnlyWrites) {
  store_marked("old");
  ResolveOptions options;
  options.cache = cache_;
  options.believe_cache = false;
  SymbolTable table;
  resolve({&module_, 1}, options, table);
  EXPECT_EQ(table.encode(), resolved(false));
  EXPECT_FALSE(gives("old"));
}

TEST_F(SymbolsCache, DamagedEntriesAreNotBelieved) {
  const std::string anew = resolved();
  const fs::path entry = entries().at(0);
  std::stringstream text;
  text << std::ifstream(entry, std::ios::binary).rdbuf();
  const std::string good = text.str();
  for (size_t at :
       {size_t{0}, size_t{9}, size_t{17}, size_t{30}, good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    std::ofstream(entry, std::ios::binary) << bad;
    EXPECT_FALSE(SymbolCache(cache_).find(module_, files_).has_value()) << at;
    EXPECT_EQ(resolved(), anew);
  }
  for (size_t length : {size_t{0}, size_t{5}, size_t{19}, good.size() - 1}) {
    std::ofstream(entry, std::ios::binary) << good.substr(0, length);
    EXPECT_FALSE(SymbolCache(cache_).find(module_, files_).has_value()) << length;
  }
}

TEST_F(SymbolsCache, TheLongestUnusedGoFirst) {
  store_marked("one");
  const auto bytes = fs::file_size(entries().at(0));
  const fs::path first = entries()[0];
  SymbolCache small(cache_, 8 * bytes);
  SymbolTable table;
  for (unsigned i = 0; i < 40; ++i) {
    ModuleAddresses other = module_;
    other.build_id[0] = static_cast<char>(i);
    SymbolTable names;
    const uint32_t number = names.module(other.path, other.build_id);
    const SymbolFrame frame{names.intern("one")};
    for (uint64_t address : other.addresses) names.set(number, address, {&frame, 1});
    small.store(other, files_, names);
    uint64_t sum = 0;
    for (const fs::path& entry : entries()) sum += fs::file_size(entry);
    EXPECT_LE(sum, 8 * bytes);
    EXPECT_TRUE(small.find(other, files_).has_value()) << i;
    // Times of files have steps; tell old and new apart.
    for (const fs::path& entry : entries()) {
      fs::last_write_time(entry, fs::last_write_time(entry) - std::chrono::seconds(1));
    }
  }
  EXPECT_FALSE(fs::exists(first));
  EXPECT_GE(entries().size(), 4u);
}

TEST_F(SymbolsCache, TwoAtOnce) {
  const std::string anew = resolved(false);
  std::vector<std::thread> tools;
  std::array<std::string, 4> found;
  for (std::string& result : found) {
    tools.emplace_back([&] {
      for (int i = 0; i < 5; ++i) result = resolved();
    });
  }
  for (std::thread& tool : tools) tool.join();
  for (const std::string& result : found) EXPECT_EQ(result, anew);
  EXPECT_EQ(entries().size(), 1u);  // and nothing half written
}

TEST_F(SymbolsCache, AFolderThatCannotBeMadeIsNoFailure) {
  std::ofstream(folder_ / "a") << "a file";
  EXPECT_EQ(resolved(), resolved(false));
  EXPECT_TRUE(fs::is_regular_file(folder_ / "a"));
}

TEST_F(SymbolsCache, NoMoreFoldersThanItsOwnAreMade) {
  ResolveOptions options;
  options.cache = (folder_ / "home" / "x" / "heapledger" / "names").string();
  SymbolTable table;
  resolve({&module_, 1}, options, table);
  EXPECT_FALSE(fs::exists(folder_ / "home"));
}

}  // namespace
}  // namespace heapledger
