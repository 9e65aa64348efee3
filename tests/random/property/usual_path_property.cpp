// Whether a message takes the usual path of a stage or the full one, the results are the same: the
// bytes on the wire, the callbacks and the events in their order, and the files of the journal.
//
// Random sessions run twice, once with FullPathOnly. Their counterparties send orders that repeat a
// shape and others, with gaps, resends, duplicates, session messages, invalid and garbled messages,
// in any pieces. The application answers, rejects, throws and sends outside of callbacks.
// Connections end, and engines restart. RC_PARAMS="seed=..." repeats a run.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <rapidcheck/gtest.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nexusfix/engine.hpp>

#include "base/api/full_path.hpp"
#include "config/api/settings.hpp"
#include "random/property/usual_path_venue.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/manual_clock.hpp"
#include "support/network/fake_network.hpp"

namespace nexusfix::testing {
namespace {

constexpr std::uint16_t kPort = 5001;
// After this number of turns a spinning loop has asked the network, which reports new connections.
constexpr int kTurns = 70;
constexpr std::uint64_t kSegmentBytes = 16U << 10U;

class NotingLog final : public observe::EventLog {
 public:
  explicit NotingLog(Transcript& transcript) : transcript_{transcript} {}
  void write(const observe::Event& event) override {
    transcript_.push_back("event " + std::to_string(static_cast<unsigned>(event.id)) + ' ' +
                          std::string{event.session} + ": " + std::string{event.text});
  }

 private:
  Transcript& transcript_;
};

// What a counterparty does, which of the two does it, and how: a choice of details.
enum class Act : std::uint8_t {
  Orders,
  OtherOrder,
  InPieces,
  SessionMessage,
  Send,
  Time,
  Gap,
  AnswerResendRequest,
  Repeat,
  Invalid,
  Garbled,
  Connect,
  Disconnect,
  Command,
  Restart,
};
using Step = std::tuple<Act, unsigned, unsigned>;
void showValue(Act act, std::ostream& out) { out << static_cast<unsigned>(act); }

rc::Gen<std::vector<Step>> any_steps() {
  // Orders are the most frequent.
  using enum Act;
  constexpr std::array kActs{Orders,
                             Orders,
                             Orders,
                             Orders,
                             Orders,
                             OtherOrder,
                             OtherOrder,
                             InPieces,
                             InPieces,
                             SessionMessage,
                             SessionMessage,
                             Send,
                             Time,
                             Time,
                             Gap,
                             AnswerResendRequest,
                             AnswerResendRequest,
                             Repeat,
                             Invalid,
                             Garbled,
                             Connect,
                             Disconnect,
                             Command,
                             Restart};
  const auto act = rc::gen::map(rc::gen::inRange<std::size_t>(0, kActs.size()),
                                [kActs](std::size_t at) { return kActs[at]; });
  const auto step =
      rc::gen::tuple(act, rc::gen::inRange(0U, unsigned{kSessions}), rc::gen::inRange(0U, 4096U));
  return rc::gen::container<std::vector<Step>>(rc::gen::resize(rc::kNominalSize, step));
}

// An engine with two sessions, and their counterparties.
template <class Application>
class World {
 public:
  World(unsigned rules, Transcript& transcript) : rules_{rules}, transcript_{transcript} {
    disk_.set_mapping((rules & 16U) != 0);
    start();
  }

  void take(const Step& step) {
    const auto& [act, who, how] = step;
    Peer& peer = peers_[who];
    if (act != Act::Connect && act != Act::Restart && act != Act::Send && act != Act::Time &&
        act != Act::Command && peer.socket == 0) {
      connect(peer, 0);
    }
    take(act, peer, how);
    settle();
  }
  void finish() {
    stop(false);
    start();
    stop(false);
  }

 private:
  struct Peer {
    std::string_view begin_string;
    std::string_view name;
    transport::SocketId socket = 0;  // 0: not connected
    std::uint64_t next = 1;          // MsgSeqNum
    std::uint64_t asked_from = 0;    // by the last ResendRequest of the engine; 0: there was none
    std::string received{};          // since the last settle()
  };

