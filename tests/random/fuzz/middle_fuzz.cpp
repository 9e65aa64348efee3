// Two sessions and a man in the middle who changes, removes and delays bytes, repeats and reorders
// messages, and cuts the connection. After he stops, every message has arrived, once and in order,
// and the numbers agree.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"
#include "session/api/actions.hpp"
#include "session/api/config.hpp"
#include "session/api/state_machine.hpp"
#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::Input;
using testing::require;

constexpr int kStepsMax = 300;
constexpr int kSettlingRoundsMax = 200;

struct OnItsWay {
  std::string bytes;
  bool is_harmed = false;  // a second change might undo the first one
};

// One direction: the bytes sent and the receiver's state.
struct Way {
  std::deque<OnItsWay> messages;
  std::string received;  // not framed yet
  wire::FrameScanner scanner{wire::FrameLimits{}};
};

class Middle {
 public:
  explicit Middle(Input& input)
      : input_{input},
        sides_{Side{config_of(initiator_config("FIX.4.4"))},
               Side{config_of(acceptor_config("FIX.4.4"))}} {
    const std::size_t how = input.byte();
    for (std::size_t i = 0; i < 2; ++i) {
      sides_[i].can_buffer = (how >> i & 1U) == 0;
      sides_[i].serves_replays_in_slices = (how >> (i + 2) & 1U) != 0;
    }
  }

  void run() {
    connect();
    for (int step = 0; step < kStepsMax && !input_.empty(); ++step) {
      run_step();
      if (was_deceived_) return;
    }
    settle();
    if (!was_deceived_) check();
  }

 private:
  SessionConfig config_of(SessionConfig config) {
    const std::size_t how = input_.byte();
    const auto is_set = [&](unsigned bit) { return (how >> bit & 1U) != 0; };
    config.heartbeat.heart_bt_int = std::chrono::seconds{5};
    config.gap.resend_timeout = std::chrono::seconds{4};
    config.gap.resend_request_chunk = is_set(0) ? 3 : 0;
    config.gap.closed_resend_requests = is_set(2);
    config.header.send_last_msg_seq_num_processed = is_set(3);
    config.gap.send_redundant_resend_requests = is_set(4);
    config.logon.send_next_expected_msg_seq_num = false;
    return config;
  }

  void run_step() {
    const std::size_t from = input_.byte();
    const std::size_t one = from & 1U;
    std::deque<OnItsWay>& messages = ways_[one].messages;
    switch (from / 2 % 12) {
      case 0:
      case 1:
        return send(one);
      case 2:
        return advance(std::chrono::milliseconds{50 * input_.byte()});
      case 3:
        return cut();
      case 4:
        if (!sides_[0].is_connected() && !sides_[1].is_connected()) connect();
        return;
      case 5:
        return harm(messages);
      case 6:
        return overtake(messages);
      case 7:
        if (!messages.empty()) messages.push_back(messages[input_.byte() % messages.size()]);
        return;
      case 8:
        if (!messages.empty()) messages.pop_front();
        return;
      case 9:
        sides_[one].serve_slice();
        return collect();
      default:
        return carry(one, input_.byte() * 8);
    }
  }

  void harm(std::deque<OnItsWay>& messages) {
    if (messages.empty()) return;
    OnItsWay& one = messages[input_.byte() % messages.size()];
    if (one.is_harmed || one.bytes.empty()) return;
    const std::size_t at = input_.byte() % one.bytes.size();
    const std::size_t what = input_.byte();
    if (what == 0) {
      one.bytes.erase(at, 1);
    } else if (what == 1) {
      one.bytes.insert(at, 1, one.bytes[at]);
    } else {
      one.bytes[at] = static_cast<char>(one.bytes[at] ^ static_cast<char>(what));
    }
    one.is_harmed = true;
  }

  void overtake(std::deque<OnItsWay>& messages) {
    if (messages.size() < 2 || messages[0].is_harmed) return;
    std::swap(messages[0], messages[input_.byte() % messages.size()]);
  }

  void send(std::size_t from) {
    const std::string text = "message " + std::to_string(sent_[from].size());
    if (sides_[from].send("D", text) == 0) return;
    sent_[from].push_back(text);
    collect();
  }

