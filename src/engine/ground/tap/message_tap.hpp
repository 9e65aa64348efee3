// Passes the messages of one event loop to its readers, and to the program's message log.
#pragma once

#include <memory>
#include <vector>

#include <nexusfix/observe/message_log.hpp>

#include "engine/ground/tap/tap_channel.hpp"

namespace nexusfix::engine {

// The loop's thread only.
class MessageTap final : public observe::MessageLog {
 public:
  // log: of the program; null: there is none.
  explicit MessageTap(observe::MessageLog* log) noexcept : log_{log} {}
  ~MessageTap() override;

  // False: no one listens, and write() need not be called.
  [[nodiscard]] bool is_heard() const noexcept { return log_ != nullptr || !channels_.empty(); }
  // A reader listens from here on. Removes those that have gone.
  void add(std::shared_ptr<TapChannel> channel);
  // Throws what the program's log throws.
  void write(const observe::LoggedMessage& message) override;

 private:
  observe::MessageLog* log_;
  std::vector<std::shared_ptr<TapChannel>> channels_;
};

}  // namespace nexusfix::engine
