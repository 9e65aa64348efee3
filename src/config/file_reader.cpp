#include "config/api/file_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <mutex>
#include <new>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/api/signals_blocked.hpp"
#include "base/api/thread_setup.hpp"

namespace nexusfix::config {
namespace {

// The most of one pause that counts: a loop that was itself suspended has not waited for the disk.
constexpr std::chrono::seconds kCountedAtOnceMax{1};
constexpr std::chrono::milliseconds kAwaitSlice{20};

// Threads of this process that are stuck in a call of the file system, and for which no loop waits.
std::atomic<long> stuck_threads{0};

}  // namespace

// Shared by the loop and the reading thread.
struct FileReader::Reading {
  class WatchedFile;
  class WatchedDisk;

  std::shared_ptr<FileJob> job;
  Disk* disk = nullptr;
  std::shared_ptr<Disk> owner;

  std::mutex mutex;  // protects the members below
  std::condition_variable changed;
  transport::Network* network = nullptr;  // null: no loop waits for the result
  std::string path;                       // of the running call, or of the last one
  std::uint64_t calls = 0;
  bool has_no_memory = false;
  bool is_done = false;

  // For the thread that waits.
  std::uint64_t calls_seen = 0;
  MonoTime looked_at = MonoTime::min();
  std::chrono::nanoseconds waited{0};

  void work() noexcept;
  // Announces a call. False: the call must not be made.
  bool enter(const std::string& at) {
    const std::lock_guard lock{mutex};
    if (network == nullptr) return false;
    path = at;
    ++calls;
    return true;
  }
  static DiskError cancelled(const std::string& at) {
    return {.path = at, .operation = "read", .error_number = ECANCELED};
  }
  // Why the reading is aborted; empty: it goes on.
  [[nodiscard]] std::string obstacle(MonoTime now, std::chrono::seconds call_max);
};

class FileReader::Reading::WatchedFile final : public File {
 public:
  WatchedFile(Reading& reading, std::string path, std::unique_ptr<File> file)
      : reading_{reading}, path_{std::move(path)}, file_{std::move(file)} {}
  DiskResult<void> write_at(std::uint64_t offset, std::span<const char> bytes) override {
    return file_->write_at(offset, bytes);
  }
  DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
    if (!reading_.enter(path_)) return std::unexpected{cancelled(path_)};
    return file_->read_at(offset, bytes);
  }
  DiskResult<void> sync() override { return file_->sync(); }
  DiskResult<std::uint64_t> size() override { return file_->size(); }
  DiskResult<void> truncate(std::uint64_t size_bytes) override {
    return file_->truncate(size_bytes);
  }
  DiskResult<bool> try_lock() override { return file_->try_lock(); }

 private:
  Reading& reading_;
  std::string path_;
  std::unique_ptr<File> file_;
};

// Watches the calls that a configuration and its files need; passes on the others.
class FileReader::Reading::WatchedDisk final : public Disk {
 public:
  explicit WatchedDisk(Reading& reading) : reading_{reading}, disk_{*reading.disk} {}
  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    if (!reading_.enter(path)) return std::unexpected{cancelled(path)};
    auto file = disk_.open(path, mode);
    if (!file) return file;
    return std::make_unique<WatchedFile>(reading_, path, std::move(*file));
  }
  DiskResult<void> make_directories(const std::string& path) override {
    return disk_.make_directories(path);
  }
  DiskResult<void> could_write_into(const std::string& path) override {
    if (!reading_.enter(path)) return std::unexpected{cancelled(path)};
    return disk_.could_write_into(path);
  }
  DiskResult<bool> is_private(const std::string& path) override {
    if (!reading_.enter(path)) return std::unexpected{cancelled(path)};
    return disk_.is_private(path);
  }
  DiskResult<std::vector<std::string>> list(const std::string& path) override {
    if (!reading_.enter(path)) return std::unexpected{cancelled(path)};
    return disk_.list(path);
  }
  DiskResult<void> remove(const std::string& path) override { return disk_.remove(path); }
  DiskResult<void> sync_directory(const std::string& path) override {
    return disk_.sync_directory(path);
  }

 private:
  Reading& reading_;
  Disk& disk_;
};

