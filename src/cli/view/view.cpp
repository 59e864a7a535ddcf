#include "cli/view/view.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/query/filter.h"
#include "cli/shared/live_ledgers.h"
#include "cli/shared/progress_line.h"
#include "cli/shared/running_heap.h"
#include "cli/shared/running_ledger.h"
#include "cli/shared/warnings.h"
#include "cli/view/browser.h"
#include "cli/view/ending.h"
#include "cli/view/going_on.h"
#include "cli/view/one_file.h"
#include "exporters/output.h"
#include "server/server.h"
#include "text/text.h"

namespace heapledger::cli::view {
namespace {

std::string without_ending(const std::string& name) {
  for (const std::string_view ending : {kLedgerEnding, kRunFolderEnding}) {
    if (name.ends_with(ending) && name.size() > ending.size()) {
      return name.substr(0, name.size() - ending.size());
    }
  }
  return name;
}

// What people know a recording by.
std::string title_of(const std::vector<std::string>& paths) {
  const std::filesystem::path first = std::filesystem::absolute(shown_path(paths.front()));
  if (paths.size() == 1) return without_ending(first.filename().string());
  const std::string folder = first.parent_path().filename().string();
  const bool is_run = folder.ends_with(kRunFolderEnding);
  return is_run ? without_ending(folder)
                : first.filename().string() + " and " + std::to_string(paths.size() - 1) + " more";
}

void say_line(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
}

std::string what_of(const std::vector<std::string>& paths) {
  return escaped(title_of(paths)) + ", " + counted(paths.size(), "ledger");
}

server::SetMarker marker_for(std::function<std::optional<uint32_t>()> process) {
  return [process = std::move(process)](const std::string& text) {
    const std::optional<uint32_t> pid = process();
    if (!pid) throw Error("nobody records any more", ErrorKind::kQuestion);
    give_order(static_cast<int>(*pid), "marker " + text, kOrderPatience);
  };
}

void say_where(const server::Server& server) {
  std::printf("%s\n", server.url().c_str());
  std::fflush(stdout);
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string port = std::to_string(server.port());
  say_line("From another machine: ssh -L " + port + ":127.0.0.1:" + port + " " +
           shell_word(escaped(host.data())) + ", then this URL there.");
  say_line("Ctrl-C ends it.");
}

// Opens ledgers as all commands do, tells how far that is, and says what is wrong with them. Those
// that are still written are opened again and again.
class Opening {
 public:
  Opening(const ViewOptions& options, std::vector<std::string> paths)
      : options_(options), paths_(std::move(paths)) {}

  server::Shown open(const server::Told& told, const std::stop_token& stop) {
    if (is_open_) paths_ = find_ledger_paths(found_again(paths_));
    NameOptions names = options_.names;
    names.told = told;
    names.stop = stop;
    names.for_long = true;
    names.progress = names.progress && !is_open_;
    server::Shown shown;
    // What comes while it is read is for the next time.
    shown.goes_on = writer_of(paths_).has_value();
    auto opened = std::make_shared<Opened>(paths_, names);
    shown.ledgers = &opened->ledgers();
    shown.title = title_of(opened->paths());
    for (const std::string& path : opened->paths()) shown.paths.push_back(shown_path(path));
    shown.warnings = warnings(shown.ledgers->facts(), shown.ledgers->refusals());
    const std::vector<std::string> of_names = opened->name_warnings();
    shown.warnings.insert(shown.warnings.end(), of_names.begin(), of_names.end());
    shown.is_one_look = shown.goes_on && shown.ledgers->overview().is_live();
    if (!is_open_) status_ = opened->warn();
    is_open_ = true;
    shown.holder = std::move(opened);
    return shown;
  }

  int status() const { return status_; }

 private:
  const ViewOptions& options_;
  std::vector<std::string> paths_;  // as they were found the last time
  bool is_open_ = false;
  std::atomic<int> status_{0};
};

// Nothing, if there is nobody to see it.
std::unique_ptr<RedirectFile> lead_browser(const ViewOptions& options, const std::string& url) {
  if (options.no_browser) return nullptr;
  if (!has_display()) {
    say_line("There is no display here to open a browser on.");
    return nullptr;
  }
  auto file = std::make_unique<RedirectFile>(url);
  if (!open_in_browser(file->path())) {
    say_line("There is no browser to open it with: set BROWSER, or open the URL by hand.");
  }
  return file;
}

// What is looked at is compared with it: opened once, before the other.
class EarlierOpening {
 public:
  explicit EarlierOpening(const ViewOptions& options) {
    if (options.against.empty()) return;
    opening_.emplace(options, find_ledger_paths({{options.against}, options.files.all_runs}));
  }

