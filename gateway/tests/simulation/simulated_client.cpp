#include "simulation/simulated_client.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace nexusfix::gateway {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kSession = "FIX.4.4:TRADER->VENUE";
// Long enough that a few reports fill the queue of a client that does not read.
constexpr std::size_t kTextBytes = 400;

std::string_view field(std::string_view message, std::string_view tag) {
  const std::string begin = "\x01" + std::string{tag} + "=";
  const std::size_t at = message.find(begin);
  if (at == message.npos) return {};
  const std::string_view rest = message.substr(at + begin.size());
  return rest.substr(0, rest.find('\x01'));
}

std::string order_text(std::uint64_t number) {
  return "35=D\x01"
         "11=" +
         std::to_string(number) +
         "\x01"
         "55=AAPL\x01"
         "54=1\x01"
         "38=100\x01"
         "40=1\x01"
         "58=" +
         std::string(1 + number * 37 % kTextBytes, 'x') + '\x01';
}

}  // namespace

void SimulatedClient::step() {
  be_struck();
  const simulator::WorldTime now = world_.now();
  if (socket_ == nullptr) {
    if (now >= back_at_) attach();
    return;
  }
  if (now >= reads_at_) read_frames();
  if (socket_ != nullptr) send_orders();
}

void SimulatedClient::be_struck() {
  if (world_.now() >= options_.calm) {
    reads_at_ = {};
    is_slow_ = false;
    return;
  }
  if (socket_ == nullptr) return;
  if (chance_of_one_in(1'500)) {
    ++counts_.killed;
    return die();
  }
  if (chance_of_one_in(2'000)) {
    ++counts_.paused;
    reads_at_ = world_.now() + std::chrono::milliseconds{world_.random().below(15'000)};
  }
  if (chance_of_one_in(800)) is_slow_ = !is_slow_;
}

void SimulatedClient::attach() {
  back_at_ = world_.now() + 200ms;
  socket_ = connect_();
  if (socket_ == nullptr) return;
  HelloText hello{.name = options_.name, .token = "0123456789abcdef"};
  hello.is_in_order = options_.is_in_order;
  hello.cursors.push_back({std::string{kSession}, false, received_});
  if (options_.is_observer) hello.cursors.push_back({std::string{kSession}, true, sent_});
  std::vector<char> frame;
  append_frame(frame, {.kind = FrameKind::Hello}, write_hello(hello));
  socket_->to_gateway.append(frame.data(), frame.size());
}

// What was on its way to it is gone.
void SimulatedClient::die() {
  if (socket_ != nullptr) socket_->is_closed_by_client = true;
  socket_ = nullptr;
  bytes_.clear();
  next_ = unanswered_ = refused_ = 0;
  sends_at_ = reads_at_ = {};
  is_caught_up_ = false;
  back_at_ = world_.now() + std::chrono::milliseconds{1 + world_.random().below(3'000)};
}

void SimulatedClient::read_frames() {
  const bool is_over = socket_->is_closed_by_gateway;
  std::string& arrived = socket_->to_client;
  std::size_t size = is_slow_ ? std::min<std::size_t>(arrived.size(), 100) : arrived.size();
  // A connection that a killed gateway has closed may lose what was not read.
  if (is_over && chance_of_one_in(2)) size = world_.random().below(arrived.size() + 1);
  bytes_.append(arrived, 0, size);
  arrived.erase(0, size);
  while (socket_ != nullptr) {
    const std::size_t length = frame_bytes(bytes_).value_or(0);
    if (length == 0 || length > bytes_.size()) break;
    const std::string frame = bytes_.substr(0, length);
    bytes_.erase(0, length);
    handle(*read_frame(frame));
  }
  if (is_over && socket_ != nullptr) die();
}

void SimulatedClient::handle(const Frame& frame) {
  const FrameHeader& header = frame.header;
  switch (header.kind) {
    case FrameKind::Welcome:
      ++counts_.attached;
      if (header.number < accepted_) {
        world_.found("accepted-lost", "the Welcome has " + std::to_string(header.number) +
                                          ", and accepted was " + std::to_string(accepted_));
      }
      accepted_ = header.number;
      next_ = accepted_ + 1;
      break;
    case FrameKind::Accepted:
      --unanswered_;
      if (header.number <= accepted_ || header.flags == kFlagDuplicate ||
          (options_.is_in_order && header.number != accepted_ + 1) || header.msg_seq_num == 0) {
        world_.found("accepted-out-of-order", "number " + std::to_string(header.number) +
                                                  " after " + std::to_string(accepted_));
      }
      accepted_ = header.number;
      break;
    case FrameKind::Refused:
      --unanswered_;
      ++counts_.refused;
      if (refused_ == 0) {
        refused_ = header.number;
        sends_at_ = world_.now() + 1ms + std::chrono::milliseconds{header.msg_seq_num};
      }
      break;
    case FrameKind::Message:
      handle_message(frame);
      break;
    case FrameKind::CaughtUp:
      is_caught_up_ = true;
      break;
    case FrameKind::Closed:
      if (header.code == static_cast<std::uint32_t>(CloseCode::TooSlow)) {
        ++counts_.too_slow;
      } else if (header.code != static_cast<std::uint32_t>(CloseCode::Stopping) &&
                 header.code != static_cast<std::uint32_t>(CloseCode::AlreadyAttached)) {
        world_.found("client-closed", std::to_string(header.code) + ": " + std::string{frame.body});
      }
      die();
      break;
    default:
      break;
  }
}

// The effect and the cursor are one write of the client's own store.
void SimulatedClient::handle_message(const Frame& frame) {
  const bool is_sent = (frame.header.flags & kFlagSent) != 0;
  MessagePlace& cursor = is_sent ? sent_ : received_;
  const MessagePlace place{frame.header.epoch, frame.header.msg_seq_num};
  if (place <= cursor) {
    world_.found("message-repeated", options_.name + ": MsgSeqNum " +
                                         std::to_string(place.msg_seq_num) + " after " +
                                         std::to_string(cursor.msg_seq_num));
  }
  cursor = place;
  counts_.from_journal += (frame.header.flags & kFlagFromJournal) != 0 ? 1 : 0;
  std::string key{field(frame.body, "11")};
  if (!is_sent) key += " " + std::string{field(frame.body, "150")};
  ++handled_[key];
}

void SimulatedClient::send_orders() {
  const simulator::WorldTime now = world_.now();
  if (next_ == 0 || options_.is_observer || now >= options_.stops || now < sends_at_) return;
  if (refused_ != 0) {
    // Once all answers have come, the refused order is the next one.
    if (unanswered_ != 0) return;
    next_ = options_.is_in_order ? refused_ : std::max(refused_, accepted_ + 1);
    refused_ = 0;
  }
  for (std::uint64_t i = world_.random().below(4); i > 0 && unanswered_ < options_.window; --i) {
    if (socket_->to_gateway.size() > SimulatedSocket::kRoom) return;
    std::vector<char> bytes;
    append_frame(bytes, {.kind = FrameKind::Send, .number = next_}, order_text(next_));
    socket_->to_gateway.append(bytes.data(), bytes.size());
    ++next_;
    ++unanswered_;
  }
}

}  // namespace nexusfix::gateway
