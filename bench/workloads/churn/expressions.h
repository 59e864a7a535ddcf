// Expression trees of single nodes, as a compiler or a query planner keeps them: grown, copied,
// simplified and thrown away. Recursive on purpose, so that allocations come from stacks of many
// depths.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "random.h"

namespace heapledger::bench {

class Expression {
 public:
  static std::unique_ptr<Expression> grow(Random& random, unsigned depth) {
    auto node = std::make_unique<Expression>();
    if (depth == 0 || random.one_in(9)) {
      node->kind_ = random.one_in(3) ? Kind::kVariable : Kind::kNumber;
      node->value_ = random.below(1000);
      // Half of the names fit into the string object, half need a block of their own.
      if (node->kind_ == Kind::kVariable) node->name_ = variable_name(random.below(64));
      return node;
    }
    node->kind_ = random.one_in(2) ? Kind::kAdd : Kind::kMultiply;
    node->left_ = grow(random, depth - 1);
    node->right_ = grow(random, depth - 1);
    return node;
  }

  std::unique_ptr<Expression> clone() const {
    auto copy = std::make_unique<Expression>();
    copy->kind_ = kind_;
    copy->value_ = value_;
    copy->name_ = name_;
    if (left_) copy->left_ = left_->clone();
    if (right_) copy->right_ = right_->clone();
    return copy;
  }

  // Folds operations on two numbers into one number and drops the nodes below.
  void simplify() {
    if (!left_) return;
    left_->simplify();
    right_->simplify();
    if (left_->kind_ != Kind::kNumber || right_->kind_ != Kind::kNumber) return;
    value_ = apply(left_->value_, right_->value_);
    kind_ = Kind::kNumber;
    left_.reset();
    right_.reset();
  }

  uint64_t evaluate() const {
    if (kind_ == Kind::kNumber) return value_;
    if (kind_ == Kind::kVariable) return digest(name_.data(), name_.size()) & 1023;
    return apply(left_->evaluate(), right_->evaluate());
  }

 private:
  enum class Kind { kNumber, kVariable, kAdd, kMultiply };

  static std::string variable_name(unsigned index) {
    std::string name = index % 2 == 0 ? "v" : "customer_account_balance_";
    return name += std::to_string(index);
  }

  uint64_t apply(uint64_t a, uint64_t b) const {
    return kind_ == Kind::kAdd ? a + b : a * b % 1000003;
  }

  Kind kind_ = Kind::kNumber;
  uint64_t value_ = 0;
  std::string name_;
  std::unique_ptr<Expression> left_;
  std::unique_ptr<Expression> right_;
};

}  // namespace heapledger::bench
