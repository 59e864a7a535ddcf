#include "symbols/resolve.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "symbols/copy_names.h"
#include "symbols/debug_files.h"
#include "symbols/demangle.h"
#include "symbols/elf_file.h"
#include "symbols/function_starts.h"
#include "symbols/read_guard.h"
#include "symbols/symbol_cache.h"
#include "symbols/symbol_names.h"
#include "symbols/unit_resolver.h"

namespace heapledger {
namespace {

// How much of a module's debug information one thread takes at a time. What is compressed goes to
// one thread as a whole, as each one would have to unpack it all.
constexpr uint64_t kBytesPerPiece = uint64_t{16} << 20;

std::string hexadecimal(uint64_t value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + digits;
}

// A module while it is worked on.
struct Module {
  const ModuleAddresses* wanted = nullptr;
  ModuleAddresses rest;              // those of it that the cache does not know, if it knows any
  std::optional<SymbolTable> known;  // by the cache
  bool failed = false;               // a file could not be read to the end
  uint32_t number = 0;               // in the table
  DebugFiles files;
  std::optional<SymbolNames> names;
  std::unordered_map<uint32_t, uint64_t> starts;  // of functions without a symbol, by address
  std::vector<UnitWork> units;
  std::vector<bool> named;  // by debug information, which goes first
  std::atomic<size_t> pieces_left = 0;
};

// Some units of a module.
struct Piece {
  Module* module;
  size_t first;
  size_t end;
};

class Resolution {
 public:
  Resolution(std::span<const ModuleAddresses> wanted, const ResolveOptions& options,
             SymbolTable& table)
      : options_(options),
        table_(table),
        debuginfod_(options.debuginfod, options.debuginfod_limit),
        cache_(options.cache),
        modules_(wanted.size()) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      modules_[i].wanted = &wanted[i];
      modules_[i].number = table.module(wanted[i].path, wanted[i].build_id);
    }
  }

  void run() {
    in_parallel(modules_.size(), [this](size_t i) { open(modules_[i]); });
    in_parallel(pieces_.size(), [this](size_t i) { resolve_piece(pieces_[i]); });
  }

