// Two engines in a simulated world, a trader's and a venue's, and a man in the middle who delays
// bytes, changes, removes and inserts them, repeats old messages, reorders messages, and cuts
// connections. Processes may die meanwhile. The simulator's checker watches all of it. After the
// man in the middle becomes honest, both sides agree, and every message has arrived, once and in
// order.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/simulator/world.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"
#include "simulator/check/wire_message.hpp"
#include "simulator/order_flow.hpp"

namespace nexusfix::simulator {
namespace {

using testing::Input;
using testing::require;

constexpr int kStepsMax = 150;
constexpr std::chrono::seconds kSettledWithin{600};
constexpr std::size_t kKeptMax = 64;   // chunks, of one direction
constexpr std::size_t kKnownMax = 16;  // old messages, of one side

class Middle final : public Middleman {
 public:
  void sent(SimulatedInternet& internet, std::uint64_t connection, Side side,
            std::string_view bytes) override {
    internet_ = &internet;
    Way& way = ways_of(connection)[side];
    way.sent += bytes;
    record_messages(way, side);
    way.kept.emplace_back(bytes);
    if (!keeps_[side] || way.kept.size() > kKeptMax) release(connection, side, SIZE_MAX);
  }
  void over(std::uint64_t connection) override { connections_.erase(connection); }

  // One of his actions, on the newest connection.
  void move(Input& input) {
    const std::size_t what = input.byte();
    const Side side = what & 1U;
    if (what / 2 % 8 == 0) keeps_[side] = !keeps_[side];
    if (connections_.empty()) return;
    const std::uint64_t connection = connections_.rbegin()->first;
    std::deque<std::string>& kept = ways_of(connection)[side].kept;
    switch (what / 2 % 8) {
      case 1:
        return internet_->cut(connection);
      case 2:
        return release(connection, side, input.byte() * 8);
      case 3:
        return forward(connection, side, input.text(input.byte() % 32));
      case 4:
        if (!known_[side].empty()) {
          has_repeated_ = true;
          forward(connection, side, known_[side][input.byte() % known_[side].size()]);
        }
        return;
      default:
        if (kept.empty()) return;
        has_repeated_ |= what / 2 % 8 == 6;
        treat(kept, what / 2 % 8, input);
        return;
    }
  }

  // From here on everything arrives, after the bytes that he has delayed; or those bytes are lost.
  void be_honest(bool forgets) {
    keeps_ = {};
    std::vector<std::uint64_t> all;
    for (const auto& [connection, ways] : connections_) all.push_back(connection);
    for (const std::uint64_t connection : all) {
      if (forgets) {
        internet_->cut(connection);
      } else {
        release(connection, 0, SIZE_MAX);
        release(connection, 1, SIZE_MAX);
      }
    }
  }

  // He has made a message that its receiver cannot distinguish from a genuine one.
  [[nodiscard]] bool has_deceived() const { return has_deceived_; }
  // A message has arrived twice. Its receiver must end the session for an operator.
  [[nodiscard]] bool has_repeated() const { return has_repeated_; }

 private:
  // One direction of a connection.
  struct Way {
    std::string sent;              // the beginning of a message
    std::deque<std::string> kept;  // delayed bytes, unchanged or forged
    std::string received;          // the beginning of a frame, as its receiver sees it
    wire::FrameScanner scanner{wire::FrameLimits{}};
  };
  using Ways = std::array<Way, 2>;

  Ways& ways_of(std::uint64_t connection) { return connections_[connection]; }

  void record_messages(Way& way, Side side) {
    while (const auto size = wire_message_size(way.sent)) {
      if (*size == 0) return;
      std::string message = way.sent.substr(0, *size);
      way.sent.erase(0, *size);
      if (known_[side].size() < kKnownMax) known_[side].push_back(message);
      genuine_.insert(std::move(message));
    }
  }

