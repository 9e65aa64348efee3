// The file stores of QuickFIX and its relatives: the messages that a session sent, its next
// sequence numbers, and its time of creation. journal/quickfix/quickfix_files.hpp describes the
// files.
//
// PREFIX of their names is BeginString-SenderCompID-TargetCompID, then -Qualifier if there is one.
// All but QuickFIX add _SubID and _LocationID after each CompID. QuickFIX/J writes _ for every
// character that is no letter, digit, dot or hyphen.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>

namespace nexusfix::command {

// The engine that an export is for.
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
  // The engine was killed after it stored a message and before it stored the next number. The bytes
  // may have been sent, so that next_outbound is the number after the message.
  bool was_number_stale = false;
  std::optional<WallTime> created;                    // nothing: the files do not have it
  std::map<std::uint64_t, QuickfixMessage> messages;  // by MsgSeqNum
};

// The prefixes of the stores in a folder, sorted.
[[nodiscard]] std::expected<std::vector<std::string>, std::string> quickfix_prefixes(
    Disk& disk, const std::string& folder);

// Reads and checks one store: every message has its number, the session's BeginString and CompIDs,
// and is where the header says; no byte of the body is left over; the next number is above all sent
// numbers, or equal to the last one if the engine was killed after it stored that message. As for
// the engines, an empty file of sequence numbers means 1. session: its name; empty: the name comes
// from the messages, or, without a message, from the prefix: it is the one of the configured
// sessions whose files have this prefix, or else the prefix is unambiguous. The error names file,
// place, and the recognised kind of store.
[[nodiscard]] std::expected<QuickfixStore, std::string> read_quickfix_store(
    Disk& disk, const std::string& folder, const std::string& prefix, const std::string& session,
    std::span<const std::string> configured = {});

// Passes the messages with numbers from first on, ascending.
using QuickfixVisitor =
    FunctionRef<std::expected<void, std::string>(std::uint64_t, std::string_view)>;
[[nodiscard]] std::expected<void, std::string> visit_quickfix_messages(Disk& disk,
                                                                       const QuickfixStore& store,
                                                                       std::uint64_t first,
                                                                       QuickfixVisitor visit);

// The prefix of this session's files. Nothing: the name is not BeginString:Sender->Target.
[[nodiscard]] std::string quickfix_prefix(std::string_view session, QuickfixForm form);
// Whether the files of any of the engines for this session may have this prefix.
[[nodiscard]] bool is_quickfix_prefix(std::string_view prefix, std::string_view session);

// Writes one store. take() receives the messages, ascending. No file of the store may exist.
class QuickfixWriter {
 public:
  QuickfixWriter(Disk& disk, std::string folder, std::string_view prefix, QuickfixForm form);
  [[nodiscard]] std::expected<void, std::string> begin();
  [[nodiscard]] std::expected<void, std::string> add(std::uint64_t number, std::string_view bytes);
  // Writes the numbers last: without them it is no store. Everything is on the disk afterwards.
  [[nodiscard]] std::expected<void, std::string> finish(std::uint64_t next_inbound,
                                                        std::uint64_t next_outbound,
                                                        WallTime created);
  // Removes the incomplete store.
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
