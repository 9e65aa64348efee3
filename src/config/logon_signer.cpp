#include "config/api/logon_signer.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "base/api/secret.hpp"

namespace nexusfix::config {
namespace {

using transport::BytesAsText;
using Kind = LogonTextPart::Kind;
using Error = std::unexpected<std::string>;

constexpr std::uint64_t kKeyBytesMax = 64U << 10U;

// Both name the algorithms in the same order.
transport::SignatureAlgorithm algorithm_of(LogonSignature::Algorithm algorithm) noexcept {
  using To = transport::SignatureAlgorithm;
  static_assert(static_cast<int>(LogonSignature::Algorithm::Sha256) ==
                static_cast<int>(To::Sha256));
  return static_cast<To>(algorithm);
}

std::expected<std::string, std::string> read_key_file(Disk& disk, const std::string& path) {
  const auto is_private = disk.is_private(path);
  if (!is_private) return Error{is_private.error().what()};
  if (!*is_private) {
    return Error{path + ": has a key and is readable by other users: chmod 600 " + path};
  }
  auto bytes = read_regular_file(disk, path, kKeyBytesMax);
  if (!bytes) return Error{bytes.error().what()};
  return std::move(*bytes);
}

std::expected<std::string, std::string> read_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return Error{"the environment has no variable " + name};
  return std::string{value};
}

std::expected<std::string, std::string> read_output(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "re");
  if (pipe == nullptr) return Error{"the command cannot be started"};
  std::array<char, 4096> block;
  std::string output;
  while (const std::size_t read = std::fread(block.data(), 1, block.size(), pipe)) {
    if (output.size() < kKeyBytesMax) output.append(block.data(), read);
  }
  wipe_bytes(block);
  if (::pclose(pipe) == 0) return output;
  wipe_bytes(output);
  return Error{"the command failed"};
}

// The bytes that LogonKey names, without the end of their line.
std::expected<std::string, std::string> read_key(Disk& disk, std::string_view where) {
  const std::size_t colon = where.find(':');
  const std::string_view kind = where.substr(0, colon);
  const std::string name{where.substr(colon + 1)};
  auto bytes = kind == "file"  ? read_key_file(disk, name)
               : kind == "env" ? read_variable(name)
                               : read_output(name);
  while (bytes && (bytes->ends_with('\n') || bytes->ends_with('\r'))) bytes->pop_back();
  return bytes;
}

BytesAsText form_of(const LogonSignature& rules, bool is_hex) noexcept {
  if (rules.key.starts_with(transport::kBase64UrlKey)) return BytesAsText::Base64Url;
  return is_hex ? BytesAsText::Hex : BytesAsText::Base64;
}

std::expected<Secret, std::string> decoded(std::string bytes, const LogonSignature& rules) {
  using Form = LogonSignature::KeyForm;
  std::expected<Secret, std::string> key{Secret{bytes}};
  const bool is_hex = rules.key_form == Form::Hex;
  if (rules.key_form != Form::Plain) key = transport::from_text(bytes, form_of(rules, is_hex));
  wipe_bytes(bytes);
  return key;
}

// The value of a field of `35=A...`; nullopt: it is not there.
std::optional<std::string_view> value_of(std::string_view logon, wire::Tag tag) {
  const std::string begin = std::to_string(tag) + "=";
  while (!logon.empty()) {
    const std::size_t end = std::min(logon.find(wire::kSoh), logon.size());
    const std::string_view field = logon.substr(0, end);
    if (field.starts_with(begin)) return field.substr(begin.size());
    logon.remove_prefix(std::min(end + 1, logon.size()));
  }
  return std::nullopt;
}

void write(wire::Encoder& logon, wire::Tag tag, std::string_view value) noexcept {
  static const wire::DataFieldTable kPairs = wire::DataFieldTable::standard();
  const auto length = kPairs.length_tag_for(tag);
  if (length) {
    logon.data(*length, tag, value);
  } else {
    logon.field(tag, value);
  }
}

}  // namespace

std::expected<std::shared_ptr<LogonSigner>, std::string> LogonSigner::make(
    std::shared_ptr<const LogonSignature> rules, Disk& disk) {
  std::string_view place = rules->key;
  if (place.starts_with(transport::kBase64UrlKey)) place.remove_prefix(place.find(':') + 1);
  auto bytes = read_key(disk, place);
  if (!bytes) return Error{std::move(bytes.error())};
  auto secret = decoded(std::move(*bytes), *rules);
  if (!secret) return Error{"the key: " + secret.error()};
  auto key = transport::SigningKey::make(algorithm_of(rules->algorithm), std::move(*secret));
  if (!key) return Error{std::move(key.error())};
  return std::make_shared<LogonSigner>(std::move(rules), std::move(*key));
}

std::expected<void, std::string> LogonSigner::sign(wire::Encoder& logon, WallTime sending_time) {
  if (rules_->nonce_tag != 0) {
    const auto value = nonce(sending_time);
    if (!value) return Error{value.error()};
    write(logon, rules_->nonce_tag, *value);
  }
  const auto value = signature(logon.written());
  if (!value) return Error{value.error()};
  write(logon, rules_->tag, *value);
  return {};
}

LogonSigner::Text LogonSigner::signature(std::string_view logon) const {
  std::string text;
  for (const LogonTextPart& part : rules_->text) {
    if (part.kind == Kind::Text) {
      text += part.text;
    } else if (part.kind == Kind::Key) {
      text += key_->secret();
    } else if (const auto value = value_of(logon, part.tag)) {
      text += *value;
    } else {
      return Error{"LogonSignature has field " + std::to_string(part.tag) +
                   ", which our Logon does not have before its signature"};
    }
  }
  auto bytes = key_->sign(text);
  wipe_bytes(text);
  return bytes ? transport::to_text(*bytes, form_of(*rules_, rules_->is_hex)) : bytes;
}

// Venues refuse a nonce that is not higher than the one before: the clock may have been set back.
LogonSigner::Text LogonSigner::nonce(WallTime sending_time) {
  const auto millis =
      std::chrono::duration_cast<std::chrono::milliseconds>(sending_time.time_since_epoch());
  last_millis_ = std::max(static_cast<std::uint64_t>(millis.count()), last_millis_ + 1);
  std::string text;
  for (const LogonTextPart& part : rules_->nonce) {
    if (part.kind == Kind::Millis) {
      text += std::to_string(last_millis_ + part.tag);
    } else if (part.kind == Kind::Random) {
      const auto random = transport::random_text();
      if (!random) return random;
      text += *random;
    } else {
      text += part.text;
    }
  }
  return text;
}

SettingsErrors give_signers(Settings& settings, Disk& disk, bool with_commands) {
  SettingsErrors errors;
  for (SessionSettings& session : settings.sessions) {
    const auto& rules = session.logon_signature;
    if (rules == nullptr || session.logon_signer != nullptr) continue;
    const std::string_view key = rules->key;
    const bool is_command = key.starts_with("command:") || key.starts_with("base64url:command:");
    if (!with_commands && is_command) continue;
    auto signer = LogonSigner::make(rules, disk);
    if (signer) {
      session.logon_signer = std::move(*signer);
    } else {
      errors.push_back({settings.file, rules->key_line, "LogonKey: " + signer.error()});
    }
  }
  return errors;
}

}  // namespace nexusfix::config
