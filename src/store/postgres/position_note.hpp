// How far the log was confirmed, noted on a disk of this machine: what the database has lost since,
// by the promotion of a standby that lagged, by synchronous_commit=off, by a backup that was
// restored, is found by the next start, whether the loss was seen or not.
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
#include <nexusfix/store/postgres.hpp>
#include <nexusfix/store/store.hpp>

namespace nexusfix::store::postgres {

// Numbers that a session got in other ways than one by one.
struct Raise {
  LogPosition until = 0;  // the log tells of it before this position
  std::uint64_t numbers = 0;
  friend bool operator==(const Raise&, const Raise&) = default;
};

struct Note {
  std::uint64_t serial = 0;  // of two notes in the file the higher one counts
  std::string log_id;
  std::string claim;           // names the claim under which it was written
  std::string cluster;         // system identifier; empty: the server does not tell
  std::uint32_t timeline = 0;  // 0: likewise
  LogPosition begin = 0;       // the log's end at that claim
  LogPosition confirmed = 0;
  std::uint64_t sessions = 0;      // that the log has
  std::uint64_t first_number = 1;  // of a session that it does not have
  std::vector<Raise> raises;       // by position, the last few
  friend bool operator==(const Note&, const Note&) = default;
};

// Text of one length. Nothing: it is not whole.
[[nodiscard]] std::string encode_note(const Note& note);
[[nodiscard]] std::optional<Note> decode_note(std::string_view bytes);

class PositionNote {
 public:
  // What is noted in options.note_folder, which is made if it is not there.
  [[nodiscard]] static StoreResult<std::unique_ptr<PositionNote>> open(
      const PostgresOptions& options);
  ~PositionNote();
  PositionNote(const PositionNote&) = delete;
  PositionNote& operator=(const PositionNote&) = delete;

  [[nodiscard]] const std::optional<Note>& found() const noexcept { return found_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  // On the disk when it returns. From then on a thread syncs once a second what reach() has noted.
  [[nodiscard]] StoreResult<void> begin(Note note);
  // A standby was promoted; noted by the next reach(), or here.
  void set_timeline(std::uint32_t timeline);
  // The log was confirmed up to there; counts of sessions opened, and of numbers raised, since the
  // last call. Survives the process when it returns. What went wrong, the first time that it does.
  [[nodiscard]] std::optional<std::string> reach(LogPosition confirmed, std::uint64_t opened,
                                                 std::uint64_t raised);

 private:
  explicit PositionNote(const PostgresOptions& options);
  [[nodiscard]] DiskResult<void> open_file(const std::string& folder);
  [[nodiscard]] DiskResult<bool> read_found();
  [[nodiscard]] DiskResult<void> write();
  void sync_now_and_then();

  PosixDisk disk_;
  std::string place_;  // of error texts
  std::string path_;
  std::unique_ptr<File> file_;
  std::optional<Note> found_;
  Note note_;
  bool has_failed_ = false;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool is_unsynced_ = false;
  bool ends_ = false;
  std::thread thread_;  // the last member: it uses others
};

}  // namespace nexusfix::store::postgres
