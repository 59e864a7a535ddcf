#include "cli/check/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/check/text.h"
#include "text/xml.h"

namespace heapledger::cli::check {
namespace {

Page plain_page() {
  Page page;
  page.cut = false;
  return page;
}

// Line by line, since line breaks are ours and all else is somebody's.
std::string xml_lines(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    size_t length = std::min(text.find('\n'), text.size());
    all += xml_text(text.substr(0, length)) + "\n";
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return all;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

struct Case {
  std::string name;
  const char* outcome = nullptr;  // "failure", "error"; nullptr: passed
  std::string message;
  std::string text;
};

std::string class_name(const Checked& checked) {
  std::string name = checked.ledgers.empty() ? "ledger" : short_path(checked.ledgers.front());
  if (checked.ledgers.size() > 1) {
    name += " and " + std::to_string(checked.ledgers.size() - 1) + " more";
  }
  return name;
}

std::string document(const std::vector<Case>& cases, const Checked& checked) {
  auto count = [&](std::string_view outcome) {
    return std::count_if(cases.begin(), cases.end(), [&](const Case& one) {
      return one.outcome != nullptr && outcome == one.outcome;
    });
  };
  Buffer to;
  put(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
  put(to,
      "  <testsuite name=\"heapledger check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "skipped=\"0\">\n",
      cases.size(), count("failure"), count("error"));
  std::string owner = xml_text(class_name(checked));
  for (const Case& one : cases) {
    put(to, "    <testcase classname=\"{}\" name=\"{}\"", owner, xml_text(one.name));
    if (one.outcome == nullptr) {
      put(to, "/>\n");
      continue;
    }
    put(to, ">\n      <{} message=\"{}\">{}</{}>\n    </testcase>\n", one.outcome,
        xml_text(one.message), xml_lines(one.text), one.outcome);
  }
  put(to, "  </testsuite>\n</testsuites>\n");
  return fmt::to_string(to);
}

}  // namespace

std::string check_junit(const GateResult& result, const Checked& checked) {
  std::vector<Case> cases;
  Case whole{"complete", nullptr, {}, {}};
  if (checked.is_bad()) {
    whole.outcome = "error";
    whole.message = "the ledger is damaged or incomplete, so the figures prove nothing";
    whole.text = joined(checked.problems);
  }
  cases.push_back(std::move(whole));
  for (const Verdict& verdict : result.verdicts) {
    Case one{verdict_name(verdict), nullptr, {}, {}};
    if (!verdict.held) {
      one.outcome = "failure";
      one.message = verdict_sentence(verdict);
      one.text = one.message + "\n" + culprits_text(verdict, plain_page(), "  ");
    }
    cases.push_back(std::move(one));
  }
  return document(cases, checked);
}

std::string check_junit_error(const std::string& message, const Checked& checked) {
  return document({{"complete", "error", message, message}}, checked);
}

}  // namespace heapledger::cli::check
