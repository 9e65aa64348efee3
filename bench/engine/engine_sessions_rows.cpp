// One engine with many sessions: the time of an order, and the cost of idle sessions. The venue is
// a process of its own, so that its memory and CPU time can be read.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

#include "bench/engine/bare_tcp.hpp"
#include "bench/engine/engine_bench.hpp"
#include "bench/messages/messages.hpp"
#include "bench/row.hpp"
#include "config/api/settings.hpp"

namespace nexusfix::bench {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
constexpr std::size_t kTogether = 64;         // orders that are prepared
constexpr std::uint64_t kSpreadPrime = 7919;  // the order of the sessions is not that of memory
constexpr std::size_t kRateOrders = 20'000;
// HeartBtInt is the same: each side sends one Heartbeat for each session in this time.
constexpr std::chrono::seconds kRest{30};

double seconds_since(SteadyTime begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Memory without a file: the pages of the journal's files do not belong to the sessions.
std::size_t anonymous_bytes(const std::string& process) {
  std::ifstream status{"/proc/" + process + "/status"};
  constexpr std::string_view kName = "RssAnon:";
  constexpr std::size_t kKilobyte = 1024;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kName)) return std::stoul(line.substr(kName.size())) * kKilobyte;
  }
  return 0;
}

// The time that all threads of a process have run.
double cpu_seconds(pid_t process) {
  constexpr double kNsPerSecond = 1e9;
  double ns = 0;
  const std::filesystem::path tasks{fmt::format("/proc/{}/task", process)};
  for (const auto& task : std::filesystem::directory_iterator{tasks}) {
    std::ifstream file{task.path() / "schedstat"};
    double of_task = 0;
    file >> of_task;
    ns += of_task;
  }
  return ns / kNsPerSecond;
}

// The message of the venue's process when it listens.
struct Opened {
  std::uint16_t port = 0;  // 0: the engine could not be opened
  double seconds = 0;
  std::size_t bytes_before = 0;
};

[[noreturn]] void serve(const std::string& text, int channel) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::malloc_trim(0);  // so that the venue cannot reuse memory that the benchmark has freed
  Opened opened{.bytes_before = anonymous_bytes("self")};
  const auto begin = std::chrono::steady_clock::now();
  Venue venue;
  observe::NullEventLog log;
  auto settings = config::parse_settings(text, "bench");
  if (settings) {
    auto engine = Engine::open(std::move(*settings), venue, {.log = &log});
    opened.seconds = seconds_since(begin);
    if (engine) opened.port = engine->accept_port();
    if (::write(channel, &opened, sizeof opened) == sizeof opened && engine) (void)engine->run();
  }
  ::_exit(0);
}

// The venue's process.
class VenueProcess {
 public:
  VenueProcess(std::size_t sessions, std::size_t loops) {
    const std::string text =
        EngineText{.sessions = sessions,
                   .more = loops == 1 ? "" : fmt::format("EventLoops={}\n", loops)}
            .with(folder_);
    int channel[2];
    if (::pipe(channel) != 0) throw std::runtime_error{"pipe failed"};
    const StartElsewhere elsewhere;
    process_ = ::fork();
    if (process_ == 0) serve(text, channel[1]);
    ::close(channel[1]);
    const bool is_reported = ::read(channel[0], &opened_, sizeof opened_) == sizeof opened_;
    ::close(channel[0]);
    if (!is_reported || opened_.port == 0) throw std::runtime_error{"the venue cannot be opened"};
  }
  VenueProcess(const VenueProcess&) = delete;
  VenueProcess& operator=(const VenueProcess&) = delete;
  ~VenueProcess() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  [[nodiscard]] const Opened& opened() const { return opened_; }
  [[nodiscard]] double cpu() const { return cpu_seconds(process_); }
  [[nodiscard]] std::size_t bytes_grown() const {
    return anonymous_bytes(std::to_string(process_)) - opened_.bytes_before;
  }

 private:
  BenchFolder folder_;
  pid_t process_ = 0;
  Opened opened_;
};

