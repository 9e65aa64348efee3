#include "faults/attack/traders.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <stdexcept>
#include <utility>

#include <nexusfix/wire/frame.hpp>

#include "faults/attack/attack_message.hpp"
#include "transport/api/tls.hpp"

namespace nexusfix::attack {
namespace {

using IoStatus = transport::IoResult::Status;
using transport::Ready;
using ReadyKind = transport::Ready::Kind;

std::unique_ptr<transport::Network> make_network() {
  auto network = transport::make_epoll_network();
  if (!network) throw std::runtime_error{network.error().text};
  return std::move(*network);
}

}  // namespace

std::chrono::nanoseconds own_time() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

double percentile_us(std::vector<std::chrono::nanoseconds> times, unsigned percent) {
  if (times.empty()) return 0;
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(times.size() * percent / 100);
  std::nth_element(times.begin(), at, times.end());
  return std::chrono::duration<double, std::micro>(*at).count();
}

bool Inbox::receive(transport::Network& network, transport::SocketId socket) {
  std::array<char, 16'384> buffer;
  const transport::IoResult result = network.receive(socket, buffer);
  if (result.status == IoStatus::WouldBlock) return true;
  if (result.status != IoStatus::Ok) return false;
  bytes_.append(buffer.data(), result.bytes);
  wire::Framer framer{bytes_};
  while (const auto frame = framer.next()) messages_.emplace_back(*frame);
  bytes_ = std::string{framer.rest()};
  return true;
}

LiveTraders::LiveTraders(std::size_t count, const Venue& venue)
    : inner_{make_network()}, network_{transport::make_tls_network(*inner_)} {
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_protected = i + venue.protected_count >= count;
    const auto socket = network_->connect(
        is_protected ? venue.protected_one : transport::Endpoint{"127.0.0.1", venue.port});
    if (!socket) throw std::runtime_error{socket.error().text};
    traders_.push_back({.name = "LIVE" + std::to_string(i), .socket = *socket});
  }
}

std::string LiveTraders::order_of(const Trader& trader) {
  return trader.name + "-" + std::to_string(trader.answers);
}

std::size_t LiveTraders::least_answers() const noexcept {
  return std::ranges::min_element(traders_, {}, &Trader::answers)->answers;
}

void LiveTraders::poll(AnswerTimes* times) {
  std::array<Ready, 256> ready;
  const std::size_t count = network_->wait(ready, std::chrono::nanoseconds{0});
  for (std::size_t i = 0; i < count; ++i) {
    Trader& trader = *std::ranges::find(traders_, ready[i].socket, &Trader::socket);
    if (ready[i].kind == ReadyKind::Connected) {
      send(trader, logon(trader.name));
    }
    if (ready[i].kind == ReadyKind::Failed ||
        (ready[i].kind == ReadyKind::Readable && !trader.inbox.receive(*network_, trader.socket))) {
      trouble_ = trader.name + " was closed";
      network_->close(trader.socket);
      continue;
    }
    for (const std::string& answer : trader.inbox.take()) take(trader, answer, times);
  }
}

// Each message once, in order.
void LiveTraders::take(Trader& trader, const std::string& answer, AnswerTimes* times) {
  const std::string text = testing::bar(answer);
  const std::string expected = trader.answers == 0 ? "|35=A|" : "|11=" + order_of(trader) + "|";
  if (text.find(expected) == std::string::npos) {
    trouble_ = trader.name + " has got " + text + " instead of " + expected;
  }
  if (times != nullptr && trader.answers > 0) {
    times->by_clock.push_back(steady_clock::now() - trader.sent_at);
    times->by_own_time.push_back(own_time() - trader.sent_own);
  }
  ++trader.answers;
  ++answers_;
  send(trader, message(trader.name, "D", trader.answers + 1, "11=" + order_of(trader) + "|"));
}

// A short message on a connection without queued bytes: the socket takes all of it.
void LiveTraders::send(Trader& trader, const std::string& bytes) {
  trader.sent_at = steady_clock::now();
  trader.sent_own = own_time();
  if (network_->send(trader.socket, bytes).bytes != bytes.size()) {
    trouble_ = trader.name + " could not send";
  }
}

Visitor::Visitor(Visit visit)
    : visit_{std::move(visit)},
      inner_{make_network()},
      protected_{transport::make_tls_network(*inner_)},
      network_{*protected_} {
  transport::Endpoint venue{visit_.host, visit_.port};
  venue.options.source_host = visit_.from;
  venue.tls = visit_.tls;
  const auto socket = network_.connect(venue);
  if (socket) {
    socket_ = *socket;
  } else {
    end(socket.error().text);
  }
}

Visitor::~Visitor() { network_.close(socket_); }

void Visitor::end(const std::string& trouble) {
  trouble_ = trouble.empty() ? trouble : visit_.who + ": " + trouble;
  is_over_ = true;
}

void Visitor::poll() {
  std::array<Ready, 4> ready;
  const std::size_t count = network_.wait(ready, std::chrono::nanoseconds{0});
  for (std::size_t i = 0; i < count && !is_over_; ++i) {
    if (ready[i].kind == ReadyKind::Connected) {
      send(logon(visit_.who, visit_.logon_fields));
    } else if (ready[i].kind == ReadyKind::Failed || !inbox_.receive(network_, socket_)) {
      return end("closed after " + std::to_string(answers_) +
                 " answers: " + network_.last_error(socket_));
    }
    for (const std::string& answer : inbox_.take()) take(answer);
  }
}

void Visitor::take(const std::string& answer) {
  ++answers_;
  const std::string text = testing::bar(answer);
  const std::array expected{"|35=A|", "|11=VISIT|", "|35=5|"};
  if (text.find(expected[answers_ - 1]) == std::string::npos) return end("has got " + text);
  if (answers_ == 1) {
    logon_time_ = steady_clock::now() - begun_;
    send(message(visit_.who, "D", 2, "11=VISIT|"));
  } else if (answers_ == 2) {
    send(message(visit_.who, "5", 3, ""));
  } else {
    end({});
  }
}

void Visitor::send(const std::string& bytes) {
  if (network_.send(socket_, bytes).bytes != bytes.size()) end("could not send");
}

}  // namespace nexusfix::attack
