#include "support/postgres_server.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <grp.h>
#include <iterator>
#include <pwd.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace nexusfix::testing {
namespace {

namespace fs = std::filesystem;

// The folders of Debian, of other systems and of PATH.
std::string find_programs() {
  std::vector<std::string> places;
  if (const char* const given = std::getenv("NEXUSFIX_POSTGRES_BIN")) places.emplace_back(given);
  std::error_code ignored;
  for (const auto& version : fs::directory_iterator{"/usr/lib/postgresql", ignored}) {
    places.push_back(version.path().string() + "/bin");
  }
  places.emplace_back("/usr/pgsql/bin");
  if (const char* const path = std::getenv("PATH")) {
    std::string rest = path;
    for (std::size_t at = 0; at <= rest.size();) {
      const std::size_t end = std::min(rest.find(':', at), rest.size());
      places.push_back(rest.substr(at, end - at));
      at = end + 1;
    }
  }
  for (const std::string& place : places) {
    if (fs::exists(place + "/initdb") && fs::exists(place + "/postgres")) return place;
  }
  return {};
}

struct Shared {
  std::string why;
  std::unique_ptr<PostgresServer> server = PostgresServer::make(PostgresServer::Syncs::No, why);
};

Shared& shared_server() {
  static Shared instance;
  return instance;
}

}  // namespace

PostgresServer* PostgresServer::shared() { return shared_server().server.get(); }
const std::string& PostgresServer::why() { return shared_server().why; }

std::unique_ptr<PostgresServer> PostgresServer::make(Syncs syncs, std::string& why) {
  std::unique_ptr<PostgresServer> server{new PostgresServer};
  why = server->set_up(syncs);
  if (!why.empty()) return nullptr;
  return server;
}

// PostgreSQL refuses to run as root.
std::string PostgresServer::find_user() {
  user_ = ::getuid();
  group_ = ::getgid();
  if (user_ != 0) return {};
  const passwd* other = ::getpwnam("postgres");
  if (other == nullptr) other = ::getpwnam("nobody");
  if (other == nullptr) return "running as root, and there is no unprivileged user for the server";
  user_ = other->pw_uid;
  group_ = other->pw_gid;
  if (::chown(folder_.path().c_str(), user_, group_) != 0) return "chown failed";
  return {};
}

std::string PostgresServer::set_up(Syncs syncs) {
  programs_ = find_programs();
  if (programs_.empty()) {
    return "no PostgreSQL server (initdb, postgres) is installed; NEXUSFIX_POSTGRES_BIN may name "
           "the folder of its programs";
  }
  if (std::string why = find_user(); !why.empty()) return why;
  std::string output;
  const std::string initdb =
      "--no-sync -U nexusfix -A trust -E SQL_ASCII --locale=C -D " + folder_.file("data");
  if (run("initdb", initdb, &output) != 0) return "initdb failed: " + output;
  std::ofstream{folder_.file("data/pg_hba.conf")}
      << "local all guarded scram-sha-256\nlocal all all trust\nlocal replication all trust\n";
  std::ofstream settings{folder_.file("data/postgresql.conf"), std::ios::app};
  settings << "listen_addresses = ''\nport = 5432\nunix_socket_directories = '" << folder_.path()
           << "'\nmax_connections = 30\nshared_buffers = 32MB\n"
           << (syncs == Syncs::No ? "fsync = off\n" : "");
  settings.close();
  guard();
  start();
  sql("CREATE ROLE guarded LOGIN PASSWORD 'pa55word'");
  return {};
}

std::unique_ptr<PostgresServer> PostgresServer::make_standby(const std::string& name) {
  std::unique_ptr<PostgresServer> standby{new PostgresServer};
  standby->programs_ = programs_;
  if (const std::string why = standby->find_user(); !why.empty()) throw std::runtime_error{why};
  const std::string data = standby->folder_.file("data");
  std::string output;
  if (standby->run(
          "pg_basebackup",
          "--no-sync -h " + host() + " -p 5432 -U nexusfix -R -X stream -c fast -D " + data,
          &output) != 0) {
    throw std::runtime_error{"pg_basebackup failed: " + output};
  }
  // PostgreSQL uses the last line of each name.
  std::ofstream{data + "/postgresql.conf", std::ios::app} << "unix_socket_directories = '"
                                                          << standby->folder_.path() << "'\n";
  std::ofstream{data + "/postgresql.auto.conf", std::ios::app}
      << "synchronous_standby_names = ''\nprimary_conninfo = 'host=" << host()
      << " port=5432 user=nexusfix application_name=" << name << "'\n";
  standby->guard();
  standby->start();
  return standby;
}

void PostgresServer::promote() {
  std::string output;
  if (run("pg_ctl", "-w -s -D " + folder_.file("data") + " promote", &output) != 0) {
    throw std::runtime_error{"pg_ctl promote failed: " + output};
  }
}