void FileReader::Reading::work() noexcept {
  bool is_read = false;
  try {
    WatchedDisk watched{*this};
    job->read(watched);
    is_read = true;
  } catch (const std::bad_alloc&) {  // Reported below.
  }
  const std::lock_guard lock{mutex};
  has_no_memory = !is_read;
  is_done = true;
  changed.notify_all();
  if (network != nullptr) {
    network->wake();
  } else {
    stuck_threads.fetch_sub(1, std::memory_order_relaxed);
  }
}

std::string FileReader::Reading::obstacle(MonoTime now, std::chrono::seconds call_max) {
  const std::lock_guard lock{mutex};
  if (is_done) return {};
  if (calls != std::exchange(calls_seen, calls) || looked_at == MonoTime::min()) {
    waited = std::chrono::nanoseconds{0};
  } else {
    waited += std::min<std::chrono::nanoseconds>(now - looked_at, kCountedAtOnceMax);
  }
  looked_at = now;
  if (path.empty() || waited < call_max) return {};
  return "the file system does not answer: no answer for " + path + " after " +
         std::to_string(call_max.count()) + " s";
}

FileReader::FileReader(Disk& disk, std::shared_ptr<Disk> owner, transport::Network& network)
    : disk_{disk}, owner_{std::move(owner)}, network_{network} {
  has_cpus_ = ::sched_getaffinity(0, sizeof cpus_, &cpus_) == 0;
}

FileReader::~FileReader() {
  stop();
  for (const auto& one : stuck_) {
    std::unique_lock lock{one->mutex};
    one->changed.wait(lock, [&] { return one->is_done; });
  }
}

void FileReader::stop() {
  jobs_.clear();
  leave(reading_);
}

// Empty: the reading has begun, or, on a disk that takes no threads, is finished.
std::string FileReader::begin(const std::shared_ptr<FileJob>& job,
                              std::shared_ptr<Reading>& reading) {
  auto made = std::make_shared<Reading>();
  made->job = job;
  made->disk = &disk_;
  made->owner = owner_;
  made->network = &network_;
  if (!disk_.takes_threads()) {
    job->read(disk_);
    made->is_done = true;
    reading = std::move(made);
    return {};
  }
  if (stuck_threads.load(std::memory_order_relaxed) >= kStuckMax) {
    return "too many threads wait for a file system that does not answer";
  }
  stuck_.reserve(stuck_.size() + 1);  // For leave().
  try {
    const SignalsBlocked blocked;
    std::thread{[made, cpus = cpus_, has_cpus = has_cpus_] {
      // Do not stay on the CPU to which the calling loop is pinned.
      if (has_cpus) static_cast<void>(::sched_setaffinity(0, sizeof cpus, &cpus));
      lower_thread_priority();
      made->work();
    }}.detach();
  } catch (const std::system_error& error) {
    return std::string{"cannot start a thread: "} + error.what();
  }
  reading = std::move(made);
  return {};
}

// If the thread still reads, it is left to end by itself.
void FileReader::leave(std::shared_ptr<Reading>& reading) {
  const std::shared_ptr<Reading> left = std::exchange(reading, nullptr);
  if (left == nullptr) return;
  const std::lock_guard lock{left->mutex};
  left->network = nullptr;
  if (left->is_done) return;
  stuck_threads.fetch_add(1, std::memory_order_relaxed);
  if (owner_ == nullptr) stuck_.push_back(left);
}

void FileReader::serve(MonoTime now) {
  while (!jobs_.empty()) {
    const std::shared_ptr<FileJob> job = jobs_.front();
    std::string why;
    if (reading_ == nullptr) why = begin(job, reading_);
    if (reading_ != nullptr) {
      why = reading_->obstacle(now, kCallMax);
      const std::lock_guard lock{reading_->mutex};
      if (why.empty() && !reading_->is_done) return;
      if (why.empty() && reading_->has_no_memory) why = "no memory";
    }
    leave(reading_);
    jobs_.pop_front();
    why.empty() ? job->finish() : job->fail(why);
  }
}

std::string FileReader::read_now(const std::shared_ptr<FileJob>& job, Clock& clock) {
  std::shared_ptr<Reading> reading;
  std::string why = begin(job, reading);
  while (why.empty()) {
    why = reading->obstacle(clock.now().mono, kAwaitedCallMax);
    std::unique_lock lock{reading->mutex};
    if (!reading->is_done && why.empty()) reading->changed.wait_for(lock, kAwaitSlice);
    if (!reading->is_done) continue;
    why = reading->has_no_memory ? "no memory" : "";
    break;
  }
  leave(reading);
  return why;
}

}  // namespace nexusfix::config
