#include "cluster/postgres/server/connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <poll.h>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

namespace nexusfix::store::postgres {
namespace {

constexpr std::size_t kParametersMax = 16;
// Warnings that were not taken yet.
constexpr std::size_t kWarningsMax = 16;

std::string seconds(std::chrono::milliseconds time) { return std::to_string(time.count()) + " ms"; }

// How TCP notices within a time that the other side is gone: by probes if nothing is under way,
// otherwise by missing acknowledgements.
class SilenceLimits {
 public:
  static constexpr const char* kProbes = "2";
  explicit SilenceLimits(std::chrono::milliseconds limit)
      : total_{std::max<std::chrono::milliseconds>(limit, std::chrono::seconds{3})} {}
  // Before the first probe, and between two.
  [[nodiscard]] std::string seconds() const { return std::to_string(total_.count() / 3'000); }
  [[nodiscard]] std::string total() const { return std::to_string(total_.count()); }

 private:
  std::chrono::milliseconds total_;
};

// Whether a warning says that a COMMIT did not wait for its standby. Texts are in the language of
// the server, and the SQLSTATE is that of any warning; only the place in PostgreSQL's source
// identifies it. Without a place (something between here and the server has removed it) every
// warning counts.
bool tells_of_standby(const PGresult* notice) {
  const auto field = [&](int code) {
    const char* const text = PQresultErrorField(notice, code);
    return text == nullptr ? std::string_view{} : std::string_view{text};
  };
  const std::string_view file = field(PG_DIAG_SOURCE_FILE);
  const std::string_view function = field(PG_DIAG_SOURCE_FUNCTION);
  return file.ends_with("syncrep.c") || function.starts_with("SyncRep") ||
         (file.empty() && function.empty());
}

}  // namespace

bool ServerError::may_pass() const noexcept {
  if (state.empty()) return true;
  // SQLSTATE classes: 08 connection, 53 resources, 40 rollback, 57 intervention by an operator, 58
  // system error of the server; 25006 a standby that takes no writes, 55P03 a lock, NXF1 our own.
  for (const std::string_view passing : {"08", "53", "40", "57", "58", "25006", "55P03", "NXF1"}) {
    if (state.starts_with(passing)) return true;
  }
  return false;
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char byte : text) {
    if (byte == '\n' || byte == '\r' || byte == '\t') {
      if (!line.empty() && line.back() != ' ') line += ' ';
    } else {
      line += byte;
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

ServerError error_of(const PGresult* result) {
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return {.text = one_line(PQresultErrorMessage(result)), .state = state == nullptr ? "" : state};
}

Waited wait_for(int socket, short events, std::chrono::milliseconds limit, int stop) {
  std::array<pollfd, 2> waited{{{socket, events, 0}, {stop, POLLIN, 0}}};
  SystemClock clock;
  const MonoTime begin = clock.now().mono;
  for (;;) {
    const auto used =
        std::chrono::duration_cast<std::chrono::milliseconds>(clock.now().mono - begin);
    const bool is_endless = limit.count() < 0;
    const auto rest = is_endless ? -1 : std::max<std::int64_t>(0, (limit - used).count());
    const int count = ::poll(waited.data(), waited.size(), static_cast<int>(rest));
    if (count < 0 && errno == EINTR) continue;
    if (waited[1].revents != 0) return Waited::Stopped;
    if (count != 0) return Waited::Ready;
    if (rest == 0) return Waited::TimeOver;
  }
}

ServerResult<void> check_connection_string(const PostgresOptions& options) {
  char* wrong = nullptr;
  if (PQconninfoOption* const parts = PQconninfoParse(options.connection.c_str(), &wrong)) {
    PQconninfoFree(parts);
    return {};
  }
  PQfreemem(wrong);
  if (options.connection.find_first_of("=:") == std::string::npos)
    return {};  // the name of a database
  return std::unexpected{
      ServerError{.text = "the connection string is not of the form key=value key=value ... or "
                          "postgresql://user@host:port/database?key=value, or has an unknown key",
                  .state = "08001"}};
}

Parameters::Parameters(const PostgresOptions& options) {
  const SilenceLimits limits{options.peer_timeout};
  add("fallback_application_name", "nexusfix");
  add("keepalives_idle", limits.seconds());
  add("keepalives_interval", limits.seconds());
  add("keepalives_count", SilenceLimits::kProbes);
  add("tcp_user_timeout", limits.total());
  add("dbname", options.connection);
  add("host", options.host);
  add("port", options.port);
  add("dbname", options.database);
  add("user", options.user);
  add("password", options.password);
}

void Parameters::add(const char* key, std::string value) {
  if (value.empty()) return;
  keys_.push_back(key);
  values_.push_back(std::move(value));
}

PGconn* Parameters::start() const {
  std::vector<const char*> keys = keys_;
  std::vector<const char*> values;
  values.reserve(values_.size() + 1);
  for (const std::string& value : values_) values.push_back(value.c_str());
  keys.push_back(nullptr);
  values.push_back(nullptr);
  return PQconnectStartParams(keys.data(), values.data(), 1);
}

ServerResult<Connection> Connection::open(const PostgresOptions& options,
                                          const ServerAddress& server,
                                          std::chrono::milliseconds limit, int stop) {
  Parameters parameters{options};
  parameters.add("host", server.host);
  parameters.add("hostaddr", server.address);
  parameters.add("port", server.port);
  Connection made;
  made.stop_ = stop;
  made.answer_timeout_ = options.answer_timeout;
  made.connection_.reset(parameters.start());
  if (!made.connection_) return std::unexpected{ServerError{"out of memory", "53200"}};
  // Before the server can say anything: libpq would write it to standard error.
  PQsetNoticeReceiver(made.raw(), &Connection::record_notice, made.notices_.get());
  if (auto connected = made.await_connected(limit); !connected) {
    return std::unexpected{std::move(connected.error())};
  }
  PQsetnonblocking(made.raw(), 1);
  if (auto set = made.set_up_session(options.peer_timeout); !set) {
    return std::unexpected{std::move(set.error())};
  }
  if (options.standby == StandbyPolicy::Ignored) {
    auto set = made.run("SET synchronous_commit = local");
    if (!set) return std::unexpected{std::move(set.error())};
  }
  return made;
}

// A role's setting may suppress warnings, and only a warning says that a COMMIT's wait for the
// standby was cancelled. The other settings are the server's side of what Parameters set for our
// side: the server releases the lock of a client whose machine is gone. Keepalives alone notice
// nothing while bytes are unacknowledged.
ServerResult<void> Connection::set_up_session(std::chrono::milliseconds peer_timeout) {
  const SilenceLimits limits{peer_timeout};
  auto set =
      run("SET client_min_messages = warning; SET tcp_keepalives_idle = " + limits.seconds() +
          "; SET tcp_keepalives_interval = " + limits.seconds() + "; SET tcp_keepalives_count = " +
          SilenceLimits::kProbes + "; SET tcp_user_timeout = " + limits.total());
  if (!set) return std::unexpected{std::move(set.error())};
  constexpr int kFirstThatChecks = 140'000;
  if (PQserverVersion(raw()) < kFirstThatChecks) return {};
  set = run("SET client_connection_check_interval = " + limits.total());
  // Some systems have no such option.
  if (!set && set.error().may_pass()) return std::unexpected{std::move(set.error())};
  return {};
}

ServerResult<void> Connection::await_connected(std::chrono::milliseconds limit) {
  if (PQstatus(raw()) == CONNECTION_BAD) return std::unexpected{lost()};
  SystemClock clock;
  const MonoTime end = clock.now().mono + limit;
  auto step = PGRES_POLLING_WRITING;
  for (;;) {
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock.now().mono);
    const short events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    switch (wait_for(descriptor(), events, std::max(rest, std::chrono::milliseconds{0}), stop_)) {
      case Waited::Stopped:
        return std::unexpected{ServerError{"connecting was ended", {}}};
      case Waited::TimeOver:
        return std::unexpected{
            ServerError{"the server did not accept the connection within " + seconds(limit), {}}};
      case Waited::Ready:
        break;
    }
    step = PQconnectPoll(raw());
    if (step == PGRES_POLLING_OK) return {};
    if (step == PGRES_POLLING_FAILED) return std::unexpected{lost()};
  }
}

// libpq calls this, and no exception may pass through it.
void Connection::record_notice(void* notices, const PGresult* notice) noexcept {
  const char* const severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity == nullptr || std::string_view{severity} != "WARNING") return;
  auto& found = *static_cast<Notices*>(notices);
  const bool is_of_standby = tells_of_standby(notice);
  found.is_not_replicated = found.is_not_replicated || is_of_standby;
  const char* const text = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
  try {
    std::string line = one_line(text == nullptr ? "" : text);
    if (is_of_standby) {
      found.not_replicated = std::move(line);
    } else if (found.warnings.size() < kWarningsMax) {
      found.warnings.push_back(std::move(line));
    }
  } catch (const std::bad_alloc&) {
    return;  // only the text is lost
  }
}

std::optional<ServerError> Connection::consume_not_replicated() {
  if (!std::exchange(notices_->is_not_replicated, false)) return std::nullopt;
  const std::string text = std::exchange(notices_->not_replicated, {});
  return ServerError{
      "a COMMIT did not wait for the synchronous standby, which may not have it: " + text,
      kNotReplicated};
}

std::vector<std::string> Connection::consume_warnings() {
  return std::exchange(notices_->warnings, {});
}

std::string Connection::server() const {
  const std::string host = PQhost(raw());
  const std::string port = PQport(raw());
  if (host.starts_with('/')) return "socket " + host + "/.s.PGSQL." + port;
  const std::string address = PQhostaddr(raw());
  const bool is_named = !address.empty() && address != host;
  return "host " + host + (is_named ? " (" + address + ")" : "") + ", port " + port;
}

ServerError Connection::lost() const {
  std::string text = one_line(PQerrorMessage(raw()));
  if (text.empty()) text = "the connection was lost";
  return {.text = std::move(text), .state = {}};
}

ServerResult<void> Connection::wait_for_result() {
  for (;;) {
    const int flushed = PQflush(raw());
    if (flushed < 0) return std::unexpected{lost()};
    if (flushed == 0 && PQisBusy(raw()) == 0) return {};
    const auto events = static_cast<short>(flushed == 1 ? POLLIN | POLLOUT : POLLIN);
    switch (wait_for(descriptor(), events, answer_timeout_, stop_)) {
      case Waited::Stopped:
        return std::unexpected{ServerError{"waiting for the server was ended", {}}};
      case Waited::TimeOver:
        return std::unexpected{
            ServerError{"the server did not answer within " + seconds(answer_timeout_), {}}};
      case Waited::Ready:
        break;
    }
    if (PQconsumeInput(raw()) == 0) return std::unexpected{lost()};
  }
}

// The last result of what was sent, or the first that is an error.
ServerResult<Result> Connection::answer() {
  Result last;
  for (;;) {
    if (auto there = wait_for_result(); !there) return std::unexpected{std::move(there.error())};
    Result result{PQgetResult(raw())};
    if (!result) break;
    const bool has_failed = last && PQresultStatus(last.get()) == PGRES_FATAL_ERROR;
    if (!has_failed) last = std::move(result);
  }
  if (!last) return std::unexpected{lost()};
  if (auto error = consume_not_replicated()) return std::unexpected{std::move(*error)};
  const ExecStatusType status = PQresultStatus(last.get());
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return last;
  return std::unexpected{error_of(last.get())};
}

ServerResult<Result> Connection::run(const std::string& statements) {
  if (PQsendQuery(raw(), statements.c_str()) == 0) return std::unexpected{lost()};
  return answer();
}

ServerResult<Result> Connection::ask(const char* statement,
                                     std::initializer_list<std::string_view> values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const std::string_view value : values) texts.emplace_back(value);
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const int count = static_cast<int>(pointers.size());
  if (PQsendQueryParams(raw(), statement, count, nullptr, pointers.data(), nullptr, nullptr, 0) ==
      0) {
    return std::unexpected{lost()};
  }
  return answer();
}

ServerResult<void> Connection::prepare(const char* name, const char* statement) {
  if (PQsendPrepare(raw(), name, statement, 0, nullptr) == 0) return std::unexpected{lost()};
  if (auto prepared = answer(); !prepared) return std::unexpected{std::move(prepared.error())};
  return {};
}

ServerResult<Result> Connection::ask_prepared(const char* name) {
  if (!send(name, {})) return std::unexpected{lost()};
  return answer();
}

bool Connection::send(const char* prepared, std::span<const std::string_view> binary) {
  NEXUSFIX_ASSERT(binary.size() <= kParametersMax);
  std::array<const char*, kParametersMax> values{};
  std::array<int, kParametersMax> lengths{};
  std::array<int, kParametersMax> formats{};
  std::size_t count = 0;
  for (const std::string_view value : binary) {
    values[count] = value.data();
    lengths[count] = static_cast<int>(value.size());
    formats[count++] = 1;
  }
  return PQsendQueryPrepared(raw(), prepared, static_cast<int>(count), values.data(),
                             lengths.data(), formats.data(), 1) == 1;
}

}  // namespace nexusfix::store::postgres
