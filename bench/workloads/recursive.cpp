// Recursion with many different stacks: trees are grown, copied and dropped again and again, each
// node by a call inside the one for its parent. Both children are grown at lines of their own,
// so each path from the root is a site of its own: 2^DEPTH of them and more.
//
//   recursive ROUNDS [DEPTH]

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

struct Tree {
  std::unique_ptr<Tree> left;
  std::unique_ptr<Tree> right;
  uint64_t value;
};

uint64_t state = 1;

uint64_t next_number() {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

__attribute__((noinline)) std::unique_ptr<Tree> grow(unsigned depth) {
  auto tree = std::make_unique<Tree>();
  tree->value = next_number();
  if (depth == 0) return tree;
  if (next_number() % 8 != 0) tree->left = grow(depth - 1);
  if (next_number() % 8 != 0) tree->right = grow(depth - 1);
  return tree;
}

__attribute__((noinline)) std::unique_ptr<Tree> copy(const Tree& from) {
  auto tree = std::make_unique<Tree>();
  tree->value = from.value * 3;
  if (from.left) tree->left = copy(*from.left);
  if (from.right) tree->right = copy(*from.right);
  return tree;
}

uint64_t sum(const Tree& tree) {
  return tree.value + (tree.left ? sum(*tree.left) : 0) + (tree.right ? sum(*tree.right) : 0);
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: recursive ROUNDS [DEPTH]\n");
    return 2;
  }
  unsigned long rounds = std::strtoul(words[1], nullptr, 10);
  auto depth = static_cast<unsigned>(count > 2 ? std::strtoul(words[2], nullptr, 10) : 13);
  uint64_t total = 0;
  for (unsigned long i = 0; i < rounds; ++i) {
    std::unique_ptr<Tree> tree = grow(depth);
    total += sum(*copy(*tree));
  }
  std::printf("%llu\n", static_cast<unsigned long long>(total));
}
