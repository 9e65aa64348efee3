// The store over time: a burst of ten million messages, a steady stream in which each message waits
// for the disk, and the change from one segment to the next.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "bench/measure/background.hpp"
#include "bench/measure/timer.hpp"
#include "bench/row.hpp"
#include "bench/store/store_bench.hpp"
#include "store/api/journal.hpp"

namespace nexusfix::bench {
namespace {

constexpr double kNsPerSecond = 1e9;

double ticks_per_second() {
  static const double value = kNsPerSecond / calibrate_timer().ns_per_tick;
  return value;
}

// A contestant whose calls cannot be made one by one: an experiment measures many calls at once,
// and returns their times as single calls.
class Experiment : public Contestant {
 public:
  std::string check() override { return {}; }
  std::size_t inputs() const override { return 1; }
  CallLimits limits() const override { return {.least = kCallsLeast, .most = SIZE_MAX}; }
  void run(std::size_t calls) override { (void)timed_run(calls); }
  std::uint64_t timed_run(std::size_t calls) override {
    const std::size_t before = times_.size();
    const std::uint64_t mean = measure(calls, times_);
    // Drops a run that was too short to be steady.
    if (calls < kCallsLeast && times_.size() < 4 * kCallsLeast) times_.resize(before);
    return mean * calls;
  }
  void time_each(std::uint32_t* ticks, std::size_t calls) override {
    while (times_.size() - given_ < calls) (void)measure(kCallsLeast, times_);
    for (std::size_t i = 0; i < calls; ++i) ticks[i] = times_[given_ + i];
    given_ += calls;
  }

 protected:
  static constexpr std::size_t kCallsLeast = 25'000;

  // Makes about this number of calls and appends the ticks of each. Returns the mean.
  virtual std::uint64_t measure(std::size_t calls, std::vector<std::uint32_t>& times) = 0;

  static std::uint32_t bounded(std::uint64_t ticks) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks, UINT32_MAX));
  }

 private:
  std::vector<std::uint32_t> times_;
  std::size_t given_ = 0;
};

// One session sends ten million messages without a pause, in a journal that survives kill -9. The
// measured time ends when the last message may leave. A call is a message.
class Burst final : public Experiment {
 public:
  explicit Burst(bool to_disk) : to_disk_{to_disk} {}
  CallLimits limits() const override { return {}; }

  static constexpr std::size_t kMessages = 10'000'000;
  static constexpr std::size_t kKeptOneOf = 64;

 private:
  std::uint64_t measure(std::size_t, std::vector<std::uint32_t>& times) override {
    // The warm-up's burst is long enough to be the first batch.
    if (const std::uint64_t known = std::exchange(unused_, 0); known != 0) return known;
    times.reserve(times.size() + kMessages / kKeptOneOf + 2);
    OpenStore open{store::Durability::Process, 1};
    std::uint64_t longest = 0;
    const std::uint64_t begin = read_ticks();
    std::uint64_t last = begin;
    for (std::size_t i = 0; i < kMessages; ++i) {
      open.append(i);
      open.flush();
      const std::uint64_t now = read_ticks();
      longest = std::max(longest, now - last);
      if (i % kKeptOneOf == 0) times.push_back(bounded(now - last));
      last = now;
    }
    times.push_back(bounded(longest));
    open.wait();
    if (to_disk_ && !open.store->close()) std::abort();
    unused_ = (read_ticks() - begin) / kMessages;
    return unused_;
  }

  bool to_disk_;
  std::uint64_t unused_ = 0;
};

// Writes the same number of bytes to the device in large pieces, with one sync.
class DeviceBurst final : public Experiment {
 public:
  CallLimits limits() const override { return {}; }

 private:
  std::uint64_t measure(std::size_t, std::vector<std::uint32_t>& times) override {
    if (const std::uint64_t known = std::exchange(unused_, 0); known != 0) return known;
    // The number of bytes that the journal writes. It bypasses the kernel's cache if the file
    // system supports that: allocating cache memory is not part of the device.
    const std::uint64_t bytes = mean_record_bytes() * Burst::kMessages;
    BenchFolder folder;
    const std::string path = folder.file("device");
    int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_DIRECT, 0600);
    if (file < 0) file = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
    void* const piece = std::aligned_alloc(kAlignment, kPieceBytes);
    if (file < 0 || piece == nullptr) std::abort();
    std::memset(piece, 'd', kPieceBytes);
    if (::posix_fallocate(file, 0, static_cast<off_t>(bytes)) != 0) std::abort();
    const std::uint64_t begin = read_ticks();
    for (std::uint64_t at = 0; at < bytes; at += kPieceBytes) {
      if (::pwrite(file, piece, kPieceBytes, static_cast<off_t>(at)) < 0) std::abort();
    }
    if (::fdatasync(file) != 0) std::abort();
    unused_ = (read_ticks() - begin) / Burst::kMessages;
    times.insert(times.end(), Burst::kMessages / Burst::kKeptOneOf, bounded(unused_));
    ::close(file);
    std::free(piece);
    return unused_;
  }

  static constexpr std::size_t kPieceBytes = 1U << 20U;
  static constexpr std::size_t kAlignment = 4096;
  std::uint64_t unused_ = 0;
};

