// The messages of pprof's profile.proto and the numbers of their fields, as far as they are written
// here. Texts are numbers of the string table; times are in nanoseconds.
#pragma once

#include <protozero/pbf_builder.hpp>
#include <protozero/types.hpp>

namespace heapledger::pprof {

enum class Profile : protozero::pbf_tag_type {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kString = 6,
  kDropFrames = 7,
  kTime = 9,
  kDuration = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kComment = 13,
  kDefaultSampleType = 14,
};

enum class ValueType : protozero::pbf_tag_type { kType = 1, kUnit = 2 };

enum class Sample : protozero::pbf_tag_type { kLocations = 1, kValues = 2 };

enum class Mapping : protozero::pbf_tag_type {
  kId = 1,
  kStart = 2,
  kLimit = 3,
  kFile = 5,
  kBuildId = 6,
  kHasFunctions = 7,
  kHasFiles = 8,
  kHasLines = 9,
  kHasInlined = 10,
};

enum class Location : protozero::pbf_tag_type { kId = 1, kMapping = 2, kAddress = 3, kLine = 4 };

enum class Line : protozero::pbf_tag_type { kFunction = 1, kLine = 2 };

enum class Function : protozero::pbf_tag_type { kId = 1, kName = 2, kFile = 4 };

template <typename Message>
using Builder = protozero::pbf_builder<Message>;

}  // namespace heapledger::pprof
