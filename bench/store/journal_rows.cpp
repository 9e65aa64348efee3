// The cost of a journal besides appending: opening a large one, and reading a range of it.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

#include "bench/messages/messages.hpp"
#include "bench/row.hpp"
#include "bench/store/bench_folder.hpp"
#include "store/api/journal.hpp"

namespace nexusfix::bench {
namespace {

constexpr std::uint64_t kResend = 100;       // messages of the first resend after the opening
constexpr std::uint64_t kRange = 1U << 16U;  // messages that one call reads
constexpr std::size_t kRandomReads = 4096;   // different ones; a power of two
constexpr std::uint64_t kSeed = 20261121;
constexpr double kLineGigabytes = 1.25;  // per second, of 10 Gbit/s: a resend should fill the line

// How the process that wrote the journal ended.
enum class End { InOrder, Killed };

// A journal in files. The first use creates it, and all rounds share it.
class LargeJournal {
 public:
  LargeJournal(std::size_t sessions, std::uint64_t messages, End end = End::InOrder)
      : sessions_{sessions}, messages_{messages}, end_{end} {}

  [[nodiscard]] store::JournalOptions options() {
    if (!folder_) make();
    store::JournalOptions options;
    options.folder = folder_->file("journal");
    return options;
  }
  [[nodiscard]] PosixDisk& disk() { return disk_; }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t messages_of_one() const { return messages_ / sessions_; }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }
  [[nodiscard]] const std::string& text(std::uint64_t number) const {
    return texts_[number % texts_.size()];
  }

  // Removes the pages of its files from memory.
  void forget() {
    for (const auto& entry : std::filesystem::directory_iterator{options().folder}) {
      const int file = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC);
      if (file < 0) std::abort();
      if (::fdatasync(file) != 0 || ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0) {
        std::abort();
      }
      ::close(file);
    }
  }

 private:
  // If the writer is to be killed, it is a process of its own.
  void make() {
    folder_ = std::make_unique<BenchFolder>();
    if (end_ == End::InOrder) return write();
    const pid_t process = ::fork();
    if (process == 0) {
      write();
      ::_exit(1);
    }
    int status = 0;
    const bool is_over = process > 0 && ::waitpid(process, &status, 0) == process;
    if (!is_over || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
      throw std::runtime_error{"the journal cannot be made"};
    }
  }

  // The sessions take turns.
  void write() {
    const auto opened = store::open_journal(disk_, options(), WallTime{});
    if (!opened) std::abort();
    store::Store& journal = *opened->store;
    for (std::size_t i = 0; i < sessions_; ++i) {
      if (!journal.open_session("S" + std::to_string(i), WallTime{})) std::abort();
    }
    store::Transaction transaction;
    for (std::uint64_t i = 0; i < messages_; ++i) {
      const auto key = static_cast<store::SessionKey>(i % sessions_);
      const std::uint64_t number = i / sessions_ + 1;
      transaction.clear();
      transaction.outbound_message(key, number, text(number));
      if (!journal.append(transaction, WallTime{}) || !journal.flush()) std::abort();
    }
    if (end_ == End::Killed) ::raise(SIGKILL);
    if (!journal.close()) std::abort();
  }

  std::size_t sessions_;
  std::uint64_t messages_;
  End end_;
  std::vector<std::string> texts_ = execution_reports().texts;
  PosixDisk disk_;
  std::unique_ptr<BenchFolder> folder_;
};

struct Opening {
  LargeJournal* journal;
  std::unique_ptr<store::Store> store;

  std::uint64_t operator()(std::size_t) {
    auto opened = store::open_journal(journal->disk(), journal->options(), WallTime{});
    if (!opened) return 0;
    store = std::move(opened->store);
    return opened->report.messages;
  }
  void prepare() {
    store.reset();
    journal->forget();
  }
  void settle() { store.reset(); }
  [[nodiscard]] static CallLimits limits() { return {.least = 1, .most = 1}; }
};

