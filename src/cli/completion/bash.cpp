// The script for bash.
#include <fmt/format.h>

#include "cli/completion/scripts.h"

namespace heapledger::cli::completion {
namespace {

// Words that a program has begun with are its own from there on.
constexpr const char* kStart =
    R"(# heapledger: completion for bash, made by: heapledger completion bash
_heapledger_files()
{
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$@" -- "$cur")
}

_heapledger_ledgers()
{
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -X '!*.ledger' -- "$cur"; compgen -d -- "$cur")
}

_heapledger_words()
{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

# Whatever has the recorder or a ledger in its memory.
_heapledger_processes()
{
    local maps pids=
    for maps in $(grep -lsE 'libheapledger|[.]ledger$' /proc/[0-9]*/maps 2>/dev/null); do
        maps=${maps#/proc/}
        pids+=" ${maps%/maps}"
    done
    _heapledger_words "$pids"
}

# Completes the program and its arguments from word $1 on as if it stood alone.
_heapledger_program()
{
    if ((COMP_CWORD == $1)); then
        _heapledger_files -c
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    else
        _heapledger_files -f
    fi
}

_heapledger()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at count=0 command=
    COMPREPLY=()
    # --option=value arrives as three words.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((at = 1; at < COMP_CWORD; at++)); do
        if [[ ${COMP_WORDS[at]} != -* ]]; then
            command=${COMP_WORDS[at]}
            break
        fi
    done
    case $command in
)";

constexpr const char* kEnd = R"(    esac
}
complete -F _heapledger heapledger
)";

std::string names_of(const std::vector<OptionSpec>& options, const char* separator) {
  std::string names;
  for (const OptionSpec& option : options) {
    for (const std::string& name : option.names) names += (names.empty() ? "" : separator) + name;
  }
  return names;
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::string bash_offer(const WordSpec& words) {
  switch (words.kind) {
    case WordKind::kFile:
      return "_heapledger_files -f";
    case WordKind::kFolder:
      return "_heapledger_files -d";
    case WordKind::kLedger:
      return "_heapledger_ledgers";
    case WordKind::kProcess:
      return "_heapledger_processes";
    case WordKind::kChoice:
      return "_heapledger_words '" + joined(words.choices, " ") + "'";
    default:
      return ":";
  }
}

// After options that take a value, the value; one case for each.
std::string values(const CommandSpec& command) {
  std::string text;
  for (const OptionSpec& option : command.options) {
    if (option.value.kind == WordKind::kNone) continue;
    text += fmt::format("                {}) {}; return ;;\n", joined(option.names, "|"),
                        bash_offer(option.value));
  }
  if (text.empty()) return text;
  return "            case $prev in\n" + text + "            esac\n";
}

std::string with_values(const CommandSpec& command) {
  std::vector<OptionSpec> options;
  for (const OptionSpec& option : command.options) {
    if (option.value.kind != WordKind::kNone) options.push_back(option);
  }
  return names_of(options, "|");
}

// Goes through the words after the command. Those that are no options, nor values of them, are
// `found`.
std::string word_search(const CommandSpec& command, const char* found) {
  const std::string names = with_values(command);
  const std::string skip = fmt::format(
      "                    {}) [[ ${{COMP_WORDS[at+1]}} == = ]] && ((at++)); ((at++)) ;;\n", names);
  return fmt::format(
      "            for ((at++; at < COMP_CWORD; at++)); do\n"
      "                case ${{COMP_WORDS[at]}} in\n"
      "{}{}"
      "                    -*) ;;\n"
      "                    *) {} ;;\n"
      "                esac\n"
      "            done\n",
      command.words.front().kind == WordKind::kProgram
          ? "                    --) _heapledger_program $((at + 1)); return ;;\n"
          : "",
      names.empty() ? "" : skip, found);
}

// What is offered where no option is begun.
std::string bash_words(const CommandSpec& command) {
  if (command.words.empty()) return ":";
  if (command.words.front().kind == WordKind::kProgram) return "_heapledger_files -c";
  if (command.words.size() == 1) return bash_offer(command.words.front());
  std::string text = word_search(command, "((count++))") + "            case $count in\n";
  for (size_t i = 0; i < command.words.size(); ++i) {
    const bool last = i + 1 == command.words.size();
    text += fmt::format("                {}) {} ;;\n", last ? "*" : std::to_string(i),
                        bash_offer(command.words[i]));
  }
  return text.substr(text.find_first_not_of(' ')) + "            esac";
}

std::string bash_case_of(const CommandSpec& command) {
  const bool program = !command.words.empty() && command.words[0].kind == WordKind::kProgram;
  std::string text = fmt::format("        {})\n", command.name);
  if (program) text += word_search(command, "_heapledger_program \"$at\"; return");
  text += values(command);
  text += fmt::format(
      "            if [[ $cur == -* ]]; then\n"
      "                _heapledger_words '{}'\n"
      "                return\n"
      "            fi\n"
      "            {} ;;\n",
      names_of(command.options, " "), bash_words(command));
  return text;
}

}  // namespace

std::string bash_completion(const ToolSpec& tool) {
  std::string names;
  for (const CommandSpec& command : tool.commands) names += command.name + " ";
  std::string text = kStart;
  text +=
      fmt::format("        '') _heapledger_words '{}{}' ;;\n", names, names_of(tool.options, " "));
  for (const CommandSpec& command : tool.commands) text += bash_case_of(command);
  return text + kEnd;
}

}  // namespace heapledger::cli::completion