  void take(Act act, Peer& peer, unsigned how) {
    switch (act) {
      case Act::Orders:
        return send_orders(peer, how);
      case Act::OtherOrder:
        return send(peer, "D", other_order(peer, how));
      case Act::InPieces:
        return send_in_pieces(peer, how);
      case Act::SessionMessage:
        return send_session_message(peer, how);
      case Act::Send:
        for (unsigned i = 0; i < 1 + how % 3; ++i) venue_.send(session_of(peer), how / 4 + i);
        return;
      case Act::Time:
        return pass_time(how);
      case Act::Gap:
        peer.next += 1 + how % 3;
        return send(peer, "D", order(peer, how / 4));
      case Act::AnswerResendRequest:
        return answer_resend_request(peer, how);
      case Act::Repeat:
        return repeat(peer, how);
      case Act::Invalid:
        return send_invalid(peer, how);
      case Act::Garbled:
        return send_garbled(peer, how);
      case Act::Connect:
        hang_up(peer);
        settle();
        return connect(peer, how);
      case Act::Disconnect:
        return hang_up(peer);
      case Act::Command:
        return command(session_of(peer), how);
      case Act::Restart:
        stop(how % 2 == 0);
        return start();
    }
  }

  // The engine.

  [[nodiscard]] std::string config() const {
    const auto yes_or_no = [this](unsigned bit) { return (rules_ & bit) != 0 ? "=Y\n" : "=N\n"; };
    std::string text =
        "[DEFAULT]\nConnectionType=acceptor\nSenderCompID=VENUE\nSocketAcceptAddress=10.0.0.1\n"
        "SocketAcceptPort=5001\nFileStorePath=/store\nNonStopSession=Y\nLogoutCloseTimeout=0\n";
    text.append("JournalInbound").append(yes_or_no(1));
    text.append("UseDataDictionary").append((rules_ & 2U) != 0 ? "=N\n" : "=Y\n");
    text.append("InboundDelivery=").append((rules_ & 32U) != 0 ? "AtMostOnce\n" : "AtLeastOnce\n");
    text.append("EnableLastMsgSeqNumProcessed").append(yes_or_no(64));
    text.append("TimestampPrecision=").append((rules_ & 256U) != 0 ? "MICROS\n" : "MILLIS\n");
    if ((rules_ & 4096U) != 0) text.append("MaxResendsPerSecond=2\n");
    text.append("[SESSION]\nBeginString=FIX.4.4\nTargetCompID=TRADER\nResetOnDisconnect");
    text.append(yes_or_no(512)).append("[SESSION]\nBeginString=FIX.4.2\nTargetCompID=OTHER\n");
    return text;
  }
  void start() {
    auto settings = config::parse_settings(config(), "venue.cfg");
    if (!settings) throw std::invalid_argument{settings.error().front().what()};
    using enum store::Durability;
    constexpr std::array kDurabilities{Process, Process, None, Sync};
    settings->durability = kDurabilities[rules_ >> 2U & 3U];
    settings->segment_bytes = kSegmentBytes;
    // A Logon does not wait because the clock jumps.
    settings->threads.logon_lateness_max = std::chrono::milliseconds{0};
    if ((rules_ & 2048U) != 0) settings->numbers_ahead = 16;
    EngineOptions options;
    options.clock = &clock_;
    options.disk = &disk_;
    options.network = &network_;
    options.log = &log_;
    options.busy_spin = true;
    auto opened = Engine::open(std::move(*settings), venue_, options);
    if (!opened) throw std::runtime_error{opened.error().what()};
    engine_.emplace(std::move(*opened));
  }
  // What the disk has then is noted, too. is_killed: the engine has no time to close its journal.
  void stop(bool is_killed) {
    settle();
    if (is_killed) {
      network_.close_all();
      disk_.process_death();
    }
    engine_.reset();
    for (Peer& peer : peers_) hang_up(peer);
    record_files("/store");
  }
  void record_files(const std::string& folder) {
    const auto names = disk_.list(folder);
    if (!names) throw std::runtime_error{"no folder " + folder};
    for (const std::string& name : *names) {
      transcript_.push_back("file " + name + ": " + disk_.contents(folder + '/' + name));
    }
  }
  [[nodiscard]] Session& session_of(const Peer& peer) {
    return engine_->session(&peer == &peers_.front() ? 0 : 1);
  }

