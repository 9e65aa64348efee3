// The file stores of QuickFIX and QuickFIX/J: what one session sent, its next numbers, and when it
// was created. Formats as QuickFIX 1.15.1 and QuickFIX/J 2.3.2 write them:
//
//   PREFIX.body     the messages, one behind the other
//   PREFIX.header   number, offset and size of each: QuickFIX "1,0,86 2,86,141 " as text,
//                   QuickFIX/J 4, 8 and 4 bytes, big-endian
//   PREFIX.seqnums  QuickFIX: "0000000012 : 0000000034", to be sent and to be received next;
//                   QuickFIX/J: PREFIX.senderseqnums and PREFIX.targetseqnums, each a number as
//                   text behind its length (2 bytes, big-endian)
//   PREFIX.session  time of creation, UTC: QuickFIX 20261120-22:23:48; QuickFIX/J with
//                   milliseconds and behind its length (2 bytes)
//
// PREFIX is BeginString-SenderCompID-TargetCompID, then -Qualifier if there is one. QuickFIX/J puts
// _SubID and _LocationID behind each CompID, and _ in the place of what is no letter, digit, dot or
// hyphen.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/base/time.hpp>

namespace nexusfix::command {

enum class QuickfixForm : std::uint8_t { Cpp, Java };

struct QuickfixMessage {
  std::uint64_t offset = 0;  // in PREFIX.body
  std::uint32_t bytes = 0;
};

struct QuickfixStore {
  std::string path;  // folder and prefix
  QuickfixForm form = QuickfixForm::Cpp;
  std::string session;  // as SessionId::to_string() writes it
  std::uint64_t next_inbound = 1;
  std::uint64_t next_outbound = 1;
  // The engine was killed when it had stored the message of its next number and not yet the number
  // behind it: next_outbound is that, as the bytes may have been sent.
  bool number_was_behind = false;
  WallTime created;
  std::map<std::uint64_t, QuickfixMessage> messages;  // by MsgSeqNum
};

// The prefixes of the stores in a folder, sorted.
[[nodiscard]] std::expected<std::vector<std::string>, std::string> quickfix_prefixes(
    Disk& disk, const std::string& folder);

// Reads and checks one store: every message has its number, the BeginString and the CompIDs of the
// session, and lies where the header says; no byte of the body is left over; the next number is
// above all that were sent, or that of the last one, which was stored just before a kill. session:
// its name; empty: taken from its messages, or, if there is none, from a prefix that can be
// understood in one way only. The error names file and place.
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
