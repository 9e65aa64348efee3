#include "gateway/ring/ring_file.hpp"

#include <bit>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <nexusfix/base/clock.hpp>

#include "base/api/map_file.hpp"
#include "gateway/ring/ring_names.hpp"

namespace nexusfix::gateway {
namespace {

constexpr mode_t kOwnerAlone = 0600;
constexpr mode_t kOwnerAndGroup = 0660;

// An open descriptor, closed at the end of the block unless it is taken.
class Opened {
 public:
  explicit Opened(int descriptor) noexcept : descriptor_{descriptor} {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int get() const noexcept { return descriptor_; }
  [[nodiscard]] int take() noexcept { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

std::unexpected<RingError> error(int number, std::string text) {
  return std::unexpected{RingError{.error_number = number, .text = std::move(text)}};
}
std::unexpected<RingError> system_error(const std::string& path, std::string_view what,
                                        int number = errno) {
  return error(number,
               fmt::format("{}: {}: {}", path, what, std::generic_category().message(number)));
}

// Why the sizes are impossible; null: they are possible. The arithmetic cannot overflow, because
// each ring is checked first.
const char* fault_of_sizes(const RingHeader& header) noexcept {
  const auto is_ring = [](std::uint64_t bytes) {
    return std::has_single_bit(bytes) && bytes >= kRingBytesMin && bytes <= kRingBytesMax;
  };
  if (!is_ring(header.to_gateway_bytes) || !is_ring(header.to_client_bytes))
    return "a ring has a power of two from 4096 to 1073741824 bytes";
  if (header.frame_bytes_max < kRecordHeaderBytes ||
      header.frame_bytes_max > frame_bytes_possible(header.to_gateway_bytes) ||
      header.frame_bytes_max > frame_bytes_possible(header.to_client_bytes))
    return "the longest frame has 8 bytes to half of the smaller ring without 8 bytes";
  if (header.to_gateway_offset != header.header_bytes ||
      header.to_client_offset != header.header_bytes + header.to_gateway_bytes ||
      header.file_bytes != header.to_client_offset + header.to_client_bytes)
    return "the rings do not follow the header and each other";
  return nullptr;
}

RingHeader header_of(const RingFileOptions& options, const ProcessMark& gateway,
                     std::uint64_t key) {
  RingHeader header{};
  header.magic = kRingMagic;
  header.version = kRingVersion;
  header.header_bytes = kRingHeaderBytes;
  header.file_bytes = kRingHeaderBytes + options.to_gateway_bytes + options.to_client_bytes;
  header.frame_bytes_max = options.frame_bytes_max;
  header.client_process = options.client_process;
  header.gateway_process = gateway.process;
  header.gateway_start = gateway.start;
  header.key = key;
  header.to_gateway_offset = kRingHeaderBytes;
  header.to_gateway_bytes = options.to_gateway_bytes;
  header.to_client_offset = kRingHeaderBytes + options.to_gateway_bytes;
  header.to_client_bytes = options.to_client_bytes;
  header.state = static_cast<std::uint32_t>(GatewayState::Open);
  return header;
}

// The directory, checked: in one that others may write to, without the sticky bit, another user
// could put a file of his own in place of the gateway's.
std::expected<int, RingError> open_directory(const std::string& path) {
  Opened directory{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  struct stat status{};
  if (directory.get() < 0 || ::fstat(directory.get(), &status) != 0)
    return system_error(path, "cannot be opened as a directory");
  const bool is_open_to_others = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (is_open_to_others && (status.st_mode & S_ISVTX) == 0) {
    return error(EPERM, path +
                            ": other users may replace files in it: it needs the sticky bit "
                            "(chmod +t), as /dev/shm has it");
  }
  return directory.take();
}

// Gives the new file its rights and its memory.
std::expected<void, RingError> prepare(int descriptor, const std::string& path,
                                       const RingFileOptions& options, std::uint64_t file_bytes) {
  if (options.group) {
    if (::fchown(descriptor, static_cast<uid_t>(-1), *options.group) != 0)
      return system_error(path, fmt::format("cannot belong to group {}", *options.group));
    if (::fchmod(descriptor, kOwnerAndGroup) != 0)
      return system_error(path, "cannot be made readable for its group");
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return system_error(path, "cannot be locked");
  const int number = ::posix_fallocate(descriptor, 0, static_cast<off_t>(file_bytes));
  if (number == ENOSPC || number == EFBIG) {
    return error(number, fmt::format("{}: no room for the shared memory of a client, {} bytes: "
                                     "enlarge the file system, or set MemoryPath",
                                     options.directory, file_bytes));
  }
  if (number != 0) return system_error(path, "its memory cannot be reserved", number);
  return {};
}

std::expected<std::unique_ptr<File::Mapping>, RingError> mapped(int descriptor,
                                                                const std::string& path,
                                                                std::uint64_t file_bytes) {
  auto mapping = map_file(descriptor, file_bytes);
  if (!mapping) return system_error(path, "cannot be mapped", mapping.error());
  (*mapping)->prepare(0, file_bytes);
  return std::move(*mapping);
}

// Whether the file is that of a gateway of this user which has ended.
bool is_stale(int directory, const char* name) {
  const auto gateway = gateway_of_ring_name(name);
  if (!gateway || mark_of_process(gateway->process) == gateway) return false;
  const Opened file{::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  struct stat status{};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return false;
  return S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

// What a client checks of a header that it has read.
std::expected<void, RingError> check(const RingHeader& header, const std::string& path,
                                     std::uint64_t file_bytes) {
  if (header.magic != kRingMagic) return error(0, path + ": is no shared memory of a gateway");
  if (header.version != kRingVersion) {
    return error(0, fmt::format("{}: has layout version {}, and this client knows {}", path,
                                header.version, kRingVersion));
  }
  if (header.header_bytes != kRingHeaderBytes || header.file_bytes != file_bytes) {
    return error(0, fmt::format("{}: says {} bytes after a header of {}, and has {}", path,
                                header.file_bytes, header.header_bytes, file_bytes));
  }
  if (const char* const fault = fault_of_sizes(header)) return error(0, path + ": " + fault);
  return {};
}

}  // namespace

RingFile::RingFile(std::string path, int descriptor, std::unique_ptr<File::Mapping> mapping,
                   const RingHeader& geometry) noexcept
    : path_{std::move(path)},
      descriptor_{descriptor},
      mapping_{std::move(mapping)},
      failed_{mapping_->failed()},
      geometry_{geometry} {}

RingFile::~RingFile() {
  remove_name();
  ::close(descriptor_);
}

void RingFile::remove_name() noexcept {
  if (std::exchange(owns_name_, false)) ::unlink(path_.c_str());
}

RingHeader& RingFile::header() noexcept {
  // Valid: the file has a header, and a mapping begins with a page.
  return *std::launder(reinterpret_cast<RingHeader*>(bytes()));
}

std::expected<std::unique_ptr<RingFile>, RingError> RingFile::create(
    const RingFileOptions& options) {
  SystemRandom random;
  const ProcessMark gateway = mark_of_this_process();
  const std::uint64_t key = random.next();
  const RingHeader header = header_of(options, gateway, key);
  const std::string name = ring_name(gateway, key);
  const std::string path = options.directory + "/" + name;
  if (const char* const fault = fault_of_sizes(header)) return error(EINVAL, path + ": " + fault);
  const auto opened = open_directory(options.directory);
  if (!opened) return std::unexpected{opened.error()};
  const Opened directory{*opened};
  // O_EXCL also refuses a symbolic link of this name.
  Opened file{::openat(directory.get(), name.c_str(),
                       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwnerAlone)};
  if (file.get() < 0) return system_error(path, "cannot be created");
  const auto prepared = prepare(file.get(), path, options, header.file_bytes);
  auto mapping =
      prepared ? mapped(file.get(), path, header.file_bytes) : std::unexpected{prepared.error()};
  if (!mapping) {
    ::unlinkat(directory.get(), name.c_str(), 0);
    return std::unexpected{mapping.error()};
  }
  std::memcpy((*mapping)->bytes().data(), &header, sizeof header);
  std::unique_ptr<RingFile> ring{new RingFile{path, file.take(), std::move(*mapping), header}};
  ring->owns_name_ = true;
  return ring;
}

std::expected<std::unique_ptr<RingFile>, RingError> RingFile::open(const std::string& path) {
  Opened file{::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  struct stat status{};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0)
    return system_error(path, errno == ELOOP ? "is a symbolic link" : "cannot be opened");
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || file_bytes < kRingHeaderBytes)
    return error(0, path + ": is no shared memory of a gateway");
  RingHeader header{};
  if (::pread(file.get(), &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header))
    return system_error(path, "its header cannot be read");
  if (const auto checked = check(header, path, file_bytes); !checked)
    return std::unexpected{checked.error()};
  auto mapping = mapped(file.get(), path, file_bytes);
  if (!mapping) return std::unexpected{mapping.error()};
  return std::unique_ptr<RingFile>{new RingFile{path, file.take(), std::move(*mapping), header}};
}

std::expected<std::size_t, RingError> RingFile::remove_stale(const std::string& directory) {
  const auto opened = open_directory(directory);
  if (!opened) return std::unexpected{opened.error()};
  DIR* const listing = ::fdopendir(*opened);  // owns the descriptor from now on
  if (listing == nullptr) {
    const int number = errno;
    ::close(*opened);
    return system_error(directory, "cannot be listed", number);
  }
  std::size_t removed = 0;
  while (const dirent* const entry = ::readdir(listing)) {
    if (is_stale(*opened, entry->d_name) && ::unlinkat(*opened, entry->d_name, 0) == 0) ++removed;
  }
  ::closedir(listing);
  return removed;
}

RingPlace place_in(RingFile& file, Direction direction) noexcept {
  const RingHeader& geometry = file.geometry();
  const bool to_gateway = direction == Direction::ToGateway;
  return {
      .data = file.bytes() + (to_gateway ? geometry.to_gateway_offset : geometry.to_client_offset),
      .words = to_gateway ? &file.header().to_gateway : &file.header().to_client,
      .bytes = to_gateway ? geometry.to_gateway_bytes : geometry.to_client_bytes,
      .frame_bytes_max = geometry.frame_bytes_max};
}

}  // namespace nexusfix::gateway
