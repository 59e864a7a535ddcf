#include "analyzer/query/moment.h"

#include <charconv>
#include <cmath>

#include "analyzer/error.h"
#include "analyzer/query/filter.h"

namespace heapledger {

MomentSpec parse_moment(std::string_view text) {
  MomentSpec moment;
  if (text == "start") {
    moment.kind = MomentSpec::Kind::kStart;
  } else if (text == "peak") {
    moment.kind = MomentSpec::Kind::kPeak;
  } else if (text == "rss-peak") {
    moment.kind = MomentSpec::Kind::kRssPeak;
  } else if (text == "end") {
    moment.kind = MomentSpec::Kind::kEnd;
  } else if (text.starts_with("marker:") && text.size() > 7) {
    moment.kind = MomentSpec::Kind::kMarker;
    moment.marker = text.substr(7);
  } else if (!text.empty() && text.back() == '%') {
    moment.kind = MomentSpec::Kind::kPercent;
    const char* end = text.data() + text.size() - 1;
    auto [stop, error] = std::from_chars(text.data(), end, moment.percent);
    if (error != std::errc() || stop != end || !(moment.percent >= 0 && moment.percent <= 100)) {
      throw Error("'" + std::string(text) + "' is not a moment: a percentage is from 0% to 100%",
                  ErrorKind::kQuestion);
    }
  } else if (!text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) {
    moment.kind = MomentSpec::Kind::kTime;
    try {
      moment.time_ns = parse_duration(text);
    } catch (const Error&) {
      throw Error("'" + std::string(text) +
                      "' is not a moment: a time has a unit, as in 1.5s, "
                      "200ms, 10us, 5ns or 2min; 50% is half of the run",
                  ErrorKind::kQuestion);
    }
  } else if (!text.empty()) {
    moment.kind = MomentSpec::Kind::kMarker;
    moment.marker = text;
  } else {
    throw Error(
        "a moment is one of start, peak, rss-peak, end, a time (1.5s), a share of the run "
        "(50%) or the name of a marker",
        ErrorKind::kQuestion);
  }
  return moment;
}

std::string to_text(const MomentSpec& moment) {
  switch (moment.kind) {
    case MomentSpec::Kind::kStart:
      return "start";
    case MomentSpec::Kind::kPeak:
      return "peak";
    case MomentSpec::Kind::kRssPeak:
      return "rss-peak";
    case MomentSpec::Kind::kEnd:
      return "end";
    case MomentSpec::Kind::kTime:
      return std::to_string(moment.time_ns) + "ns";
    case MomentSpec::Kind::kPercent: {
      char digits[32];
      auto [end, error] = std::to_chars(digits, digits + sizeof digits, moment.percent);
      return std::string(digits, error == std::errc() ? end : digits) + "%";
    }
    case MomentSpec::Kind::kMarker:
      return "marker:" + moment.marker;
  }
  return "";
}

}  // namespace heapledger
