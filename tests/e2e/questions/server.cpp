// A server with four threads that take requests from a socket: 64 connections, which keep 50,000
// bytes each until the end; of the 2,000 requests every tenth leaves its 700 bytes behind; each
// makes a reply that is freed at once. The cache grows by 100 answers of 5,000 bytes between the
// markers.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "heapledger.h"

namespace {

#define APART __attribute__((noinline))

std::mutex lock;
std::vector<std::unique_ptr<char[]>> connections;
std::vector<std::unique_ptr<char[]>> cache;
char* volatile last;

APART void accept_connection() {
  std::lock_guard hold(lock);
  connections.push_back(std::make_unique<char[]>(50000));
}

APART void leave_request() {
  last = static_cast<char*>(malloc(700));
}

APART void reply() {
  char* volatile text = static_cast<char*>(malloc(300));
  free(text);
}

APART void fill_cache() {
  for (int i = 0; i < 100; ++i) cache.push_back(std::make_unique<char[]>(5000));
}

void serve(int socket) {
  for (int i = 0; i < 16; ++i) accept_connection();
  char number[2];
  while (recv(socket, number, sizeof number, 0) == sizeof number) {
    if (number[0] == 0) leave_request();
    reply();
  }
}

}  // namespace

int main() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0) return 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(serve, pair[0]);
  for (int i = 0; i < 2000; ++i) {
    const char number[2] = {static_cast<char>(i % 10), 1};
    if (send(pair[1], number, sizeof number, 0) != sizeof number) return 1;
  }
  shutdown(pair[1], SHUT_WR);
  for (std::thread& thread : threads) thread.join();
  heapledger_marker("before");
  fill_cache();
  heapledger_marker("after");
  cache.clear();
  connections.clear();
  return 0;
}
