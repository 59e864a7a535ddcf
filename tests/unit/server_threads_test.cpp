// What the threads of the server share: events, lanes, and what is asked while it is being read.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <thread>

#include "query_asker.h"
#include "server/api.h"

namespace heapledger::server {
namespace {

using test::World;

TEST(ServerEvents, ThoseWhoComeLaterHearWhatStaysTrue) {
  Events events;
  events.tell("progress", "one");
  events.tell("progress", "two");
  events.tell("ready", "there");
  std::string heard;
  std::stop_source stop;
  events.follow(
      [&](std::string_view lines) {
        heard += lines;
        stop.request_stop();
        return true;
      },
      stop.get_token());
  EXPECT_EQ(heard, "two\nthere\n");
}

TEST(ServerEvents, AreHeardByAllAndEndWhenNobodyReads) {
  Events events;
  EXPECT_GT(events.alone().count(), 0);
  std::latch listening(2);
  std::promise<std::string> first;
  std::promise<std::string> second;
  const auto listen = [&](std::promise<std::string>& heard) {
    bool began = false;
    events.follow(
        [&](std::string_view lines) {
          if (!began) {
            began = true;
            listening.count_down();
            return true;
          }
          heard.set_value(std::string(lines));
          return false;
        },
        {});
  };
  std::jthread one([&] { listen(first); });
  std::jthread two([&] { listen(second); });
  listening.wait();
  EXPECT_EQ(events.alone().count(), 0);
  events.tell("news", "news");
  EXPECT_EQ(first.get_future().get(), "news\n");
  EXPECT_EQ(second.get_future().get(), "news\n");
  one.join();
  two.join();
  EXPECT_EQ(events.listeners(), 0u);
}

TEST(ServerEvents, AnEmptyLineNowAndThen) {
  Events events;
  int lines = 0;
  events.follow([&](std::string_view line) { return line == "\n" && ++lines < 3; }, {},
                std::chrono::milliseconds(1));
  EXPECT_EQ(lines, 3);
}

TEST(ServerLanes, ANewerRequestGivesUpAnOlderOne) {
  Lanes lanes;
  Lanes::Way older(lanes, "a", {});
  Lanes::Way elsewhere(lanes, "b", {});
  Lanes::Way nowhere(lanes, "", {});
  {
    const Lanes::Way newer(lanes, "a", {});
    EXPECT_TRUE(older.stop().stop_requested());
    EXPECT_FALSE(newer.stop().stop_requested());
  }
  const Lanes::Way newest(lanes, "a", {});
  const Lanes::Way nowhere_too(lanes, "", {});
  EXPECT_FALSE(newest.stop().stop_requested());
  EXPECT_FALSE(elsewhere.stop().stop_requested());
  EXPECT_FALSE(nowhere.stop().stop_requested());
}

TEST(ServerLanes, WhoIsGoneNeedsNoAnswer) {
  Lanes lanes;
  std::stop_source gone;
  const Lanes::Way way(lanes, "a", gone.get_token());
  EXPECT_FALSE(way.stop().stop_requested());
  gone.request_stop();
  EXPECT_TRUE(way.stop().stop_requested());
}

// Reading waits there, while it is closed.
class Gate {
 public:
  void close() { closed_ = true; }
  void open() {
    closed_ = false;
    closed_.notify_all();
  }
  void pass() {
    if (!closed_) return;
    waiting_ = true;
    waiting_.notify_all();
    closed_.wait(true);
  }
  void wait_for_somebody() const { waiting_.wait(false); }

 private:
  std::atomic<bool> closed_{false};
  std::atomic<bool> waiting_{false};
};

class GatedSource final : public ByteSource {
 public:
  GatedSource(std::unique_ptr<ByteSource> source, Gate& gate)
      : source_(std::move(source)), gate_(gate) {}
  const std::string& name() const override { return source_->name(); }
  uint64_t size() override { return source_->size(); }
  size_t read(uint64_t offset, void* to, size_t count) override {
    gate_.pass();
    return source_->read(offset, to, count);
  }

 private:
  std::unique_ptr<ByteSource> source_;
  Gate& gate_;
};

// An api over random ledgers, which may be kept waiting.
class ServerApi : public testing::Test {
 protected:
  Shown open() {
    std::vector<Ledgers::Opener> openers;
    for (const std::string& bytes : world_.files()) {
      openers.emplace_back([this, bytes, name = std::to_string(openers.size())] {
        return std::make_unique<GatedSource>(in_memory(name, bytes), gate_);
      });
    }
    auto ledgers = std::make_shared<Ledgers>(std::move(openers), Options());
    ledgers->overview();
    ledgers->use_symbols(&world_.symbols());
    Shown shown;
    shown.ledgers = ledgers.get();
    shown.holder = ledgers;
    shown.title = "random";
    return shown;
  }