  void connect() {
    for (Way& way : ways_) way = {};
    sides_[1].connect();
    sides_[0].connect();
    collect();
  }

  void collect() {
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::string& bytes : sides_[i].consume_wire()) {
        genuine_.insert(bytes);
        ways_[i].messages.push_back({.bytes = std::move(bytes)});
      }
    }
  }

  void cut() {
    for (Side& side : sides_) {
      if (side.is_connected()) side.disconnect();
    }
    for (Way& way : ways_) way = {};
    collect();
  }

  // Delivers this number of bytes.
  void carry(std::size_t from, std::size_t bytes) {
    Way& way = ways_[from];
    while (bytes > 0 && !way.messages.empty()) {
      OnItsWay& front = way.messages.front();
      const std::size_t part = std::min(bytes, front.bytes.size());
      way.received.append(front.bytes, 0, part);
      front.bytes.erase(0, part);
      // A message that has begun to arrive can no longer be changed or overtaken.
      front.is_harmed = true;
      bytes -= part;
      if (!front.bytes.empty()) break;
      way.messages.pop_front();
    }
    receive(way, sides_[1 - from]);
    collect();
    // One side has closed the connection, so the other one sees its end.
    if (sides_[0].is_connected() != sides_[1].is_connected()) cut();
  }

  void receive(Way& way, Side& side) {
    while (!way.received.empty() && side.is_connected()) {
      const wire::FrameResult frame = way.scanner.next(way.received);
      if (frame.status == wire::FrameResult::Status::NeedMore) return;
      const std::string bytes = way.received.substr(0, frame.size);
      way.received.erase(0, frame.size);
      if (frame.status == wire::FrameResult::Status::Garbled) {
        side.garbled(frame.reason);
      } else if (frame.status == wire::FrameResult::Status::Complete) {
        // If the CheckSum is right by chance, the receiver cannot detect the change.
        was_deceived_ |= !genuine_.contains(bytes) && parser_.parse(bytes).has_value();
        side.receive(bytes);
      } else {
        return side.disconnect();
      }
    }
  }

  void advance(std::chrono::milliseconds duration) {
    for (Side& side : sides_) side.advance(duration);
    collect();
    if (sides_[0].is_connected() != sides_[1].is_connected()) cut();
  }

  void exchange() {
    while (!ways_[0].messages.empty() || !ways_[1].messages.empty()) {
      carry(0, SIZE_MAX);
      carry(1, SIZE_MAX);
      if (was_deceived_) return;
    }
    for (Side& side : sides_) {
      while (side.serve_slice()) {
      }
    }
    collect();
  }

  [[nodiscard]] bool is_settled() {
    for (std::size_t i = 0; i < 2; ++i) {
      if (sides_[i].state() != State::LoggedOn || !ways_[i].messages.empty()) return false;
      if (sides_[i].next_out() != sides_[1 - i].next_in()) return false;
      if (sides_[1 - i].delivered.size() < sent_[i].size()) return false;
    }
    return true;
  }

  void settle() {
    cut();
    for (int round = 0; round < kSettlingRoundsMax; ++round) {
      if (sides_[0].is_connected() != sides_[1].is_connected()) cut();
      if (!sides_[0].is_connected()) connect();
      exchange();
      if (was_deceived_ || is_settled()) return;
      advance(std::chrono::seconds{1});
    }
    require(is_settled());
  }

  void check() {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::vector<Delivered>& delivered = sides_[1 - i].delivered;
      require(delivered.size() == sent_[i].size());
      for (std::size_t n = 0; n < delivered.size(); ++n) {
        require(delivered[n].text.ends_with("|58=" + sent_[i][n]));
      }
      require(sides_[i].resets == 0);
    }
  }

  Input& input_;
  Side sides_[2];  // the initiator first
  Way ways_[2];    // from each
  std::vector<std::string> sent_[2];
  std::set<std::string, std::less<>> genuine_;
  wire::Parser parser_;
  bool was_deceived_ = false;
};

}  // namespace
}  // namespace nexusfix::session::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nexusfix::testing::Input input{data, size};
  nexusfix::session::test::Middle{input}.run();
  return 0;
}
