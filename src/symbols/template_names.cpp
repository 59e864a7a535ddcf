#include "symbols/template_names.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace heapledger {
namespace {

// Defaults of the arguments from the second or third on; $0 and $1 stand for the first two.
struct Defaults {
  std::string_view name;
  size_t needed;  // arguments without a default
  std::initializer_list<std::string_view> rest;
};

const Defaults kDefaults[] = {
    {"std::vector", 1, {"std::allocator<$0>"}},
    {"std::deque", 1, {"std::allocator<$0>"}},
    {"std::list", 1, {"std::allocator<$0>"}},
    {"std::forward_list", 1, {"std::allocator<$0>"}},
    {"std::_Vector_base", 1, {"std::allocator<$0>"}},
    {"std::_Deque_base", 1, {"std::allocator<$0>"}},
    {"std::_List_base", 1, {"std::allocator<$0>"}},
    {"std::set", 1, {"std::less<$0>", "std::allocator<$0>"}},
    {"std::multiset", 1, {"std::less<$0>", "std::allocator<$0>"}},
    {"std::map", 2, {"std::less<$0>", "std::allocator<std::pair<$0 const, $1>>"}},
    {"std::multimap", 2, {"std::less<$0>", "std::allocator<std::pair<$0 const, $1>>"}},
    {"std::unordered_set", 1, {"std::hash<$0>", "std::equal_to<$0>", "std::allocator<$0>"}},
    {"std::unordered_multiset", 1, {"std::hash<$0>", "std::equal_to<$0>", "std::allocator<$0>"}},
    {"std::unordered_map",
     2,
     {"std::hash<$0>", "std::equal_to<$0>", "std::allocator<std::pair<$0 const, $1>>"}},
    {"std::unordered_multimap",
     2,
     {"std::hash<$0>", "std::equal_to<$0>", "std::allocator<std::pair<$0 const, $1>>"}},
    {"std::stack", 1, {"std::deque<$0>"}},
    {"std::queue", 1, {"std::deque<$0>"}},
    {"std::priority_queue", 1, {"std::vector<$0>", "std::less<$0>"}},
    {"std::unique_ptr", 1, {"std::default_delete<$0>"}},
    {"std::__uniq_ptr_impl", 1, {"std::default_delete<$0>"}},
    {"std::__shared_ptr", 1, {"(__gnu_cxx::_Lock_policy)2"}},
    {"std::__weak_ptr", 1, {"(__gnu_cxx::_Lock_policy)2"}},
    {"std::basic_string", 1, {"std::char_traits<$0>", "std::allocator<$0>"}},
    {"std::basic_string_view", 1, {"std::char_traits<$0>"}},
    {"std::basic_stringstream", 1, {"std::char_traits<$0>", "std::allocator<$0>"}},
    {"std::basic_ostringstream", 1, {"std::char_traits<$0>", "std::allocator<$0>"}},
    {"std::basic_istringstream", 1, {"std::char_traits<$0>", "std::allocator<$0>"}},
    {"std::basic_stringbuf", 1, {"std::char_traits<$0>", "std::allocator<$0>"}},
    {"std::basic_ostream", 1, {"std::char_traits<$0>"}},
    {"std::basic_istream", 1, {"std::char_traits<$0>"}},
    {"std::basic_iostream", 1, {"std::char_traits<$0>"}},
    {"std::basic_ios", 1, {"std::char_traits<$0>"}},
    {"std::basic_streambuf", 1, {"std::char_traits<$0>"}},
    {"std::basic_fstream", 1, {"std::char_traits<$0>"}},
    {"std::basic_ifstream", 1, {"std::char_traits<$0>"}},
    {"std::basic_ofstream", 1, {"std::char_traits<$0>"}},
    {"std::basic_filebuf", 1, {"std::char_traits<$0>"}},
    {"std::istreambuf_iterator", 1, {"std::char_traits<$0>"}},
    {"std::ostreambuf_iterator", 1, {"std::char_traits<$0>"}},
    {"std::basic_regex", 1, {"std::regex_traits<$0>"}},
    {"std::match_results", 1, {"std::allocator<std::sub_match<$0>>"}},
};

// The allocator of every Rust container unless somebody chose another.
constexpr std::string_view kRustAllocator = "alloc::alloc::Global";

// Whether `text` is `wanted`, in which $0 and $1 stand for the first arguments. No text is built:
// the comparison ends where the two differ.
bool is(std::string_view text, std::string_view wanted, std::string_view first,
        std::string_view second) {
  while (!wanted.empty()) {
    std::string_view part = wanted.substr(0, std::min(wanted.find('$'), wanted.size()));
    wanted.remove_prefix(part.size());
    if (part.empty()) {
      part = wanted[1] == '0' ? first : second;
      wanted.remove_prefix(2);
    }
    if (!text.starts_with(part)) return false;
    text.remove_prefix(part.size());
  }
  return text.empty();
}

class Arguments {
 public:
  Arguments(std::string& text, TemplateArguments& place) : text_(text), place_(place) {}

