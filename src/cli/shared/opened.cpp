#include "cli/shared/opened.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "analyzer/error.h"
#include "analyzer/progress.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/options.h"
#include "cli/shared/progress_line.h"
#include "cli/shared/warnings.h"
#include "symbols/kept_files.h"
#include "symbols/shorten.h"
#include "symbols/symbol_cache.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

constexpr size_t kMaxNameWarnings = 5;

ShortenRules rules_of(const NameOptions& options) {
  ShortenRules rules;
  for (const std::string& path : options.shorten_files) {
    try {
      for (ShortenRule& rule : load_shorten_rules(path).own) rules.own.push_back(std::move(rule));
    } catch (const std::runtime_error& error) {
      throw Error(error.what(), ErrorKind::kQuestion);
    }
  }
  return rules;
}

// Of a line on the terminal and whoever else wants to know.
std::function<void(uint64_t, uint64_t)> reading_progress(const NameOptions& options) {
  std::function<void(uint64_t, uint64_t)> line;
  if (options.progress) line = a_line_for_each_pass();
  if (!options.told) return line;
  return [line, told = options.told](uint64_t done, uint64_t total) {
    if (line) line(done, total);
    told(done, total, "reading");
  };
}

ResolveOptions resolve_options(const NameOptions& options, ProgressLine& line) {
  ResolveOptions resolving;
  resolving.debug_folders = options.debug_folders;
  resolving.debuginfod = options.debuginfod;
  if (!options.no_cache) resolving.cache = SymbolCache::default_folder();
  resolving.believe_cache = !options.refresh;
  resolving.progress = [&line, &options](const ResolveProgress& progress) {
    if (options.told) options.told(progress.modules_done, progress.modules, "reading symbols");
    if (progress.fetching.empty()) {
      line.count(progress.modules_done, progress.modules, "reading symbols", "module");
    } else {
      line.update(progress.fetched, progress.fetch_size, "fetching debug information");
    }
  };
  return resolving;
}

// What tests set and nobody else: CONTRIBUTING.md.
std::string_view for_tests(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

// Paths as everybody would name them: a kept pass is found by them.
Options::Keeping keeping_of(const std::vector<std::string>& paths) {
  Options::Keeping keeping;
  keeping.folder = KeptFiles::default_folder("passes");
  for (const std::string& path : paths) {
    std::error_code error;
    keeping.paths.push_back(std::filesystem::absolute(path, error).lexically_normal());
    if (error) return {};
  }
  return keeping;
}

}  // namespace

void add_name_options(Command& command, NameOptions& options) {
  command.add_flag("--raw-names", options.raw_names,
                   "Names as the debug information has them, not shortened");
  command
      .add_option("--shorten", options.shorten_files,
                  "More rules for shortening names: lines of 'pattern => replacement'")
      ->type_name("FILE")
      ->allow_extra_args(false);
  add_debug_options(command, options);
}

void add_debug_options(Command& command, NameOptions& options) {
  command
      .add_option("--debug-folder", options.debug_folders,
                  "Look there too for separate debug files; laid out like /usr/lib/debug")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command.add_flag("--debuginfod", options.debuginfod,
                   "Fetch missing debug information from $DEBUGINFOD_URLS");
  add_cache_option(command, options);
}

void add_cache_option(Command& command, NameOptions& options) {
  command.add_flag("--no-cache", options.no_cache,
                   "Read and look names up anew, and keep nothing in ~/.cache/heapledger");
}

Opened::Opened(const NamedLedgers& named, const NameOptions& options)
    : plain_(find_ledger_paths(named)), paths_(plain_.paths()), whole_(options.whole) {
  ShortenRules rules = rules_of(options);  // before the long work: they may be wrong
  Options reading;
  reading.asker = {reading_progress(options), options.stop};
  if (options.for_sealing) reading.checkpoints.emplace();
  reading.small_accounts = options.for_long;
  if (!options.no_cache) {
    reading.keeping = keeping_of(paths_);
    const std::string_view index = for_tests("HEAPLEDGER_INDEX");
    reading.with_index = options.with_index && index != "off" && !reading.keeping.folder.empty();
    if (index == "always") reading.keeping.least_entries = 0;
  }
  std::vector<Ledgers::Opener> openers;
  for (const std::string& path : paths_) openers.emplace_back([path] { return open_shown(path); });
  ledgers_ = std::make_unique<Ledgers>(std::move(openers), reading);
  if (options.whole) ledgers_->overview();
  ProgressLine line(options.progress);
  const auto naming = options.refresh ? refresh_names : name_sites;
  symbols_ = naming(ledgers_->sites(), stored_symbols(paths_), resolve_options(options, line));
  line.clear();
  if (options.raw_names) {
    ledgers_->use_symbols(&symbols_);
  } else {
    ledgers_->use_symbols(&symbols_, [rules = std::move(rules)](std::string_view name) {
      return shorten(name, rules);
    });
  }
}

std::vector<std::string> Opened::name_warnings() const {
  std::vector<std::string> texts;
  for (uint32_t module = 0; module < symbols_.module_count(); ++module) {
    std::string_view remark = symbols_.remark(module);
    if (!remark.empty()) texts.push_back(escaped(remark));
  }
  if (texts.size() > kMaxNameWarnings) {
    size_t more = texts.size() - kMaxNameWarnings + 1;
    texts.resize(kMaxNameWarnings - 1);
    texts.push_back(fmt::format("and {} more modules without names", more));
  }
  return texts;
}

int Opened::warn() {
  std::fflush(stdout);
  Style style = Style::for_stream(fileno(stderr));
  for (const std::string& text : name_warnings()) {
    fmt::print(stderr, "{} {}\n", style.warning("note:"), text);
  }
  const std::vector<LedgerFacts>& known = whole_ ? ledgers_->facts() : ledgers_->processes();
  return std::max(plain_.status(), print_warnings(known, ledgers_->refusals()));
}

seal::Scanned Opened::scanned(uint32_t ledger) {
  return {symbols_of(ledger), ledgers_->facts().at(ledger).entries,
          ledgers_->take_checkpoints(ledger)};
}

std::string Opened::symbols_of(uint32_t ledger) {
  if (ledgers_->facts().size() == 1) return symbols_.encode();
  if (!shares_) shares_.emplace(ledgers_->sites(), symbols_);
  return shares_->encode_for(ledgers_->facts().at(ledger).modules);
}

}  // namespace heapledger::cli
