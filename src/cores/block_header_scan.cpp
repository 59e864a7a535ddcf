#include "cores/block_header_scan.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

namespace heapledger::cores {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;
// Only copies can be more than one.
constexpr size_t kMostImages = 64;

// Joins the pieces of a region, so that a header on the border of two is found.
class Scanner {
 public:
  explicit Scanner(ScannedHeaders& found) : found_(found) {}

  void add(uint64_t address, std::span<const unsigned char> piece) {
    if (address != address_ + window_.size()) {
      finish();
      address_ = address;
    }
    window_.insert(window_.end(), piece.begin(), piece.end());
    if (window_.size() <= kMostStructureBytes) return;
    search(window_.size() - kMostStructureBytes);
    drop_all_but(kMostFrameBytes + kMostStructureBytes);
  }

  // What comes next, if anything, is somewhere else.
  void finish() {
    search(window_.size());
    window_.clear();
    searched_ = 0;
  }

 private:
  // Looks at magics that begin before `end`. All of them have an L, which few other bytes are: as
  // their third byte where the low byte is first, else as their second.
  void search(size_t end) {
    const unsigned char* bytes = window_.data();
    size_t at = searched_;
    while (at < window_.size()) {
      const void* letter = std::memchr(bytes + at, 'L', window_.size() - at);
      if (letter == nullptr) break;
      auto place = static_cast<size_t>(static_cast<const unsigned char*>(letter) - bytes);
      if (place >= end + 2) break;
      look_at(place, 2, end);
      look_at(place, 1, end);
      at = place + 1;
    }
    searched_ = std::max(searched_, end);
  }

  void look_at(size_t letter, size_t back, size_t end) {
    if (letter < searched_ + back || letter - back >= end) return;
    size_t at = letter - back;
    if (window_.size() - at < kMagicBytes) return;
    DumpBytes dump{address_, window_};
    std::optional<Magic> magic = magic_at(dump, at);
    if (!magic) return;
    Decoded decoded;
    if (magic->is_image) {
      ProgramImage image;
      decoded = decode_image(dump, at, magic->big_endian, image);
      if (decoded == Decoded::kComplete && found_.images.size() < kMostImages) {
        found_.images.push_back(std::move(image));
      }
    } else {
      BlockHeader header;
      decoded = decode_header(dump, at, magic->big_endian, header);
      if (decoded == Decoded::kComplete) found_.headers.push_back(header);
    }
    if (decoded == Decoded::kDamaged) ++found_.damaged;
  }

  void drop_all_but(size_t kept) {
    if (window_.size() <= kept) return;
    size_t dropped = window_.size() - kept;
    window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(dropped));
    address_ += dropped;
    searched_ -= std::min(searched_, dropped);
  }

  ScannedHeaders& found_;
  std::vector<unsigned char> window_;
  uint64_t address_ = 0;  // of the window's first byte
  size_t searched_ = 0;   // magics that begin before this have been seen
};

}  // namespace

ScannedHeaders scan_for_headers(const Memory& memory) {
  ScannedHeaders found;
  Scanner scanner(found);
  for (const Region& region : memory.regions()) {
    // Whoever writes headers can write there.
    if (!region.writable) continue;
    for_each_piece(memory, region, kPieceBytes,
                   [&](uint64_t address, std::span<const unsigned char> piece) {
                     scanner.add(address, piece);
                   });
  }
  scanner.finish();
  return found;
}

}  // namespace heapledger::cores
