#include <array>
#include <cstring>
#include <lzma.h>
#include <utility>
#include <vector>
#include <zlib.h>
#include <zstd.h>

#include "logs/source/byte_source.hpp"

namespace nexusfix::logs {
namespace {

constexpr std::size_t kPackedBytes = 256U << 10U;
constexpr std::uint64_t kMemoryMax = 64U << 20U;
constexpr int kZstdWindowLogMax = 26;  // 64 MiB

// What one step of a library did.
struct Step {
  std::size_t consumed = 0;
  std::size_t produced = 0;
  bool ends_member = false;  // another archive may follow directly
};

// Feeds a library with packed bytes. Library has step(packed, out), which returns a Step or the
// error, and restart() for the next member.
template <class Library>
class UnpackedSource final : public ByteSource {
 public:
  explicit UnpackedSource(Source packed) : packed_{std::move(packed)}, input_(kPackedBytes) {}

  std::expected<std::size_t, std::string> read(std::span<char> bytes) override {
    while (!bytes.empty()) {
      if (at_ == end_ && !has_more_) {
        const auto got = packed_->read(input_);
        if (!got) return got;
        if (*got == 0 && !is_in_member_) return 0;
        if (*got == 0) return std::unexpected{std::string{Library::kName} + ": the archive is cut"};
        at_ = 0;
        end_ = *got;
      }
      // Tapes and block devices fill the rest of their blocks with zeros.
      if (Library::kMayBePadded && has_member_ && !is_in_member_) {
        while (at_ < end_ && input_[at_] == '\0') ++at_;
        if (at_ == end_) continue;
      }
      has_member_ = true;
      if (!is_in_member_ && !library_.restart()) return std::unexpected{failure("no memory")};
      is_in_member_ = true;
      const auto step = library_.step(std::span{input_}.subspan(at_, end_ - at_), bytes);
      if (!step) return std::unexpected{failure(step.error())};
      at_ += step->consumed;
      is_in_member_ = !step->ends_member;
      has_more_ = is_in_member_ && step->produced == bytes.size();
      if (step->produced > 0) return step->produced;
    }
    return 0;
  }

 private:
  static std::string failure(std::string_view cause) {
    return std::string{Library::kName} + ": " + std::string{cause};
  }

  Source packed_;
  std::vector<char> input_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  bool is_in_member_ = false;
  bool has_member_ = false;  // at least one has begun
  bool has_more_ = false;    // the library may have unpacked bytes that found no room
  Library library_;
};

constexpr std::string_view kDamaged = "the archive is damaged";

class Gzip {
 public:
  static constexpr std::string_view kName = "gzip";
  static constexpr bool kMayBePadded = true;
  Gzip() { is_open_ = inflateInit2(&stream_, kGzipOnly) == Z_OK; }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() { inflateEnd(&stream_); }

  bool restart() { return is_open_ && inflateReset(&stream_) == Z_OK; }
  std::expected<Step, std::string> step(std::span<char> packed, std::span<char> out) {
    // Valid: zlib reads and writes bytes.
    stream_.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    const Step step{packed.size() - stream_.avail_in, out.size() - stream_.avail_out,
                    result == Z_STREAM_END};
    if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) return step;
    return std::unexpected{std::string{kDamaged}};
  }

 private:
  static constexpr int kGzipOnly = 16 + MAX_WBITS;
  z_stream stream_{};
  bool is_open_ = false;
};

class Zstd {
 public:
  static constexpr std::string_view kName = "zstd";
  static constexpr bool kMayBePadded = false;
  Zstd() : context_{ZSTD_createDCtx()} {
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kZstdWindowLogMax);
  }

  bool restart() { return context_ != nullptr; }
  std::expected<Step, std::string> step(std::span<char> packed, std::span<char> out) {
    ZSTD_inBuffer input{packed.data(), packed.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &output, &input);
    if (ZSTD_isError(left) != 0) return std::unexpected{std::string{ZSTD_getErrorName(left)}};
    return Step{input.pos, output.pos, left == 0};
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_;
};

class Xz {
 public:
  static constexpr std::string_view kName = "xz";
  static constexpr bool kMayBePadded = true;
  Xz() = default;
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;
  ~Xz() { lzma_end(&stream_); }

  bool restart() { return lzma_stream_decoder(&stream_, kMemoryMax, 0) == LZMA_OK; }
  std::expected<Step, std::string> step(std::span<char> packed, std::span<char> out) {
    // Valid: liblzma reads and writes bytes.
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream_.avail_in = packed.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret result = lzma_code(&stream_, LZMA_RUN);
    const Step step{packed.size() - stream_.avail_in, out.size() - stream_.avail_out,
                    result == LZMA_STREAM_END};
    if (result == LZMA_OK || result == LZMA_STREAM_END || result == LZMA_BUF_ERROR) return step;
    if (result == LZMA_MEMLIMIT_ERROR) {
      return std::unexpected{std::string{"the archive needs more than 64 MiB to be unpacked"}};
    }
    return std::unexpected{std::string{kDamaged}};
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

Source gzip_source(Source packed) {
  return std::make_unique<UnpackedSource<Gzip>>(std::move(packed));
}
Source zstd_source(Source packed) {
  return std::make_unique<UnpackedSource<Zstd>>(std::move(packed));
}
Source xz_source(Source packed) { return std::make_unique<UnpackedSource<Xz>>(std::move(packed)); }

}  // namespace nexusfix::logs
