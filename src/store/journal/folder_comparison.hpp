// Compares the open files of a journal with what the folder's paths name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::store {

class Ownership;

class FolderComparison {
 public:
  // A segment's file as it was when it was opened, or found.
  struct Segment {
    std::uint64_t number = 0;
    std::uint64_t size_bytes = 0;  // at least
    std::optional<File::Status> status;
    std::shared_ptr<File> file;  // null: closed
  };

  // All must outlive it. owner: null where nothing is written.
  FolderComparison(Disk& disk, const std::string& folder, const Ownership* owner)
      : disk_{disk}, folder_{folder}, owner_{owner} {}

  void reserve(std::size_t segments) { segments_.reserve(segments + kComparedMax); }
  // A closed segment that was found when the journal was opened.
  void add_closed(std::uint64_t number, std::uint64_t size_bytes);
  // The segment to which the log goes on. bytes_before: of the log, in the one before it.
  void add_open(Segment segment, std::uint64_t bytes_before);
  // Segments with lower numbers are retired: their files may be removed.
  void forget_before(std::uint64_t number);

  // The conflict in words; nothing: the paths name the files that are open. It compares the locks,
  // the open segment, and a share of the closed ones, which is next the next time.
  [[nodiscard]] std::optional<std::string> find_conflict();
  // The closed segment of the last conflict; 0: it was another file.
  [[nodiscard]] std::uint64_t conflicting_segment() const noexcept { return conflicting_segment_; }
  [[nodiscard]] bool holds(std::uint64_t number) const noexcept {
    return segments_.front().number <= number;
  }

 private:
  static constexpr std::size_t kComparedMax = 1024;

  [[nodiscard]] std::optional<std::string> find_conflict_in_closed();
  [[nodiscard]] std::optional<std::string> compare(File* open, const std::string& path,
                                                   std::uint64_t size_bytes);
  [[nodiscard]] std::optional<std::string> compare(const File::Status& open,
                                                   const std::string& path,
                                                   std::uint64_t size_bytes);

  Disk& disk_;
  const std::string& folder_;
  const Ownership* owner_;
  std::vector<Segment> segments_;  // the last one is open
  std::size_t next_compared_ = 0;
  std::uint64_t conflicting_segment_ = 0;
};

}  // namespace nexusfix::store
