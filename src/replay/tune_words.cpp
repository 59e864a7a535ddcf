#include "replay/tune_words.h"

#include "replay/compare_words.h"
#include "text/text.h"

namespace heapledger {
namespace {

std::string proposal(const Tuned& tuned, size_t which) {
  const CandidateFigures& figures = tuned.tried[which];
  return export_command(tuned.settings[which]) + ": " +
         difference_in_words(figures.time, figures.peak);
}

}  // namespace

std::string settings_in_words(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings) {
    if (!text.empty()) text += " ";
    text += (setting.name.empty() ? setting.variable : setting.name) + "=" + setting.value;
  }
  return text;
}

std::string export_command(const std::vector<Setting>& settings) {
  std::string text = "export";
  for (const auto& [name, value] : environment_of(settings)) {
    text += " " + name + "=" + shell_word(value);
  }
  return text;
}

std::string tuning_in_words(const Tuned& tuned) {
  const std::string name = escaped(tuned.allocator);
  if (tuned.tried.empty() || tuned.tried[0].failed) {
    return name + (tuned.tried.empty() ? " could not be played" : " " + tuned.tried[0].failure);
  }
  if (tuned.tried.size() == 1) {
    return tuned.out_of_time ? "There was no time to try a setting of " + name
                             : "No settings of " + name + " are known";
  }
  std::string text;
  if (tuned.best != 0) {
    text = proposal(tuned, tuned.best);
  } else if (tuned.fastest == 0 && tuned.smallest == 0) {
    text = "No setting of " + name + " helps by more than can be told";
  } else {
    text = "No setting of " + name + " helps without costing as much";
  }
  if (tuned.fastest != 0 && tuned.fastest != tuned.best) {
    text += "; for the least time, " + proposal(tuned, tuned.fastest);
  }
  if (tuned.smallest != 0 && tuned.smallest != tuned.best && tuned.smallest != tuned.fastest) {
    text += "; for the least memory, " + proposal(tuned, tuned.smallest);
  }
  if (tuned.out_of_time) text += " (there was no time for all that could be tried)";
  return text;
}

}  // namespace heapledger
