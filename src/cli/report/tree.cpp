// `report --tree`, `--bottom-up`, `--callers-of`, `--callees-of`: who calls whom.
#include <algorithm>
#include <numeric>
#include <vector>

#include "analyzer/error.h"
#include "cli/report/columns.h"
#include "cli/report/heading.h"
#include "cli/report/live.h"
#include "cli/report/views.h"

namespace heapledger::cli::report {
namespace {

constexpr size_t kDefaultNodes = 40;
constexpr double kLeastShare = 0.005;

std::string title_of(const Question& question) {
  switch (question.tree) {
    case TreeShape::kBottomUp:
      return "from the functions that allocate to their callers";
    case TreeShape::kCallersOf:
      return "callers of " + escaped(question.function);
    case TreeShape::kCalleesOf:
      return "callees of " + escaped(question.function);
    default:
      return "from the outermost functions to those that allocate";
  }
}

class TreePainter {
 public:
  TreePainter(const Answer& answer, const Question& question, size_t nodes)
      : tree_(answer.tree), sort_(question.sort), chosen_(answer.tree.size(), 0) {
    // A node is never larger than its parent, so the largest ones hang together.
    std::vector<uint32_t> order(tree_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return value_of(tree_[a].all, sort_) > value_of(tree_[b].all, sort_);
    });
    for (size_t i = 0; i < order.size() && i <= nodes; ++i) choose(order[i]);
  }

  struct Line {
    uint32_t node;
    std::string branch;     // what is drawn before the name
    uint64_t left_out = 0;  // if so, the line says how many children are not shown
  };

  std::vector<Line> lines() {
    add(0, "", "");
    return std::move(lines_);
  }

 private:
  // With all its parents.
  void choose(uint32_t node) {
    for (; chosen_[node] == 0; node = tree_[node].parent) chosen_[node] = 1;
  }

  void add(uint32_t node, const std::string& branch, const std::string& below) {
    lines_.push_back({node, branch, 0});
    std::vector<uint32_t> children;
    for (uint32_t child : tree_[node].children) {
      if (chosen_[child] != 0) children.push_back(child);
    }
    uint64_t left_out = tree_[node].children.size() - children.size() + tree_[node].hidden;
    // A chain of single calls stays in its column.
    if (children.size() == 1 && left_out == 0 && node != 0) {
      add(children[0], below + "└ ", below);
      return;
    }
    for (size_t i = 0; i < children.size(); ++i) {
      bool last = i + 1 == children.size() && left_out == 0;
      add(children[i], below + (last ? "└─ " : "├─ "), below + (last ? "   " : "│  "));
    }
    if (left_out > 0 && !children.empty()) lines_.push_back({node, below + "└─ ", left_out});
  }

  const std::vector<TreeNode>& tree_;
  Measure sort_;
  std::vector<char> chosen_;
  std::vector<Line> lines_;
};

}  // namespace

std::string tree_text(Ledgers& ledgers, const Asked& asked, const Page& page) {
  Question question = asked.question;
  question.least_share = kLeastShare;
  Answer answer = ledgers.ask(question);
  Buffer to;
  put_scope(to, ledgers, asked, answer, page);
  put_title(to, page, title_of(question) + ", by " + measure_title(question.sort));
  if (answer.tree.size() < 2) {
    if (!question.function.empty()) {
      throw Error("no function that allocates, or is on the way to one, fits '" +
                      question.function + "'; a pattern with * has to match the whole name",
                  ErrorKind::kQuestion);
    }
    put(to, "  nothing\n");
    return page.finished(to);
  }
  std::vector<TreePainter::Line> lines =
      TreePainter(answer, question, asked.top_or(kDefaultNodes)).lines();
  FigureColumns columns(question, answer.totals, question.tree == TreeShape::kTopDown,
                        known_figures(ledgers, asked));
  for (const TreePainter::Line& line : lines) {
    columns.add(answer.tree[line.node].all, answer.tree[line.node].self);
  }
  columns.fit(page, std::max<size_t>(page.width * 3 / 5, 50));
  put(to, "{}\n", page.style.dim(columns.heading() + "function"));
  size_t room = columns.room(page);
  for (size_t i = 0; i < lines.size(); ++i) {
    const TreeNode& node = answer.tree[lines[i].node];
    const std::string& branch = lines[i].branch;
    if (lines[i].left_out > 0) {
      put(to, "{:{}}{}{}\n", "", columns.used(), branch,
          page.style.dim("… " + with_commas(lines[i].left_out) + " smaller"));
      continue;
    }
    size_t taken = shown_width(branch);
    put(to, "{}{}{}\n", columns.line(i), branch,
        function_text(page, node.name, node.file, node.line,
                      room > taken + 16 ? room - taken : 16));
  }
  if (answer.cut_sites > 0) {
    put(to, "\n{}\n",
        wrapped(fmt::format("The tree is cut: it would have more than {} nodes. {} early, and what "
                            "is inside counts for the last function shown. A --filter makes it "
                            "smaller.",
                            with_commas(question.most_nodes),
                            answer.cut_sites == 1 ? "One stack ends"
                                                  : counted(answer.cut_sites, "stack") + " end"),
                page.width));
  }
  return page.finished(to);
}

}  // namespace heapledger::cli::report
