// nexusfix passwd: keeps the file of users and passwords that PasswordFile names.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <expected>
#include <fmt/format.h>
#include <optional>
#include <termios.h>
#include <unistd.h>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/passwords.hpp>

#include "config/api/settings.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kPasswdCommand = "passwd";

using engine::PasswordFile;

struct PasswdOptions {
  std::string file;
  std::string user;
  bool deletes = false;
  bool lists = false;
  bool checks = false;
};

constexpr char kInterrupt = 3;  // Ctrl-C

// While an object of this class lives, the terminal does not show what is typed.
class EchoOff {
 public:
  EchoOff() {
    is_set_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
    if (!is_set_) return;
    termios quiet = before_;
    // An interrupt would leave the terminal without echo. So Ctrl-C ends the line instead.
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
    quiet.c_cc[VEOL] = kInterrupt;
    is_set_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) == 0;
  }
  ~EchoOff() {
    if (is_set_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  EchoOff(const EchoOff&) = delete;
  EchoOff& operator=(const EchoOff&) = delete;
  [[nodiscard]] bool is_set() const noexcept { return is_set_; }

 private:
  termios before_{};
  bool is_set_ = false;
};

// Reads a line of standard input, without its end. Returns nothing if there is no complete line.
std::optional<std::string> read_line() {
  constexpr std::size_t kLineBytesMax = 4096;
  std::string line;
  char byte = 0;
  while (line.size() < kLineBytesMax) {
    const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
    if (count <= 0) return line.empty() ? std::nullopt : std::optional{std::move(line)};
    if (byte == '\n') return line;
    if (byte == kInterrupt) return std::nullopt;
    line.push_back(byte);
  }
  engine::wipe(line);
  return std::nullopt;
}

// The echo is off before the question appears, so that no typed letter is shown or lost.
std::optional<std::string> ask(std::string_view what) {
  const EchoOff echo_off;
  if (!echo_off.is_set()) return std::nullopt;
  fmt::print(stderr, "{}: ", what);
  std::fflush(stderr);
  std::optional<std::string> line = read_line();
  fmt::print(stderr, "\n");
  return line;
}

// Asks twice on a terminal. Reads one line if standard input is no terminal.
std::expected<std::string, std::string> read_password(const std::string& user) {
  const bool is_terminal = ::isatty(STDIN_FILENO) == 1;
  auto password = is_terminal ? ask("Password of " + user) : read_line();
  if (!password) return std::unexpected{"no password was given"};
  if (const auto wrong = engine::password_error(*password); !wrong.empty()) {
    engine::wipe(*password);
    return std::unexpected{std::string{wrong}};
  }
  if (!is_terminal) return std::move(*password);
  auto again = ask("Password again");
  const bool is_same = again == password;
  if (again) engine::wipe(*again);
  if (is_same) return std::move(*password);
  engine::wipe(*password);
  if (!again) return std::unexpected{"no password was given"};
  return std::unexpected{"the passwords differ; nothing was changed"};
}

int set_password(const PasswdOptions& options) {
  auto password = read_password(options.user);
  if (!password) return fail(kPasswdCommand, password.error());
  const auto hash = engine::hash_password(*password);
  engine::wipe(*password);
  if (!hash) return fail(kPasswdCommand, hash.error());
  PosixDisk disk;
  bool is_new = false;
  const auto done = engine::change_password_file(disk, options.file, true, [&](PasswordFile& file) {
    is_new = file.find(options.user) == nullptr;
    file.set(options.user, *hash);
    return true;
  });
  if (!done) return fail(kPasswdCommand, done.error().what());
  fmt::print("{}: user {} {}\n", options.file, options.user,
             is_new ? "added" : "has a new password");
  return kSuccess;
}

int delete_user(const PasswdOptions& options) {
  PosixDisk disk;
  const auto done = engine::change_password_file(
      disk, options.file, false, [&](PasswordFile& file) { return file.remove(options.user); });
  if (!done) return fail(kPasswdCommand, done.error().what());
  if (!*done) return fail(kPasswdCommand, options.file + ": there is no user " + options.user);
  fmt::print("{}: user {} deleted\n", options.file, options.user);
  return kSuccess;
}

int list_users(const PasswdOptions& options) {
  PosixDisk disk;
  const auto file = PasswordFile::load(disk, options.file);
  if (!file) return fail(kPasswdCommand, file.error().what());
  for (const std::string& user : file->users()) {
    const engine::PasswordCost cost = file->cost_of(user);
    if (options.lists) {
      fmt::print("{}  Argon2id, {} KiB, {} passes\n", user, cost.memory_kib, cost.passes);
    } else if (engine::PasswordCost{} != cost) {
      fmt::print("{}: user {}: a hash of {} KiB and {} passes; this program makes {} KiB and {}\n",
                 options.file, user, cost.memory_kib, cost.passes,
                 engine::PasswordCost{}.memory_kib, engine::PasswordCost{}.passes);
    }
  }
  if (options.checks)
    fmt::print("{}: {}, all right\n", options.file, counted(file->users().size(), "user"));
  return kSuccess;
}

}  // namespace

int run_passwd(Arguments arguments) {
  PasswdOptions options;
  CLI::App app{
      "Adds USER, or sets the password of USER. The command asks for the password twice. If "
      "standard input is no terminal, it reads one line. The configuration of an acceptor names "
      "FILE with the key PasswordFile; the engine reads FILE again at each Logon.\n\n"
      "A line of FILE is USER:HASH, with an Argon2id hash in PHC form ($argon2id$...), or a "
      "comment "
      "that begins with #. Only its owner may read or write FILE (mode 0600).",
      "nexusfix passwd"};
  app.add_option("FILE", options.file, "the password file; it is created if necessary")->required();
  auto* const user = app.add_option("USER", options.user,
                                    "the Username (553): the CompID of the counterparty, or a "
                                    "name of AllowedUsernames");
  auto* const deletes = app.add_flag("--delete", options.deletes, "delete USER");
  auto* const lists = app.add_flag("--list", options.lists, "print the users");
  auto* const checks = app.add_flag("--check", options.checks, "check that an engine accepts FILE");
  app.footer(
      "Examples:\n"
      "  $ nexusfix passwd users.txt BROKER\n"
      "  $ nexusfix passwd users.txt --check\n\n"
      "Exit status:\n"
      "  0  success\n"
      "  1  FILE or the password is wrong, or FILE cannot be written\n"
      "  2  the arguments are wrong");
  deletes->needs(user)->excludes(lists)->excludes(checks);
  lists->excludes(user)->excludes(checks);
  checks->excludes(user);
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (options.lists || options.checks) return list_users(options);
  if (const auto wrong = config::username_error(options.user); !wrong.empty()) {
    fmt::print(stderr, "nexusfix {}: USER: {}\n", kPasswdCommand, wrong);
    return kUsage;
  }
  return options.deletes ? delete_user(options) : set_password(options);
}

}  // namespace nexusfix::command