// A counterparty without an engine: only its bytes.
class Client {
 public:
  Client(std::size_t index, std::uint16_t port)
      : name_{fmt::format("T{}", index + 1)}, socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const int on = 1;
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
      throw std::runtime_error{"a client cannot connect"};
    }
  }
  Client(Client&& other) noexcept
      : name_{std::move(other.name_)},
        socket_{std::exchange(other.socket_, -1)},
        number_{other.number_} {}
  Client& operator=(Client&&) = delete;
  ~Client() {
    if (socket_ >= 0) ::close(socket_);
  }

  [[nodiscard]] std::string message(char type, std::string_view body) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return message_of(fmt::format(
        "35={}|49={}|56=VENUE|34={}|52={}|{}", type, name_, number_++,
        timestamp_text(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()), body));
  }
  [[nodiscard]] std::string order() {
    return message('D',
                   "11=10000001|21=1|55=AAPL|54=1|60=20240115-10:30:00.100|38=100|40=2|"
                   "44=150.25|59=0|");
  }
  void send(std::string_view bytes) const {
    if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(bytes.size())) {
      throw std::runtime_error{"a client cannot send"};
    }
  }
  // Waits for a message of this type, and drops others.
  void wait_for(std::string_view mark) const {
    char bytes[4096];
    while (true) {
      const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
      if (count <= 0) throw std::runtime_error{"the venue hung up"};
      if (std::string_view{bytes, static_cast<std::size_t>(count)}.find(mark) !=
          std::string_view::npos) {
        return;
      }
    }
  }

 private:
  std::string name_;
  int socket_;
  std::uint64_t number_ = 1;
};

constexpr std::string_view kLogonMark =
    "\x01"
    "35=A\x01";
constexpr std::string_view kReportMark =
    "\x01"
    "35=8\x01";

// The sessions of a row.
struct CrowdSize {
  std::size_t configured = 1;
  std::size_t live = 1;     // logged on, evenly spread
  std::size_t sending = 1;  // of these, that send orders, evenly spread
  std::size_t loops = 1;
};

class Crowd {
 public:
  Crowd(CrowdSize size, bool rests) : venue_{size.configured, size.loops}, size_{size} {
    growth_ = {
        .sessions = static_cast<double>(size.configured),
        .live = static_cast<double>(size.live),
        .open_us = kMicroseconds * venue_.opened().seconds / static_cast<double>(size.configured)};
    log_on();
    measure_idle();
    if (rests) rest();
    measure_rate();
    texts_.resize(kTogether);
    prepare();
  }

  // Prepares kTogether orders.
  void prepare() {
    for (; made_ < turn_ + kTogether; ++made_) texts_[made_ % kTogether] = client(made_).order();
  }
  std::uint64_t trade() {
    const Client& one = client(turn_);
    one.send(texts_[turn_++ % kTogether]);
    one.wait_for(kReportMark);
    return 1;
  }
  [[nodiscard]] const std::string& note() const { return note_; }
  [[nodiscard]] const GrowthPoint& growth() const { return growth_; }

 private:
  static constexpr double kMicroseconds = 1e6;

  Client& client(std::uint64_t turn) {
    return clients_[turn * kSpreadPrime % size_.sending * (clients_.size() / size_.sending)];
  }

  void log_on() {
    clients_.reserve(size_.live);
    const double cpu_before = venue_.cpu();
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < size_.live; ++i) {
      Client& one =
          clients_.emplace_back(i * (size_.configured / size_.live), venue_.opened().port);
      one.send(one.message('A', "98=0|108=30|"));
    }
    for (const Client& one : clients_) one.wait_for(kLogonMark);
    const double seconds = seconds_since(begin);
    constexpr double kKilobyte = 1024;
    growth_.memory_kib = static_cast<double>(venue_.bytes_grown()) / kKilobyte / growth_.sessions;
    growth_.logon_us = kMicroseconds * (venue_.cpu() - cpu_before) / growth_.live;
    note_ =
        fmt::format("opened in {:.2f} s, all logged on in {:.2f} s, {:.1f} KiB of memory a session",
                    venue_.opened().seconds, seconds, growth_.memory_kib);
  }
  // No client sends; the venue's Heartbeats become due.
  void measure_idle() {
    const double cpu_before = venue_.cpu();
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::seconds{1});
    growth_.idle_us =
        kMicroseconds * (venue_.cpu() - cpu_before) / seconds_since(begin) / growth_.live;
  }
  // Each client sends one Heartbeat, evenly spread; the venue sends the same number.
  void rest() {
    const double cpu_before = venue_.cpu();
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      std::this_thread::sleep_until(begin + kRest * static_cast<std::int64_t>(i) /
                                                static_cast<std::int64_t>(clients_.size()));
      clients_[i].send(clients_[i].message('0', ""));
    }
    note_ += fmt::format(", {:.1f} % of a core at rest",
                         100 * (venue_.cpu() - cpu_before) / seconds_since(begin));
  }
  // Each client sends an order before any answer is read.
  void measure_rate() {
    const std::size_t rounds = std::max<std::size_t>(kRateOrders / clients_.size(), 1);
    const double cpu_before = venue_.cpu();
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t round = 0; round < rounds; ++round) {
      for (Client& one : clients_) one.send(one.order());
      for (const Client& one : clients_) one.wait_for(kReportMark);
    }
    const auto orders = static_cast<double>(rounds * clients_.size());
    note_ +=
        fmt::format(", {:.0f} orders/s with one of each under way", orders / seconds_since(begin));
    growth_.order_us = kMicroseconds * (venue_.cpu() - cpu_before) / orders;
  }

  VenueProcess venue_;
  CrowdSize size_;
  GrowthPoint growth_;
  std::vector<Client> clients_;
  std::vector<std::string> texts_;
  std::uint64_t turn_ = 0;
  std::uint64_t made_ = 0;
  std::string note_;
};