  static void treat(std::deque<std::string>& kept, std::size_t how, Input& input) {
    const std::size_t which = input.byte() % kept.size();
    std::string& chunk = kept[which];
    if (how == 5) return std::swap(kept.front(), chunk);
    if (how == 6) return kept.push_back(std::string{chunk});
    const std::size_t at = chunk.empty() ? 0 : (input.byte() + input.byte() * 256) % chunk.size();
    const std::size_t what = input.byte();
    if (what == 0) {
      chunk.erase(at);
    } else if (what < 8) {
      chunk.erase(at, what);
    } else if (what < 16) {
      chunk.insert(at, chunk.substr(at, what - 7));
    } else if (what < 24 && at > 0) {
      std::string rest = chunk.substr(at);  // two chunks from here on
      chunk.erase(at);
      kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(which) + 1, std::move(rest));
    } else if (!chunk.empty()) {
      chunk[at] = static_cast<char>(chunk[at] ^ static_cast<char>(what));
    }
  }

  void release(std::uint64_t connection, Side side, std::size_t bytes) {
    std::deque<std::string>& kept = ways_of(connection)[side].kept;
    while (bytes > 0 && !kept.empty()) {
      std::string part = kept.front().substr(0, bytes);
      kept.front().erase(0, part.size());
      if (kept.front().empty()) kept.pop_front();
      bytes -= part.size();
      forward(connection, side, part);
    }
  }

  void forward(std::uint64_t connection, Side side, const std::string& bytes) {
    look_as_receiver(ways_of(connection)[side], bytes);
    internet_->forward(connection, side, bytes);
  }

  void look_as_receiver(Way& way, const std::string& bytes) {
    way.received += bytes;
    while (!way.received.empty()) {
      const wire::FrameResult frame = way.scanner.next(way.received);
      if (frame.status == wire::FrameResult::Status::NeedMore) return;
      const std::string_view whole = std::string_view{way.received}.substr(0, frame.size);
      // If the CheckSum is right by chance, the receiver cannot detect the change.
      has_deceived_ |= frame.status == wire::FrameResult::Status::Complete &&
                       !genuine_.contains(whole) && parser_.parse(whole).has_value();
      way.received.erase(0, frame.size);
    }
  }

  SimulatedInternet* internet_ = nullptr;
  std::map<std::uint64_t, Ways> connections_;
  std::array<bool, 2> keeps_{};
  std::array<std::vector<std::string>, 2> known_;
  std::set<std::string, std::less<>> genuine_;
  wire::Parser parser_;
  bool has_deceived_ = false;
  bool has_repeated_ = false;
};

class Play {
 public:
  explicit Play(Input& input)
      : input_{input}, world_{options_of(input)}, books_{world_}, both_{both_lines()} {
    venue_ = world_.add_process<SimulatedVenue>("venue", lines("acceptor", "VENUE", "TRADER"),
                                                std::ref(books_));
    trader_ = world_.add_process<SimulatedTrader>("trader", lines("initiator", "TRADER", "VENUE"),
                                                  std::ref(books_));
  }

  void run() {
    world_.run(std::chrono::milliseconds{50});
    for (int step = 0; step < kStepsMax && !input_.empty() && goes_on(); ++step) run_step();
    if (!goes_on()) return judge();
    middle_.be_honest(is_forgetful_);
    if (middle_.has_deceived()) return judge();
    const bool is_settled = world_.settle(kSettledWithin);
    judge();
    if (!is_settled) return;
    const auto* const venue = world_.application<SimulatedVenue>(venue_);
    require(venue != nullptr && venue->find_missing_answer(*world_.engine(venue_)).empty());
  }

 private:
  WorldOptions options_of(Input& input) {
    const std::size_t faults = input.byte();
    WorldOptions options{.seed = input.byte() + 1, .faults = {}, .middleman = &middle_};
    // Traces to standard error.
    if (std::getenv("NEXUSFIX_TRACE") != nullptr) options.trace_stream = stderr;

    constexpr std::array kMayStrike{Fault::Tear, Fault::Throw, Fault::Logout, Fault::Kill};
    for (std::size_t i = 0; i < kMayStrike.size(); ++i) {
      if ((faults >> i & 1U) != 0) options.faults.add(kMayStrike[i]);
    }
    is_forgetful_ = (faults >> 7U) != 0;
    return options;
  }

