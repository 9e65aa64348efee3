// When received bytes came, by the kernel's or the card's clock: SO_TIMESTAMPING of a TCP socket.
#pragma once

#include <chrono>
#include <span>
#include <sys/types.h>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::transport {

// Asks the kernel for the times of received packets. None: it gives none.
[[nodiscard]] ReceiveTimestamps ask_for_times(int descriptor, ReceiveTimestamps wanted) noexcept;
// What was asked for, of a socket that another network has opened.
[[nodiscard]] ReceiveTimestamps times_asked_for(int descriptor) noexcept;

// Maps the clock of a network card to the system's. A card stamps a packet before the kernel does,
// so the smallest difference of the two stamps, over some packets, is that of the clocks and of the
// shortest way. No device is opened, and it need not be known which card the packets come from.
class CardClock {
 public:
  // The two last windows count: clocks drift, and an operator may set one of them.
  static constexpr std::chrono::seconds kWindow{1};

  // When the card has stamped a packet, by the system's clock; never later than the kernel's stamp.
  [[nodiscard]] WallTime map(std::chrono::nanoseconds card, WallTime kernel) noexcept;

 private:
  WallTime window_began_{};                  // 1970: there was none
  std::chrono::nanoseconds least_before_{};  // in the window before
  std::chrono::nanoseconds least_{};
};

// The received bytes of one connection.
class TimedReceives {
 public:
  // wanted: not None.
  explicit TimedReceives(ReceiveTimestamps wanted) noexcept : wanted_{wanted} {}

  // As recv().
  [[nodiscard]] ssize_t receive(int descriptor, std::span<char> buffer) noexcept;
  // When the last byte came.
  [[nodiscard]] const ReceiveTime& last() const noexcept { return last_; }

 private:
  ReceiveTimestamps wanted_;
  ReceiveTime last_;
  CardClock card_;
};

}  // namespace nexusfix::transport
