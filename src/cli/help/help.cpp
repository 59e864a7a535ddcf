// `heapledger help`: the help of the tool, or of a command; and the page that man has of it.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "cli/commands.h"
#include "cli/completion/words.h"
#include "cli/help/man.h"
#include "cli/shared/options.h"
#include "text/nearest.h"
#include "text/text.h"

namespace heapledger::cli::help {
namespace {

std::string man_page_of(const Command& app, const std::string& name) {
  for (const completion::CommandSpec& command : completion::tool_spec(app).commands) {
    if (command.name == name) return man_page(command);
  }
  throw Error("--man wants a command: heapledger help --man report", ErrorKind::kQuestion);
}

}  // namespace

void add_help(Command& app, int& exit_code) {
  auto asked = std::make_shared<std::string>();
  auto for_man = std::make_shared<bool>(false);
  Command* command = app.add_subcommand("help", "Tell how a command is called");
  command->add_option("COMMAND", *asked, "The command (default: list them all)")
      ->type_name("")
      ->offers(app.subcommand_names());
  command->add_flag("--man", *for_man, "Print the command's page as man wants it");
  command->callback([&app, asked, for_man, &exit_code] {
    const std::vector<std::string> names = app.subcommand_names();
    if (!asked->empty() && std::find(names.begin(), names.end(), *asked) == names.end()) {
      throw Error("unknown command " + quoted(*asked) + did_you_mean(*asked, names),
                  ErrorKind::kQuestion);
    }
    std::fputs((*for_man ? man_page_of(app, *asked) : app.help(*asked)).c_str(), stdout);
    exit_code = 0;
  });
}

}  // namespace heapledger::cli::help
