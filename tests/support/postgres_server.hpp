// A PostgreSQL server for the test: in a temporary folder, as a user without rights, reached by a
// Unix socket only, and gone with the test.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "support/disks/temporary_folder.hpp"

namespace nexusfix::testing {

class PostgresServer {
 public:
  // For all tests of the program; the first call starts it. Null: it is not available; why() has
  // the reason.
  static PostgresServer* shared();
  static const std::string& why();

  // The durability of a real server costs time, and most tests do not need it.
  enum class Syncs { No, Yes };
  // Null, and a reason in why, if no server is available.
  static std::unique_ptr<PostgresServer> make(Syncs syncs, std::string& why);
  // A standby of this server, which streams under this name; it runs.
  std::unique_ptr<PostgresServer> make_standby(const std::string& name);
  // Returns when it accepts writes.
  void promote();
  // ALTER SYSTEM; every process uses the value when this returns.
  void set(const std::string& name, const std::string& value);

  // Stops all of its processes, and continues them.
  void freeze();
  void thaw();
  ~PostgresServer();

  void start();
  enum class Stop { Fast, Immediate };  // in order; as if killed
  void stop(Stop how = Stop::Fast);
  // CPU time of its processes, also of those that have ended.
  [[nodiscard]] std::chrono::microseconds cpu_time() const;
  // What the server has logged.
  [[nodiscard]] std::string log() const;
  // Runs psql; returns its output without the last line feed.
  std::string sql(const std::string& statement);

  // The folder of the socket, for libpq's "host".
  [[nodiscard]] std::string host() const { return folder_.path(); }
  [[nodiscard]] std::string socket_file() const { return folder_.file(".s.PGSQL.5432"); }
  // The superuser's connection. A role "guarded" has the password "pa55word" and needs it.
  [[nodiscard]] std::string connection() const {
    return "host=" + folder_.path() + " user=nexusfix dbname=postgres";
  }

 private:
  PostgresServer() = default;
  // Its processes, the first one first.
  [[nodiscard]] std::vector<pid_t> processes() const;
  [[nodiscard]] std::string find_user();  // why there is none; empty: one was found
  int run(const std::string& program, const std::string& arguments, std::string* output);
  std::string set_up(Syncs syncs);
  // A process that stops the server and removes its folder when this process ends in any way.
  void guard();
  [[nodiscard]] bool becomes_user() const;

  // A TMPDIR may be too long for a socket's name, and not accessible to the server's user.
  TemporaryFolder folder_{"/tmp"};
  std::string programs_;  // folder of initdb and postgres
  uid_t user_ = 0;
  gid_t group_ = 0;
  bool is_running_ = false;
  bool is_frozen_ = false;
  pid_t guard_ = -1;
  int guard_pipe_ = -1;  // closed: the guard acts
};

}  // namespace nexusfix::testing
