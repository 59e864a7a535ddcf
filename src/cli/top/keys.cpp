#include "cli/top/keys.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "text/utf8.h"

namespace heapledger::cli::top {
namespace {

constexpr uint64_t kShortest = 100'000'000;    // ns
constexpr uint64_t kLongest = 60'000'000'000;  // ns
constexpr size_t kMostFilter = 200;            // bytes: who holds a key down must not fill memory

constexpr std::array<std::pair<std::string_view, KeyKind>, 20> kSequences = {{
    {"[A", KeyKind::kUp},        {"OA", KeyKind::kUp},         {"[B", KeyKind::kDown},
    {"OB", KeyKind::kDown},      {"[C", KeyKind::kRight},      {"OC", KeyKind::kRight},
    {"[D", KeyKind::kLeft},      {"OD", KeyKind::kLeft},       {"[5~", KeyKind::kPageUp},
    {"[6~", KeyKind::kPageDown}, {"[H", KeyKind::kHome},       {"OH", KeyKind::kHome},
    {"[1~", KeyKind::kHome},     {"[7~", KeyKind::kHome},      {"[F", KeyKind::kEnd},
    {"OF", KeyKind::kEnd},       {"[4~", KeyKind::kEnd},       {"[8~", KeyKind::kEnd},
    {"OM", KeyKind::kEnter},     {"[3~", KeyKind::kBackspace},
}};

// The length of what follows an escape character; 0: it is not all there yet.
size_t sequence_length(std::string_view rest) {
  if (rest.empty()) return 0;
  if (rest[0] == 'O') return rest.size() >= 2 ? 2 : 0;
  for (size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] >= 0x40 && rest[i] <= 0x7e) return i + 1;
  }
  return 0;
}

bool take_sequence(std::string& bytes, bool all, Key& key) {
  // Escape, and another key soon after it.
  if (bytes.size() > 1 && bytes[1] != '[' && bytes[1] != 'O') {
    key.kind = KeyKind::kEscape;
    bytes.erase(0, 1);
    return true;
  }
  size_t length = sequence_length(std::string_view(bytes).substr(1));
  if (length == 0) {
    if (!all) return false;
    key.kind = bytes.size() == 1 ? KeyKind::kEscape : KeyKind::kUnknown;
    bytes.clear();
    return true;
  }
  std::string sequence = bytes.substr(1, length);
  bytes.erase(0, length + 1);
  auto known = std::find_if(kSequences.begin(), kSequences.end(),
                            [&](const auto& one) { return one.first == sequence; });
  key.kind = known == kSequences.end() ? KeyKind::kUnknown : known->second;
  return true;
}

// How many bytes a character that begins so has.
size_t character_length(char first) {
  auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}

void type(const Key& key, TopState& state) {
  std::string& filter = state.choice.filter;
  switch (key.kind) {
    case KeyKind::kText:
      if (filter.size() < kMostFilter) filter += key.text;
      break;
    case KeyKind::kBackspace: {
      while (!filter.empty() && (filter.back() & 0xC0) == 0x80) filter.pop_back();
      if (!filter.empty()) filter.pop_back();
      break;
    }
    case KeyKind::kEscape:
      filter.clear();
      state.typing = false;
      break;
    case KeyKind::kEnter:
      state.typing = false;
      break;
    default:
      break;
  }
}

void next_sort(TopState& state, size_t steps) {
  size_t place = (static_cast<size_t>(state.choice.sort) + steps) % top_sorts().size();
  state.choice.sort = static_cast<TopSort>(place);
}

