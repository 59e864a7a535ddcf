// Numbers of the Parquet format (parquet.thrift) that are written here.
#pragma once

#include <cstdint>

namespace heapledger::parquet {

inline constexpr char kMagic[] = "PAR1";

// Encodings.
inline constexpr int32_t kPlain = 0;
inline constexpr int32_t kRuns = 3;
inline constexpr int32_t kDeltas = 5;
inline constexpr int32_t kDictionary = 8;

// Physical types.
inline constexpr int32_t kInt64 = 2;
inline constexpr int32_t kDouble = 5;
inline constexpr int32_t kByteArray = 6;
inline constexpr int32_t kFixedBytes = 7;

inline constexpr int32_t kRequired = 0;
inline constexpr int32_t kOptional = 1;
inline constexpr int32_t kUtf8 = 0;  // of the older converted types
inline constexpr int32_t kZstd = 6;  // of the compressions
inline constexpr int32_t kDataPage = 0;
inline constexpr int32_t kDictionaryPage = 2;

}  // namespace heapledger::parquet
