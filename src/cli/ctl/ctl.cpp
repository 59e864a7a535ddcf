// `heapledger ctl`: orders to a program that is running under us.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/stop_reason.h"
#include "cli/commands.h"
#include "cli/run/words.h"
#include "cli/shared/options.h"
#include "cli/shared/running_ledger.h"
#include "cli/shared/seconds.h"
#include "cores/ledger_memory.h"
#include "settings/settings.h"
#include "text/text.h"

namespace heapledger::cli::ctl {
namespace {

struct CtlOptions {
  int process = 0;
  std::string order;
  std::vector<std::string> words;
  double wait = kOrderPatience;  // seconds
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// The order as the program gets it. Throws Error for one that makes no sense.
std::string order_of(const CtlOptions& options) {
  const std::string words = joined(options.words);
  const bool takes_name = options.order == "marker" || options.order == "snapshot";
  if (takes_name && words.empty()) {
    throw Error(
        "A " + options.order + " needs a name: heapledger ctl PID " + options.order + " NAME",
        ErrorKind::kQuestion);
  }
  if (options.order == "mode") {
    if (words.empty()) {
      throw Error("Which mode? For example: heapledger ctl PID mode sample sample=64K",
                  ErrorKind::kQuestion);
    }
    std::vector<std::string> settings = options.words;
    if (settings[0].find('=') == std::string::npos) settings[0] = "mode=" + settings[0];
    try {
      run::check_words(settings, "");
    } catch (const Error& error) {
      throw Error(error.what(), ErrorKind::kQuestion);
    }
  } else if (!takes_name && !words.empty()) {
    throw Error("\"" + options.order + "\" takes no further words.", ErrorKind::kQuestion);
  }
  return words.empty() ? options.order : options.order + " " + words;
}

// A ledger of live mode is another kind of file: it cannot become one of the others, nor they one
// of it.
void refuse_live(const RunningLedger& ledger, const std::string& order) {
  const bool live = cores::is_live_ledger(ledger.path());
  const bool pauses = order == "mode off" || order == "mode mode=off";
  const bool same = order == "mode live" || order == "mode mode=live";
  if (live && order.starts_with("mode ") && !pauses && !same) {
    throw Error(
        "The program runs in live mode, and stays in it: it can be stopped and started (heapledger "
        "ctl PID stop), but neither its mode nor its samples can change. For another mode start "
        "the program anew: heapledger run --mode trace -- CMD",
        ErrorKind::kQuestion);
  }
  if (!live && (order.starts_with("mode live") || order.starts_with("mode mode=live"))) {
    throw Error(
        "Live mode has a ledger of another kind, so a program has to start in it: heapledger run "
        "--mode live -- CMD",
        ErrorKind::kQuestion);
  }
}

void give(const CtlOptions& options, const std::string& order) {
  give_order(options.process, order, options.wait,
             [&order](const RunningLedger& ledger) { refuse_live(ledger, order); });
}

void show_status(int process) {
  const RunningLedger ledger(process);
  const format::FileHeader header = ledger.header();
  std::printf("process    %d\n", process);
  if (!ledger.is_own()) {
    std::printf("ledger     none of its own yet; forked from %u, which has %s\n", header.pid,
                escaped(ledger.path()).c_str());
    return;
  }
  const auto mode = static_cast<settings::Mode>(ledger.control().mode);
  std::printf("ledger     %s\nmode       %s\n", escaped(ledger.path()).c_str(),
              settings::mode_name(mode));
  const bool stopped = header.stop_reason != 0;
  const bool off = mode == settings::Mode::kOff;
  const std::string state =
      stopped ? "stopped for good: " + describe_stop(header) : std::string(off ? "off" : "on");
  std::printf("recording  %s\n", printable(state).c_str());
}

}  // namespace

void add_ctl(Command& app, int& exit_code) {
  auto options = std::make_shared<CtlOptions>();
  Command* command = app.add_subcommand("ctl", "Give orders to a program that is being recorded");
  command->add_option("PID", options->process, "The process")->required()->type_name("");
  command->add_option("ORDER", options->order, "What to do")
      ->required()
      ->type_name("start|stop|snapshot|marker|mode|status")
      ->one_of({"start", "stop", "snapshot", "marker", "mode", "status"});
  command->add_option("WORDS", options->words, "A name, or the words of a mode")
      ->type_name("")
      ->offers({"trace", "sample", "live", "count", "log", "off"});
  command
      ->add_each(
          "--wait",
          [options](const std::string& text) { options->wait = seconds_of("--wait", text); },
          "How long to wait for an answer (default: 2s)")
      ->type_name("TIME");
  command->footer(
      "start, stop      go on recording, or stop\n"
      "snapshot NAME    remember this moment: heapledger report --at NAME\n"
      "marker NAME      the same\n"
      "mode WORDS       as in HEAPLEDGER: mode sample sample=64K\n"
      "status           what is recorded now, and where\n\n"
      "The program carries an order out with its next allocation or free. The exit status is 0, 1\n"
      "when it could not be given or carried out, or 2 when the command is wrong.");
  command->callback([options, &exit_code] {
    if (options->order == "status") {
      show_status(options->process);
    } else {
      give(*options, order_of(*options));
    }
    exit_code = 0;
  });
}

}  // namespace heapledger::cli::ctl