  // In some worlds, a socket of the engine takes few bytes at a time.
  void turn() {
    internet_.limits.send_bytes_max = (rules_ & 1024U) != 0 ? 100 : SIZE_MAX;
    if (!engine_->poll(std::chrono::nanoseconds{0})) throw std::runtime_error{"it has stopped"};
    internet_.limits.send_bytes_max = SIZE_MAX;
  }
  // Turns, until nothing more is received.
  void settle() {
    bool goes_on = true;
    while (goes_on) {
      for (int i = 0; i < kTurns; ++i) {
        turn();
      }
      goes_on = false;
      static_cast<void>(far_.wait(ready_, std::chrono::nanoseconds{0}));
      for (Peer& peer : peers_) goes_on |= receive(peer);
    }
    for (Peer& peer : peers_) {
      if (peer.received.empty()) continue;
      transcript_.push_back("wire " + std::string{peer.name} + ": " + bar(peer.received));
      record_resend_request(peer);
      peer.received.clear();
    }
  }
  bool receive(Peer& peer) {
    bool has_received = false;
    while (peer.socket != 0) {
      const auto result = far_.receive(peer.socket, buffer_);
      if (result.status == transport::IoResult::Status::WouldBlock) break;
      has_received = true;
      if (result.status == transport::IoResult::Status::Ok) {
        peer.received.append(buffer_.data(), result.bytes);
        continue;
      }
      peer.received += "closed";
      hang_up(peer);
    }
    return has_received;
  }
  static void record_resend_request(Peer& peer) {
    const std::size_t at = peer.received.rfind(
        "\x01"
        "35=2\x01");
    if (at == std::string::npos) return;
    const std::size_t begin = peer.received.find(
                                  "\x01"
                                  "7=",
                                  at) +
                              3;
    std::from_chars(peer.received.data() + begin, peer.received.data() + peer.received.size(),
                    peer.asked_from);
  }

  // The counterparties.

