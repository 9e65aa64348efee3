#include "engine/inbox/control.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <new>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <nexusfix/engine/live_numbers.hpp>

#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {
namespace {

// One line: the command and its fields, separated by tabs. The answer is kDone, or the reason why
// it was refused.
constexpr std::string_view kCommand = "set-numbers";
constexpr std::string_view kDone = "done";
constexpr std::size_t kFields = 7;

bool is_printable(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= ' ' && byte != 0x7f;
  });
}

std::optional<std::uint64_t> to_number(std::string_view text) noexcept {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string line_of(const LiveNumbers& request) {
  std::string line{kCommand};
  for (const std::uint64_t number : {request.expected.next_inbound, request.expected.next_outbound,
                                     request.wanted.next_inbound, request.wanted.next_outbound}) {
    (line += '\t') += std::to_string(number);
  }
  return ((line += '\t') += request.session + '\t') += request.reason;
}

std::optional<LiveNumbers> read_request(std::string_view line) {
  std::array<std::string_view, kFields> fields;
  for (std::size_t i = 0; i < kFields; ++i) {
    const std::size_t tab = line.find('\t');
    if ((tab == std::string_view::npos) != (i + 1 == kFields)) return std::nullopt;
    fields[i] = line.substr(0, tab);
    if (!is_printable(fields[i])) return std::nullopt;
    if (tab != std::string_view::npos) line.remove_prefix(tab + 1);
  }
  const auto in = to_number(fields[1]);
  const auto out = to_number(fields[2]);
  const auto next_in = to_number(fields[3]);
  const auto next_out = to_number(fields[4]);
  if (fields[0] != kCommand || !in || !out || !next_in || !next_out) return std::nullopt;
  if (fields[6].size() > kLiveReasonBytesMax) return std::nullopt;
  return LiveNumbers{.session = std::string{fields[5]},
                     .expected = {.next_inbound = *in, .next_outbound = *out},
                     .wanted = {.next_inbound = *next_in, .next_outbound = *next_out},
                     .reason = std::string{fields[6]}};
}

// The loop needs no memory for an answer.
constexpr std::size_t kAnswerBytesMax = 500;

// A command on its way from the socket's thread to a loop's thread.
struct Order {
  enum class State : std::uint8_t {
    Waiting,  // for the loop
    Taken,    // by the loop; Answered or Aborted follows
    Answered,
    Aborted,  // no thread waits any more
  };

  LiveNumbers request;
  std::atomic<State> state{State::Waiting};
  std::string answer;  // the loop writes it before Answered
  const int answered = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);  // readable when Answered

  Order() { answer.reserve(kAnswerBytesMax); }
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;
  ~Order() {
    if (answered >= 0) ::close(answered);
  }

  void reply(std::string_view text) noexcept {
    answer.assign(text.substr(0, kAnswerBytesMax));
    state.store(State::Answered, std::memory_order_release);  // Pairs with wait_for().
    const std::uint64_t one = 1;
    static_cast<void>(!::write(answered, &one, sizeof one));
  }
};

// The first run sets the sequence numbers; it runs again until they are durable in the log.
class SetNumbers final : public LoopTask {
 public:
  explicit SetNumbers(std::shared_ptr<Order> order) : order_{std::move(order)} {}
  ~SetNumbers() override {
    if (!order_) return;
    order_->reply(set_at_ ? "they are set, but the engine has ended, or has no memory, before it "
                            "knew that the disk has them: look at them with nexusfix journal show"
                          : "the engine has ended, or has no memory: nothing was set");
  }
  void run(EventLoop& event_loop) override {
    if (!set_at_) {
      auto waiting = Order::State::Waiting;
      if (!order_->state.compare_exchange_strong(waiting, Order::State::Taken)) {
        return order_.reset();
      }
      std::string refusal = set(event_loop);
      if (!refusal.empty()) return reply(refusal);
      event_loop.wake();  // The disk may have them at the end of this turn.
    }
    if (event_loop.store().durable() >= *set_at_) return reply(kDone);
    if (order_->state.load() == Order::State::Aborted) return order_.reset();
  }
  [[nodiscard]] bool comes_back() const noexcept override { return order_ != nullptr; }

