// Reads a zstd archive of a segment like the segment itself. Its memory does not depend on what the
// archive claims or contains: the archive may come from an attacker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>
#include <zstd.h>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::command {

class ArchiveReader {
 public:
  // Reads the whole archive once. Fails if it is damaged or cut, if bytes follow it, if its header
  // has no size or more than a segment's, if it is no segment of a journal, or if unpacking it
  // needs more than 32 MiB.
  [[nodiscard]] static std::expected<std::unique_ptr<ArchiveReader>, std::string> open(
      std::unique_ptr<File> archive);

  // The size of the segment, unpacked.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  // Returns fewer bytes than out has only at the end. Reading forward is cheap. Going back by more
  // than 1 MiB unpacks again from the beginning.
  [[nodiscard]] std::expected<std::size_t, std::string> read_at(std::uint64_t offset,
                                                                std::span<char> out);

 private:
  explicit ArchiveReader(std::unique_ptr<File> archive);

  [[nodiscard]] std::expected<void, std::string> begin();
  [[nodiscard]] std::expected<void, std::string> check_all();
  [[nodiscard]] std::expected<bool, std::string> unpack_more();
  [[nodiscard]] std::expected<void, std::string> read_input();
  void restart() noexcept;

  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<File> archive_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  std::uint64_t archive_bytes_ = 0;
  std::uint64_t archive_at_ = 0;  // read so far
  std::uint64_t size_ = 0;        // as the archive says
  std::vector<char> packed_;
  ZSTD_inBuffer input_{};
  std::vector<char> unpacked_;
  std::uint64_t unpacked_begin_ = 0;  // the offset of its first byte in the segment
  std::size_t unpacked_bytes_ = 0;
  bool is_done_ = false;
};

}  // namespace nexusfix::command