  void connect(Peer& peer, unsigned how) {
    const auto socket = far_.connect({"10.0.0.1", kPort});
    if (!socket) throw std::runtime_error{"not connected"};
    peer.socket = *socket;
    settle();
    if (how % 16 == 15) return send(peer, "D", order(peer, 0));  // no Logon
    if (how % 16 == 14) peer.next += 2;
    if (how % 16 == 13 && peer.next > 1) --peer.next;
    const bool resets = how % 16 == 12;
    if (resets) peer.next = 1;
    send(peer, "A", resets ? "98=0|108=30|141=Y|" : "98=0|108=30|");
    settle();
  }
  void hang_up(Peer& peer) {
    if (peer.socket != 0) far_.close(peer.socket);
    peer.socket = 0;
    if ((rules_ & 512U) != 0 && &peer == &peers_.front()) peer.next = 1;
  }
  [[nodiscard]] std::string time_text(std::chrono::nanoseconds ago = {}) {
    char text[wire::kUtcTimestampBytesMax];
    const std::size_t size =
        wire::from_utc_timestamp(clock_.now().wall - ago, wire::TimePrecision::Millis, text);
    return {text, size};
  }
  [[nodiscard]] std::string message(const Peer& peer, std::string_view msg_type,
                                    std::uint64_t number, std::string_view body) {
    return fix(peer.begin_string, "35=" + std::string{msg_type} + "|49=" + std::string{peer.name} +
                                      "|56=VENUE|34=" + std::to_string(number) +
                                      "|52=" + time_text() + '|' + std::string{body});
  }
  void send_bytes(const Peer& peer, std::string_view bytes) {
    if (peer.socket != 0) static_cast<void>(far_.send(peer.socket, bytes));
  }
  void send(Peer& peer, std::string_view msg_type, std::string_view body) {
    send_bytes(peer, message(peer, msg_type, peer.next++, body));
  }
  // Each order has this size, whatever its digits are.
  [[nodiscard]] std::string order(const Peer& peer, unsigned quantity) {
    const std::string number = std::to_string(100'000 + peer.next);
    return "11=A" + number + "|21=1|38=" + std::to_string(100 + quantity % 900) +
           "|40=2|44=" + std::to_string(10 + peer.next % 90) +
           ".25|54=1|55=AAPL|59=0|60=" + time_text() + '|';
  }
  [[nodiscard]] std::string other_order(const Peer& peer, unsigned how) {
    constexpr std::array<std::string_view, 8> kMore{
        "97=Y|", "58=a text|", "95=3|96=a=b|",           "15=USD|",
        "77=O|", "18=G|",      "126=20300101-00:00:00|", "58=ab|354=2|355=cd|"};
    std::string body{kMore[how % kMore.size()]};
    body += order(peer, how / 8 % 16 == 0 ? how / 128 : 0);
    if (how / 8 % 4 == 1) body += "58=" + std::string(1 + how / 8, 'y') + '|';
    return body;
  }
  void send_orders(Peer& peer, unsigned how) {
    const unsigned count = 1 + how % 24;
    for (unsigned i = 0; i < count; ++i) {
      // At most one of them is unusual, and of the same size. Each is received by itself.
      const bool is_unusual = how / 24 % 4 >= 2 && i == count / 2;
      std::string body = order(peer, is_unusual ? how / 96 % 10 : 0);
      if (how / 24 % 4 == 3) body += is_unusual ? "354=8|355=abc|58=x|" : "354=3|355=abc|58=x|";
      send(peer, "D", body);
      for (int turns = 0; turns < 3; ++turns) turn();
      if (how % 5 != 0) continue;
      settle();  // What leaves later has another SendingTime.
      clock_.advance(std::chrono::milliseconds{1 + how % 977});
    }
  }
  void send_in_pieces(Peer& peer, unsigned how) {
    std::string bytes;
    for (unsigned i = 0; i < 1 + how % 4; ++i) {
      bytes += message(peer, "D", peer.next++, order(peer, i == 1 ? how / 64 % 10 : 0));
    }
    std::size_t at = 0;
    for (unsigned piece = 1 + how / 4 % 300; at < bytes.size(); piece = 1 + piece * 7 % 301) {
      send_bytes(peer, std::string_view{bytes}.substr(at, piece));
      at += piece;
      settle();
    }
  }
  void send_session_message(Peer& peer, unsigned how) {
    const std::string first = std::to_string(1 + how / 16 % 16);
    switch (how % 16) {
      case 0:
      case 1:
      case 2:
        return send(peer, "0", "");
      case 3:
      case 4:
        return send(peer, "1", "112=" + std::string(1 + how / 16, 'T') + '|');
      case 5:
      case 6:
        return send(peer, "2", "7=" + first + "|16=0|");
      case 7:
        return send(peer, "2", "7=" + first + "|16=" + std::to_string(how / 256) + '|');
      case 8:
        return send(peer, "3", "45=" + first + "|58=your fault|");
      case 9:
        return send(peer, "j", "372=8|380=3|45=" + first + '|');
      case 10: {
        const std::uint64_t next = peer.next + 1 + how / 16 % 4;
        send(peer, "4", "123=Y|36=" + std::to_string(next) + '|');
        peer.next = next;
        return;
      }
      case 11:
        send(peer, "4", "36=" + std::to_string(peer.next + how / 16 % 4) + '|');
        peer.next = peer.next - 1 + how / 16 % 4;
        return;
      case 12:
        return send(peer, "5", "58=good night|");
      case 13:
        return send(peer, "A", "98=0|108=30|");
      case 14:
        peer.next = 1;
        return send(peer, "A", "98=0|108=30|141=Y|");
      default:
        return send(peer, "1", "");  // TestReqID is missing
    }
  }
  void answer_resend_request(Peer& peer, unsigned how) {
    const std::uint64_t first = std::exchange(peer.asked_from, 0);
    if (first == 0 || first >= peer.next) return;
    const std::string again = "43=Y|122=" + time_text() + '|';
    if (how % 2 == 0 || peer.next - first > 30) {
      const std::string body = again + "123=Y|36=" + std::to_string(peer.next) + '|';
      return send_bytes(peer, message(peer, "4", first, body));
    }
    for (std::uint64_t number = first; number < peer.next; ++number) {
      send_bytes(peer, message(peer, "D", number, again + order(peer, 0)));
    }
  }
  // A MsgSeqNum that was used before.
  void repeat(Peer& peer, unsigned how) {
    const std::uint64_t number = peer.next - std::min<std::uint64_t>(peer.next - 1, 1 + how % 4);
    constexpr std::array<std::string_view, 4> kFlags{"43=Y|", "97=Y|", "", "43=N|"};
    std::string flags{kFlags[how / 16 % kFlags.size()]};
    if (how / 4 % 4 != 0) flags = "43=Y|122=" + time_text(std::chrono::seconds{how / 64}) + '|';
    send_bytes(peer, message(peer, how / 64 % 8 == 1 ? "0" : "D", number, flags + order(peer, 0)));
  }
  // Mostly of the size of a usual order.
  void send_invalid(Peer& peer, unsigned how) {
    const std::string good = message(peer, "D", peer.next, order(peer, 0));
    constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kChanges{{
        {"|35=D|", "|35=F|"},     {"|59=0|", "|43=Y|"},         {"|54=1|", "|54=Q|"},
        {"|40=2|", "|40=?|"},     {"|21=1|", "|21=9|"},         {"|38=100|", "|38=1x0|"},
        {"|44=", "|44=-"},        {"|55=AAPL|", "|55=|"},       {"|55=AAPL|", "|56=AAPL|"},
        {"|59=0|", "|5q=0|"},     {"|59=0|", "|54=1|"},         {"|59=0|", "|06=0|"},
        {"|49=", "|49=X"},        {"|56=VENUE|", "|56=VENUS|"}, {"|34=", "|34=x"},
        {"|34=", "|3="},          {"|52=20", "|52=19"},         {"|52=20", "|52=2O"},
        {"|35=D|", "|35=ZZ|"},    {"|60=20", "|60=2x"},         {"|11=A", "|9999=A"},
        {"8=FIX.4.", "8=FIX.5."},
    }};
    const auto& [from, to] = kChanges[how % kChanges.size()];
    std::string text = bar(good);
    text.replace(text.find(from), from.size(), to);
    // The body after BodyLength, without CheckSum.
    const std::size_t body = text.find("|35=") + 1;
    const std::string begin_string = text.substr(2, text.find('|') - 2);
    send_bytes(peer, fix(begin_string, text.substr(body, text.rfind("10=") - body)));
    ++peer.next;
  }
  void send_garbled(Peer& peer, unsigned how) {
    std::string bytes = message(peer, "D", peer.next, order(peer, 0));
    const std::size_t at = how / 8 % bytes.size();
    switch (how % 4) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
        break;
      case 1:
        bytes[bytes.size() - 2] = bytes[bytes.size() - 2] == '9' ? '0' : '9';
        break;
      case 2:
        bytes.erase(at, 1);
        break;
      default:
        bytes = "no FIX" + bytes;
    }
    send_bytes(peer, bytes);
    send(peer, "0", "");
  }

