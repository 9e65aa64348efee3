// The file stores of QuickFIX and its relatives: what one session sent, its next sequence numbers,
// and when it was created. journal/quickfix_files.hpp describes the files.
//
// PREFIX of their names is BeginString-SenderCompID-TargetCompID, then -Qualifier if there is one.
// All but QuickFIX put _SubID and _LocationID after each CompID; QuickFIX/J has _ for what is no
// letter, digit, dot or hyphen.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/base/time.hpp>

namespace nexusfix::command {

// Which of them an export is for.
enum class QuickfixForm : std::uint8_t { Cpp, Java };

enum class QuickfixKind : std::uint8_t {
  Unknown,  // not recognised yet
  Cpp,
  Java,
  JavaOneFile,  // QuickFIX/J's CachedFileStore, and all of its stores before 1.6
  Net,          // QuickFIX/n
  Go,
  BodyAlone,  // messages without sequence numbers
};
[[nodiscard]] std::string_view to_string(QuickfixKind kind) noexcept;

struct QuickfixMessage {
  std::uint64_t offset = 0;  // in PREFIX.body
  std::uint32_t bytes = 0;
};

struct QuickfixStore {
  std::string path;  // folder and prefix
  QuickfixKind kind = QuickfixKind::Unknown;
  std::string session;  // as SessionId::to_string() writes it
  std::uint64_t next_inbound = 1;
  std::uint64_t next_outbound = 1;
  // The engine was killed when it had stored the message of its next number and not yet the number
  // behind it: next_outbound is that, as the bytes may have been sent.
  bool number_was_behind = false;
  std::optional<WallTime> created;                    // nothing: the files do not tell
  std::map<std::uint64_t, QuickfixMessage> messages;  // by MsgSeqNum
};

// The prefixes of the stores in a folder, sorted.
[[nodiscard]] std::expected<std::vector<std::string>, std::string> quickfix_prefixes(
    Disk& disk, const std::string& folder);

// Reads and checks one store: every message has its number, the BeginString and the CompIDs of the
// session, and lies where the header says; no byte of the body is left over; the next number is
// above all that were sent, or that of the last one, which was stored just before a kill. A file of
// sequence numbers that is empty means 1, as it does to the engines. session: its name; empty:
// taken from its messages, or, if there is none, from a prefix that can be understood in one way
// only. The error names file, place, and the kind of store that was recognised.
[[nodiscard]] std::expected<QuickfixStore, std::string> read_quickfix_store(
    Disk& disk, const std::string& folder, const std::string& prefix, const std::string& session);

// Passes the messages with numbers from first on, ascending.
using QuickfixVisitor =
    FunctionRef<std::expected<void, std::string>(std::uint64_t, std::string_view)>;
[[nodiscard]] std::expected<void, std::string> visit_quickfix_messages(Disk& disk,
                                                                       const QuickfixStore& store,
                                                                       std::uint64_t first,
                                                                       QuickfixVisitor visit);

// The prefix of this session's files. Nothing: the name is not BeginString:Sender->Target.
[[nodiscard]] std::string quickfix_prefix(std::string_view session, QuickfixForm form);
// Whether it may be one of this session, whatever engine wrote the files.
[[nodiscard]] bool is_quickfix_prefix(std::string_view prefix, std::string_view session);

// Writes one store; messages come by take, ascending. No file of it may exist.
class QuickfixWriter {
 public:
  QuickfixWriter(Disk& disk, std::string folder, std::string prefix, QuickfixForm form);
  [[nodiscard]] std::expected<void, std::string> begin();
  [[nodiscard]] std::expected<void, std::string> add(std::uint64_t number, std::string_view bytes);
  // The numbers last: a store without them is none. Everything is on the disk afterwards.
  [[nodiscard]] std::expected<void, std::string> finish(std::uint64_t next_inbound,
                                                        std::uint64_t next_outbound,
                                                        WallTime created);
  // Removes what was begun.
  void undo() noexcept;

 private:
  struct Output {
    std::unique_ptr<File> file;
    std::string pending;
    std::uint64_t written = 0;
  };
  [[nodiscard]] std::expected<void, std::string> create(const std::string& suffix, Output& out);
  [[nodiscard]] std::expected<void, std::string> write_out(Output& out);
  [[nodiscard]] std::expected<void, std::string> write_whole(const std::string& suffix,
                                                             const std::string& bytes);

  Disk& disk_;
  std::string folder_;
  std::string path_;
  QuickfixForm form_;
  Output body_;
  Output header_;
  std::uint64_t body_bytes_ = 0;
  std::vector<std::string> created_;
};

}  // namespace nexusfix::command
