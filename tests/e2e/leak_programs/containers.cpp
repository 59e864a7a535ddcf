// Blocks that are kept and lost by the containers and objects of C++. Every function here makes the
// blocks of one row of the test.
#include "checkpoint.h"

#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

struct First {
  virtual ~First() = default;
  virtual int first() { return 1; }
  long one = 1;
};
struct Second {
  virtual ~Second() = default;
  virtual int second() { return 2; }
  long two = 2;
};
struct Both : First, Second {
  long both[4] = {};
  void* held = nullptr;
};
struct Counted {
  ~Counted() { number = 0; }
  long number = 5;
  void* held = nullptr;
};
struct Partner {
  std::shared_ptr<Partner> other;
  long weight[6] = {};
};

std::vector<void*> kept_vector;
std::map<int, void*> kept_map;
std::unordered_map<int, void*> kept_table;
std::list<int> kept_list;
std::string kept_text;
Second* volatile kept_base;
Counted* volatile kept_array;
std::unique_ptr<Both> kept_pointer;
thread_local std::vector<void*> local_vector;

SITE void* item_of_vector() {
  return ::operator new(41);
}
SITE void* item_of_map() {
  return ::operator new(42);
}
SITE void* item_of_table() {
  return ::operator new(43);
}
SITE void* item_of_lost_map() {
  return ::operator new(44);
}
SITE void* item_of_base() {
  return ::operator new(45);
}
SITE void* item_of_array() {
  return ::operator new(46);
}
SITE void* item_of_local() {
  return ::operator new(47);
}

SITE void room_of_vector() {
  kept_vector.reserve(100);
}
SITE void fill_map() {
  for (int i = 0; i < 20; ++i) kept_map[i] = nullptr;
}
SITE void fill_table() {
  kept_table.reserve(50);
  for (int i = 0; i < 20; ++i) kept_table[i * 7] = nullptr;
}
SITE void fill_list() {
  for (int i = 0; i < 6; ++i) kept_list.push_back(i);
}
SITE void fill_text() {
  kept_text.assign(500, 'x');
}
SITE void room_of_local() {
  local_vector.reserve(30);
}

SITE Both* object_by_base() {
  return new Both;
}
SITE Counted* array_behind_count() {
  return new Counted[7];
}
SITE Both* object_by_pointer() {
  return new Both;
}

SITE std::map<int, void*>* lost_map() {
  return new std::map<int, void*>;
}
SITE void fill_lost_map(std::map<int, void*>& map) {
  for (int i = 0; i < 15; ++i) map[i] = item_of_lost_map();
}
SITE std::vector<std::string>* lost_vector() {
  return new std::vector<std::string>;
}
SITE void fill_lost_vector(std::vector<std::string>& lost) {
  lost.reserve(10);
  for (int i = 0; i < 10; ++i) lost.emplace_back(100, 'y');
}
SITE std::shared_ptr<Partner> partner() {
  return std::make_shared<Partner>();
}
SITE Both* lost_object() {
  return new Both;
}
SITE Counted* lost_array() {
  return new Counted[3];
}

void* lose(void* unused) {
  fill_lost_map(*lost_map());
  fill_lost_vector(*lost_vector());
  {
    std::shared_ptr<Partner> one = partner();
    std::shared_ptr<Partner> two = partner();
    one->other = two;
    two->other = one;
  }
  lost_object();
  lost_array();
  return unused;
}

void* keep(void* unused) {
  room_of_vector();
  for (int i = 0; i < 10; ++i) kept_vector.push_back(item_of_vector());
  fill_map();
  for (auto& [number, item] : kept_map) item = item_of_map();
  fill_table();
  for (auto& [number, item] : kept_table) item = item_of_table();
  fill_list();
  fill_text();
  Both* both = object_by_base();
  both->held = item_of_base();
  kept_base = both;
  kept_array = array_behind_count();
  kept_array[6].held = item_of_array();
  kept_pointer.reset(object_by_pointer());
  return unused;
}

}  // namespace

int main() {
  in_a_thread_that_ends(lose);
  in_a_thread_that_ends(keep);
  room_of_local();
  local_vector.push_back(item_of_local());
  checkpoint(nullptr);
}