  std::shared_ptr<const server::Shown> open(const server::Told& told, const std::stop_token& stop) {
    if (opening_ && shown_ == nullptr) {
      server::Shown shown = opening_->open(told, stop);
      if (shown.ledgers->overview().only_counts()) {
        throw Error(shown.title + ": calls were counted only, so there is nothing to compare with",
                    ErrorKind::kQuestion);
      }
      shown_ = std::make_shared<server::Shown>(std::move(shown));
    }
    return shown_;
  }

  int status() const { return opening_ ? opening_->status() : 0; }

 private:
  std::optional<Opening> opening_;
  std::shared_ptr<const server::Shown> shown_;
};

int write_one_file(const ViewOptions& options, const std::vector<std::string>& paths) {
  Output output(options.html);
  Opening opening(options, paths);
  const server::Shown shown = opening.open([](uint64_t, uint64_t, const std::string&) {}, {});
  ProgressLine line;
  const OneFile file = one_file(shown, kMostFileBytes, [&line](uint64_t done, uint64_t total) {
    line.count(done, total, "asking", "moment");
  });
  line.clear();
  output.write(file.page);
  output.finish();
  say_line(escaped(options.html) + ": " + human_bytes(file.page.size()) + ", with " +
           counted(file.moments, "moment") + " and " + counted(file.rows, "row") +
           " of each table at the most.");
  return opening.status();
}

}  // namespace

int view_ledgers(const ViewOptions& options) {
  const std::chrono::nanoseconds linger(parse_duration(options.linger));
  std::optional<LiveProcess> process;
  std::vector<std::string> paths;
  if (const std::optional<uint32_t> pid = process_named(options.files)) {
    if (!options.html.empty()) {
      throw Error("a page to send needs a ledger: heapledger snapshot " + std::to_string(*pid) +
                      " -o now.ledger, then heapledger view now.ledger --html " + options.html,
                  ErrorKind::kQuestion);
    }
    process.emplace(*pid, options.names);
    RunningHeap(*pid).read();  // or it says why not, before anything is opened
  } else {
    paths = find_ledger_paths(options.files);
    if (!options.html.empty()) return write_one_file(options, paths);
  }
  Ending ending;
  Opening opening(options, paths);
  EarlierOpening earlier(options);
  server::ServerOptions serving;
  serving.port = static_cast<uint16_t>(options.port);
  serving.read = [&ending](std::exception_ptr failure) { ending.set_read(std::move(failure)); };
  if (process) {
    serving.set_marker = marker_for([&process] { return std::optional(process->pid()); });
  } else if (writer_of(paths)) {
    serving.set_marker = marker_for([&paths] { return writer_of(paths); });
  }
  std::optional<server::Server> server;
  server.emplace(
      [&](const server::Told& told, const std::stop_token& stop) {
        std::shared_ptr<const server::Shown> compared = earlier.open(told, stop);
        server::Shown shown = process ? process->look(told, stop) : opening.open(told, stop);
        shown.earlier = std::move(compared);
        return shown;
      },
      serving);
  say_line("Reading " + (process ? escaped(process->title()) : what_of(paths)) + ".");
  say_where(*server);
  std::unique_ptr<RedirectFile> file = lead_browser(options, server->url());
  const Ending::Why why = ending.wait(linger, [&server] { return server->alone(); });
  if (why == Ending::Why::kAlone) {
    say_line("No page has been open for " + human_duration(static_cast<uint64_t>(linger.count())) +
             ": done.");
  }
  const auto status = [&] { return std::max(opening.status(), earlier.status()); };
  if (!ending.is_read()) {
    // Looking for names cannot be given up, and nothing is lost with it.
    file.reset();
    std::fflush(nullptr);
    std::_Exit(status());
  }
  return status();
}

}  // namespace heapledger::cli::view
