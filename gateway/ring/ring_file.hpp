// The file of the shared memory: made by a gateway, opened by a client.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>

#include <nexusfix/base/disk.hpp>

#include "gateway/ring/frame_writer.hpp"
#include "gateway/ring/layout.hpp"
#include "gateway/ring/ring_fault.hpp"

namespace nexusfix::gateway {

// The memory of one client.
struct RingFileOptions {
  std::string directory = "/dev/shm";
  std::uint32_t client_process = 0;      // as the kernel reports it for the Unix socket
  std::optional<std::uint32_t> group{};  // its members may open the file; absent: the owner alone
  std::uint64_t to_gateway_bytes = 4U << 20U;  // kRingBytesMin to kRingBytesMax, a power of two
  std::uint64_t to_client_bytes = 4U << 20U;   // within these limits, too
  std::uint32_t frame_bytes_max = 1052672;     // 8 to frame_bytes_possible() of both rings
};

// One file, mapped. A store to a page that the file has lost does not end the process: see
// File::Mapping::failed(). One thread.
class RingFile {
 public:
  // For a gateway: makes a file of a new name, with all of its memory, so that a full file system
  // is an error here and no signal later. It fails if the directory is open to others without the
  // sticky bit, because they could then replace the file.
  [[nodiscard]] static std::expected<std::unique_ptr<RingFile>, RingError> create(
      const RingFileOptions& options);
  // For a client: opens a file that a gateway has made, and checks its header. No symbolic link is
  // followed.
  [[nodiscard]] static std::expected<std::unique_ptr<RingFile>, RingError> open(
      const std::string& path);
  // For a gateway: removes the files of gateways of this user that have ended without doing so, and
  // returns their number. A gateway that runs keeps its files locked.
  [[nodiscard]] static std::expected<std::size_t, RingError> remove_stale(
      const std::string& directory);
  // Removes the name, if create() made it.
  ~RingFile();
  RingFile(const RingFile&) = delete;
  RingFile& operator=(const RingFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // Removes the name. The memory stays as long as a process has it mapped. For a gateway whose
  // client has attached: if both are killed after that, nothing is left.
  void remove_name() noexcept;

  // In the file: the other side can change each word at any time.
  [[nodiscard]] RingHeader& header() noexcept;
  [[nodiscard]] char* bytes() noexcept { return mapping_->bytes().data(); }
  // This side's own copy of the header, as it was when the file was made or opened.
  [[nodiscard]] const RingHeader& geometry() const noexcept { return geometry_; }
  // The file was cut, or its memory is lost.
  [[nodiscard]] bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }

 private:
  RingFile(std::string path, int descriptor, std::unique_ptr<File::Mapping> mapping,
           const RingHeader& geometry) noexcept;

  std::string path_;
  int descriptor_;  // locked by the gateway
  std::unique_ptr<File::Mapping> mapping_;
  const std::atomic<bool>& failed_;  // of the mapping: no virtual call for each frame
  RingHeader geometry_;
  bool owns_name_ = false;
};

// Which way the frames of a ring go.
enum class Direction : std::uint8_t { ToGateway, ToClient };

// Where a ring of the file is in memory.
[[nodiscard]] RingPlace place_in(RingFile& file, Direction direction) noexcept;

}  // namespace nexusfix::gateway
