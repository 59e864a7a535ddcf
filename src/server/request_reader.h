// Requests out of the bytes that a connection brings, however they are cut into pieces. The one
// thing that looks at what a stranger sends before anybody has said who he is, so that it is left
// to a library (Boost.Beast), which only request_reader.cpp includes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "server/message.h"

namespace heapledger::server {

struct RequestLimits {
  uint32_t head_bytes = 8 << 10;
  uint64_t body_bytes = 64 << 10;
};

class RequestReader {
 public:
  explicit RequestReader(RequestLimits limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Takes more bytes. False: enough; there is a request, or none can come of it any more.
  bool put(std::string_view bytes);

  bool has_begun() const;  // some of it is there
  // 0: it is all right. Otherwise the status to refuse it with.
  unsigned refusal() const;
  // Of one that is all there; from then on, what comes is the next one, of which some may be there
  // already.
  Request take();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace heapledger::server