// Reads a range of the first session, and returns the number of correct messages.
std::uint64_t read_range(LargeJournal& journal, store::Store& store, std::uint64_t first,
                         std::uint64_t count) {
  std::uint64_t right = 0;
  std::uint64_t next = first;
  const auto read =
      store.read(0, first, first + count - 1, [&](std::uint64_t number, std::string_view bytes) {
        right += number == next && bytes.size() == journal.text(number).size() ? 1U : 0U;
        next = number + 1;
        return true;
      });
  return read ? right : 0;
}

// The memory of the process without mapped files, in KiB.
std::uint64_t anonymous_memory() {
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;) {
    std::uint64_t kibibytes = 0;
    if (word == "RssAnon:" && status >> kibibytes) return kibibytes;
  }
  return 0;
}

// Checks the number of messages, and a resend with a cold cache.
struct OpensRight {
  LargeJournal* journal;
  std::string operator()(Opening& opening) const {
    opening.prepare();
    if (opening(0) != journal->messages()) return "it does not find every message";
    const std::uint64_t middle = journal->messages_of_one() / 2;
    if (read_range(*journal, *opening.store, middle, kResend) != kResend) {
      return "a resend is not answered";
    }
    opening.settle();
    return {};
  }
};

struct Opened {
  std::uint64_t memory = 0;  // KiB
  double milliseconds = 0;   // of the first resend
  double cpu = 0;            // milliseconds in which its thread ran
  bool is_valid = false;
};

double thread_milliseconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// Runs in a process of its own, so that memory of the benchmark does not hide the memory of the
// opening.
[[noreturn]] void open_and_report(LargeJournal& journal, int channel) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::malloc_trim(0);  // so that the opening cannot reuse memory that the benchmark has freed
  Opening opening{&journal, nullptr};
  const std::uint64_t before = anonymous_memory();
  Opened opened;
  if (opening(0) == journal.messages()) {
    opened.memory = anonymous_memory() - before;
    const double ran = thread_milliseconds();
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t middle = journal.messages_of_one() / 2;
    opened.is_valid = read_range(journal, *opening.store, middle, kResend) == kResend;
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    opened.milliseconds = taken.count();
    opened.cpu = thread_milliseconds() - ran;
  }
  ::_exit(::write(channel, &opened, sizeof opened) == sizeof opened ? 0 : 1);
}

Opened open_elsewhere(LargeJournal& journal) {
  journal.forget();
  int channel[2];
  if (::pipe(channel) != 0) throw std::runtime_error{"pipe failed"};
  const pid_t process = ::fork();
  if (process == 0) open_and_report(journal, channel[1]);
  ::close(channel[1]);
  Opened opened;
  const bool is_reported = ::read(channel[0], &opened, sizeof opened) == sizeof opened;
  ::close(channel[0]);
  if (process > 0) ::waitpid(process, nullptr, 0);
  if (!is_reported) opened.is_valid = false;
  return opened;
}

// Repeats the opening, because a single first resend is one sample only.
std::string describe_opening(LargeJournal& journal) {
  constexpr int kOpenings = 5;
  std::vector<double> answers;
  std::uint64_t memory = 0;
  double cpu = 0;
  for (int i = 0; i < kOpenings; ++i) {
    const Opened one = open_elsewhere(journal);
    if (!one.is_valid) return "it does not open, or does not answer";
    memory = std::max(memory, one.memory);
    cpu = std::max(cpu, one.cpu);
    answers.push_back(one.milliseconds);
  }
  std::ranges::sort(answers);
  return fmt::format(
      "in a process of its own {:.1f} MiB resident, mapped files apart; first resend of {} "
      "messages: {:.2f} ms, at most {:.2f} of {} openings, of which it ran {:.2f}",
      static_cast<double>(memory) / 1024, kResend, answers[kOpenings / 2], answers.back(),
      kOpenings, cpu);
}

struct RangeScan {
  LargeJournal* journal;
  std::unique_ptr<store::Store> store;
  std::uint64_t first = 1;

  std::uint64_t operator()(std::size_t) {
    const std::uint64_t count = std::min(kRange, journal->messages_of_one());
    if (first + count - 1 > journal->messages_of_one()) first = 1;
    const std::uint64_t right = read_range(*journal, *store, first, count);
    first += count;
    return right == count ? 1 : 0;
  }
};

