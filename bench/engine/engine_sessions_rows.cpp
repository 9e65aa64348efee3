// One engine with many sessions: the time of an order, and the cost of idle sessions. The venue is
// a process of its own, so that its memory and CPU time can be read.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

#include <nexusfix/config/settings.hpp>

#include "bench/engine/bare_tcp.hpp"
#include "bench/engine/engine_bench.hpp"
#include "bench/messages/messages.hpp"
#include "bench/row.hpp"

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

double cpu_seconds(pid_t process) {
  std::ifstream file{"/proc/" + std::to_string(process) + "/stat"};
  std::string text;
  std::getline(file, text);
  std::istringstream fields{text.substr(text.rfind(')') + 1)};
  std::string skipped;
  constexpr int kFieldsBefore = 11;  // state to cmajflt
  for (int i = 0; i < kFieldsBefore; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
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
  explicit VenueProcess(std::size_t sessions) {
    const std::string text = EngineText{.sessions = sessions}.with(folder_);
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

class Crowd {
 public:
  // live: the number of sessions that send orders, evenly spread.
  Crowd(std::size_t sessions, std::size_t live, bool rests) : venue_{sessions}, live_{live} {
    log_on(sessions);
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

 private:
  Client& client(std::uint64_t turn) {
    return clients_[turn * kSpreadPrime % live_ * (clients_.size() / live_)];
  }

  void log_on(std::size_t sessions) {
    clients_.reserve(sessions);
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < sessions; ++i) {
      Client& one = clients_.emplace_back(i, venue_.opened().port);
      one.send(one.message('A', "98=0|108=30|"));
    }
    for (const Client& one : clients_) one.wait_for(kLogonMark);
    const double seconds = seconds_since(begin);
    constexpr double kKilobyte = 1024;
    note_ = fmt::format(
        "opened in {:.2f} s, all logged on in {:.2f} s, {:.1f} KiB of memory a session",
        venue_.opened().seconds, seconds,
        static_cast<double>(venue_.bytes_grown()) / kKilobyte / static_cast<double>(sessions));
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
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t round = 0; round < rounds; ++round) {
      for (Client& one : clients_) one.send(one.order());
      for (const Client& one : clients_) one.wait_for(kReportMark);
    }
    note_ += fmt::format(", {:.0f} orders/s with one of each under way",
                         static_cast<double>(rounds * clients_.size()) / seconds_since(begin));
  }

  VenueProcess venue_;
  std::size_t live_;
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

Plan plan_sessions(std::size_t sessions, std::size_t live, Amount amount) {
  constexpr std::size_t kRestingLeast = 10'000;
  auto crowd =
      std::make_unique<Crowd>(sessions, live, amount == Amount::Full && sessions >= kRestingLeast);
  Plan plan{.owner = nullptr, .contestants = {}, .note = crowd->note()};
  plan.contestants.emplace_back("NexusFIX", trading(std::move(crowd)));
  if (sessions > 1) {
    plan.contestants.emplace_back(kAlone, trading(std::make_unique<Crowd>(1, 1, false)));
  }
  return plan;
}

Row sessions_row(std::size_t sessions, std::size_t live, Amount amount) {
  std::vector<RatioBudget> ratios;
  if (sessions > 1) ratios.push_back({std::string{kAlone}, 1.3, 2});
  const std::string part = live == sessions ? "" : fmt::format("{} of ", live);
  return {{.name = fmt::format("sessions/{}{}", sessions, live == sessions ? "" : "-tenth"),
           .purpose = fmt::format("an order of one of {}{} sessions to its report, over loopback "
                                  "TCP, without BusySpin",
                                  part, sessions),
           .published = {},
           .budget = {},
           .ratios = std::move(ratios)},
          [=](Subjects) { return plan_sessions(sessions, live, amount); }};
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
  for (const std::size_t sessions : {1UZ, 10UZ, 100UZ, 1'000UZ, kMost}) {
    if (!may_open(sessions)) {
      fmt::print(stderr, "bench: no row sessions/{}: too few descriptors (ulimit -Hn)\n", sessions);
      continue;
    }
    rows.push_back(sessions_row(sessions, sessions, amount));
    if (sessions == kMost) rows.push_back(sessions_row(kMost, kMost / 10, amount));
  }
}

}  // namespace nexusfix::bench
