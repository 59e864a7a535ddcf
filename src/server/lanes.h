// One request at a time in each lane of a page: a newer one gives up an older one that still runs,
// since nobody looks at its answer any more.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

namespace heapledger::server {

class Lanes {
 public:
  // A request under way; its end, when this goes.
  class Way {
   public:
    Way(Lanes& lanes, std::string lane, const std::stop_token& gone);
    ~Way();
    Way(const Way&) = delete;
    Way& operator=(const Way&) = delete;

    // When somebody newer came, or `gone` says so.
    std::stop_token stop() const { return source_->get_token(); }

   private:
    struct GiveUp {
      std::shared_ptr<std::stop_source> source;
      void operator()() const { source->request_stop(); }
    };

    Lanes& lanes_;
    std::string lane_;
    std::shared_ptr<std::stop_source> source_ = std::make_shared<std::stop_source>();
    std::stop_callback<GiveUp> when_gone_;
  };

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<std::stop_source>> newest_;
};

}  // namespace heapledger::server
