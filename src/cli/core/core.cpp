// `heapledger core`: the live heap of a program that left its memory behind.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "analyzer/error.h"
#include "cli/commands.h"
#include "cli/core/chunks.h"
#include "cli/core/views.h"
#include "cli/shared/exit_status.h"
#include "cli/shared/options.h"
#include "cli/shared/problems.h"
#include "cores/block_headers.h"
#include "cores/glibc_heap.h"
#include "cores/live_tables.h"
#include "cores/memory.h"

namespace heapledger::cli::core {
namespace {

struct CoreOptions {
  std::string executable;
  std::string core;
  std::string raw;
  std::string base;
  HeapOptions heap;
};

uint64_t parse_address(const std::string& text) {
  std::string_view digits = text;
  bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (hex) digits.remove_prefix(2);
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    throw Error("--base takes an address like 0x20000000, not " + text, ErrorKind::kQuestion);
  }
  return value;
}

// What was found, and the memory it is in.
struct FoundHeap {
  std::unique_ptr<cores::Memory> memory;
  std::optional<cores::LiveHeap> heap;
};

FoundHeap find_in_core(const CoreOptions& options) {
  FoundHeap found;
  found.memory = cores::open_core(options.core, options.executable, options.heap.sysroot);
  const cores::Memory& memory = *found.memory;
  if (auto tables = cores::find_live_tables(memory, memory.pid())) {
    found.heap = cores::read_live_tables(memory, *tables);
    found.heap->rss_bytes = 0;  // what was resident some time before, nobody asks for
  } else if (auto headers = cores::read_block_headers(memory)) {
    found.heap = std::move(*headers);
    cores::place_sites(*found.heap);
  }
  return found;
}

// A plain dump says of itself where it was, once something in it is found.
FoundHeap find_in_raw(const CoreOptions& options) {
  std::optional<uint64_t> base;
  if (!options.base.empty()) base = parse_address(options.base);
  FoundHeap found;
  found.memory = cores::open_raw(options.raw, base.value_or(0), {});
  if (auto tables = cores::find_live_tables(*found.memory)) {
    if (!base) {
      found.memory = cores::open_raw(options.raw, tables->self - tables->address, tables->shape);
      tables = cores::live_tables_at(*found.memory, tables->self);
    }
    if (tables) found.heap = cores::read_live_tables(*found.memory, *tables);
    return found;
  }
  auto headers = cores::find_block_headers(*found.memory);
  if (!headers) return found;
  found.memory = cores::open_raw(options.raw, base.value_or(headers->base), headers->shape);
  found.heap = cores::read_block_headers(*found.memory, &*headers);
  if (found.heap && !options.executable.empty()) {
    std::string odd = cores::set_program(*found.heap, options.executable, *headers);
    if (!odd.empty()) found.heap->problems.push_back(std::move(odd));
  }
  return found;
}

std::string path_of(const CoreOptions& options) {
  return options.raw.empty() ? options.core : options.raw;
}

// Without our library in the program there is what its allocator has written down.
int show_chunks(const cores::Memory& memory, const CoreOptions& options) {
  std::optional<cores::GlibcHeap> chunks = cores::walk_glibc_heap(memory);
  if (!chunks) {
    throw Error(path_of(options) +
                    ": no heap found: neither tables of Heapledger's live mode nor blocks with its "
                    "headers nor a heap of glibc. Is the dump whole, and of the right process?",
                ErrorKind::kData);
  }
  if (options.heap.leaks || !options.heap.out.empty() || options.heap.view.words.blocks) {
    return show_heap(memory, std::move(chunks->live), path_of(options), options.heap);
  }
  if (options.heap.view.json) {
    write_chunks_json(stdout, *chunks, false);
  } else {
    std::string text = chunks_text(*chunks, Page::for_stdout());
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  std::fflush(stdout);
  tell_problems(chunks->problems, options.heap.quiet);
  return chunks->problems.empty() && !memory.is_cut() ? 0 : kExitBadData;
}

// `core CORE` alone: a core names its program.
CoreOptions completed(CoreOptions options) {
  if (options.raw.empty() && options.core.empty()) std::swap(options.core, options.executable);
  if (!options.executable.empty() && ::access(options.executable.c_str(), R_OK) != 0) {
    throw Error("cannot read " + options.executable + ": " + std::generic_category().message(errno),
                ErrorKind::kQuestion);
  }
  return options;
}

// An easy slip: a core has its addresses all over the place, and would be read as one stretch.
void refuse_core_as_raw(const std::string& path) {
  unsigned char first[18] = {};
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(first), sizeof first);
  constexpr unsigned char kCore = 4;  // e_type ET_CORE, in either byte order
  bool elf = std::memcmp(first,
                         "\x7f"
                         "ELF",
                         4) == 0;
  if (!elf || first[16] + first[17] != kCore) return;
  throw Error(path + ": is an ELF core: heapledger core EXE " + path, ErrorKind::kQuestion);
}

void check(const CoreOptions& options) {
  if (options.raw.empty() && options.core.empty() && options.executable.empty()) {
    throw Error("which core? heapledger core EXE CORE, or heapledger core --raw MEMORY [EXE]",
                ErrorKind::kQuestion);
  }
  if (!options.raw.empty() && !options.core.empty()) {
    throw Error("a core, or --raw with a plain dump of memory; not both", ErrorKind::kQuestion);
  }
  if (!options.base.empty() && options.raw.empty()) {
    throw Error("--base is for --raw: a core knows its addresses", ErrorKind::kQuestion);
  }
}

int run_core(const CoreOptions& given) {
  check(given);
  CoreOptions options = completed(given);
  if (!options.raw.empty()) refuse_core_as_raw(options.raw);
  FoundHeap found = options.raw.empty() ? find_in_core(options) : find_in_raw(options);
  tell_problems(found.memory->problems(), options.heap.quiet);
  if (!found.heap) return show_chunks(*found.memory, options);
  if (found.heap->executable.empty()) found.heap->executable = options.executable;
  return show_heap(*found.memory, std::move(*found.heap), path_of(options), options.heap);
}

}  // namespace