void change_interval(TopState& state, bool longer) {
  // 1, 2, 5, 10: steps that people count in.
  constexpr std::array<uint64_t, 9> kSteps = {100,  200,    500,    1000,  2000,
                                              5000, 10'000, 30'000, 60'000};
  uint64_t now = state.interval_ns / 1'000'000;
  uint64_t next = now;
  if (longer) {
    auto at = std::find_if(kSteps.begin(), kSteps.end(), [now](uint64_t s) { return s > now; });
    if (at != kSteps.end()) next = *at;
  } else {
    auto at = std::find_if(kSteps.rbegin(), kSteps.rend(), [now](uint64_t s) { return s < now; });
    if (at != kSteps.rend()) next = *at;
  }
  state.interval_ns = std::clamp(next * 1'000'000, kShortest, kLongest);
}

// So many rows further down; the first one when none was chosen.
void move(const std::vector<TopRow>& rows, long steps, TopState& state) {
  if (rows.empty()) return;
  auto found = std::find_if(rows.begin(), rows.end(),
                            [&](const TopRow& row) { return row.key == state.chosen; });
  auto last = static_cast<long>(rows.size()) - 1;
  long place = 0;
  if (found != rows.end()) place = std::clamp((found - rows.begin()) + steps, 0L, last);
  state.chosen = rows[static_cast<size_t>(place)].key;
  state.stack = true;
  state.first_frame = 0;
}

void turn_page(const std::vector<TopRow>& rows, size_t page_rows, bool down, TopState& state) {
  size_t step = std::max<size_t>(page_rows / 2, 1);
  if (state.stack) {
    state.first_frame =
        down ? state.first_frame + step : state.first_frame - std::min(state.first_frame, step);
  } else if (!state.chosen.empty()) {
    long steps = static_cast<long>(page_rows);
    move(rows, down ? steps : -steps, state);
    state.stack = false;
  } else {
    state.first_row =
        down ? state.first_row + page_rows : state.first_row - std::min(state.first_row, page_rows);
  }
}

// Enter opens and closes the stack; Escape takes back what was chosen last.
void open_or_close(const std::vector<TopRow>& rows, bool escape, TopState& state) {
  if (!escape) {
    if (state.chosen.empty()) return move(rows, 0, state);
    state.stack = !state.stack;
  } else if (!state.chosen.empty()) {
    state.chosen.clear();
    state.stack = false;
  } else {
    state.choice.filter.clear();
  }
}

KeyEffect apply_letter(char letter, TopState& state) {
  switch (letter) {
    case 'q':
    case 'Q':
      return KeyEffect::kQuit;
    case 's':
    case '>':
      next_sort(state, 1);
      break;
    case 'S':
    case '<':
      next_sort(state, top_sorts().size() - 1);
      break;
    case 'r':
      state.choice.reverse = !state.choice.reverse;
      break;
    case 'f':
    case '/':
      state.typing = true;
      state.choice.filter.clear();
      break;
    case 'g':
      state.choice.by = state.choice.by == TopBy::kSite ? TopBy::kFunction : TopBy::kSite;
      state.chosen.clear();
      state.stack = false;
      break;
    case 'p':
    case ' ':
      state.paused = !state.paused;
      break;
    case '+':
    case '=':
      change_interval(state, true);
      break;
    case '-':
      change_interval(state, false);
      break;
    case 'h':
    case '?':
      state.help = true;
      break;
    default:
      return KeyEffect::kNothing;
  }
  return KeyEffect::kRedraw;
}

}  // namespace

bool take_key(std::string& bytes, bool all, Key& key) {
  key = {};
  if (bytes.empty()) return false;
  if (bytes[0] == '\x1b') return take_sequence(bytes, all, key);
  size_t length = std::min(character_length(bytes[0]), bytes.size());
  if (length < character_length(bytes[0]) && !all) return false;
  std::string character = bytes.substr(0, length);
  bytes.erase(0, length);
  if (character == "\r" || character == "\n") {
    key.kind = KeyKind::kEnter;
  } else if (character == "\x7f" || character == "\b") {
    key.kind = KeyKind::kBackspace;
  } else if (first_utf8(character).valid && static_cast<unsigned char>(character[0]) >= ' ') {
    key.kind = KeyKind::kText;
    key.text = character;
  }
  return true;
}

KeyEffect apply_key(const Key& key, const std::vector<TopRow>& rows, size_t page_rows,
                    TopState& state) {
  if (state.typing) {
    type(key, state);
    return KeyEffect::kRedraw;
  }
  if (state.help) {
    state.help = false;
    return key.text == "q" ? KeyEffect::kQuit : KeyEffect::kRedraw;
  }
  switch (key.kind) {
    case KeyKind::kText:
      return key.text.size() == 1 ? apply_letter(key.text[0], state) : KeyEffect::kNothing;
    case KeyKind::kUp:
      move(rows, -1, state);
      break;
    case KeyKind::kDown:
      move(rows, 1, state);
      break;
    case KeyKind::kHome:
    case KeyKind::kEnd: {
      auto all = static_cast<long>(rows.size());
      bool stack = state.stack;
      if (state.chosen.empty()) move(rows, 0, state);
      move(rows, key.kind == KeyKind::kHome ? -all : all, state);
      state.stack = stack;
      break;
    }
    case KeyKind::kLeft:
      next_sort(state, top_sorts().size() - 1);
      break;
    case KeyKind::kRight:
      next_sort(state, 1);
      break;
    case KeyKind::kPageUp:
    case KeyKind::kPageDown:
      turn_page(rows, page_rows, key.kind == KeyKind::kPageDown, state);
      break;
    case KeyKind::kEnter:
    case KeyKind::kEscape:
      open_or_close(rows, key.kind == KeyKind::kEscape, state);
      break;
    default:
      return KeyEffect::kNothing;
  }
  return KeyEffect::kRedraw;
}

}  // namespace heapledger::cli::top
