// A program whose memory is tested: fills an inventory with as many parts as it is told.
#include <heapledger.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

struct Part {
  explicit Part(int number) : name("part " + std::to_string(number)) {}
  std::string name;
  char drawing[100] = {};
};

int main(int count, char** words) {
  const int parts = count > 1 ? std::atoi(words[1]) : 10;
  std::vector<std::unique_ptr<Part>> inventory;
  for (int number = 0; number < parts; ++number)
    inventory.push_back(std::make_unique<Part>(number));
  heapledger_marker("filled");                 // report --at filled
  if (count > 2) inventory.front().release();  // a leak, for those who want to see the test fail
  return inventory.size() == static_cast<size_t>(parts) ? 0 : 1;
}
