// What a request to OperatorCommands does on a loop's thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "control/api/control_protocol.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

// What the commands to the whole engine need. Any thread.
struct WholeEngine {
  std::vector<LoopContext*> loops;
  std::shared_ptr<TlsContexts> tls;  // null: no session has TLS
};

// A request on its way from another thread to a loop's thread.
struct ControlOrder {
  enum class State : std::uint8_t {
    Waiting,  // for the loop
    Taken,    // by the loop; Answered or Aborted follows
    Answered,
    Aborted,  // no thread waits any more
  };
  // The longest refusal: the loop needs no memory for it.
  static constexpr std::size_t kRefusalBytesMax = 2'000;
  // Sessions that a loop reads in one turn.
  static constexpr std::size_t kRowsMax = 32;

  explicit ControlOrder(ControlRequest of) : request{std::move(of)} {
    refusal.text.reserve(kRefusalBytesMax);
  }
  ControlOrder(const ControlOrder&) = delete;
  ControlOrder& operator=(const ControlOrder&) = delete;
  ~ControlOrder() {
    if (answered >= 0) ::close(answered);
  }

  // Any thread.
  void reply(ControlAnswer all) noexcept;
  // Cuts the text at kRefusalBytesMax.
  void refuse(std::string_view why) noexcept;

  ControlRequest request;
  EngineStatus engine;  // of a StatusRequest
  std::atomic<State> state{State::Waiting};
  ControlAnswer answer;  // the loop writes it before Answered
  Refusal refusal;       // keeps its memory until refuse()
  const int answered = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);  // readable when Answered
};

// The base of all tasks: takes the order once, and answers it in any case.
class ControlTask : public LoopTask {
 public:
  explicit ControlTask(std::shared_ptr<ControlOrder> order) : order_{std::move(order)} {}

 protected:
  // False: the caller waits no more, and nothing must happen.
  [[nodiscard]] bool take() noexcept;
  void reply(ControlAnswer all) noexcept {
    order_->reply(std::move(all));
    order_.reset();
  }
  void refuse(std::string_view why) noexcept {
    order_->refuse(why);
    order_.reset();
  }

  std::shared_ptr<ControlOrder> order_;  // null: it is answered
};

// The task that carries out an order's request. engine must outlive the loops.
[[nodiscard]] std::unique_ptr<LoopTask> make_control_task(std::shared_ptr<ControlOrder> order,
                                                          const WholeEngine& engine);

// What the event log and the store have of a command.
[[nodiscard]] std::string text_of(const OperatorCommand& command);
// order: its request is an OperatorCommand or a RecordRequest. engine must outlive the loops.
[[nodiscard]] std::unique_ptr<LoopTask> make_command_task(std::shared_ptr<ControlOrder> order,
                                                          const WholeEngine& engine);

}  // namespace nexusfix::engine
