// What is asked in five_questions_test.py: who owns the peak (5 MB of tiles), what leaks (600
// sessions of 1,000 bytes), what churns (40,000 lines), what grew between the markers (300 orders
// of 2,000 bytes).
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heapledger.h"

namespace {

#define APART __attribute__((noinline))

std::vector<char*>* sessions;
std::map<int, std::unique_ptr<char[]>> orders;

APART void open_sessions() {
  for (int i = 0; i < 600; ++i) sessions->push_back(new char[1000]);
}

APART size_t parse_lines() {
  size_t sum = 0;
  for (int i = 0; i < 40000; ++i) sum += std::string(200, 'x').size();
  return sum;
}

APART void take_orders() {
  for (int i = 0; i < 300; ++i) orders[i] = std::make_unique<char[]>(2000);
}

APART void draw_tiles() {
  std::vector<std::unique_ptr<char[]>> tiles;
  for (int i = 0; i < 50; ++i) tiles.push_back(std::make_unique<char[]>(100000));
}

}  // namespace

int main() {
  sessions = new std::vector<char*>;
  open_sessions();
  parse_lines();
  heapledger_marker("before");
  take_orders();
  heapledger_marker("after");
  draw_tiles();
  orders.clear();
  return 0;
}
