#include "importers/line_source.h"

#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <new>
#include <utility>

#include "analyzer/error.h"

namespace heapledger {
namespace {

constexpr size_t kInputBytes = size_t{1} << 18;
constexpr size_t kPieceBytes = size_t{1} << 15;
constexpr size_t kLongestLine = size_t{1} << 24;

}  // namespace

// Makes text of what a file holds, a piece at a time: what comes out can be a thousand times as
// long as what goes in. `input` loses what was used; false: it makes no sense.
class LineSource::Decoder {
 public:
  virtual ~Decoder() = default;
  virtual bool decode(std::string_view& input, std::string& text) = 0;
  virtual bool complete() const { return true; }  // the file may end here
};

struct LineSource::Plain final : Decoder {
  bool decode(std::string_view& input, std::string& text) override {
    text += input;
    input = {};
    return true;
  }
};

struct LineSource::Gzip final : Decoder {
  Gzip() { good = ::inflateInit2(&stream, 15 + 32) == Z_OK; }
  ~Gzip() override { ::inflateEnd(&stream); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  bool decode(std::string_view& input, std::string& text) override {
    if (ended && input.empty()) return good;
    if (ended) good = ::inflateReset(&stream) == Z_OK;  // several files, one behind the other
    if (!good) return false;
    char piece[kPieceBytes];
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream.avail_in = static_cast<uInt>(input.size());
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    int result = ::inflate(&stream, Z_NO_FLUSH);
    text.append(piece, sizeof piece - stream.avail_out);
    input.remove_prefix(input.size() - stream.avail_in);
    ended = result == Z_STREAM_END;
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
  }
  bool complete() const override { return ended; }

  z_stream stream{};
  bool good = false;
  bool ended = false;
};

struct LineSource::Zstd final : Decoder {
  Zstd() : stream(::ZSTD_createDStream()) {
    if (stream == nullptr) throw std::bad_alloc();
  }
  ~Zstd() override { ::ZSTD_freeDStream(stream); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  bool decode(std::string_view& input, std::string& text) override {
    if (ended && input.empty()) return true;
    char piece[kPieceBytes];
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{piece, sizeof piece, 0};
    size_t result = ::ZSTD_decompressStream(stream, &out, &in);
    if (::ZSTD_isError(result) != 0) return false;
    text.append(piece, out.pos);
    input.remove_prefix(in.pos);
    ended = result == 0;
    return true;
  }
  bool complete() const override { return ended; }

  ZSTD_DStream* stream;
  bool ended = false;
};

LineSource::LineSource(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
  unsigned char magic[4] = {};
  size_t there = source_->read(0, magic, sizeof magic);
  if (there >= 2 && magic[0] == 0x1F && magic[1] == 0x8B) {
    decoder_ = std::make_unique<Gzip>();
  } else if (there == 4 && std::memcmp(magic, "\x28\xB5\x2F\xFD", 4) == 0) {
    decoder_ = std::make_unique<Zstd>();
  } else {
    decoder_ = std::make_unique<Plain>();
  }
}

LineSource::~LineSource() = default;

// More text, or false when there is none.
bool LineSource::fill() {
  if (!text_ended_) text_ended_ = !decode_more();
  return !text_ended_;
}

bool LineSource::decode_more() {
  text_.erase(0, begin_);
  begin_ = 0;
  size_t before = text_.size();
  while (text_.size() == before) {
    if (left_.empty() && !file_ended_) {
      input_.resize(kInputBytes);
      left_ = std::string_view(input_.data(), source_->read(offset_, input_.data(), kInputBytes));
      offset_ += left_.size();
      file_ended_ = left_.empty();
    }
    size_t left = left_.size();
    if (!decoder_->decode(left_, text_)) {
      if (number_ == 0 && text_.empty()) {
        throw Error(name() + ": is damaged: it cannot be decompressed", ErrorKind::kData);
      }
      cut_short_ = true;
      return false;
    }
    if (text_.size() != before) break;
    if (file_ended_ && left_.size() == left) {
      if (!decoder_->complete() && offset_ > 0) cut_short_ = true;
      return false;
    }
  }
  return true;
}

std::string_view LineSource::beginning(size_t bytes) {
  while (text_.size() - begin_ < bytes && fill()) {
  }
  return std::string_view(text_).substr(begin_, bytes);
}

bool LineSource::next_piece(std::string_view& piece) {
  if (begin_ == text_.size() && !fill()) return false;
  piece = std::string_view(text_).substr(begin_);
  begin_ = text_.size();
  return true;
}

bool LineSource::next(std::string_view& line) {
  size_t searched = begin_;
  while (true) {
    size_t end = text_.find('\n', searched);
    if (end != std::string::npos) {
      line = std::string_view(text_).substr(begin_, end - begin_);
      begin_ = end + 1;
      ++number_;
      return true;
    }
    size_t waiting = text_.size() - begin_;
    if (waiting > kLongestLine) {
      throw Error(name() + ": line " + std::to_string(number_ + 1) + " is too long",
                  ErrorKind::kData);
    }
    if (!fill()) {
      if (text_.size() > begin_) cut_short_ = true;  // half a line is none
      return false;
    }
    searched = waiting;
  }
}

}  // namespace heapledger
