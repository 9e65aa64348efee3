// The trader's own account of what it was told: one line for each ExecutionReport, written before
// the callback that received it returns. A report that comes again after a crash is written again,
// so readers tell reports apart by ExecID.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/function_ref.hpp>

namespace nexusfix::trader {

// The columns of a line, as text: values are written as the counterparty wrote them.
struct ReportLine {
  std::string_view cl_ord_id;
  std::string_view exec_id;
  std::string_view exec_type;
  std::string_view ord_status;
  std::string_view last_qty;  // "0" where the report has none
  std::string_view cum_qty;
  std::string_view leaves_qty;
  std::string_view msg_seq_num;
  std::string_view poss_dup;  // Y or N
};

// One thread at a time. Columns are separated by tabs; the first line names them.
class ReportFile {
 public:
  // Opens or creates, and passes the lines that are there. A last line without its end (the process
  // died writing it) is cut: its report comes again.
  [[nodiscard]] static DiskResult<ReportFile> open(Disk& disk, const std::string& path,
                                                   FunctionRef<void(const ReportLine&)> visit);

  // It was made, or held no line that was ever whole, when it was opened.
  [[nodiscard]] bool is_new() const noexcept { return is_new_; }

  [[nodiscard]] DiskResult<void> append(const ReportLine& line);

 private:
  ReportFile(std::unique_ptr<File> file, std::uint64_t size, bool is_new) noexcept
      : file_{std::move(file)}, size_{size}, is_new_{is_new} {}

  std::unique_ptr<File> file_;
  std::uint64_t size_ = 0;
  bool is_new_ = false;
  std::string line_;  // reused
};

}  // namespace nexusfix::trader
