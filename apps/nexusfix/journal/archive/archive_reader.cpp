#include "nexusfix/journal/archive/archive_reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "journal/api/journal_tools.hpp"

namespace nexusfix::command {
namespace {

// The size of a segment with the largest possible record. An archive that claims more is refused.
constexpr std::uint64_t kSegmentBytesMax = std::uint64_t{3} << 30U;
// 32 MiB. Our own archives need at most 8 MiB.
constexpr int kWindowLogMax = 25;
// The header of a frame has at most 18 bytes.
constexpr std::size_t kFrameHeaderBytes = 32;

// A reader of a segment goes back by less than one read, except for larger records.
constexpr std::size_t kKeptBytes = 1U << 20U;
constexpr std::size_t kUnpackedBytes = 2 * kKeptBytes;

}  // namespace

ArchiveReader::ArchiveReader(std::unique_ptr<File> archive)
    : archive_{std::move(archive)},
      context_{ZSTD_createDCtx()},
      packed_(ZSTD_DStreamInSize()),
      unpacked_(kUnpackedBytes) {}

std::expected<std::unique_ptr<ArchiveReader>, std::string> ArchiveReader::open(
    std::unique_ptr<File> archive) {
  std::unique_ptr<ArchiveReader> reader{new ArchiveReader{std::move(archive)}};
  if (auto begun = reader->begin(); !begun) return std::unexpected{std::move(begun.error())};
  if (auto checked = reader->check_all(); !checked)
    return std::unexpected{std::move(checked.error())};
  return reader;
}

std::expected<void, std::string> ArchiveReader::begin() {
  if (context_ == nullptr) return std::unexpected{"zstd: no memory"};
  ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLogMax);
  const DiskResult<std::uint64_t> bytes = archive_->size();
  if (!bytes) return std::unexpected{bytes.error().what()};
  archive_bytes_ = *bytes;
  std::array<char, kFrameHeaderBytes> header{};
  const DiskResult<std::size_t> got = archive_->read_at(0, header);
  if (!got) return std::unexpected{got.error().what()};
  const unsigned long long size = ZSTD_getFrameContentSize(header.data(), *got);
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
    return std::unexpected{"it is no zstd archive with its size in the header"};
  if (size > kSegmentBytesMax) return std::unexpected{"it claims to be larger than a segment"};
  size_ = size;
  return {};
}

std::expected<void, std::string> ArchiveReader::check_all() {
  for (bool is_first = true;; is_first = false) {
    const auto more = unpack_more();
    if (!more) return std::unexpected{more.error()};
    if (is_first && !store::is_segment(std::span{unpacked_}.first(unpacked_bytes_)))
      return std::unexpected{"it holds no segment of a journal"};
    if (!*more) return {};
  }
}

std::expected<std::size_t, std::string> ArchiveReader::read_at(std::uint64_t offset,
                                                               std::span<char> out) {
  if (offset >= size_) return std::size_t{0};
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset));
  if (offset < unpacked_begin_) restart();
  for (std::size_t copied = 0; copied < count;) {
    const std::uint64_t at = offset + copied;
    const std::uint64_t end = unpacked_begin_ + unpacked_bytes_;
    if (at >= end) {
      const auto more = unpack_more();
      if (!more) return std::unexpected{more.error()};
      if (!*more) return std::unexpected{"it has changed since it was opened"};
      continue;
    }
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(count - copied, end - at));
    std::memcpy(out.data() + copied, unpacked_.data() + (at - unpacked_begin_), piece);
    copied += piece;
  }
  return count;
}

// False: the archive is complete, and every check passed.
std::expected<bool, std::string> ArchiveReader::unpack_more() {
  if (is_done_) return false;
  if (unpacked_bytes_ > kKeptBytes) {
    const std::size_t gone = unpacked_bytes_ - kKeptBytes;
    std::memmove(unpacked_.data(), unpacked_.data() + gone, kKeptBytes);
    unpacked_begin_ += gone;
    unpacked_bytes_ = kKeptBytes;
  }
  const std::size_t before = unpacked_bytes_;
  while (unpacked_bytes_ < unpacked_.size() && !is_done_) {
    if (input_.pos == input_.size)
      if (auto read = read_input(); !read) return std::unexpected{std::move(read.error())};
    ZSTD_outBuffer output{unpacked_.data(), unpacked_.size(), unpacked_bytes_};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &output, &input_);
    if (ZSTD_isError(left) != 0)
      return std::unexpected{std::string{"it is damaged: "} + ZSTD_getErrorName(left)};
    unpacked_bytes_ = output.pos;
    if (unpacked_begin_ + unpacked_bytes_ > size_)
      return std::unexpected{"it holds more than it says"};
    is_done_ = left == 0;
  }
  if (!is_done_) return true;
  if (unpacked_begin_ + unpacked_bytes_ < size_)
    return std::unexpected{"it holds less than it says"};
  if (input_.pos != input_.size || archive_at_ != archive_bytes_)
    return std::unexpected{"something follows it"};
  return unpacked_bytes_ > before;
}

std::expected<void, std::string> ArchiveReader::read_input() {
  const DiskResult<std::size_t> got = archive_->read_at(archive_at_, packed_);
  if (!got) return std::unexpected{got.error().what()};
  if (*got == 0) return std::unexpected{"it is cut"};
  archive_at_ += *got;
  input_ = {packed_.data(), *got, 0};
  return {};
}

void ArchiveReader::restart() noexcept {
  ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
  archive_at_ = 0;
  input_ = {};
  unpacked_begin_ = 0;
  unpacked_bytes_ = 0;
  is_done_ = false;
}

}  // namespace nexusfix::command
