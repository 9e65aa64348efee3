// Reads a zstd archive of a segment like the segment itself. What it takes of memory does not
// depend on what the archive claims or holds: somebody else may have made it.
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
  // Reads all of it once. An error: damaged, cut, followed by something, without its size, larger
  // than a segment can be, no segment of a journal, or packed so that it takes more than 32 MiB.
  [[nodiscard]] static std::expected<std::unique_ptr<ArchiveReader>, std::string> open(
      std::unique_ptr<File> archive);

  // Of what is packed.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  // Fewer bytes than out has only at the end. Going on is cheap; going back by more than a MiB
  // begins again at the beginning.
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
  std::uint64_t unpacked_begin_ = 0;  // where its first byte lies
  std::size_t unpacked_bytes_ = 0;
  bool is_done_ = false;
};

}  // namespace nexusfix::command
