// The resident memory of a process during a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "tester/play/result.hpp"

namespace nexusfix::tester {

class ProcessMemory {
 public:
  // process_id: 0 reads nothing. The disk must outlive it.
  ProcessMemory(std::uint64_t process_id, Disk& disk) : process_id_{process_id}, disk_{disk} {}

  // Reads it. part: of the run that is over, 0 to 1.
  void sample(double part);
  // Adds the highest values of the first and of the last quarter of the run, in MiB. The error: the
  // second is higher by more than this, or the memory could not be read.
  [[nodiscard]] std::optional<std::string> growth(double max_mebibytes,
                                                  std::vector<Measurement>& measurements) const;

 private:
  std::uint64_t process_id_;
  Disk& disk_;
  double first_ = 0;  // MiB
  double last_ = 0;
  bool is_unreadable_ = false;
};

// The resident memory of a process in MiB. Nothing: it does not run, or may not be read.
[[nodiscard]] std::optional<double> resident_mebibytes(std::uint64_t process_id, Disk& disk);

}  // namespace nexusfix::tester
