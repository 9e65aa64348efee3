// Watches the wire, the applications and the stores of a world, and knows the invariants.
//
// A session is watched from both sides as one link. Each of its two directions has a ledger: what
// the sender's numbers mean in each reset epoch. The ledger is filled from the bytes on the wire,
// which this layer parses by itself, and from the results that the application got.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nexusfix/simulator/simulated_network.hpp>
#include <nexusfix/simulator/trace.hpp>
#include <nexusfix/simulator/violation.hpp>

#include "config/api/settings.hpp"
#include "simulator/check/checked_process.hpp"
#include "simulator/check/wire_message.hpp"

namespace nexusfix::simulator {

struct CheckerCounts {
  std::uint64_t wire_messages = 0;
  std::uint64_t delivered = 0;
  std::uint64_t delivered_again = 0;
  std::uint64_t promised = 0;
  std::uint64_t resent = 0;  // with PossDupFlag, and gap fills
  std::uint64_t epochs = 0;
  std::uint64_t retired = 0;  // messages that a gap fill replaced, by the rules for old segments
};

class Checker {
 public:
  Checker(Trace& trace, FirstViolation& violation) : trace_{trace}, violation_{violation} {}

  // A machine's process, with the number that the internet has for it.
  void add_process(std::size_t process, std::string name);

  // Before its first turn. inside must exist until process_ended().
  void process_started(std::size_t process, const CheckedProcess& inside,
                       const config::Settings& settings);
  // A turn has ended, and the process lives: what it did is promised.
  void turn_done(std::size_t process);
  // forgets: its promises may be lost, and operators will reset its sessions.
  void process_ended(std::size_t process, bool forgets);

  // The application's side. session: its index in the settings.
  //
  // heard() comes before delivered() if the other side is not a process but a test that sends
  // anything: what comes under a number is what it has sent under that number, in the receiver's
  // epoch.
  void heard(std::size_t process, std::size_t session, std::string_view bytes);
  void delivered(std::size_t process, std::size_t session, std::string_view bytes);
  void promised(std::size_t process, std::size_t session, std::uint64_t msg_seq_num);
  // A callback threw: its promises are void. mark: promises() before it.
  [[nodiscard]] std::size_t promises(std::size_t process) const;
  void roll_back(std::size_t process, std::size_t mark);
  // The engine has logged that it resets a session: promises of this turn are void.
  void session_reset(std::size_t process, std::string_view session);
  // The engine has logged a Logout of a session's counterparty; the session is logged out since. If
  // both come in one turn, a Logout must be sent before the connection is closed.
  void logout_received(std::size_t process, std::string_view session);
  void logged_out(std::size_t process, std::size_t session, WorldTime now);

  // The wire's side.
  void bytes_sent(std::uint64_t connection, Side side, std::size_t process, std::string_view bytes);
  // From now on the orders that a process has received before it says Logout are watched, if it
  // refuses one for its SendingTime: each is answered first.
  void watch_orders() noexcept { watches_orders_ = true; }
  void bytes_received(std::uint64_t connection, Side side, std::string_view bytes, WorldTime now);
  // What the process sends and receives from now on may be refused by the other side.
  void excuse_for_good(std::size_t process);
  // The side's process has closed it.
  void closed_by(std::uint64_t connection, Side side, std::size_t process, bool works,
                 WorldTime now);
  void connection_over(std::uint64_t connection) { taps_.erase(connection); }

  // Nothing: it has had no Logon.
  [[nodiscard]] std::optional<std::size_t> process_of(std::uint64_t connection, Side side) const;

  // An operator may reset the session, whatever its settings are.
  void allow_reset(std::size_t process);
  // For the session of a connection that has had a Logon.
  void allow_reset_of(std::uint64_t connection);
  [[nodiscard]] bool may_reset(std::size_t process, std::string_view session) const;

  // Why the world has not settled: a session that is not logged on, numbers on which the sides do
  // not agree, a message that is not delivered. Empty: it has.
  [[nodiscard]] std::string unsettled() const;

  [[nodiscard]] const CheckerCounts& counts() const noexcept { return counts_; }
  // The memory of the checker itself.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;

 private:
  static constexpr std::size_t kLedgersMax = 16;

