// Objects with static storage that allocate when they are made and give back when they are
// destroyed, after main and after every exit handler that main installed.
#include <memory>
#include <string>
#include <vector>

#include "account.h"

namespace {

struct Last {
  ~Last() { print_account(); }  // made first, so destroyed last
} last;

class Holder {
 public:
  explicit Holder(size_t bytes) : block_(take(bytes)) {}
  ~Holder() {
    give(block_);
    give(take(11));
  }

 private:
  void* block_;
};

Holder global(500);
std::unique_ptr<Holder> late;

Holder& inside_a_function() {
  static Holder holder(600);
  return holder;
}

}  // namespace

int main() {
  inside_a_function();
  late = std::make_unique<Holder>(700);
  static std::vector<Holder*> never_freed{new Holder(800)};
  std::string long_text(1000, 'x');
  say("main ends with %zu\n", long_text.size() + never_freed.size());
  return 0;
}