  static std::string ask(Api& api, const std::string& path, const std::string& body,
                         unsigned status, std::stop_token gone = {}) {
    const Reply reply = api.answer(path, body, gone);
    EXPECT_EQ(reply.status, status) << path << " " << body << " " << reply.body;
    return reply.body;
  }

  World world_{5, 2, 900};
  Gate gate_;
  std::promise<void> read_;
};

TEST_F(ServerApi, SaysHowFarItIsUntilItCanAnswer) {
  std::promise<void> may_go_on;
  std::promise<void> told;
  Api api(
      [&](const Told& tell, const std::stop_token&) {
        tell(3, 7, "reading");
        told.set_value();
        may_go_on.get_future().wait();
        return open();
      },
      [&](std::exception_ptr failure) {
        EXPECT_EQ(failure, nullptr);
        read_.set_value();
      });
  told.get_future().wait();
  const std::string reading = R"({"reading":{"done":3,"total":7,"what":"reading"}})";
  EXPECT_EQ(ask(api, "/api/recording", "{}", 202), reading);
  EXPECT_EQ(ask(api, "/api/ask", R"({"question":{}})", 202), reading);
  may_go_on.set_value();
  read_.get_future().wait();
  EXPECT_NE(ask(api, "/api/recording", "{}", 200).find(R"("title":"random")"), std::string::npos);
}

TEST_F(ServerApi, SaysWhyItCannotAnswer) {
  std::exception_ptr failure;
  Api api([](const Told&,
             const std::stop_token&) -> Shown { throw Error("all is damaged", ErrorKind::kData); },
          [&](std::exception_ptr why) {
            failure = std::move(why);
            read_.set_value();
          });
  read_.get_future().wait();
  EXPECT_NE(failure, nullptr);
  EXPECT_EQ(ask(api, "/api/recording", "{}", 500),
            R"({"error":{"kind":"data","text":"all is damaged"}})");
  EXPECT_EQ(ask(api, "/api/ask", "{}", 500),
            R"({"error":{"kind":"data","text":"all is damaged"}})");
}

TEST_F(ServerApi, AnswersSeveralAtOnce) {
  Api api([&](const Told&, const std::stop_token&) { return open(); },
          [&](std::exception_ptr) { read_.set_value(); });
  read_.get_future().wait();
  const std::vector<std::pair<std::string, std::string>> asked = {
      {"/api/ask", R"({"question":{"by":"function"},"lane":"a"})"},
      {"/api/ask", R"({"question":{"by":"thread","at":"40%"},"lane":"b"})"},
      {"/api/ask", R"({"question":{"tree":"top-down","at":"end"}})"},
      {"/api/blocks", R"({"question":{"top":5}})"},
      {"/api/where_rss", R"({"at":"peak"})"},
      {"/api/compare", R"({"before":"start","after":"end","by":"function"})"}};
  std::vector<std::string> alone;
  for (const auto& [path, body] : asked) alone.push_back(ask(api, path, body, 200));
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < asked.size(); ++i) {
    threads.emplace_back([&, i] {
      const std::string again = ask(api, asked[i].first, asked[i].second, 200);
      // The index may have come meanwhile.
      const std::string answer = alone[i].substr(0, alone[i].rfind(",\"from\""));
      EXPECT_EQ(again.substr(0, answer.size()), answer);
    });
  }
}

TEST_F(ServerApi, GivesUpForWhomIsGone) {
  Api api([&](const Told&, const std::stop_token&) { return open(); },
          [&](std::exception_ptr) { read_.set_value(); });
  read_.get_future().wait();
  std::stop_source gone;
  gone.request_stop();
  EXPECT_NE(ask(api, "/api/ask", R"({"question":{"by":"lifetime"}})", 409, gone.get_token())
                .find("cancelled"),
            std::string::npos);
}

TEST_F(ServerApi, GivesUpAnOlderRequestOfALane) {
  std::promise<void> indexed;
  Api api([&](const Told&, const std::stop_token&) { return open(); },
          [&](std::exception_ptr) { read_.set_value(); });
  read_.get_future().wait();
  std::jthread listener([&](const std::stop_token& stop) {
    api.events().follow(
        [&](std::string_view lines) {
          if (lines.find("{\"index\"") == std::string_view::npos) return true;
          indexed.set_value();
          return false;
        },
        stop);
  });
  indexed.get_future().wait();
  gate_.close();
  std::jthread older(
      [&] { ask(api, "/api/ask", R"({"question":{"by":"lifetime"},"lane":"a"})", 409); });
  gate_.wait_for_somebody();
  // One that is answered at once, without waiting for the other.
  ask(api, "/api/source", R"({"file":0,"lane":"a"})", 400);
  gate_.open();
}

}  // namespace
}  // namespace heapledger::server