  // What happens to a session without its counterparty.

  void pass_time(unsigned how) {
    constexpr std::array<int, 8> kMillis{1, 40, 999, 1'000, 7'000, 31'000, 36'500, 61'000};
    clock_.advance(std::chrono::milliseconds{kMillis[how % kMillis.size()]});
  }
  void command(Session& session, unsigned how) {
    switch (how % 8) {
      case 0:
        return session.log_out("closing");
      case 1:
        return session.disconnect("by command");
      case 2:
        return session.reset("by command");
      case 3:
        transcript_.push_back(session.reset_in_session() ? "resets" : "does not reset");
        return;
      default:
        return venue_.send(session, how / 8);
    }
  }

  unsigned rules_;
  Transcript& transcript_;
  ManualClock clock_;
  FakeDisk disk_;
  NotingLog log_{transcript_};
  transport::FakeInternet internet_;
  transport::FakeNetwork network_{internet_, "10.0.0.1"};
  transport::FakeNetwork far_{internet_, "10.0.0.2"};
  std::array<Peer, kSessions> peers_{{{.begin_string = "FIX.4.4", .name = "TRADER"},
                                      {.begin_string = "FIX.4.2", .name = "OTHER"}}};
  std::array<char, 65'536> buffer_{};
  std::vector<transport::Ready> ready_{64};
  std::optional<Engine> engine_;
  Application venue_{transcript_, engine_};
};

template <class Application>
Transcript run(unsigned rules, const std::vector<Step>& steps) {
  Transcript transcript;
  World<Application> world{rules, transcript};
  for (const Step& step : steps) {
    transcript.emplace_back("step");
    world.take(step);
  }
  world.finish();
  return transcript;
}

std::string printable(const Transcript& transcript, std::size_t at) {
  if (at >= transcript.size()) return "nothing";
  constexpr std::size_t kBytesMax = 2'000;
  std::string text;
  for (const char c : transcript[at].substr(0, kBytesMax)) text += c >= ' ' && c <= '~' ? c : '.';
  return text;
}

template <class Application>
void expect_equal_paths() {
  const unsigned rules = *rc::gen::inRange(0U, 8192U);
  const std::vector<Step> steps = *any_steps();
  const Transcript usual = run<Application>(rules, steps);
  const FullPathOnly full_only;
  const Transcript full = run<Application>(rules, steps);
  if (usual == full) return;
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(usual, full).in1 - usual.begin());
  RC_FAIL("step " +
          std::to_string(
              std::count(usual.begin(), usual.begin() + static_cast<std::ptrdiff_t>(at), "step")) +
          "\n usual: " + printable(usual, at) + "\n full:  " + printable(full, at));
}

RC_GTEST_PROP(UsualPathProperty, both_paths_have_the_same_results, ()) {
  expect_equal_paths<Venue>();
}

RC_GTEST_PROP(UsualPathProperty, both_paths_have_the_same_results_where_callbacks_look_on, ()) {
  expect_equal_paths<WatchingVenue>();
}

}  // namespace
}  // namespace nexusfix::testing
