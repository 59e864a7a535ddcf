#include "runtime/bootstrap/config.h"

#include "runtime/unwind/stack_memo.h"

namespace heapledger::runtime {
namespace {

bool set_out(Config& config, const char* value) {
  config.out.clear();
  config.out.add(value);
  return config.out.size() > 0;
}

bool set_run(Config& config, const char* value) {
  config.run_id = 0;
  size_t digits = 0;
  for (; *value != '\0'; ++value, ++digits) {
    unsigned digit;
    if (*value >= '0' && *value <= '9') {
      digit = static_cast<unsigned>(*value - '0');
    } else if (*value >= 'a' && *value <= 'f') {
      digit = static_cast<unsigned>(*value - 'a') + 10;
    } else {
      return false;
    }
    config.run_id = config.run_id << 4 | digit;
  }
  return digits > 0 && digits <= 16;
}

// A whole number from `least` to `most`.
bool read_number(const char* value, uint64_t least, uint64_t most, uint32_t& number) {
  uint64_t result = 0;
  size_t digits = 0;
  for (; *value >= '0' && *value <= '9' && digits < 10; ++value, ++digits) {
    result = result * 10 + static_cast<uint64_t>(*value - '0');
  }
  if (digits == 0 || *value != '\0' || result < least || result > most) return false;
  number = static_cast<uint32_t>(result);
  return true;
}

bool set_depth(Config& config, const char* value) {
  return read_number(value, 1, kMaxDepth, config.depth);
}

bool set_cross_check(Config& config, const char* value) {
  return read_number(value, 0, 1'000'000'000, config.cross_check);
}

bool set_modules(Config& config, const char* value) {
  config.by_mappings = strcmp(value, "mappings") == 0;
  return config.by_mappings || strcmp(value, "loader") == 0;
}

struct Word {
  const char* name;
  bool (*set)(Config&, const char* value);
};
constexpr Word kWords[] = {
    {"out=", set_out},         {"run=", set_run},
    {"depth=", set_depth},     {"crosscheck=", set_cross_check},
    {"modules=", set_modules},
};

bool apply(Config& config, const char* word) {
  for (const Word& known : kWords) {
    size_t length = strlen(known.name);
    if (strncmp(word, known.name, length) == 0) return known.set(config, word + length);
  }
  return false;
}

// Takes the next word off `text` into `word`, unescaped; null when there is none.
const char* next_word(const char* text, PathText& word) {
  while (*text == ' ') ++text;
  if (*text == '\0') return nullptr;
  word.clear();
  for (; *text != '\0' && *text != ' '; ++text) {
    if (*text == '\\' && text[1] != '\0') ++text;
    word.add(text, 1);
  }
  return text;
}

}  // namespace

bool parse_config(const char* text, Config& config, PathText& wrong) {
  while ((text = next_word(text, wrong)) != nullptr) {
    if (!apply(config, wrong.data())) return false;
  }
  return true;
}

}  // namespace heapledger::runtime
