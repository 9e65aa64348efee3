// settings: a configuration file or text, read by the program itself.
//
// nexusfix::run() and Engine::open() read a file by its name, and need none of this. A program
// includes it to make a configuration of a text in memory, or to look at one before the engine
// starts.
//
//   auto settings = nexusfix::parse_settings(text, "venue.cfg");
//   if (!settings) return complain(settings.error());  // every error of the text
//   for (const auto& warning : settings->warnings()) log(warning.what());
//   auto engine = nexusfix::Engine::open(std::move(*settings), application);
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix {
class Disk;  // <nexusfix/base/disk.hpp>
}

// A QuickFIX-style configuration file: [DEFAULT], [SESSION], Key=Value.

namespace nexusfix::config {

struct Settings;  // the values, which the engine reads

// One error or warning:
// "trader.cfg:12: HeartBtInt=abc: a whole number of seconds from 0 to 3600 was expected".
struct SettingsError {
  std::string file;      // the path, as it was given
  std::size_t line = 0;  // 1-based; 0: the file as a whole
  std::string text;      // the key, its value, and what was expected
  bool is_note = false;  // a warning that reports no error, but what may be a surprise
  // "file:line: text", or "file: text" without a line.
  [[nodiscard]] std::string what() const;
  // what() as a function.
  friend std::string to_string(const SettingsError& error) { return error.what(); }
};

// Every error of a file, not only the first; never empty.
using SettingsErrors = std::vector<SettingsError>;

}  // namespace nexusfix::config

template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::config::SettingsError> = true;

namespace nexusfix {

using config::SettingsError;
using config::SettingsErrors;

// A whole configuration: an engine reads its values, and a program sets them by the keys of its
// text (docs/reference/keys.md). One thread at a time.
class Settings {
 public:
  // For the engine and its products, which know the values.
  Settings(const config::Settings& values);
  // Moves the values.
  Settings(config::Settings&& values);
  // Copies all values.
  Settings(const Settings& other);
  // The other one can only be assigned to or destroyed afterwards.
  Settings(Settings&& other) noexcept;
  // Copies or moves all values.
  Settings& operator=(Settings other) noexcept;
  ~Settings();

  // The path or name that it was read with.
  [[nodiscard]] const std::string& file() const noexcept;
  // Keys that are unknown, misspelt or not honoured, and what is done instead.
  [[nodiscard]] const std::vector<SettingsError>& warnings() const noexcept;
  // The names of its sessions, as Session::name(), in the order of the file.
  [[nodiscard]] std::vector<std::string> sessions() const;
  // The values, for the engine and its products.
  [[nodiscard]] config::Settings& values() const noexcept { return *values_; }

 private:
  std::unique_ptr<config::Settings> values_;
};

// Builds the settings of a text; file_name: for errors. It reads no file, so a HolidayFile is an
// error. Any thread; allocates.
[[nodiscard]] std::expected<Settings, SettingsErrors> parse_settings(std::string_view text,
                                                                     std::string_view file_name);
// Reads a configuration file of at most 16 MiB, and the files of holidays that it names. Any
// thread; allocates, and blocks while it reads.
[[nodiscard]] std::expected<Settings, SettingsErrors> load_settings(Disk& disk,
                                                                    const std::string& path);

}  // namespace nexusfix

// The optional parts that a configuration may need. Each is a separate target: an application links
// only those of its configurations.

namespace nexusfix::cluster {
struct ClusterPart;
}  // namespace nexusfix::cluster

namespace nexusfix::observe {
struct LogCompressionPart;
}  // namespace nexusfix::observe

namespace nexusfix::store {
struct PostgresPart;
}  // namespace nexusfix::store

namespace nexusfix::transport {
struct ProxyPart;
}  // namespace nexusfix::transport

namespace nexusfix::web {
struct WebPart;
}  // namespace nexusfix::web

namespace nexusfix::engine {

struct PasswordPart;

// Null: the program lacks the part. A configuration that needs it is refused, and the error names
// the key, the target to link and the line to write. Each part has static lifetime.
struct Parts {
  // UseTCPProxy, ProxyType: transport::proxy_part(), of nexusfix::proxy
  const transport::ProxyPart* proxy = nullptr;
  // PasswordFile: password_part(), of nexusfix::passwords
  const PasswordPart* passwords = nullptr;
  // Store=postgresql: store::postgres_part(), of nexusfix::postgres
  const store::PostgresPart* postgres = nullptr;
  // ClusterShard: cluster::cluster_part(), of nexusfix::cluster
  const cluster::ClusterPart* cluster = nullptr;
  // LogCompress: observe::log_compression_part(), of nexusfix::log_compression
  const observe::LogCompressionPart* log_compression = nullptr;
  // MetricsPort, ConsolePort, HttpAcceptPort: web::web_part(), of nexusfix::web. Without it,
  // HttpAcceptPort alone is a warning: the files of QuickFIX have it.
  const web::WebPart* web = nullptr;
};

}  // namespace nexusfix::engine

namespace nexusfix {
using engine::Parts;
}