  struct Entry {
    enum class Kind : std::uint8_t { Unknown, Application, Administrative };
    std::uint64_t fingerprint = 0;
    Kind kind = Kind::Unknown;
    bool was_sent = false;       // on a wire
    bool is_promised = false;    // to the application, as its number
    bool is_delivered = false;   // and the receiver's store knows, or will at the end of the turn
    bool was_delivered = false;  // at least once, perhaps to a process that died in it
    bool is_retired = false;     // by the rules of its sender's journal: a gap fill replaces it
    // Its record in the sender's log begins here or later; 0: unknown.
    store::LogPosition position = 0;
  };
  // One epoch of one direction.
  struct Ledger {
    std::uint64_t epoch = 0;
    std::vector<Entry> entries;  // by MsgSeqNum
    std::uint64_t last = 0;      // the highest number that was sent or promised
    WallTime created{};          // by the sender's clock
  };
  struct Position {
    std::uint64_t epoch = 0;
    std::uint64_t next = 1;       // everything below has been checked
    std::uint64_t receivers = 0;  // the receiver's own epoch at that time
  };
  struct Direction {
    std::deque<Ledger> ledgers;  // the newest is the last
    Position seen;               // of the receiver
    Position safe;               // the same at the end of its last turn
    Position doubtful;           // the same when its process died
    Position first_taken;        // of the receiver's epoch, and the sender's epoch at that time
    bool is_excused = false;     // until the next epoch
    bool stays_excused = false;  // in each later epoch
  };
  struct SideOfLink {
    std::size_t process = 0;
    std::size_t session = 0;  // index in its settings
    bool is_known = false;
    bool resets = false;  // by its settings, at least once: its effect may end much later
    session::Schedule schedule{};
    bool keeps_messages = true;
    bool is_throttled = false;  // messages wait after they are received
    store::Retention retention{};
  };
  struct Link {
    std::string name;
    std::array<SideOfLink, 2> sides;
    std::array<Direction, 2> directions;  // by the sending side
  };
  struct LocalSession {
    std::string name;
    std::size_t index = 0;  // in the settings
    std::size_t link = 0;
    Side side = 0;
    bool has_logout = false;                   // received in this turn
    std::optional<WorldTime> logged_out_at{};  // after that Logout
  };
  struct Promise {
    std::size_t session = 0;
    std::uint64_t msg_seq_num = 0;
  };
  struct Process {
    std::string name;
    const CheckedProcess* inside = nullptr;  // null: not running
    std::vector<LocalSession> sessions;
    std::vector<Promise> promises;  // of the turn
    std::uint64_t generation = 0;   // the number of times that its store was forgotten
    bool keeps_numbers = false;     // its store must know which numbers were used
    bool has_news = false;
    bool has_logouts = false;         // of at least one session, in this turn
    std::string unanswered;           // one of them; empty: none
    store::LogPosition appended = 0;  // to its log, at the end of its last turn
  };
  struct Received {
    std::uint64_t msg_seq_num = 0;
    WorldTime at{};
    std::string cl_ord_id;  // empty: it is no order
    bool is_answered = false;
  };
  struct Tap {
    std::size_t link = kNone;
    struct Half {
      std::string partial;
      std::uint64_t epoch = 0;
      std::uint64_t last_fresh = 0;
      bool has_begun = false;
      bool has_sent_logout = false;
      std::string partly_received;
      std::vector<Received> received;         // the last ones, without PossDupFlag
      std::optional<std::size_t> refused_at;  // the first one that was refused for its SendingTime
    };
    std::array<Half, 2> halves;
  };
  static constexpr std::size_t kNone = SIZE_MAX;

  [[nodiscard]] std::uint64_t epoch_of(const Process& process, const LocalSession& session) const;
  [[nodiscard]] static bool is_before(const Direction& direction, const Ledger& ledger,
                                      std::uint64_t epoch) noexcept;
  [[nodiscard]] static Ledger* find_ledger(Direction& direction, std::uint64_t epoch) noexcept;
  Ledger& ledger_of(Link& link, Side sender, std::uint64_t epoch);
  [[nodiscard]] static bool is_scheduled(const session::Schedule& schedule, WallTime before,
                                         WallTime created) noexcept;
  static Entry& entry_of(Ledger& ledger, std::uint64_t msg_seq_num);
  static void pass_over(Ledger& ledger, std::uint64_t before);

  void check_message(Tap& tap, Side side, std::size_t process, std::string_view bytes);
  void check_sent(Link& link, Tap::Half& half, Side side, const WireMessage& message);
  void check_gap_fill(Link& link, Ledger& ledger, Side side, const WireMessage& message);
  [[nodiscard]] bool may_be_retired(const Link& link, const Ledger& ledger, Side side,
                                    std::uint64_t msg_seq_num) const;
  void check_orders_answered(const Link& link, Tap::Half& half, Side side,
                             const WireMessage& message);
  void record_logouts(Process& process);
  void record_first_received(const Process& process, const LocalSession& session);
  void check_start(Process& process, const LocalSession& session);
  void check_numbers_kept(const Process& process, const LocalSession& session);
  void withdraw_deliveries(Direction& direction);
  [[nodiscard]] std::string where(const Link& link, Side sender, std::uint64_t msg_seq_num) const;
  [[nodiscard]] std::string unsettled(const Link& link) const;
  void found(const char* invariant, std::string what) {
    violation_.found(invariant, std::move(what));
  }

  Trace& trace_;
  FirstViolation& violation_;
  CheckerCounts counts_;
  std::vector<Process> processes_;
  std::deque<Link> links_;
  std::map<std::string, std::size_t, std::less<>> links_by_name_;
  std::unordered_map<std::uint64_t, Tap> taps_;
  bool watches_orders_ = false;
};

}  // namespace nexusfix::simulator
