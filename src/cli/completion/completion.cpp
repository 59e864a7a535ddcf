// `heapledger completion`: prints a script with which a shell completes our command lines.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/completion/scripts.h"
#include "cli/completion/words.h"
#include "cli/shared/options.h"

namespace heapledger::cli::completion {
namespace {

std::string script_for(const std::string& shell, const ToolSpec& tool) {
  if (shell == "bash") return bash_completion(tool);
  return shell == "zsh" ? zsh_completion(tool) : fish_completion(tool);
}

}  // namespace

void add_completion(Command& app, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  Command* sub = app.add_subcommand("completion", "Print a script that completes command lines");
  sub->add_option("SHELL", *shell, "The shell it is for")
      ->required()
      ->type_name("bash|zsh|fish")
      ->one_of({"bash", "zsh", "fish"});
  sub->footer(
      "cmake --install and the Debian package put the scripts where the shells look for them. By\n"
      "hand, for one user:\n\n"
      "  heapledger completion bash > ~/.local/share/bash-completion/completions/heapledger\n"
      "  heapledger completion zsh > ~/.zsh/_heapledger      a folder of $fpath\n"
      "  heapledger completion fish > ~/.config/fish/completions/heapledger.fish\n\n"
      "Example, for this shell alone:\n"
      "  source <(heapledger completion bash)");
  sub->callback([&app, shell, &exit_code] {
    fmt::print("{}", script_for(*shell, tool_spec(app)));
    exit_code = 0;
  });
}

}  // namespace heapledger::cli::completion