  // The state on which both sides must agree.
  std::string both_lines() {
    constexpr std::array<std::string_view, 4> kVersions{
        "BeginString=FIX.4.4\n", "BeginString=FIX.4.2\n", "BeginString=FIX.4.0\n",
        "BeginString=FIXT.1.1\nDefaultApplVerID=FIX.5.0SP2\n"};
    const std::size_t how = input_.byte();
    std::string text{kVersions[how % kVersions.size()]};
    if ((how & 4U) != 0 && (how % 4 == 0 || how % 4 == 3)) text += "SendNextExpectedMsgSeqNum=Y\n";
    if ((how & 8U) != 0) text += "HeartBtInt=2\n";
    return text;
  }

  std::string lines(std::string_view type, std::string_view sender, std::string_view target) {
    const std::size_t how = input_.byte();
    const auto yes_or_no = [&](unsigned bit) { return (how >> bit & 1U) != 0 ? "Y\n" : "N\n"; };
    std::string text = "[DEFAULT]\nFileStorePath=/journal\nNonStopSession=Y\nHeartBtInt=5\n";
    text += "UseDataDictionary=N\nReconnectInterval=1\nSocketAcceptPort=5001\n";
    text += "SocketConnectHost=venue\nSocketConnectPort=5001\nConnectionType=";
    (text += type) += '\n';
    (text += "ClosedResendInterval=") += yes_or_no(1);
    (text += "SendRedundantResendRequests=") += yes_or_no(2);
    text += (how & 8U) != 0 ? "ResendRequestChunkSize=3\n" : "";
    text += (how & 16U) != 0 ? "MaxResendsPerSecond=50\n" : "";
    ((text += "[SESSION]\nSenderCompID=") += sender) += '\n';
    ((text += "TargetCompID=") += target) += '\n';
    return text + both_;
  }

  [[nodiscard]] bool goes_on() const { return !world_.violation() && !middle_.has_deceived(); }

  void run_step() {
    const std::size_t what = input_.byte();
    switch (what % 8) {
      case 0:
        return send(trader_, 1 + what / 8 % 4);
      case 1:
        return send(venue_, 1 + what / 8 % 4);
      case 2:
        return world_.run(std::chrono::milliseconds{20 * input_.byte()});
      case 3:
        return world_.run(std::chrono::milliseconds{2 * (what / 8)});
      default:
        return middle_.move(input_);
    }
  }

  void send(ProcessId process, std::size_t count) {
    engine::Engine* const engine = world_.engine(process);
    for (std::size_t i = 0; i < count && engine != nullptr; ++i) {
      if (process == trader_) {
        send_order(books_, engine->session(0));
      } else {
        send_news(books_, engine->session(0), ++news_);
      }
    }
    // The bytes that the engine sends must pass the man in the middle.
    world_.run(std::chrono::milliseconds{1});
  }

  // A deceived engine only has to survive.
  void judge() {
    const auto& violation = world_.violation();
    if (!violation || middle_.has_deceived()) return;
    if (middle_.has_repeated() && violation->invariant == "numbers-disagree") return;
    std::fprintf(stderr, "%s: %s\n", violation->invariant.c_str(), violation->what.c_str());
    require(false);
  }

  Input& input_;
  Middle middle_;
  bool is_forgetful_ = false;
  World world_;
  OrderBooks books_;
  std::string both_;
  ProcessId venue_ = 0;
  ProcessId trader_ = 0;
  std::uint64_t news_ = 0;
};

}  // namespace
}  // namespace nexusfix::simulator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nexusfix::testing::Input input{data, size};
  nexusfix::simulator::Play{input}.run();
  return 0;
}
