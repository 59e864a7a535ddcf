// `heapledger help`: the help of the tool, or of a command.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "cli/commands.h"
#include "cli/shared/options.h"
#include "text/nearest.h"
#include "text/text.h"

namespace heapledger::cli {

void add_help(Command& app, int& exit_code) {
  auto asked = std::make_shared<std::string>();
  Command* command = app.add_subcommand("help", "Tell how a command is called");
  command->add_option("COMMAND", *asked, "The command (default: list them all)")
      ->type_name("")
      ->offers(app.subcommand_names());
  command->callback([&app, asked, &exit_code] {
    const std::vector<std::string> names = app.subcommand_names();
    if (!asked->empty() && std::find(names.begin(), names.end(), *asked) == names.end()) {
      throw Error("unknown command " + quoted(*asked) + did_you_mean(*asked, names),
                  ErrorKind::kQuestion);
    }
    std::fputs(app.help(*asked).c_str(), stdout);
    exit_code = 0;
  });
}

}  // namespace heapledger::cli
