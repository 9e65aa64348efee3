// A drop-copy reader: each ExecutionReport becomes one row of a CSV file, exactly once, even if the
// reader, the broker or the connection fails repeatedly.
//
// The engine delivers at least once (InboundDelivery=AtLeastOnce): it records a MsgSeqNum after the
// callback, so a crash in between delivers the message again. The row is on the disk when the
// callback returns, so each recorded report has a row.
//
// A repeated report has a flag. The session layer requests it by its MsgSeqNum and receives it with
// PossDupFlag; a broker that is in doubt sets PossResend. The reader skips a report with a flag if
// a row has its ExecID. It cannot recognise a repeated report without a flag, and writes a second
// row.
//
// Usage: example_10_drop_copy 10_drop_copy.cfg reports.csv
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/tags.hpp>

namespace fix44 = nexusfix::fix44;
namespace tag = nexusfix::fix44::tag;
using nexusfix::Session;

namespace {

// The first two cells of a row, Session and ExecID, identify the report. kColumns are the others.
constexpr std::string_view kHeading =
    "Session,ExecID,MsgSeqNum,TransactTime,ExecType,OrdStatus,OrderID,ClOrdID,Symbol,Side,LastQty,"
    "LastPx,CumQty,LeavesQty,AvgPx\n";
constexpr std::array kColumns{tag::MsgSeqNum, tag::TransactTime, tag::ExecType, tag::OrdStatus,
                              tag::OrderID,   tag::ClOrdID,      tag::Symbol,   tag::Side,
                              tag::LastQty,   tag::LastPx,       tag::CumQty,   tag::LeavesQty,
                              tag::AvgPx};

// RFC 4180: a cell with a comma, a quote or the end of a line is written in quotes.
std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{text};
  std::string quoted{'"'};
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

// The file of rows. The start reads the names of all reports in it.
class Rows {
 public:
  static std::expected<Rows, std::string> open(nexusfix::Disk& disk, const std::string& path) {
    auto file = disk.open(path, nexusfix::OpenMode::Create);
    if (!file) return std::unexpected{file.error().what()};
    constexpr std::uint64_t kBytesMax = 1ULL << 32U;
    const auto text = nexusfix::read_file(disk, path, kBytesMax);
    if (!text) return std::unexpected{text.error().what()};
    if (!text->starts_with(kHeading) && !kHeading.starts_with(*text)) {
      return std::unexpected{path + " is no file of reports"};
    }
    Rows rows{std::move(*file)};
    rows.read(*text);
    // The engine has not recorded the report of an incomplete row: the broker resends it.
    if (auto cut = rows.file_->truncate(rows.end_); !cut) {
      return std::unexpected{cut.error().what()};
    }
    if (rows.end_ > 0) return rows;
    if (auto written = rows.append(kHeading); !written) {
      return std::unexpected{written.error().what()};
    }
    return rows;
  }

  [[nodiscard]] bool contains(const std::string& name) const { return names_.contains(name); }

  // Returns when the row of this name is on the disk.
  nexusfix::DiskResult<void> add(const std::string& name, std::string_view row) {
    auto written = append(row);
    if (written) names_.insert(name);
    return written;
  }

 private:
  explicit Rows(std::unique_ptr<nexusfix::File> file) : file_{std::move(file)} {}

  void read(std::string_view text) {
    bool is_quoted = false;
    unsigned commas = 0;
    std::size_t name_end = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '"') is_quoted = !is_quoted;
      if (is_quoted) continue;
      if (text[i] == ',' && ++commas == 2) name_end = i;
      if (text[i] != '\n') continue;
      if (commas >= 2) names_.emplace(text.substr(end_, name_end - end_));
      commas = 0;
      end_ = i + 1;
    }
  }

  nexusfix::DiskResult<void> append(std::string_view row) {
    if (auto written = file_->write_at(end_, row); !written) return written;
    if (auto synced = file_->sync(); !synced) return synced;
    end_ += row.size();
    return {};
  }

  std::unique_ptr<nexusfix::File> file_;
  std::uint64_t end_ = 0;  // the end of the last complete row
  std::set<std::string, std::less<>> names_;
};

struct Reader {
  explicit Reader(Rows& rows) : rows_{rows} {}

  void on_message(Session& session, const fix44::ExecutionReport& report) {
    const nexusfix::MessageView& message = report.view();
    const bool may_be_known = message[tag::PossDupFlag] == "Y" || message[tag::PossResend] == "Y";
    const std::string name = cell(session.name()) + ',' + cell(report.exec_id().value);
    if (may_be_known && rows_.contains(name)) return;
    std::string row = name;
    for (const auto column : kColumns) row += ',' + cell(message[column].value_or(""));
    row += '\n';
    const auto written = rows_.add(name, row);
    if (written) return;
    // The process ends within the callback, so the engine does not record the report as received,
    // and the broker resends it after the next start.
    std::fprintf(stderr, "the reader ends: %s\n", written.error().what().c_str());
    std::_Exit(1);
  }

 private:
  Rows& rows_;
};

}  // namespace

int main(int argc, char** argv) {
  nexusfix::PosixDisk disk;
  auto rows = Rows::open(disk, argc > 2 ? argv[2] : "reports.csv");
  if (!rows) {
    std::fprintf(stderr, "%s\n", rows.error().c_str());
    return 1;
  }
  Reader reader{*rows};
  return nexusfix::run(argc > 1 ? argv[1] : "10_drop_copy.cfg", reader);
}