struct CrowdOperation {
  std::unique_ptr<Crowd> crowd;

  std::uint64_t operator()(std::size_t) { return crowd->trade(); }
  void prepare() { crowd->prepare(); }
  void settle() {}
  [[nodiscard]] CallLimits limits() const { return {.least = 1, .most = kTogether}; }
};

constexpr std::string_view kAlone = "one session";

ContestantPtr trading(std::unique_ptr<Crowd> crowd) {
  return make_prepared_contestant(CrowdOperation{std::move(crowd)}, 1, AnswersCheck{{1}});
}

Plan plan_sessions(CrowdSize size, const std::string& curve, Amount amount) {
  constexpr std::size_t kRestingLeast = 10'000;
  auto crowd = std::make_unique<Crowd>(size, amount == Amount::Full && size.live >= kRestingLeast);
  Plan plan{.owner = nullptr, .contestants = {}, .note = crowd->note()};
  if (!curve.empty()) {
    plan.growth = crowd->growth();
    plan.growth->curve = curve;
  }
  plan.contestants.emplace_back("NexusFIX", trading(std::move(crowd)));
  if (size.configured > 1) {
    plan.contestants.emplace_back(kAlone, trading(std::make_unique<Crowd>(CrowdSize{}, false)));
  }
  return plan;
}

Row sessions_row(const std::string& name, CrowdSize size, const std::string& curve, Amount amount) {
  std::vector<RatioBudget> ratios;
  if (size.configured > 1) ratios.push_back({std::string{kAlone}, 1.3, 2});
  std::string purpose = "an order of one of ";
  if (size.sending < size.live) purpose += fmt::format("{} of ", size.sending);
  purpose +=
      fmt::format("{} sessions to its report, over loopback TCP, without BusySpin", size.live);
  if (size.live < size.configured) purpose += fmt::format("; {} are configured", size.configured);
  if (size.loops > 1) purpose += fmt::format(", on {} event loops", size.loops);
  return {{.name = name,
           .purpose = std::move(purpose),
           .published = {},
           .budget = {},
           .ratios = std::move(ratios)},
          [=](Subjects) { return plan_sessions(size, curve, amount); }};
}

// Whether this number of sockets may be open. Raises the soft limit to the hard limit.
bool may_open(std::size_t sockets) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  constexpr std::size_t kOthers = 200;
  return limit.rlim_max >= sockets + kOthers;
}

}  // namespace

void add_sessions_rows(std::vector<Row>& rows, Amount amount) {
  constexpr std::size_t kMost = 10'000;
  constexpr std::size_t kFew = 10;
  constexpr std::size_t kLoops = 4;
  const auto add = [&](const std::string& name, CrowdSize size, const std::string& curve) {
    if (may_open(size.live)) {
      rows.push_back(sessions_row(name, size, curve, amount));
    } else {
      fmt::print(stderr, "bench: no row {}: too few descriptors (ulimit -Hn)\n", name);
    }
  };
  for (const std::size_t n : {1UZ, 10UZ, 100UZ, 1'000UZ, kMost}) {
    add(fmt::format("sessions/{}", n), {n, n, n}, n > 1 ? "all live" : "");
  }
  add("sessions/10000-tenth", {kMost, kMost, kMost / 10}, "");
  for (const std::size_t n : {100UZ, 1'000UZ, kMost}) {
    add(fmt::format("sessions/configured-{}", n), {n, kFew, kFew}, "ten live");
  }
  // A journal has at most 65,536 sessions, and each event loop has its own.
  add("sessions/configured-100000", {10 * kMost, kFew, kFew, kLoops}, "ten live");
  for (const std::size_t n : {1'000UZ, kMost}) {
    add(fmt::format("sessions/loops-{}", n), {10 * n, n, n, kLoops}, "a tenth live, four loops");
  }
}

}  // namespace nexusfix::bench
