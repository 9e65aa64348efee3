// The users of an acceptor and their passwords: a file of lines "user:$argon2id$...".
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/config/settings.hpp>
#include <nexusfix/config/username.hpp>

namespace nexusfix::engine {

// What an Argon2id hash costs whoever makes one: 50 to 100 ms on a server's core as it stands here.
struct PasswordCost {
  std::uint32_t memory_kib = 65'536;
  std::uint32_t passes = 2;

  friend bool operator==(const PasswordCost&, const PasswordCost&) = default;
};

enum class PasswordMatch : std::uint8_t {
  Right,
  Wrong,
  Unknown,  // there was no memory to tell
};

inline constexpr std::size_t kPasswordBytesMax = 255;

// Whether this build can hash and verify at all: NEXUSFIX_PASSWORDS.
[[nodiscard]] bool has_passwords() noexcept;
// With a salt of its own, in the PHC string form: "$argon2id$v=19$m=65536,t=2,p=1$...$...". Blocks
// as long as PasswordCost says. The error: no memory, or a build that cannot.
[[nodiscard]] std::expected<std::string, std::string> hash_password(std::string_view password,
                                                                    PasswordCost cost = {});
// Blocks as long as the hash's own parameters say, whatever comes out.
[[nodiscard]] PasswordMatch match_password(const std::string& hash,
                                           std::string_view password) noexcept;
// Overwrites it, in a way that no compiler leaves out.
void wipe(std::string& secret) noexcept;

// Empty: the password is valid. Otherwise what was expected; static lifetime.
[[nodiscard]] std::string_view password_error(std::string_view password) noexcept;

// One file's content. Lines that begin with # and empty ones are kept where they are.
class PasswordFile {
 public:
  // The first mistake, with its line: an entry that is none, a user twice, a hash that is not
  // Argon2id or costs more than is ever needed (1 GiB, 16 passes).
  [[nodiscard]] static std::expected<PasswordFile, config::SettingsError> parse(
      std::string_view text, std::string_view name);
  // A file that anybody but its owner may read or write is a mistake, too.
  [[nodiscard]] static std::expected<PasswordFile, config::SettingsError> load(
      Disk& disk, const std::string& path);

  // Null: there is no such user.
  [[nodiscard]] const std::string* find(std::string_view username) const;
  // In the order of the file.
  [[nodiscard]] std::vector<std::string> users() const;
  [[nodiscard]] PasswordCost cost_of(std::string_view username) const;
  // The entry whose check takes longest: what is verified for a user who is not there, so that
  // nobody learns by the time it takes who is. One of no user's if the file has none.
  [[nodiscard]] const std::string& costliest() const noexcept { return costliest_; }

  void set(std::string_view username, std::string_view hash);
  // False: there was no such user.
  bool remove(std::string_view username);
  [[nodiscard]] std::string text() const;

 private:
  struct Line {
    std::string text{};  // without its end; empty: of an entry
    std::string username{};
    std::string hash{};
  };
  void note_costliest();

  std::vector<Line> lines_;
  std::map<std::string, std::size_t, std::less<>> entries_;  // indices of lines_
  std::string costliest_;
};

// Reads the file, has it changed, and puts the new one, which its owner alone may read, in its
// place at once and durably: whoever reads meanwhile has the old one or the new one, and a crash
// leaves one of them. Nothing is written when change returns false, and false is returned then. An
// error when another process is changing a file of the same folder. A file that is not there counts
// as empty if is_new_fine.
[[nodiscard]] std::expected<bool, config::SettingsError> change_password_file(
    Disk& disk, const std::string& path, bool is_new_fine, FunctionRef<bool(PasswordFile&)> change);

}  // namespace nexusfix::engine