 private:
  template <typename Work>
  void in_parallel(size_t count, Work work) {
    unsigned threads =
        options_.threads != 0 ? options_.threads : std::thread::hardware_concurrency();
    threads = static_cast<unsigned>(std::clamp<size_t>(threads, 1, std::max<size_t>(count, 1)));
    std::atomic<size_t> next = 0;
    std::exception_ptr failure;
    const auto loop = [&] {
      try {
        for (size_t i = next++; i < count; i = next++) work(i);
      } catch (...) {
        const std::lock_guard guard(lock_);
        failure = std::current_exception();
        next = count;
      }
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(loop);
    loop();
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
  }

  // Finds the files, the symbols and the units; what needs no more is done then.
  void open(Module& module) {
    const ReadGuard guard;
    find_files(module);
    if (take_from_cache(module)) return count_as_done();
    bool any_units = look_into_files(module);
    if (guard.failed()) {
      module.failed = true;
      module.names.emplace(DebugFiles{}, module.wanted->addresses);
      module.starts.clear();
      module.units.clear();
      any_units = false;
      module.files.remark = unreadable(module);
    }
    describe_source(module, any_units);
    if (module.units.empty()) return finish(module);
    add_pieces(module);
  }

  static std::string unreadable(const Module& module) {
    return module.wanted->path +
           ": a file with its names could not be read to the end: it was cut meanwhile, or its "
           "disk fails. Names are missing; try again when the file is whole";
  }

  void find_files(Module& module) {
    const ModuleAddresses& wanted = *module.wanted;
    const auto fetching = [&](uint64_t fetched, uint64_t size) {
      tell(file_name(wanted.path), fetched, size);
    };
    module.files = find_debug_files(wanted.path, wanted.build_id, options_.debug_folders,
                                    debuginfod_, fetching);
  }

  // Whether it knows everything.
  bool take_from_cache(Module& module) {
    if (!options_.believe_cache || !cache_.is_worth(*module.wanted, module.files)) return false;
    module.known = cache_.find(*module.wanted, module.files);
    if (!module.known) return false;
    module.rest = *module.wanted;
    module.wanted = &module.rest;
    const std::lock_guard guard(lock_);
    return copy_names(*module.known, module.rest, table_) && module.rest.addresses.empty();
  }

  void keep_in_cache(const Module& module) {
    if (module.failed || !cache_.is_worth(*module.wanted, module.files)) return;
    SymbolTable names;
    const auto keep = [&](const SymbolTable& from) {
      ModuleAddresses its = {module.wanted->path, module.wanted->build_id, {}};
      const std::optional<uint32_t> number = from.find_module(its.path, its.build_id);
      if (number) its.addresses = from.addresses(*number);
      copy_names(from, its, names);
    };
    if (module.known) keep(*module.known);
    {
      const std::lock_guard guard(lock_);
      keep(table_);
    }
    cache_.store(*module.wanted, module.files, names);
  }

  // Whether there is debug information.
  bool look_into_files(Module& module) {
    const ModuleAddresses& wanted = *module.wanted;
    module.names.emplace(module.files, wanted.addresses);
    find_starts(module);
    module.named.assign(wanted.addresses.size(), false);
    bool any_units = false;
    if (!module.files.debug.empty()) {
      const DwarfFile file(module.files.debug, module.files.common);
      if (file) {
        UnitIndex index = index_units(file, wanted.addresses);
        any_units = index.any;
        module.units = std::move(index.units);
      }
    }
    return any_units;
  }

  static void find_starts(Module& module) {
    const std::vector<uint64_t>& addresses = module.wanted->addresses;
    std::vector<uint32_t> nameless;
    for (uint32_t i = 0; i < addresses.size(); ++i) {
      if ((*module.names)[i].empty()) nameless.push_back(i);
    }
    if (nameless.empty() || module.files.image.empty()) return;
    const ElfFile image(module.files.image);
    const FunctionStarts starts(image);
    for (uint32_t i : nameless) {
      if (const std::optional<uint64_t> start = starts.of(addresses[i])) module.starts[i] = *start;
    }
  }

  void describe_source(const Module& module, bool any_units) {
    std::string remark = module.files.remark;
    SymbolSource source = SymbolSource::kDebugInfo;
    if (!any_units) {
      source = module.names->any() ? SymbolSource::kSymbols : SymbolSource::kNothing;
      if (remark.empty() && source == SymbolSource::kSymbols) {
        remark = module.wanted->path + " has no debug information: functions only, no lines";
      } else if (remark.empty()) {
        remark = module.wanted->path + " has neither debug information nor symbols";
      }
      if (const std::string problem = debuginfod_.problem(); !problem.empty()) {
        remark += "; " + problem;
      }
    }
    const std::lock_guard guard(lock_);
    table_.set_source(module.number, source, remark);
  }

  void add_pieces(Module& module) {
    const bool packed = ElfFile(module.files.debug).is_packed();
    std::vector<Piece> pieces;
    uint64_t bytes = 0;
    for (size_t i = 0; i < module.units.size(); ++i) {
      if (pieces.empty() || (!packed && bytes >= kBytesPerPiece)) {
        pieces.push_back({&module, i, i});
        bytes = 0;
      }
      pieces.back().end = i + 1;
      bytes += module.units[i].place.end - module.units[i].place.start;
    }
    module.pieces_left = pieces.size();
    const std::lock_guard guard(lock_);
    pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
  }

  void resolve_piece(const Piece& piece) {
    Module& module = *piece.module;
    const auto& addresses = module.wanted->addresses;
    const ReadGuard reading;
    DwarfFile file(module.files.debug, module.files.common);
    if (!file) say_unreadable(module);
    if (file) {
      struct Result {
        uint32_t index;
        uint32_t count;
      };
      std::vector<Result> results;
      std::vector<SymbolFrame> frames;
      UnitResolver resolver(file, addresses,
                            [&](uint32_t index) { return std::string((*module.names)[index]); });
      for (size_t i = piece.first; i < piece.end; ++i) {
        resolver.resolve(module.units[i], [&](uint32_t index, std::span<const SymbolFrame> found) {
          results.push_back({index, static_cast<uint32_t>(found.size())});
          frames.insert(frames.end(), found.begin(), found.end());
        });
      }
      if (reading.failed()) {
        say_unreadable(module);
        results.clear();
      }
      const std::lock_guard guard(lock_);
      std::vector<uint32_t> numbers(resolver.texts().size());
      for (uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = table_.intern(resolver.texts()[i]);
      std::span<SymbolFrame> rest(frames);
      for (const Result& result : results) {
        const auto own = rest.first(result.count);
        rest = rest.subspan(result.count);
        if (module.named[result.index]) continue;
        for (SymbolFrame& frame : own) {
          frame.function = numbers[frame.function];
          frame.file = numbers[frame.file];
          if (frame.function == 0) frame.function = floor(module, result.index);
        }
        table_.set(module.number, addresses[result.index], own);
        module.named[result.index] = true;
      }
    }
    if (--module.pieces_left == 0) finish(module);
  }

  void say_unreadable(Module& module) {
    const std::lock_guard guard(lock_);
    module.failed = true;
    table_.set_source(module.number, table_.source(module.number), unreadable(module));
  }

  // Names by symbols what has no name yet, and by its place what has no symbol.
  void finish(Module& module) {
    const auto& addresses = module.wanted->addresses;
    {
      const std::lock_guard guard(lock_);
      for (uint32_t i = 0; i < addresses.size(); ++i) {
        if (module.named[i]) continue;
        const std::string name((*module.names)[i]);
        SymbolFrame frame;
        frame.function = name.empty() ? floor(module, i) : table_.intern(demangle(name.c_str()));
        table_.set(module.number, addresses[i], {&frame, 1});
      }
    }
    module.names.reset();
    module.starts.clear();
    module.units = {};
    keep_in_cache(module);
    module.known.reset();
    count_as_done();
  }

  void count_as_done() {
    ++done_;
    tell({}, 0, 0);
  }

  uint32_t floor(const Module& module, uint32_t index) {
    std::string name(file_name(module.wanted->path));
    if (name.empty()) name = "unknown";
    const uint64_t address = module.wanted->addresses[index];
    const auto start = module.starts.find(index);
    return table_.intern(name + "+" +
                         hexadecimal(start == module.starts.end() ? address : start->second));
  }

  void tell(std::string_view fetching, uint64_t fetched, uint64_t size) {
    if (!options_.progress) return;
    const std::lock_guard guard(telling_);
    options_.progress({done_, modules_.size(), fetching, fetched, size});
  }

  const ResolveOptions& options_;
  SymbolTable& table_;
  Debuginfod debuginfod_;
  SymbolCache cache_;
  std::vector<Module> modules_;
  std::vector<Piece> pieces_;
  std::mutex lock_;  // of table_, pieces_ and the lists of what is named
  std::mutex telling_;
  std::atomic<size_t> done_ = 0;
};

}  // namespace

void resolve(std::span<const ModuleAddresses> modules, const ResolveOptions& options,
             SymbolTable& table) {
  Resolution(modules, options, table).run();
}

}  // namespace heapledger
