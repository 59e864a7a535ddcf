// What addr2line does, with our symbols: addresses of one module on stdin, their frames on stdout
// in the form of `addr2line -a -f -i -C`. For tests and for the bench.
//
//   symbolize [--debug-folder DIR]… [--build-id HEX] [--debuginfod MILLISECONDS] [--threads N]
//             [--quiet] [--encode FILE] MODULE < addresses
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

#include "symbols/resolve.h"
#include "symbols/symbol_table.h"

namespace {

using namespace heapledger;

struct Arguments {
  ModuleAddresses module;
  ResolveOptions options;
  bool quiet = false;
  std::string encode;
};

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoul(text.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

Arguments parse(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&]() -> std::string { return i + 1 < count ? words[++i] : ""; };
    if (word == "--debug-folder") {
      arguments.options.debug_folders.push_back(value());
    } else if (word == "--build-id") {
      arguments.module.build_id = from_hex(value());
    } else if (word == "--debuginfod") {
      arguments.options.debuginfod = true;
      arguments.options.debuginfod_limit = std::chrono::milliseconds(std::stol(value()));
    } else if (word == "--threads") {
      arguments.options.threads = static_cast<unsigned>(std::stoul(value()));
    } else if (word == "--quiet") {
      arguments.quiet = true;
    } else if (word == "--encode") {
      arguments.encode = value();
    } else {
      arguments.module.path = word;
    }
  }
  return arguments;
}

void print(const SymbolTable& table, uint64_t address, std::span<const SymbolFrame> frames) {
  std::printf("0x%016llx\n", static_cast<unsigned long long>(address));
  for (const SymbolFrame& frame : frames) {
    const std::string_view function = table.text(frame.function);
    const std::string_view file = table.text(frame.file);
    std::printf("%.*s\n", static_cast<int>(function.size()), function.data());
    std::printf("%.*s:%u\n", static_cast<int>(file.size()), file.data(), frame.line);
  }
}

}  // namespace

int main(int count, char** words) {
  std::ios::sync_with_stdio(false);
  Arguments arguments = parse(count, words);
  std::vector<uint64_t> asked;
  for (std::string line; std::getline(std::cin, line);) {
    asked.push_back(std::strtoull(line.c_str(), nullptr, 16));
  }
  auto& addresses = arguments.module.addresses;
  addresses = asked;
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  SymbolTable table;
  resolve({&arguments.module, 1}, arguments.options, table);
  const uint32_t module = table.module(arguments.module.path, arguments.module.build_id);
  static const char* const kSources[] = {"debug-info", "symbols", "nothing"};
  std::fprintf(stderr, "%s\n%.*s\n", kSources[static_cast<size_t>(table.source(module))],
               static_cast<int>(table.remark(module).size()), table.remark(module).data());
  if (!arguments.encode.empty()) {
    std::ofstream(arguments.encode, std::ios::binary) << table.encode();
  }
  if (arguments.quiet) return 0;
  for (const uint64_t address : asked) print(table, address, table.find(module, address));
}