 private:
  [[nodiscard]] std::string set(EventLoop& event_loop) {
    const LiveNumbers& request = order_->request;
    SessionEntry* const entry = event_loop.registry().find_entry(request.session);
    if (entry == nullptr) return "the engine serves no session " + request.session + " from here";
    const session::Numbers now = entry->machine.sequence_numbers();
    if (now != request.expected) {
      return "they have moved meanwhile: the next ones are in " + std::to_string(now.next_inbound) +
             ", out " + std::to_string(now.next_outbound);
    }
    auto done = event_loop.control().set_next_numbers(*entry, request.wanted, request.reason);
    if (!done) return std::move(done.error());
    set_at_ = event_loop.store().appended();
    return {};
  }
  void reply(std::string_view text) noexcept {
    order_->reply(text);
    order_.reset();
  }

  std::shared_ptr<Order> order_;
  std::optional<store::LogPosition> set_at_;
};

// Waits until the order is answered, the time-out has passed, or stop is readable.
std::string wait_for(Order& order, std::chrono::milliseconds timeout, int stop) {
  SystemClock clock;
  const MonoTime deadline = clock.now().mono + timeout;
  std::array<pollfd, 2> waited{pollfd{order.answered, POLLIN, 0}, pollfd{stop, POLLIN, 0}};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.now().mono);
    if (left.count() <= 0) break;
    const int count = ::poll(waited.data(), waited.size(), static_cast<int>(left.count()));
    if (count != 0 && !(count < 0 && errno == EINTR)) break;
  }
  auto waiting = Order::State::Waiting;
  if (order.state.compare_exchange_strong(waiting, Order::State::Aborted)) {
    return "the engine did not look at it in time: nothing was set";
  }
  auto taken = Order::State::Taken;
  if (order.state.compare_exchange_strong(taken, Order::State::Aborted)) {
    return "the engine has taken it, but the disk did not have it in time: look at the sequence "
           "numbers "
           "with nexusfix journal show";
  }
  return order.answer;
}

}  // namespace

std::expected<std::unique_ptr<Control>, std::string> Control::open(
    std::vector<Place> places, std::chrono::milliseconds loop_timeout) {
  std::unique_ptr<Control> control{new Control{std::move(places), loop_timeout}};
  std::vector<std::string> paths;
  for (const Place& place : control->places_) paths.push_back(place.folder + "/control");
  auto server = transport::LocalServer::open(paths, *control);
  if (!server) return std::unexpected{std::move(server.error().text)};
  control->server_ = std::move(*server);
  return control;
}

Control::~Control() = default;

// The record has the user and the process that the kernel reports, beside the reason that the
// client gives.
std::string Control::answer(std::size_t socket, const transport::LocalPeer& peer,
                            std::string_view line, int stop) {
  auto request = read_request(line);
  if (!request) return "this is no command that the engine knows: nothing was set";
  auto order = std::make_shared<Order>();
  if (order->answered < 0) return "the engine is out of descriptors: nothing was set";
  order->request = std::move(*request);
  order->request.reason += " (given to the running engine by user " + std::to_string(peer.user) +
                           ", process " + std::to_string(peer.process) + ")";
  places_[socket].room->add(std::make_unique<SetNumbers>(order));
  return wait_for(*order, loop_timeout_, stop);
}

std::expected<void, LiveError> set_live_numbers(const std::string& folder,
                                                const LiveNumbers& request,
                                                std::chrono::milliseconds timeout) {
  const std::string line = line_of(request);
  if (!read_request(line)) {
    return std::unexpected{LiveError{
        .text = "the session's name and the reason go to the running engine as one line: printable "
                "characters, and a reason of up to " +
                std::to_string(kLiveReasonBytesMax) + " bytes"}};
  }
  auto answer = transport::ask_local(folder + "/control", line, timeout);
  if (!answer) {
    const int error_number = answer.error().error_number;
    const bool is_absent = error_number == ENOENT || error_number == ECONNREFUSED;
    std::string text = std::move(answer.error().text);
    if (error_number == ETIMEDOUT) {
      text +=
          ", so it is not known what came of it: nexusfix journal show shows the sequence numbers";
    }
    return std::unexpected{LiveError{.is_absent = is_absent, .text = std::move(text)}};
  }
  if (*answer == kDone) return {};
  return std::unexpected{LiveError{.text = std::move(*answer)}};
}

}  // namespace nexusfix::engine