// Messages that are due at fixed times, even if earlier ones are not done: the wait for a slow
// message counts. Sink: submit(), then poll() for the number of done messages.
template <class Sink>
class Steady final : public Experiment {
 public:
  explicit Steady(std::unique_ptr<Sink> sink) : sink_{std::move(sink)} {}

 private:
  std::uint64_t measure(std::size_t calls, std::vector<std::uint32_t>& times) override {
    const double gap = ticks_per_second() / kMessagesPerSecond;
    const std::uint64_t begin = read_ticks();
    const auto due = [&](std::size_t i) {
      return begin + static_cast<std::uint64_t>(gap * static_cast<double>(i));
    };
    times.reserve(times.size() + calls);
    const std::uint64_t done_before = sink_->done();
    std::uint64_t sum = 0;
    std::size_t sent = 0;
    for (std::size_t done = 0; done < calls;) {
      std::uint64_t now = read_ticks();
      const std::size_t sent_before = sent;
      for (; sent < calls && due(sent) <= now; ++sent) sink_->submit(sent);
      if (sent > sent_before) sink_->flush();
      const std::uint64_t done_now = sink_->done() - done_before;
      for (now = read_ticks(); done < done_now; ++done) {
        times.push_back(bounded(now - due(done)));
        sum += now - due(done);
      }
    }
    return sum / calls;
  }

  static constexpr double kMessagesPerSecond = 100'000;
  std::unique_ptr<Sink> sink_;
};

struct GroupSink {
  OpenStore open{store::Durability::Group, 64};
  std::vector<store::LogPosition> ends;  // of the submitted messages that are not known to be done
  std::size_t first = 0;
  std::uint64_t count = 0;

  void submit(std::size_t i) {
    open.append(i);
    ends.push_back(open.store->appended());
  }
  void flush() { open.flush(); }
  std::uint64_t done() {
    if (first == ends.size()) return count;
    const store::LogPosition durable = open.store->durable();
    for (; first < ends.size() && ends[first] <= durable; ++first) ++count;
    if (first == ends.size()) {
      ends.clear();
      first = 0;
    } else {
      open.flush();  // submits the rest, and asks for a wake-up
    }
    return count;
  }
};

// The device alone: another thread writes the gathered bytes, and syncs.
class DeviceSink {
 public:
  DeviceSink() {
    PosixDisk disk;
    file_ = disk.open(folder_.file("device"), OpenMode::Create).value();
    if (!file_->reserve(Device::kFileBytes) || !file_->sync()) std::abort();
    const StartElsewhere elsewhere;
    thread_ = std::thread{[this] { work(); }};
  }
  DeviceSink(const DeviceSink&) = delete;
  DeviceSink& operator=(const DeviceSink&) = delete;
  ~DeviceSink() {
    ends_ = true;
    submitted_ += 1;
    submitted_.notify_one();
    thread_.join();
  }
  void submit(std::size_t) { ++waiting_; }
  void flush() {
    submitted_ += waiting_;
    waiting_ = 0;
    submitted_.notify_one();
  }
  std::uint64_t done() { return done_; }

 private:
  void work() {
    const std::size_t one = mean_record_bytes();
    std::string bytes;
    std::uint64_t offset = 0;
    for (std::uint64_t done = 0; !ends_;) {
      submitted_.wait(done);
      const std::uint64_t now = submitted_;
      bytes.resize(one * (now - done), 'd');
      if (offset + bytes.size() > Device::kFileBytes) offset = 0;
      if (!file_->write_at(offset, bytes) || !file_->sync()) std::abort();
      offset += bytes.size();
      done = now;
      done_ = done;
    }
  }