// One message at a time, anywhere in the journal.
struct RandomRead {
  LargeJournal* journal;
  std::unique_ptr<store::Store> store;
  std::vector<std::uint64_t> numbers;

  std::uint64_t operator()(std::size_t input) {
    const std::uint64_t number = numbers[input];
    bool is_valid = false;
    const auto read =
        store->read(0, number, number, [&](std::uint64_t found, std::string_view bytes) {
          is_valid = found == number && bytes == journal->text(number);
          return false;
        });
    return read && is_valid ? 1 : 0;
  }
};

Row open_row(Amount amount, End end) {
  const std::uint64_t messages = amount == Amount::Full ? 10'000'000 : 200'000;
  const auto journal = std::make_shared<LargeJournal>(10, messages, end);
  const bool is_killed = end == End::Killed;
  return {
      {.name = is_killed ? "store/open-10M-killed" : "store/open-10M",
       .purpose = fmt::format("opening a journal of {} messages of 10 sessions, its files not in "
                              "memory{}{}",
                              amount == Amount::Full ? "10,000,000" : "200,000",
                              is_killed ? ", whose process was killed" : "",
                              amount == Amount::Full ? "" : " (10,000,000 without --quick)"),
       .unit = Unit::Milliseconds,
       .published = {},
       .budget = 1'000},
      [journal](Subjects) {
        Plan plan{.owner = journal, .contestants = {}};
        plan.note = describe_opening(*journal);
        plan.contestants.emplace_back("NexusFIX",
                                      make_prepared_contestant(Opening{journal.get(), nullptr}, 1,
                                                               OpensRight{journal.get()}));
        return plan;
      }};
}

Row range_row(const std::shared_ptr<LargeJournal>& journal) {
  const std::uint64_t messages = journal->messages();
  return {
      {.name = "store/range-scan",
       .purpose = fmt::format("messages read and verified, {} in one go, of a session of {}",
                              std::min(kRange, messages), messages),
       .unit = Unit::GigabytesPerSecond,
       .published = {},
       .budget = kLineGigabytes},
      [journal](Subjects) {
        auto opened = store::open_journal(journal->disk(), journal->options(), WallTime{});
        if (!opened) std::abort();
        const double count = static_cast<double>(std::min(kRange, journal->messages_of_one()));
        Plan plan{
            .owner = journal, .bytes = execution_reports().mean_bytes * count, .contestants = {}};
        plan.contestants.emplace_back(
            "NexusFIX", make_contestant(RangeScan{journal.get(), std::move(opened->store)}, {1}));
        return plan;
      }};
}

Row random_row(const std::shared_ptr<LargeJournal>& journal) {
  return {
      {.name = "store/random-read",
       .purpose = fmt::format("a message by its number, any of {} of a session, files in memory",
                              journal->messages()),
       .published = {},
       .budget = 1'000},
      [journal](Subjects subjects) {
        auto opened = store::open_journal(journal->disk(), journal->options(), WallTime{});
        if (!opened) std::abort();
        RandomReadJob job{
            .texts = journal->texts(), .messages = journal->messages(), .numbers = {}};
        SeededRandom random{kSeed};
        for (std::size_t i = 0; i < kRandomReads; ++i) {
          job.numbers.push_back(1 + random.below(job.messages));
        }
        Plan plan{.owner = journal, .bytes = execution_reports().mean_bytes, .contestants = {}};
        plan.contestants.emplace_back(
            "NexusFIX",
            make_contestant(RandomRead{journal.get(), std::move(opened->store), job.numbers},
                            Answers(kRandomReads, 1)));
        add_contestants(plan, subjects, [&](Subject& one) { return one.random_read(job); });
        return plan;
      }};
}

}  // namespace

void add_journal_rows(std::vector<Row>& rows, Amount amount) {
  rows.push_back(open_row(amount, End::InOrder));
  rows.push_back(open_row(amount, End::Killed));
  const auto one_session =
      std::make_shared<LargeJournal>(1, amount == Amount::Full ? 1'000'000 : 100'000);
  rows.push_back(range_row(one_session));
  rows.push_back(random_row(one_session));
}

}  // namespace nexusfix::bench
