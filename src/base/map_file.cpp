#include "base/api/map_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <sys/mman.h>
#include <unistd.h>

namespace nexusfix {
namespace {

// A mapping's entry in the table that the signal handler reads. begin is written last and cleared
// first, so that a handler that sees it sees the other fields, too.
struct Place {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> failed{false};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free, "read in a signal handler");

constexpr std::size_t kMappingsMax = 1024;
std::array<Place, kMappingsMax> places;
struct sigaction handler_before;

Place* place_of(std::uintptr_t address) noexcept {
  for (Place& place : places) {
    const std::uintptr_t begin = place.begin.load(std::memory_order_acquire);
    if (begin != 0 && begin <= address && address < place.end.load(std::memory_order_relaxed)) {
      return &place;
    }
  }
  return nullptr;
}

// Passes the signal on to the earlier action. A default action is restored and takes effect as soon
// as the handler has returned.
void pass_on(int signal_number, siginfo_t* info, void* context) noexcept {
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) {
    handler_before.sa_sigaction(signal_number, info, context);
  } else if (handler_before.sa_handler == SIG_DFL) {
    ::sigaction(signal_number, &handler_before, nullptr);
    ::raise(signal_number);
  } else if (handler_before.sa_handler != SIG_IGN) {
    handler_before.sa_handler(signal_number);
  }
}

void on_bus_error(int signal_number, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  // A signal from kill() has no address of a mapping.
  Place* const place = info->si_code > 0 ? place_of(address) : nullptr;
  if (place == nullptr) {
    pass_on(signal_number, info, context);
    errno = saved_errno;
    return;
  }
  place->failed.store(true, std::memory_order_release);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* const begin = reinterpret_cast<void*>(address & ~(page - 1));
  // A plain system call on Linux, so it is as safe here as write() is.
  if (::mmap(begin, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
      MAP_FAILED) {
    pass_on(signal_number, info, context);
  }
  errno = saved_errno;
}

bool install_handler() {
  struct sigaction action{};
  action.sa_sigaction = &on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  return ::sigaction(SIGBUS, &action, &handler_before) == 0;
}

Place* reserve_place() noexcept {
  for (Place& place : places) {
    if (!place.taken.exchange(true, std::memory_order_acq_rel)) return &place;
  }
  return nullptr;
}

class PosixMapping final : public File::Mapping {
 public:
  PosixMapping(std::span<char> bytes, Place& place) : bytes_{bytes}, place_{place} {
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    place.failed.store(false, std::memory_order_relaxed);
    place.end.store(begin + bytes.size(), std::memory_order_relaxed);
    place.begin.store(begin, std::memory_order_release);
  }
  PosixMapping(const PosixMapping&) = delete;
  PosixMapping& operator=(const PosixMapping&) = delete;
  ~PosixMapping() override {
    // First, so that the handler never takes another mapping at this address for this one.
    place_.begin.store(0, std::memory_order_release);
    ::munmap(bytes_.data(), bytes_.size());
    place_.taken.store(false, std::memory_order_release);
  }

  std::span<char> bytes() noexcept override { return bytes_; }
  const std::atomic<bool>& failed() const noexcept override { return place_.failed; }

  void prepare(std::uint64_t offset, std::uint64_t size_bytes) noexcept override {
#ifdef MADV_POPULATE_WRITE
    if (offset >= bytes_.size()) return;
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t begin = offset & ~(page - 1);
    const std::uint64_t end = std::min<std::uint64_t>(bytes_.size(), offset + size_bytes);
    static_cast<void>(::madvise(bytes_.data() + begin, end - begin, MADV_POPULATE_WRITE));
#else
    static_cast<void>(offset), static_cast<void>(size_bytes);
#endif
  }

 private:
  std::span<char> bytes_;
  Place& place_;
};

}  // namespace

std::expected<std::unique_ptr<File::Mapping>, int> map_file(int descriptor,
                                                            std::uint64_t size_bytes) {
  static const bool handler_is_there = install_handler();
  if (!handler_is_there) return std::unexpected{EOPNOTSUPP};
  Place* const place = reserve_place();
  if (place == nullptr) return std::unexpected{EMFILE};
  // Not MAP_POPULATE: it maps the pages for reading only, and then each of them traps again
  // when prepare() asks for writing, 38 instead of 4 ms for 64 MiB.
  void* const begin =
      ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (begin == MAP_FAILED) {
    const int error = errno;
    place->taken.store(false, std::memory_order_release);
    return std::unexpected{error};
  }
  return std::make_unique<PosixMapping>(std::span{static_cast<char*>(begin), size_bytes}, *place);
}

}  // namespace nexusfix
