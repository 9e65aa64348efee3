#include "venue/trader/report_file.hpp"

#include <array>

namespace nexusfix::trader {
namespace {

constexpr std::string_view kHeader =
    "ClOrdID\tExecID\tExecType\tOrdStatus\tLastQty\tCumQty\tLeavesQty\tMsgSeqNum\tPossDup\n";
constexpr std::size_t kColumns = 9;
constexpr std::uint64_t kFileBytesMax = 4ULL << 30U;

// A counterparty's value must not be able to add a line or a column.
void append_value(std::string& line, std::string_view value) {
  for (const char byte : value) {
    line += static_cast<unsigned char>(byte) < 0x20 ? '?' : byte;
  }
}

bool parse_line(std::string_view text, ReportLine& line) {
  std::array<std::string_view, kColumns> columns;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::size_t tab = text.find('\t');
    if ((tab == std::string_view::npos) != (i == kColumns - 1)) return false;
    columns[i] = text.substr(0, tab);
    text.remove_prefix(tab == std::string_view::npos ? text.size() : tab + 1);
  }
  line = {columns[0], columns[1], columns[2], columns[3], columns[4],
          columns[5], columns[6], columns[7], columns[8]};
  return true;
}

}  // namespace

DiskResult<ReportFile> ReportFile::open(Disk& disk, const std::string& path,
                                        FunctionRef<void(const ReportLine&)> visit) {
  auto file = disk.open(path, OpenMode::Create);
  if (!file) return std::unexpected{file.error()};
  const auto content = read_file(disk, path, kFileBytesMax);
  if (!content) return std::unexpected{content.error()};
  const std::string_view whole =
      std::string_view{*content}.substr(0, content->rfind('\n') + 1);  // npos + 1 is 0
  if (whole.size() != content->size()) {
    if (auto cut = (*file)->truncate(whole.size()); !cut) return std::unexpected{cut.error()};
  }
  if (whole.empty()) {
    if (auto done = (*file)->write_at(0, kHeader); !done) return std::unexpected{done.error()};
    return ReportFile{std::move(*file), kHeader.size(), true};
  }
  if (!whole.starts_with(kHeader)) {
    return std::unexpected{DiskError{path, "read: this is not a report file of this program:", 0}};
  }
  std::string_view rest = whole.substr(kHeader.size());
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    ReportLine line;
    if (!parse_line(rest.substr(0, end), line)) {
      return std::unexpected{DiskError{path, "read: a line has not 9 columns:", 0}};
    }
    visit(line);
    rest.remove_prefix(end + 1);
  }
  return ReportFile{std::move(*file), whole.size(), false};
}

DiskResult<void> ReportFile::append(const ReportLine& line) {
  line_.clear();
  for (const std::string_view value :
       {line.cl_ord_id, line.exec_id, line.exec_type, line.ord_status, line.last_qty, line.cum_qty,
        line.leaves_qty, line.msg_seq_num, line.poss_dup}) {
    append_value(line_, value);
    line_ += '\t';
  }
  line_.back() = '\n';
  auto written = file_->write_at(size_, line_);
  if (written) size_ += line_.size();
  return written;
}

}  // namespace nexusfix::trader
