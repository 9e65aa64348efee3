#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>
#include <zstd.h>

#include "observe/api/logs.hpp"

namespace nexusfix::observe {
namespace {

// Text of logs becomes about a tenth; higher levels take much longer for little.
constexpr int kLevel = 6;
constexpr std::size_t kPieceBytes = 1U << 20U;

std::unexpected<DiskError> zstd_error(const std::string& path, std::string cause) {
  return std::unexpected{DiskError{.path = path, .operation = "pack", .cause = std::move(cause)}};
}

class Packer {
 public:
  Packer(File& from, File& to, const std::string& path, std::uint64_t size)
      : from_{from},
        to_{to},
        path_{path},
        context_{ZSTD_createCCtx(), &ZSTD_freeCCtx},
        left_{size} {}

  DiskResult<void> begin() {
    if (context_ == nullptr) return zstd_error(path_, "no memory");
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setPledgedSrcSize(context_.get(), left_);
    return {};
  }

  // False: that was the last piece.
  DiskResult<bool> pack_piece() {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPieceBytes));
    const DiskResult<std::size_t> got = from_.read_at(read_, std::span{piece_}.first(wanted));
    if (!got) return std::unexpected{got.error()};
    if (*got < wanted) return zstd_error(path_, "it was cut in the meantime");
    read_ += *got;
    left_ -= *got;
    ZSTD_inBuffer input{piece_.data(), *got, 0};
    const ZSTD_EndDirective how = left_ == 0 ? ZSTD_e_end : ZSTD_e_continue;
    for (;;) {
      ZSTD_outBuffer output{packed_.data(), packed_.size(), 0};
      const std::size_t rest = ZSTD_compressStream2(context_.get(), &output, &input, how);
      if (ZSTD_isError(rest) != 0) return zstd_error(path_, ZSTD_getErrorName(rest));
      const auto bytes = std::span<const char>{packed_}.first(output.pos);
      if (auto written = to_.write_at(written_, bytes); !written) {
        return std::unexpected{written.error()};
      }
      written_ += output.pos;
      if (how == ZSTD_e_end ? rest == 0 : input.pos == input.size) return left_ != 0;
    }
  }

 private:
  File& from_;
  File& to_;
  const std::string& path_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
  std::vector<char> piece_ = std::vector<char>(kPieceBytes);
  std::vector<char> packed_ = std::vector<char>(ZSTD_CStreamOutSize());
  std::uint64_t left_;
  std::uint64_t read_ = 0;
  std::uint64_t written_ = 0;
};

DiskResult<bool> pack(Disk& disk, const std::string& from, const std::string& to,
                      FunctionRef<bool()> goes_on) {
  const auto source = disk.open(from, OpenMode::ReadRegular);
  if (!source) return std::unexpected{source.error()};
  const auto size = (*source)->size();
  if (!size) return std::unexpected{size.error()};
  const auto target = disk.open(to, OpenMode::Create);
  if (!target) return std::unexpected{target.error()};
  if (auto emptied = (*target)->truncate(0); !emptied) return std::unexpected{emptied.error()};
  Packer packer{**source, **target, from, *size};
  if (auto begun = packer.begin(); !begun) return std::unexpected{begun.error()};
  for (bool has_more = true; has_more;) {
    if (!goes_on()) return false;
    const DiskResult<bool> packed = packer.pack_piece();
    if (!packed) return std::unexpected{packed.error()};
    has_more = *packed;
  }
  if (auto synced = (*target)->sync(); !synced) return std::unexpected{synced.error()};
  return true;
}

constexpr LogCompressionPart kPart{.pack = &pack};

}  // namespace

const LogCompressionPart* log_compression_part() noexcept { return &kPart; }

}  // namespace nexusfix::observe
