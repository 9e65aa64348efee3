#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include <nexusfix/passwords.hpp>

#include "base/api/ascii.hpp"
#include "base/api/secret.hpp"
#include "base/api/utf8.hpp"
#include "config/api/settings.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::uint64_t kFileBytesMax = 4U << 20U;
// The longest hash that libsodium reads, without its zero byte.
constexpr std::size_t kHashBytesMax = 127;
constexpr std::uint32_t kMemoryKibMin = 8;
constexpr std::uint32_t kMemoryKibMax = 1U << 20U;
constexpr std::uint32_t kPassesMax = 16;
constexpr std::uint32_t kLanesMax = 16;
constexpr std::size_t kSaltCharsMin = 11;  // 8 bytes
constexpr std::size_t kKeyCharsMin = 22;   // 16 bytes
// In the form of hash_password(), with zeros as the key: no password matches it.
constexpr std::string_view kUnknownUser =
    "$argon2id$v=19$m=65536,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

bool takes(std::string_view& text, std::string_view prefix) noexcept {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<std::uint32_t> read_number(std::string_view& text) noexcept {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || text.front() == '0') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool is_base64(std::string_view text) noexcept {
  return std::ranges::all_of(text,
                             [](char c) { return is_alphanumeric(c) || c == '+' || c == '/'; });
}

struct HashForm {
  PasswordCost cost;
  std::string_view wrong{};  // empty: the hash is valid
};

HashForm form_of(std::string_view hash) noexcept {
  constexpr std::string_view kExpected =
      "an Argon2id hash such as $argon2id$v=19$m=65536,t=2,p=1$SALT$KEY was expected";
  std::string_view rest = hash;
  if (hash.size() > kHashBytesMax || !takes(rest, "$argon2id$v=19$m=")) return {{}, kExpected};
  const auto memory_kib = read_number(rest);
  if (!memory_kib || !takes(rest, ",t=")) return {{}, kExpected};
  const auto passes = read_number(rest);
  if (!passes || !takes(rest, ",p=")) return {{}, kExpected};
  const auto lanes = read_number(rest);
  if (!lanes || !takes(rest, "$")) return {{}, kExpected};
  const std::size_t salt_end = rest.find('$');
  if (salt_end == std::string_view::npos || salt_end < kSaltCharsMin ||
      !is_base64(rest.substr(0, salt_end)) || rest.size() < salt_end + 1 + kKeyCharsMin ||
      !is_base64(rest.substr(salt_end + 1))) {
    return {{}, kExpected};
  }
  if (*memory_kib < kMemoryKibMin * *lanes || *memory_kib > kMemoryKibMax || *passes > kPassesMax ||
      *lanes > kLanesMax) {
    return {{},
            "a hash of 8 KiB for each lane to 1 GiB (m=1048576), 16 passes and 16 lanes at most "
            "was expected"};
  }
  return {{*memory_kib, *passes}, {}};
}

std::uint64_t work_of(PasswordCost cost) noexcept {
  return std::uint64_t{cost.memory_kib} * cost.passes;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

config::SettingsError error_of(const std::string& path, const DiskError& error) {
  return {path, 0, error.what()};
}

}  // namespace

std::string_view password_error(std::string_view password) noexcept {
  const bool is_valid =
      !password.empty() && password.size() <= kPasswordBytesMax &&
      std::ranges::none_of(password, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return is_valid ? std::string_view{}
                  : "a password of 1 to 255 bytes without control characters was expected";
}

void wipe(std::string& secret) noexcept {
  wipe_bytes(secret);
  secret.clear();
}

std::expected<PasswordFile, config::SettingsError> PasswordFile::parse(std::string_view text,
                                                                       std::string_view name) {
  // Some editors write it first. It would be a part of the first user's name, which looks right.
  text = without_byte_order_mark(text);
  PasswordFile file;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const auto mistake = [&](std::string what) {
      return std::unexpected{config::SettingsError{std::string{name}, number, std::move(what)}};
    };
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#') || line.find_first_not_of(" \t") == std::string_view::npos) {
      file.lines_.push_back({std::string{line}, {}, {}});
      continue;
    }
    // The line may contain a password: the error does not repeat it.
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return mistake("user:HASH or a comment was expected");
    const std::string_view username = line.substr(0, colon);
    if (const auto wrong = config::username_error(username); !wrong.empty()) {
      return mistake(std::string{wrong});
    }
    if (const HashForm form = form_of(line.substr(colon + 1)); !form.wrong.empty()) {
      return mistake("user " + std::string{username} + ": " + std::string{form.wrong});
    }
    if (const auto known = file.entries_.find(username); known != file.entries_.end()) {
      return mistake("user " + std::string{username} + " stands in line " +
                     std::to_string(known->second + 1) + " already");
    }
    file.entries_.emplace(username, file.lines_.size());
    file.lines_.push_back({{}, std::string{username}, std::string{line.substr(colon + 1)}});
  }
  file.find_costliest();
  return file;
}

