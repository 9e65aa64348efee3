// Opens a log by its path, and recognises what it is by its first bytes.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "logs/source/byte_source.hpp"

namespace nexusfix::logs {

enum class SourceKind : std::uint8_t {
  Recognised,  // by its first bytes
  Text,        // a log, or the bytes of a session
  Hex,         // a hex dump
  Gzip,
  Zstd,
  Xz,
  Capture,  // of packets: pcap or pcapng
  Journal,  // a folder
};

// The kind with this name of --as, such as "hex"; nothing: there is none.
[[nodiscard]] std::optional<SourceKind> source_kind(std::string_view name);
// "text, hex, gzip, zstd, xz, pcap, journal"
[[nodiscard]] std::string source_kind_names();

struct OpenedSource {
  Source bytes;
  bool is_capture = false;  // they are packets, not text
};

// path: a file, the folder of a journal, or "-" for standard input. An archive may have a hex dump
// or a capture in it. The error is one line with the path. The disk must outlive the source.
// Followed: archives and hex dumps are read to their present end.
[[nodiscard]] std::expected<OpenedSource, std::string> open_source(Disk& disk,
                                                                   const std::string& path,
                                                                   SourceKind kind, Follow follow);

// The files that rotation made of this one, the oldest first, and then the file itself:
// "x.messages.backup.1.log", "x.log.2.gz", "x.log-20240115.zst", "x.log.2024-01-15". Only those
// that exist.
[[nodiscard]] std::vector<std::string> rotated_set(Disk& disk, const std::string& path);

}  // namespace nexusfix::logs
