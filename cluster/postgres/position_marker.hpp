// How far the log was confirmed, or seen by an engine that waits for it, recorded on a disk of this
// machine. By it the next start finds what the database has lost since, by the promotion of a
// standby that lagged, by synchronous_commit=off, or by a backup that was restored, even if the
// loss was not seen.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

#include "store/api/postgres_part.hpp"

namespace nexusfix::store::postgres {

// Sequence numbers that a session skipped, rather than used one by one.
struct Raise {
  LogPosition until = 0;  // the log has them before this position
  std::uint64_t numbers = 0;
  friend bool operator==(const Raise&, const Raise&) = default;
};

// Who recorded a position.
enum class RecordedBy : std::uint8_t {
  Owner,          // everything that left lies before it
  Waiter,         // an engine that waited; a standby had what was committed
  WaiterOneCopy,  // likewise, and the server alone had it
};

struct PositionRecord {
  std::uint64_t serial = 0;  // of two records in the file the higher one counts
  std::string log_id;
  std::string claim;           // names the claim during which it was written
  std::string cluster;         // system identifier; empty: not known
  std::uint32_t timeline = 0;  // 0: not known
  LogPosition begin = 0;       // the log's end at that claim
  LogPosition confirmed = 0;
  std::uint64_t sessions = 0;      // of the log
  std::uint64_t first_number = 1;  // of a session that the log does not have
  RecordedBy by = RecordedBy::Owner;
  std::vector<Raise> raises;  // by position, the last few
  friend bool operator==(const PositionRecord&, const PositionRecord&) = default;
};

// The oldest raises become one: they matter only while a loss may reach back to them.
void add_raise(PositionRecord& record, const Raise& raise);

// Text of one fixed length. Nothing: it is not whole.
[[nodiscard]] std::string encode_position(const PositionRecord& record);
[[nodiscard]] std::optional<PositionRecord> decode_position(std::string_view bytes);

class PositionMarker {
 public:
  // Reads the marker in options.note_folder, which is created if it does not exist.
  [[nodiscard]] static StoreResult<std::unique_ptr<PositionMarker>> open(
      const PostgresOptions& options);
  ~PositionMarker();
  PositionMarker(const PositionMarker&) = delete;
  PositionMarker& operator=(const PositionMarker&) = delete;

  // The last record, of this process or of an earlier one. Not beside record().
  [[nodiscard]] const std::optional<PositionRecord>& found() const noexcept { return record_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  // The record is on the disk when it returns. From then on a thread syncs once a second what was
  // recorded. May be called again.
  [[nodiscard]] StoreResult<void> begin(PositionRecord record);
  // A standby was promoted. The next record() has it.
  void set_timeline(std::uint32_t timeline);
  // The log was confirmed up to there; opened, raised: the number of sessions opened, and of
  // numbers skipped, since the last call. The record survives the process when it returns. Returns
  // the first error once.
  [[nodiscard]] std::optional<std::string> record(LogPosition confirmed, std::uint64_t opened,
                                                  std::uint64_t raised);

 private:
  explicit PositionMarker(const PostgresOptions& options);
  [[nodiscard]] DiskResult<void> open_file(const std::string& folder);
  [[nodiscard]] DiskResult<bool> read_found();
  [[nodiscard]] DiskResult<void> write();
  void sync_now_and_then();

  PosixDisk disk_;
  std::string place_;  // for error texts
  std::string path_;
  std::unique_ptr<File> file_;
  std::optional<PositionRecord> record_;
  bool has_failed_ = false;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  bool is_unsynced_ = false;
  bool ends_ = false;
  std::thread thread_;  // the last member: it uses others
};

}  // namespace nexusfix::store::postgres