void PostgresServer::set(const std::string& name, const std::string& value) {
  sql("ALTER SYSTEM SET " + name + " = '" + value + "'");
  sql("SELECT pg_reload_conf()");
  // A new process reads the file itself; a process that waits for a standby asks the checkpointer.
  while (sql("SHOW " + name) != value) {
  }
}

std::vector<pid_t> PostgresServer::processes() const {
  std::vector<pid_t> found;
  pid_t first = 0;
  std::ifstream{folder_.file("data/postmaster.pid")} >> first;
  if (first <= 0) return found;
  found.push_back(first);
  for (const auto& entry : fs::directory_iterator{"/proc"}) {
    std::ifstream status{entry.path() / "stat"};
    pid_t process = 0;
    pid_t parent = 0;
    std::string name;
    std::string state;
    // "4711 (postgres) S 4710 ...": a server's process has no blank in its name.
    if (status >> process >> name >> state >> parent && parent == first) found.push_back(process);
  }
  return found;
}

std::chrono::microseconds PostgresServer::cpu_time() const {
  std::uint64_t ticks = 0;
  for (const pid_t process : processes()) {
    std::ifstream status{"/proc/" + std::to_string(process) + "/stat"};
    std::string word;
    constexpr int kUserTime = 14;        // the number of the field, and after it the system's time,
    constexpr int kOfEndedChildren = 4;  // and the same two of children that have ended
    for (int field = 1; field < kUserTime; ++field) status >> word;
    for (int field = 0; field < kOfEndedChildren; ++field) {
      std::uint64_t more = 0;
      if (status >> more) ticks += more;
    }
  }
  return std::chrono::microseconds{ticks * 1'000'000 /
                                   static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK))};
}

void PostgresServer::freeze() {
  is_frozen_ = true;
  for (const pid_t process : processes()) ::kill(process, SIGSTOP);
}

void PostgresServer::thaw() {
  for (const pid_t process : processes()) ::kill(process, SIGCONT);
  is_frozen_ = false;
}

PostgresServer::~PostgresServer() {
  if (is_frozen_) thaw();
  if (is_running_) stop(Stop::Immediate);
  if (guard_ < 0) return;
  ::close(guard_pipe_);
  ::waitpid(guard_, nullptr, 0);
}

void PostgresServer::guard() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error{"pipe failed"};
  const std::string command = "cat >/dev/null; kill -CONT $(head -1 " +
                              folder_.file("data/postmaster.pid") + "); " + programs_ +
                              "/pg_ctl -s -m immediate -D " + folder_.file("data") +
                              " stop; rm -rf " + folder_.path();
  guard_ = ::fork();
  if (guard_ == 0) {
    ::setsid();  // a signal to the group of the test does not reach it
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(ends[0], 0);
    ::dup2(nothing, 1);
    ::dup2(nothing, 2);
    if (!becomes_user()) ::_exit(126);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[0]);
  guard_pipe_ = ends[1];
}

// In a child, before it executes another program.
bool PostgresServer::becomes_user() const {
  const bool is_changed = ::getuid() == user_ || (::setgroups(0, nullptr) == 0 &&
                                                  ::setgid(group_) == 0 && ::setuid(user_) == 0);
  return is_changed && ::chdir("/") == 0;
}

int PostgresServer::run(const std::string& program, const std::string& arguments,
                        std::string* output) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error{"pipe failed"};
  const std::string path =
      fs::exists(programs_ + "/" + program) ? programs_ + "/" + program : "/usr/bin/" + program;
  const std::string command = "exec " + path + " " + arguments;
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 1);
    ::dup2(ends[1], 2);
    ::dup2(::open("/dev/null", O_RDONLY), 0);
    if (!becomes_user()) ::_exit(126);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    if (output != nullptr) output->append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

void PostgresServer::start() {
  std::string output;
  if (run("pg_ctl", "-w -s -D " + folder_.file("data") + " -l " + folder_.file("log") + " start",
          &output) != 0) {
    throw std::runtime_error{"pg_ctl start failed: " + output};
  }
  is_running_ = true;
}

void PostgresServer::stop(Stop how) {
  const std::string mode = how == Stop::Fast ? "fast" : "immediate";
  run("pg_ctl", "-w -s -D " + folder_.file("data") + " -m " + mode + " stop", nullptr);
  is_running_ = false;
}

std::string PostgresServer::log() const {
  std::ifstream file{folder_.file("log")};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::string PostgresServer::sql(const std::string& statement) {
  std::string quoted;
  for (const char byte : statement)
    quoted += byte == '\'' ? std::string{"'\\''"} : std::string{byte};
  std::string output;
  const int status = run(
      "psql", "-X -q -A -t -v ON_ERROR_STOP=1 '" + connection() + "' -c '" + quoted + "'", &output);
  while (!output.empty() && output.back() == '\n') output.pop_back();
  if (status != 0) throw std::runtime_error{"psql: " + output};
  return output;
}

}  // namespace nexusfix::testing