std::expected<PasswordFile, config::SettingsError> PasswordFile::load(Disk& disk,
                                                                      const std::string& path) {
  const auto is_private = disk.is_private(path);
  if (!is_private) return std::unexpected{error_of(path, is_private.error())};
  if (!*is_private) {
    return std::unexpected{config::SettingsError{
        path, 0, "may be read or written by others than its owner: chmod 600 " + path}};
  }
  const auto text = read_regular_file(disk, path, kFileBytesMax);
  if (!text) return std::unexpected{error_of(path, text.error())};
  return parse(*text, path);
}

const std::string* PasswordFile::find(std::string_view username) const {
  const auto found = entries_.find(username);
  return found == entries_.end() ? nullptr : &lines_[found->second].hash;
}

std::vector<std::string> PasswordFile::users() const {
  std::vector<std::string> all;
  for (const Line& line : lines_) {
    if (!line.username.empty()) all.push_back(line.username);
  }
  return all;
}

PasswordCost PasswordFile::cost_of(std::string_view username) const {
  const std::string* const hash = find(username);
  return hash == nullptr ? PasswordCost{} : form_of(*hash).cost;
}

void PasswordFile::find_costliest() {
  costliest_ = kUnknownUser;
  std::uint64_t most = 0;
  for (const auto& [username, index] : entries_) {
    const std::uint64_t work = work_of(form_of(lines_[index].hash).cost);
    if (work <= most) continue;
    most = work;
    costliest_ = lines_[index].hash;
  }
}

void PasswordFile::set(std::string_view username, std::string_view hash) {
  const auto [entry, is_new] = entries_.try_emplace(std::string{username}, lines_.size());
  if (is_new) {
    lines_.push_back({{}, std::string{username}, std::string{hash}});
  } else {
    lines_[entry->second].hash = hash;
  }
  find_costliest();
}

bool PasswordFile::remove(std::string_view username) {
  const auto found = entries_.find(username);
  if (found == entries_.end()) return false;
  const std::size_t gone = found->second;
  lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(gone));
  entries_.erase(found);
  for (auto& [name, index] : entries_) {
    if (index > gone) --index;
  }
  find_costliest();
  return true;
}

std::string PasswordFile::text() const {
  std::string text;
  for (const Line& line : lines_) {
    text += line.username.empty() ? line.text : line.username + ":" + line.hash;
    text += '\n';
  }
  return text;
}

std::expected<bool, config::SettingsError> change_password_file(
    Disk& disk, const std::string& path, bool is_new_fine,
    FunctionRef<bool(PasswordFile&)> change) {
  const auto lock = disk.try_lock_directory(folder_of(path));
  if (!lock && lock.error().error_number != EOPNOTSUPP) {
    return std::unexpected{error_of(path, lock.error())};
  }
  if (lock && !*lock) {
    return std::unexpected{config::SettingsError{
        path, 0, "another process is changing it, or uses its folder: try again"}};
  }
  PasswordFile file;
  const auto is_there = disk.is_private(path);
  if (is_there || is_there.error().error_number != ENOENT || !is_new_fine) {
    auto loaded = PasswordFile::load(disk, path);
    if (!loaded) return std::unexpected{std::move(loaded.error())};
    file = std::move(*loaded);
  }
  if (!change(file)) return false;
  if (auto done = replace_file(disk, path, file.text(), Readers::OwnerOnly); !done) {
    return std::unexpected{error_of(path, done.error())};
  }
  return true;
}

}  // namespace nexusfix::engine
