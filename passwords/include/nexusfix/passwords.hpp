// The users of an acceptor, with their passwords: their file, its hashes, and the part of an engine
// that checks the passwords of Logons. A product beside the core: nexusfix::passwords.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/settings.hpp>

namespace nexusfix::engine {

// The cost of computing an Argon2id hash: with these values 50 to 100 ms on a server's core.
struct PasswordCost {
  std::uint32_t memory_kib = 65'536;  // memory of one computation, in KiB: 8 to 1,048,576
  std::uint32_t passes = 2;           // passes over that memory: 1 to 16

  // Whether both values are equal.
  friend bool operator==(const PasswordCost&, const PasswordCost&) = default;
};

// The result of match_password().
enum class PasswordMatch : std::uint8_t {
  Right,    // the password is that of the hash
  Wrong,    // the password is another one
  Unknown,  // there was not enough memory for the check
};

// The longest valid password, in bytes; the shortest has 1.
inline constexpr std::size_t kPasswordBytesMax = 255;

// Whether this build can hash and verify passwords: NEXUSFIX_PASSWORDS.
[[nodiscard]] bool has_passwords() noexcept;
// Makes a hash with a new salt, in the PHC string form: "$argon2id$v=19$m=65536,t=2,p=1$...$...".
// Blocks for the time that PasswordCost implies. The error: no memory, or a build without hashes.
[[nodiscard]] std::expected<std::string, std::string> hash_password(std::string_view password,
                                                                    PasswordCost cost = {});
// Checks a password against a hash of hash_password(). Blocks for the time that the hash's own
// parameters imply, whatever the result is.
[[nodiscard]] PasswordMatch match_password(const std::string& hash,
                                           std::string_view password) noexcept;
// Overwrites the text and leaves it empty; no compiler may remove these writes.
void wipe(std::string& secret) noexcept;

// Checks a new password: 1 to kPasswordBytesMax bytes without control characters. Empty: the
// password is valid. Otherwise the expected form; static lifetime.
[[nodiscard]] std::string_view password_error(std::string_view password) noexcept;

// The content of one file. Empty lines and lines that begin with `#` stay where they are. One
// thread at a time; allocates.
class PasswordFile {
 public:
  // Reads a text; name: of the file, for errors. The error is the first one of the file, with its
  // line: an invalid entry, a user twice, a hash that is not Argon2id or costs too much (more than
  // 1 GiB, or 16 passes).
  [[nodiscard]] static std::expected<PasswordFile, config::SettingsError> parse(
      std::string_view text, std::string_view name);
  // Reads a file. It is an error, too, if others than the file's owner may read or write it.
  [[nodiscard]] static std::expected<PasswordFile, config::SettingsError> load(
      Disk& disk, const std::string& path);

  // The hash of a user, valid until the file is changed. Null: the file has no such user.
  [[nodiscard]] const std::string* find(std::string_view username) const;
  // The names of all users, in the order of the file.
  [[nodiscard]] std::vector<std::string> users() const;
  // The cost of the user's hash; without such a user, the default cost.
  [[nodiscard]] PasswordCost cost_of(std::string_view username) const;
  // The hash whose check takes longest, valid until the file is changed. It is verified for an
  // unknown user, so that the time of a check does not show which users exist. Without entries, a
  // hash that belongs to no user.
  [[nodiscard]] const std::string& costliest() const noexcept { return costliest_; }

  // Sets the hash of a user; a new user comes at the end. The caller has checked both:
  // config::username_error(), hash_password().
  void set(std::string_view username, std::string_view hash);
  // Removes a user. False: the file had no such user.
  bool remove(std::string_view username);
  // The whole file, each line with a line feed.
  [[nodiscard]] std::string text() const;

 private:
  struct Line {
    std::string text{};  // without its line end; empty: the line is an entry
    std::string username{};
    std::string hash{};
  };
  void find_costliest();

  std::vector<Line> lines_;
  std::map<std::string, std::size_t, std::less<>> entries_;  // indices of lines_
  std::string costliest_;
};

// Reads the file, calls change, and replaces the file atomically and durably. Only the owner may
// read the new file. A reader sees the old file or the new one, and a crash leaves one of them.
// When change returns false, nothing is written, and the result is false. It is an error if another
// process changes a file of the same folder at the same time. is_new_fine: an absent file counts as
// empty; otherwise it is an error.
[[nodiscard]] std::expected<bool, config::SettingsError> change_password_file(
    Disk& disk, const std::string& path, bool is_new_fine, FunctionRef<bool(PasswordFile&)> change);

// Checks the passwords of Logons with a file of users. Link nexusfix::passwords. Programs may edit
// the file, too.
//
//   engine::EngineOptions options;
//   options.parts.passwords = engine::password_part();

// The part for PasswordFile: EngineOptions::parts. Never null; static lifetime.
[[nodiscard]] const PasswordPart* password_part() noexcept;

}  // namespace nexusfix::engine