void add_core(Command& app, int& exit_code) {
  auto options = std::make_shared<CoreOptions>();
  Command* command = app.add_subcommand("core", "The live heap in a core dump or a dump of memory");
  command->add_option("EXE", options->executable, "The program, as it was run")->type_name("");
  command->add_option("CORE", options->core, "Its core: of a crash, or of gcore")->type_name("");
  command->add_option("--raw", options->raw, "A plain dump of memory instead of a core")
      ->type_name("MEMORY");
  command
      ->add_option("--base", options->base,
                   "Address of the first byte of MEMORY, where it does not tell itself")
      ->type_name("ADDR");
  command
      ->add_option("--sysroot", options->heap.sysroot,
                   "Look for the program's files under this folder first")
      ->type_name("DIR");
  add_heap_options(*command, options->heap);
  command->footer(
      "A program recorded with --mode live carries the tables of its live heap in its memory: "
      "each\n"
      "block with its size, stack, thread and age. Programs built with embed/ carry it in front "
      "of\n"
      "each block. Of any other program glibc's own books are shown: chunks, free lists, arenas,\n"
      "without stacks.\n\n"
      "Views are those of report. With -o the heap becomes a ledger for every other command:\n"
      "diff of two cores, export, graph, flamegraph.\n\n"
      "The exit status is 0, 2 when the command or a file name is wrong, or 3 when the dump is "
      "cut\n"
      "or damaged: what could be read of it is shown all the same.\n\n"
      "Examples:\n"
      "  heapledger core ./server core.4711\n"
      "  heapledger core ./server core.4711 --blocks --top 20\n"
      "  heapledger core ./server core.4711 --leaks\n"
      "  heapledger core ./server core.4711 -o crash.ledger\n"
      "  heapledger core --raw ram.bin --base 0x20000000 firmware.elf");
  command->callback([options, &exit_code] { exit_code = run_core(*options); });
}

}  // namespace heapledger::cli::core