  BenchFolder folder_;
  std::unique_ptr<File> file_;
  std::uint64_t waiting_ = 0;
  std::atomic<std::uint64_t> submitted_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

// A store that has finished when append() returns.
struct CallSink {
  ContestantPtr one;
  std::uint64_t count = 0;
  void submit(std::size_t) {
    one->run(1);
    ++count;
  }
  void flush() {}
  [[nodiscard]] std::uint64_t done() const { return count; }
};

// A call is the append that begins a new segment, at half a million messages per second. The
// longest of all other appends is its peer: it shows the noise of the machine.
class Roll final : public Experiment {
 public:
  Roll(std::size_t sessions, bool others)
      : open_{store::Durability::Process, sessions}, others_{others} {}
  CallLimits limits() const override { return {}; }

 private:
  std::uint64_t measure(std::size_t, std::vector<std::uint32_t>& times) override {
    std::uint64_t longest = 0;
    const double gap = ticks_per_second() / kMessagesPerSecond;
    const std::uint64_t begin = read_ticks();
    for (std::size_t i = 0;; ++i) {
      while (static_cast<double>(read_ticks() - begin) < gap * static_cast<double>(i)) continue;
      const std::uint64_t before = read_ticks();
      const std::size_t text_bytes = open_.append(next_++);
      const std::uint64_t elapsed = read_ticks() - before;
      // The position advances by the record, and by the header of a new segment.
      const store::LogPosition grown = open_.store->appended() - end_;
      end_ = open_.store->appended();
      open_.flush();
      if (grown < text_bytes + kStartBytesOfSession * open_.keys.size()) {
        longest = std::max(longest, elapsed);
        continue;
      }
      times.push_back(bounded(others_ ? longest : elapsed));
      return times.back();
    }
  }

  static constexpr double kMessagesPerSecond = 500'000;
  // The minimum size of each session in a segment's checkpoint.
  static constexpr std::uint64_t kStartBytesOfSession = 51;
  OpenStore open_;
  std::size_t next_ = 0;
  store::LogPosition end_ = open_.store->appended();
  bool others_;
};

Plan plan_burst(bool to_disk) {
  Plan plan{.owner = nullptr, .bytes = mean_bytes(), .contestants = {}};
  plan.contestants.emplace_back("NexusFIX", std::make_unique<Burst>(to_disk));
  if (to_disk) plan.contestants.emplace_back("device", std::make_unique<DeviceBurst>());
  return plan;
}

Plan plan_steady(Subjects subjects) {
  Plan plan{.owner = nullptr, .bytes = mean_bytes(), .contestants = {}};
  plan.contestants.emplace_back("NexusFIX",
                                std::make_unique<Steady<GroupSink>>(std::make_unique<GroupSink>()));
  plan.contestants.emplace_back(
      "device", std::make_unique<Steady<DeviceSink>>(std::make_unique<DeviceSink>()));
  add_contestants(plan, subjects, [&](Subject& subject) {
    ContestantPtr one = subject.append(execution_reports(), true);
    if (!one) return ContestantPtr{};
    auto sink = std::make_unique<CallSink>();
    sink->one = std::move(one);
    return ContestantPtr{std::make_unique<Steady<CallSink>>(std::move(sink))};
  });
  return plan;
}

Plan plan_roll(std::size_t sessions) {
  Plan plan{.owner = nullptr, .contestants = {}};
  plan.contestants.emplace_back("NexusFIX", std::make_unique<Roll>(sessions, false));
  plan.contestants.emplace_back("longest of the other appends",
                                std::make_unique<Roll>(sessions, true));
  return plan;
}

}  // namespace

void add_store_stream_rows(std::vector<Row>& rows) {
  rows.push_back({{.name = "store/burst-10M",
                   .purpose = "a message of ten million of one session, in a journal that survives "
                              "kill -9",
                   .published = {},
                   .budget = kNsPerSecond / 3e6},
                  [](Subjects) { return plan_burst(false); }});
  rows.push_back({{.name = "store/burst-10M-disk",
                   .purpose = "the same, until the last of them is on the disk",
                   .published = {},
                   .budget = {},
                   .budget_of_device = 1 / 0.8},
                  [](Subjects) { return plan_burst(true); }});
  rows.push_back(
      {{.name = "store/group-100k",
        .purpose = "from a message's due time until the disk has it, at 100,000 a second",
        .published = {},
        .budget = 0.5e6,
        .budget_p99 = 1e6},
       plan_steady});
  rows.push_back({{.name = "store/roll",
                   .purpose = "the append that begins a new segment of the journal",
                   .published = {},
                   .budget = 1e6},
                  [](Subjects) { return plan_roll(64); }});
  rows.push_back({{.name = "store/roll-10k",
                   .purpose = "the same with 10,000 sessions, each of which is in its checkpoint",
                   .published = {},
                   .budget = 1e6},
                  [](Subjects) { return plan_roll(10'000); }});
}

}  // namespace nexusfix::bench
