// The files of closed segments that stay open for reading: to open one costs more than to read a
// message from it. Their number is bounded. An open file keeps the disk space of a retired segment,
// so that it is closed before its segment is removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::store {

class OpenSegments {
 public:
  static constexpr std::size_t kFilesMax = 16;

  // Both must outlive it.
  OpenSegments(Disk& disk, const std::string& folder) noexcept : disk_{disk}, folder_{folder} {}

  // The file of the segment with this number. It lives until the next call.
  [[nodiscard]] DiskResult<File*> open(std::uint64_t number);
  // Closes the files of the segments before this number.
  void close_before(std::uint64_t number) noexcept;

 private:
  struct Segment {
    std::uint64_t number = 0;
    std::unique_ptr<File> file;
  };

  Disk& disk_;
  const std::string& folder_;
  std::vector<Segment> segments_;  // the last one that was used is first
};

}  // namespace nexusfix::store
