// What happened to each session of a log, in the order of time: Logons, gaps, resends, silence,
// ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::logs {

struct MessagePlace {
  std::uint64_t offset = 0;
  std::uint32_t file = 0;  // position in the list of files
};

struct TimelineEntry {
  enum class Kind : std::uint8_t {
    Connecting,     // the first Logon; first is its MsgSeqNum
    LoggedOn,       // the answer to it
    Refused,        // the answer to a Logon was a Logout
    Reset,          // the numbers of the sender begin again; first is the new number
    Gap,            // first to last did not come from the sender
    ResendRequest,  // of the sender, for first to last; last 0: all
    Resent,         // by the sender, first to last, also as gap fills; count messages
    Silent,         // no message of the sender for this duration, which began at time
    Reject,         // a Reject of the sender
    Logout,         // of the sender
    Off,            // both sides have logged out
    Lost,           // the messages end without a Logout; duration until the next Logon, if any
  };
  Kind kind{};
  WallTime time{};
  std::string sender{};  // empty: both sides
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t count = 0;
  std::chrono::nanoseconds duration{};
  std::string text{};  // Text (58) of a Logout or a Reject
  MessagePlace place{};
};

// The messages of both directions between two CompIDs.
struct SessionTimeline {
  std::string left;  // the side that sent the first message
  std::string right;
  std::vector<TimelineEntry> entries;
  std::uint64_t left_out = 0;  // entries that found no room
  std::optional<WallTime> first;
  std::optional<WallTime> last;
  bool is_on = false;  // at the end of the log
};

// "Logon of T with MsgSeqNum 1"; not escaped.
[[nodiscard]] std::string entry_text(const TimelineEntry& entry);
// A name for programs: "connecting", "logged_on".
[[nodiscard]] std::string_view entry_name(TimelineEntry::Kind kind) noexcept;

class TimelineCollector {
 public:
  // What a message is to its session. The views are valid during the call.
  struct Message {
    std::string_view sender;
    std::string_view target;
    std::string_view type;
    std::uint64_t number = 0;
    std::uint64_t last = 0;  // NewSeqNo - 1 of a SequenceReset; else number
    bool is_resend = false;
    std::string_view bytes;
    WallTime time;
    MessagePlace place;
  };
  void add(const Message& message);
  // Call it before add() of the message.
  void add_gap(const Message& message, std::uint64_t first, std::uint64_t last);
  // number: the next one of the sender.
  void add_reset(const Message& message, std::uint64_t number);
  // Call it once, after the last message.
  void finish();

  // In the order of their first messages.
  [[nodiscard]] const std::deque<SessionTimeline>& sessions() const noexcept { return timelines_; }

 private:
  struct Side {
    std::optional<WallTime> last;
    bool has_logon = false;
    bool has_logout = false;
    // The entry of the resends that go on.
    std::optional<std::size_t> resent;
  };
  struct Session {
    SessionTimeline* timeline = nullptr;
    Side sides[2];
    std::chrono::seconds heart_bt_int{};
    bool is_on = false;
    bool is_connecting = false;
  };

  Session& session_of(std::string_view sender, std::string_view target);
  void put(Session& session, TimelineEntry entry);
  void check_silence(Session& session, std::size_t side, WallTime now);
  void add_logon(Session& session, std::size_t side, const Message& message);
  void add_logout(Session& session, std::size_t side, const Message& message);
  void add_resend(Session& session, std::size_t side, const Message& message);
  void lose(Session& session, std::optional<WallTime> next);

  std::deque<SessionTimeline> timelines_;
  std::map<std::pair<std::string, std::string>, Session, std::less<>> sessions_;
  std::pair<std::string, std::string> key_;
  std::size_t entries_ = 0;
};

}  // namespace nexusfix::logs
