#include "cli/run/environment.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <charconv>

#include "cli/run/pools.h"

namespace heapledger::cli::run {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";
constexpr std::string_view kRequest = "HEAPLEDGER=";
constexpr std::string_view kOutput = "out=";
constexpr std::string_view kRun = "run=";
constexpr std::string_view kAdded = "added=";

// Words end at spaces, unless a backslash makes one literal; given back as they were written.
std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  size_t start = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at == text.size() || text[at] == ' ') {
      if (at > start) words.push_back(text.substr(start, at - start));
      start = at + 1;
    } else if (text[at] == '\\' && at + 1 < text.size()) {
      ++at;
    }
  }
  return words;
}

std::string with_escapes(std::string_view value) {
  std::string text;
  for (const char letter : value) {
    if (letter == ' ' || letter == '\\') text += '\\';
    text += letter;
  }
  return text;
}

std::string unescaped(std::string_view word) {
  std::string text;
  for (size_t at = 0; at < word.size(); ++at) {
    if (word[at] == '\\' && at + 1 < word.size()) ++at;
    text += word[at];
  }
  return text;
}

std::string hex(uint64_t number) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return {digits.data(), end};
}

bool is_listed(std::string_view list, const std::string& library) {
  return (":" + std::string(list) + ":").find(":" + library + ":") != std::string::npos;
}

// The runtime comes first, another allocator last; what the user preloads stays in its place.
std::string preload_value(std::string_view user, const RecordingRequest& request) {
  std::string value;
  const auto add = [&](std::string_view library) {
    if (!value.empty() && !library.empty()) value += ":";
    value += library;
  };
  // A run inside a run: once is enough.
  if (user != request.library && !user.starts_with(request.library + ":")) add(request.library);
  if (!is_listed(user, request.before)) add(request.before);
  add(user);
  if (!is_listed(user, request.behind)) add(request.behind);
  return value;
}

bool has_variable(const char* const* environment, const std::string& name) {
  for (; *environment != nullptr; ++environment) {
    if (std::string_view(*environment).starts_with(name + "=")) return true;
  }
  return false;
}

std::string value_of(const char* const* environment, std::string_view name) {
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    if (variable.starts_with(name)) return std::string(variable.substr(name.size()));
  }
  return {};
}

// What programs that cannot be recorded must be spared: what was not there before. (What a run
// around this one has added counts as ours.)
std::string added_items(const char* const* user, const RecordingRequest& request) {
  std::string items = word_value(value_of(user, kRequest), "added");
  const auto add = [&](const std::string& item) { items += (items.empty() ? "" : ":") + item; };
  if (!request.behind.empty() && !is_listed(value_of(user, kPreload), request.behind)) {
    add(request.behind);
  }
  if (!request.no_pools) return items;
  for (const Pool& pool : kPools) {
    const std::string name(pool.variable);
    if (!has_variable(user, name)) add(name + "=" + std::string(pool.value));
  }
  return items;
}

std::string request_value(std::string_view user, const RecordingRequest& request,
                          const std::string& added) {
  std::string value = std::string(kOutput) + with_escapes(request.pattern) + " " +
                      std::string(kRun) + hex(request.run_id);
  // By hand first: of words with one name the last one counts, and options go before variables.
  for (const std::string_view word : split_words(user)) {
    if (word.starts_with(kOutput) || word.starts_with(kRun) || word.starts_with(kAdded)) continue;
    value.append(" ").append(word);
  }
  if (!added.empty()) value.append(" ").append(kAdded).append(with_escapes(added));
  for (const std::string& word : request.words) value.append(" ").append(with_escapes(word));
  if (request.owner != 0) value.append(" owner=").append(std::to_string(request.owner));
  return value;
}

// Sets a variable in its old place, or at the end. Programs read the first of several with one
// name, so that is the one that counts, and it replaces all of them.
template <typename MakeValue>
void set(std::vector<std::string>& environment, std::string_view name, MakeValue make_value) {
  const auto named = [&](const std::string& variable) { return variable.starts_with(name); };
  size_t place = 0;
  while (place < environment.size() && !named(environment[place])) ++place;
  const bool there = place < environment.size();
  const std::string old = there ? environment[place].substr(name.size()) : std::string();
  if (there) {
    std::erase_if(environment, named);
  }
  environment.insert(environment.begin() + static_cast<std::ptrdiff_t>(place),
                     std::string(name) + make_value(old));
}

}  // namespace

std::vector<std::string> recording_environment(const char* const* user,
                                               const RecordingRequest& request) {
  const std::string added = added_items(user, request);
  std::vector<std::string> environment;
  for (; *user != nullptr; ++user) environment.emplace_back(*user);
  set(environment, kPreload, [&](std::string_view old) { return preload_value(old, request); });
  set(environment, kRequest,
      [&](std::string_view old) { return request_value(old, request, added); });
  if (!request.no_pools) return environment;
  for (const Pool& pool : kPools) {
    set(environment, std::string(pool.variable) + "=",
        [&](std::string_view) { return std::string(pool.value); });
  }
  return environment;
}

std::vector<std::string> setting_words(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split_words(text)) words.push_back(unescaped(word));
  return words;
}

std::string word_value(std::string_view words, std::string_view key) {
  for (const std::string& word : setting_words(words)) {
    if (word.starts_with(key) && word.substr(key.size(), 1) == "=") {
      return word.substr(key.size() + 1);
    }
  }
  return {};
}

uint64_t new_run_id() {
  uint64_t id = 0;
  if (::getrandom(&id, sizeof id, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof id)) {
    timespec now;
    ::clock_gettime(CLOCK_REALTIME, &now);
    id = static_cast<uint64_t>(now.tv_sec) << 32 ^ static_cast<uint64_t>(now.tv_nsec) ^
         static_cast<uint64_t>(::getpid()) << 40;
  }
  return id == 0 ? 1 : id;
}

}  // namespace heapledger::cli::run
