// Requests out of bytes, in whatever pieces these come, and who may send them.
#include <gtest/gtest.h>

#include "server/access.h"
#include "server/request_reader.h"
#include "server/token.h"

namespace heapledger::server {
namespace {

const std::string kAsk =
    "POST /api/ask?x=1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 5\r\n\r\nhello";

TEST(ServerRequest, ComesInPieces) {
  for (size_t piece = 1; piece <= kAsk.size(); ++piece) {
    RequestReader reader({});
    EXPECT_FALSE(reader.has_begun());
    for (size_t from = 0; from < kAsk.size(); from += piece) {
      const bool more = reader.put(std::string_view(kAsk).substr(from, piece));
      EXPECT_EQ(more, from + piece < kAsk.size());
      EXPECT_TRUE(reader.has_begun());
    }
    ASSERT_EQ(reader.refusal(), 0u);
    const Request request = reader.take();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/api/ask");
    EXPECT_EQ(request.body, "hello");
    EXPECT_TRUE(request.keep_alive);
    ASSERT_NE(request.field("host"), nullptr);
    EXPECT_EQ(*request.field("host"), "127.0.0.1:80");
    EXPECT_EQ(request.field("origin"), nullptr);
  }
}

TEST(ServerRequest, TheNextOneMayBeThereAlready) {
  RequestReader reader({});
  EXPECT_FALSE(reader.put(kAsk + kAsk + "GET"));
  EXPECT_EQ(reader.take().body, "hello");
  EXPECT_FALSE(reader.put(""));
  EXPECT_EQ(reader.take().body, "hello");
  EXPECT_TRUE(reader.put(""));
  EXPECT_FALSE(reader.put(" / HTTP/1.0\r\n\r\n"));
  EXPECT_FALSE(reader.take().keep_alive);
}

unsigned refusal_of(const std::string& bytes) {
  RequestReader reader({.head_bytes = 100, .body_bytes = 10});
  EXPECT_FALSE(reader.put(bytes));
  return reader.refusal();
}

TEST(ServerRequest, IsBounded) {
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nX: " + std::string(100, 'x') + "\r\n\r\n"), 431u);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nX: " + std::string(1000, 'x')), 431u);
  EXPECT_EQ(refusal_of("POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n"), 413u);
  EXPECT_EQ(refusal_of("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n"),
            413u);
  EXPECT_EQ(refusal_of("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123456789"), 0u);
}

TEST(ServerRequest, IsRefusedWhenItIsNone) {
  EXPECT_EQ(refusal_of("hello there\r\n\r\n"), 400u);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400u);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400u);
  EXPECT_EQ(refusal_of(std::string("GET /\0 HTTP/1.1\r\n\r\n", 19)), 400u);
}

TEST(ServerToken, IsAnotherEachTimeAndComparedWhole) {
  const std::string token = new_token();
  EXPECT_EQ(token.size(), 32u);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(token, new_token());
  EXPECT_TRUE(is_same_secret(token, std::string(token)));
  EXPECT_FALSE(is_same_secret(token, token.substr(1)));
  for (size_t i = 0; i < token.size(); ++i) {
    std::string other = token;
    other[i] = other[i] == '0' ? '1' : '0';
    EXPECT_FALSE(is_same_secret(token, other));
  }
  EXPECT_TRUE(is_same_secret("", ""));
}

Request question(std::vector<std::pair<std::string, std::string>> fields) {
  Request request{"POST", "/api/ask", "{}", std::move(fields), true};
  request.fields.emplace_back("authorization", "Bearer secret");
  return request;
}

TEST(ServerAccess, OfAQuestion) {
  const Access access(80, "secret");
  const auto status = [&access](const Request& request) {
    const auto refused = access.refuse_question(request);
    return refused ? refused->status : 200;
  };
  EXPECT_EQ(status(question({{"host", "127.0.0.1:80"}})), 200u);
  EXPECT_EQ(status(question({{"host", "localhost:80"}, {"origin", "http://localhost:80"}})), 200u);
  EXPECT_EQ(status(question({})), 403u);
  EXPECT_EQ(status(question({{"host", "127.0.0.1"}})), 403u);
  EXPECT_EQ(status(question({{"host", "127.0.0.1:80"}, {"host", "127.0.0.1:80"}})), 400u);
  EXPECT_EQ(status(question({{"host", "127.0.0.1:80"}, {"origin", "http://127.0.0.1:81"}})), 403u);
  EXPECT_EQ(status(question({{"host", "127.0.0.1:80"}, {"sec-fetch-site", "cross-site"}})), 403u);
  EXPECT_EQ(status(question({{"host", "127.0.0.1:80"}, {"authorization", "Bearer secret"}})), 400u);
  Request without = question({{"host", "127.0.0.1:80"}});
  without.fields.pop_back();
  EXPECT_EQ(status(without), 401u);
}

}  // namespace
}  // namespace heapledger::server
