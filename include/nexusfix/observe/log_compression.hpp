// Packs the backups of log files with zstd (LogCompress=Y). Link the part of that name.
//
//   engine::EngineOptions options;
//   options.parts.log_compression = observe::log_compression_part();
#pragma once

#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/function_ref.hpp>

namespace nexusfix::observe {

// The part for LogCompress. Members may be called by any thread.
struct LogCompressionPart {
  // Writes `to` as a zstd frame with a checksum, with all bytes of `from`, and syncs it. Replaces
  // an existing file. goes_on: asked for each MiB; false: `to` stays unfinished, and the result is
  // false. Needs about 4 MiB of memory for any size; blocks on the disk.
  DiskResult<bool> (*pack)(Disk& disk, const std::string& from, const std::string& to,
                           FunctionRef<bool()> goes_on);
};

// The part: EngineOptions::parts. Never null; static lifetime.
[[nodiscard]] const LogCompressionPart* log_compression_part() noexcept;

}  // namespace nexusfix::observe
