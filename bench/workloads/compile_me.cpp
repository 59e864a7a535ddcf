// The compiler workload: a file that leans on the standard library and on templates, made for being
// compiled, not for being run. WORK sets how many families of types are instantiated; 0 leaves the
// large headers out, for a run that only shows that everything works.

#ifndef WORK
#define WORK 4
#endif

#include <cstdint>
#include <utility>

#if WORK > 0
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>
#endif

namespace compile_me {

template <int N>
struct Number {
  static constexpr int64_t value = Number<N - 1>::value + N;
};
template <>
struct Number<0> {
  static constexpr int64_t value = 0;
};

template <int... Is>
constexpr int64_t sum_of(std::integer_sequence<int, Is...>) {
  return (Number<Is>::value + ... + 0);
}

int64_t numbers() {
  return sum_of(std::make_integer_sequence<int, 200>());
}

#if WORK > 0

template <int N>
struct Key {
  std::string name;
  int rank = N;
  auto tied() const { return std::tie(rank, name); }
  friend bool operator<(const Key& a, const Key& b) { return a.tied() < b.tied(); }
  friend bool operator==(const Key& a, const Key& b) { return a.tied() == b.tied(); }
};

template <int N>
struct KeyHash {
  size_t operator()(const Key<N>& key) const { return std::hash<std::string>()(key.name) ^ N; }
};

// One family: containers, algorithms, a variant and functions over a type that no other family has.
template <int N>
class Family {
 public:
  using Value = std::variant<int, double, std::string, std::vector<Key<N>>, std::set<Key<N>>>;

  void add(const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      Key<N> key{word, static_cast<int>(word.size()) * N};
      by_key_[key].push_back(static_cast<int>(by_hash_.size()));
      by_hash_.emplace(key, Value(word));
      order_.push_back(std::make_shared<Key<N>>(std::move(key)));
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [](const auto& a, const auto& b) { return *b < *a; });
    rules_.emplace_back([text](const Key<N>& key) { return key.name + text; });
  }

  std::optional<std::string> find(const std::string& pattern) const {
    auto found = std::find_if(order_.begin(), order_.end(), [&](const auto& key) {
      return key->name.find(pattern) != std::string::npos;
    });
    if (found == order_.end()) return std::nullopt;
    return std::accumulate(
        rules_.begin(), rules_.end(), std::string(),
        [&](std::string left, const auto& rule) { return std::move(left) + rule(**found); });
  }

  size_t weigh() const {
    size_t sum = 0;
    for (const auto& [key, value] : by_hash_) {
      sum += std::visit(
          [](const auto& held) -> size_t {
            if constexpr (requires { held.size(); })
              return held.size();
            else
              return static_cast<size_t>(held) + N;
          },
          value);
    }
    for (const auto& [key, list] : by_key_) {
      sum += std::inner_product(list.begin(), list.end(), list.rbegin(), size_t{N});
    }
    return sum;
  }

 private:
  std::map<Key<N>, std::vector<int>> by_key_;
  std::unordered_map<Key<N>, Value, KeyHash<N>> by_hash_;
  std::vector<std::shared_ptr<Key<N>>> order_;
  std::vector<std::function<std::string(const Key<N>&)>> rules_;
};

template <int... Is>
size_t use_families(const std::string& text, std::integer_sequence<int, Is...>) {
  std::tuple<Family<Is>...> families;
  (std::get<Is>(families).add(text), ...);
  return (std::get<Is>(families).weigh() + ... +
          (std::get<Is>(families).find(text).value_or("").size() + ... + 0));
}

size_t families(const std::string& text) {
  return use_families(text, std::make_integer_sequence<int, WORK>());
}

#endif

}  // namespace compile_me
