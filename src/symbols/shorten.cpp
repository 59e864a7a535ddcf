#include "symbols/shorten.h"

#include <algorithm>
#include <cctype>

#include "symbols/template_names.h"

namespace heapledger {
namespace {

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Parts of names that say nothing. They are left out where they begin a word or follow "std::".
constexpr std::string_view kInsides[] = {"std::__cxx11::", "std::__1::", "std::__ndk1::"};
constexpr std::string_view kTag = "[abi:cxx11]";

constexpr std::string_view kOperators[] = {
    "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">", ","};

// One pass from left to right. What is inside of brackets is short already when they close.
class Shortening {
 public:
  explicit Shortening(std::string_view name) : in_(name) { out_.reserve(name.size()); }

  std::string run() {
    while (at_ < in_.size()) step();
    drop_rust_hash();
    return std::move(out_);
  }

 private:
  struct Open {
    char bracket;
    size_t at;    // of the bracket in out_
    size_t name;  // where the word in front of it begins
    TemplateArguments arguments;
  };

  bool ahead(std::string_view text) const { return in_.substr(at_).starts_with(text); }

  void put(std::string_view text) {
    out_ += text;
    at_ += text.size();
  }

  void step() {
    const bool fresh = out_.empty() || !in_word(out_.back());
    const char c = in_[at_];
    if (c == 's' && fresh && skip_insides()) return;
    if (c == 'o' && fresh && ahead("operator")) return copy_operator();
    if (c == '[' && ahead(kTag)) {
      at_ += kTag.size();
      return;
    }
    if (c == '-' && ahead("->")) return put("->");
    if (c == '<' && opens_template()) return open(c);
    if (c == '(' || c == '[' || c == '{') return open(c);
    if (c == ')' || c == ']' || c == '}') return close(c);
    if (c == '>' && !open_.empty() && open_.back().bracket == '<') return close_template();
    if (c == ',') return comma();
    put(in_.substr(at_, 1));
    if (c == ' ' || c == '*' || c == '&') word_ = out_.size();
  }

  bool skip_insides() {
    for (const std::string_view inside : kInsides) {
      if (!ahead(inside)) continue;
      out_ += "std::";
      at_ += inside.size();
      return true;
    }
    return false;
  }

  // Brackets and commas that are the name of an operator.
  void copy_operator() {
    put("operator");
    after_operator_ = true;
    for (const std::string_view symbol : kOperators) {
      if (!ahead(symbol)) continue;
      put(symbol);
      if (ahead(" <")) put(" ");
      return;
    }
    after_operator_ = false;
  }

  // "a<b" is a comparison only where values are computed, and there it stands in parentheses.
  bool opens_template() {
    const bool after_operator = after_operator_;
    after_operator_ = false;
    if (out_.empty()) return false;
    const char last = out_.back();
    return in_word(last) || last == '}' || last == ']' || last == '\'' ||
           (after_operator && last != '(');
  }

  void open(char bracket) {
    after_operator_ = false;
    open_.push_back({bracket, out_.size(), std::min(word_, out_.size()), {}});
    put(in_.substr(at_, 1));
    word_ = out_.size();
    open_.back().arguments.starts.push_back(word_);
  }

  void close(char bracket) {
    const char opening = bracket == ')' ? '(' : bracket == ']' ? '[' : '{';
    // A "<" without its ">" was a comparison.
    while (!open_.empty() && open_.back().bracket == '<') open_.pop_back();
    if (!open_.empty() && open_.back().bracket == opening) {
      word_ = open_.back().name;
      open_.pop_back();
    }
    put(in_.substr(at_, 1));
  }

  void comma() {
    put(",");
    if (at_ < in_.size() && in_[at_] == ' ') put(" ");
    word_ = out_.size();
    if (!open_.empty() && open_.back().bracket == '<') {
      open_.back().arguments.starts.push_back(word_);
    }
  }

  void close_template() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    ++at_;
    while (out_.ends_with(' ')) out_.pop_back();  // "> >"
    word_ = closed.name;
    closed.arguments.name = closed.name;
    closed.arguments.bracket = closed.at;
    shorten_template(out_, closed.arguments);
  }

  // "::h" and 16 hexadecimal digits, which Rust puts behind a name.
  void drop_rust_hash() {
    constexpr size_t kLength = 19;
    if (out_.size() <= kLength) return;
    const std::string_view end = std::string_view(out_).substr(out_.size() - kLength);
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (end.starts_with("::h") && std::all_of(end.begin() + 3, end.end(), is_digit)) {
      out_.resize(out_.size() - kLength);
    }
  }

  const std::string_view in_;
  size_t at_ = 0;
  std::string out_;
  size_t word_ = 0;  // where the name begins that a "<" would belong to
  bool after_operator_ = false;
  std::vector<Open> open_;
};

}  // namespace

std::string shorten_by_built_in_rules(std::string_view name) {
  return Shortening(name).run();
}

std::string shorten(std::string_view name, const ShortenRules& rules) {
  std::string text = rules.built_in ? shorten_by_built_in_rules(name) : std::string(name);
  for (const ShortenRule& rule : rules.own) text = apply_rule(rule, text);
  return text;
}

}  // namespace heapledger