  size_t count() const { return place_.starts.size(); }
  std::string_view name() const {
    return std::string_view(text_).substr(place_.name, place_.bracket - place_.name);
  }
  std::string_view operator[](size_t i) const {
    // The last argument can be nothing at all, as for an empty pack: "f<int,>".
    const size_t start = std::min(place_.starts[i], text_.size());
    const size_t end = i + 1 < count() ? comma_before(place_.starts[i + 1]) : text_.size();
    return std::string_view(text_).substr(start, std::max(start, end) - start);
  }
  void drop_last() {
    text_.resize(comma_before(place_.starts.back()));
    place_.starts.pop_back();
  }

 private:
  size_t comma_before(size_t start) const { return text_.rfind(',', start - 1); }

  std::string& text_;
  TemplateArguments& place_;
};

const Defaults* defaults_of(std::string_view name) {
  for (const Defaults& defaults : kDefaults) {
    if (defaults.name == name) return &defaults;
  }
  return nullptr;
}

// "std::basic_string<char>" is "std::string", and so on for all that begins with basic_.
bool use_character_alias(std::string& text, const Arguments& arguments,
                         const TemplateArguments& place) {
  constexpr std::string_view kBasic = "std::basic_";
  const std::string_view name = arguments.name();
  if (!name.starts_with(kBasic) || arguments.count() != 1 || defaults_of(name) == nullptr) {
    return false;
  }
  const std::string_view character = arguments[0];
  const bool string =
      name.starts_with("std::basic_string") && !name.ends_with("stream") && !name.ends_with("buf");
  const char* const prefix = character == "char"                 ? ""
                             : character == "wchar_t"            ? "w"
                             : string && character == "char8_t"  ? "u8"
                             : string && character == "char16_t" ? "u16"
                             : string && character == "char32_t" ? "u32"
                                                                 : nullptr;
  if (prefix == nullptr) return false;
  std::string alias = "std::";
  alias += prefix;
  alias += name.substr(kBasic.size());
  text.replace(place.name, std::string::npos, alias);
  return true;
}

// A pointer that only serves to walk through a container is the container's iterator.
bool use_iterator_alias(std::string& text, const Arguments& arguments,
                        const TemplateArguments& place) {
  if (arguments.name() != "__gnu_cxx::__normal_iterator" || arguments.count() != 2) return false;
  const bool constant = arguments[0].ends_with(" const*");
  text.erase(place.name, place.starts[1] - place.name);
  text += constant ? "::const_iterator" : "::iterator";
  return true;
}

}  // namespace

void shorten_template(std::string& text, TemplateArguments& place) {
  Arguments arguments(text, place);
  if (const Defaults* const defaults = defaults_of(arguments.name())) {
    while (arguments.count() > defaults->needed &&
           arguments.count() <= defaults->needed + defaults->rest.size()) {
      const size_t last = arguments.count() - 1;
      const std::string_view wanted = defaults->rest.begin()[last - defaults->needed];
      const std::string_view second = arguments.count() > 1 ? arguments[1] : std::string_view();
      if (!is(arguments[last], wanted, arguments[0], second)) break;
      arguments.drop_last();
    }
  }
  while (arguments.count() > 1 && arguments[arguments.count() - 1] == kRustAllocator) {
    arguments.drop_last();
  }
  if (use_character_alias(text, arguments, place)) return;
  if (use_iterator_alias(text, arguments, place)) return;
  text += '>';
}

}  // namespace heapledger
