// The trader's own record of its reports: one line for each ExecutionReport, written before the
// callback that received it returns. A report that is resent after a crash is written again, so
// readers must recognise a repeated one by its ExecID.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>

namespace nexusfix::trader {

// The columns of a line, as text, with the counterparty's values unchanged.
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
  // Opens or creates the file, and passes its lines. An incomplete last line, which a crash left,
  // is cut: its report is resent.
  [[nodiscard]] static DiskResult<ReportFile> open(Disk& disk, const std::string& path,
                                                   FunctionRef<void(const ReportLine&)> visit);

  // Whether open() created the file, or found no complete line in it.
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
