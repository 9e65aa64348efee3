// No byte outside of the given ones is read or written, whatever their size: an inaccessible page
// is first before them, then after them.
#include <algorithm>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/sanitized.hpp"
#include "unit/wire/kernels/guarded_bytes.hpp"
#include "unit/wire/kernels/kernel_parameters.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using test::GuardedBytes;
using test::message_of;
using test::with_soh;

constexpr std::size_t kBytesMax = 600;
constexpr std::size_t kRoomBytes = 4096;
// An odd step meets each position in a register of the kernels.
#ifdef __aarch64__
constexpr std::size_t kStep = 3;  // mostly emulated
#else
constexpr std::size_t kStep = case_step(3);
#endif

// Frames of about this size, one for each kind of end of a body that needs the slow path.
std::vector<std::string> frames_of(std::size_t bytes) {
  std::vector<std::string> frames;
  for (const std::string_view version : {"FIX.4.4", "FIXT.1.1", "X"}) {
    const std::size_t around = 16 + version.size();
    const std::size_t text_bytes = bytes > around + 9 ? bytes - around - 9 : 1;
    frames.push_back(message_of("35=0|58=" + std::string(text_bytes, 'x') + "|", version));
    frames.push_back(message_of("35=0|" + std::string(text_bytes, '|'), version));
    frames.push_back(message_of("35=0|58=" + std::string(text_bytes, '=') + "|", version));
    std::string fields;
    while (fields.size() < text_bytes) fields += "1=2|";
    for (const std::string_view end :
         {"", "37|", "1|", "=|", "55=|", "123456789=|", "95=9999|96=a|", "95=1|96=||",
          "95=1|96=", "95=5|9", "10000=x|"}) {
      frames.push_back(message_of("35=0|" + fields + std::string{end}, version));
    }
  }
  return frames;
}

class HostileMemoryTest : public testing::TestWithParam<const kernels::KernelTable*> {
 protected:
  GuardedBytes guarded_{kRoomBytes};
};

// A vector load with a rounded limit reads up to 63 bytes after the buffer, or returns a position
// after its end.
TEST_P(HostileMemoryTest, frames_of_every_size_are_read_between_guard_pages) {
  for (const Checks checks : {Checks{}, Checks{.check_sum = false, .body_length = false}}) {
    detail::ParserIndex parser{DataFieldTable::standard(), *GetParam(), checks};
    for (std::size_t bytes = 0; bytes <= kBytesMax; bytes += kStep) {
      for (const std::string& frame : frames_of(bytes)) {
        for (const std::string_view placed : {guarded_.at_end(frame), guarded_.at_begin(frame)}) {
          const auto message = parser.parse(placed);
          if (!message) continue;
          for (const FieldView field : *message) {
            ASSERT_GE(field.value.data(), placed.data());
            ASSERT_LE(field.value.data() + field.value.size(), placed.data() + placed.size());
          }
        }
      }
    }
  }
}

TEST_P(HostileMemoryTest, bytes_that_are_not_a_frame_are_read_between_guard_pages) {
  detail::ParserIndex parser{DataFieldTable::standard(), *GetParam()};
  detail::ParserIndex lenient{
      DataFieldTable::standard(), *GetParam(), {.check_sum = false, .body_length = false}};
  const std::string frame = message_of("35=D|55=A|95=5|96=a|b=c|58=" + std::string(540, 'x') + "|");
  for (std::size_t bytes = 0; bytes <= kBytesMax; ++bytes) {
    const std::string_view whole{frame};
    const std::string trailer = bytes < 8 ? "" : with_soh("|10=000|");
    for (const std::string& garbage :
         {std::string(bytes, '8'), std::string(bytes, '='), std::string(bytes, '\x01'),
          std::string{whole.substr(0, bytes)}, std::string{whole.substr(bytes % whole.size())},
          std::string(bytes - trailer.size(), '=') + trailer,
          with_soh("8=FIX.4.4|9=") + std::string(bytes, '9') + trailer,
          with_soh("8=FIXT.1.1|9=100|35") + std::string(bytes, '5') + trailer}) {
      static_cast<void>(parser.parse(guarded_.at_end(garbage)));
      static_cast<void>(parser.parse(guarded_.at_begin(garbage)));
      static_cast<void>(lenient.parse(guarded_.at_end(garbage)));
      static_cast<void>(lenient.parse(guarded_.at_begin(garbage)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, HostileMemoryTest, testing::ValuesIn(test::every_kernel()),
                         test::kernel_name);

// A framer reads after the received bytes, or before them.
TEST(HostileMemory, framing_stays_between_guard_pages_for_any_received_bytes) {
  GuardedBytes guarded{kRoomBytes};
  for (const std::string_view version : {"FIX.4.4", "FIXT.1.1", "X"}) {
    for (const std::size_t text_bytes : {1U, 60U, 500U}) {
      const std::string one = message_of("35=0|58=" + std::string(text_bytes, 'x') + "|", version);
      const std::string stream = "garbage" + one + one;
      for (std::size_t from = 0; from < 8 + one.size(); from += kStep) {
        const std::size_t step = from < 40 ? 1 : 13;
        for (std::size_t size = 0; from + size <= stream.size(); size += step) {
          const std::string_view bytes = std::string_view{stream}.substr(from, size);
          for (const std::string_view placed : {guarded.at_end(bytes), guarded.at_begin(bytes)}) {
            Framer framer{placed};
            while (framer.next()) continue;
            FrameScanner scanner;
            const FrameResult result = scanner.next(placed);
            ASSERT_EQ(result.status, next_frame(placed, {}).status);
            if (result.status == FrameResult::Status::NeedMore) {
              ASSERT_GT(result.size, size);
            } else {
              ASSERT_LE(result.size, size);
            }
          }
        }
      }
    }
  }
}

TEST(HostileMemory, a_scanner_that_continues_stays_between_guard_pages) {
  GuardedBytes guarded{kRoomBytes};
  const std::string one = message_of("35=D|95=5|96=a|10=|58=" + std::string(100, 'x') + "|");
  const std::string stream = "8=FI8=FIX.garbage" + one + "8=FIX.4.4|9=9|" + one;
  for (std::size_t step = 1; step < 150; ++step) {
    FrameScanner scanner;
    std::size_t taken = 0;
    std::size_t complete = 0;
    for (std::size_t end = step; taken < stream.size(); end += step) {
      const std::size_t arrived = std::min(end, stream.size());
      while (taken < arrived) {
        const std::string_view rest = std::string_view{stream}.substr(taken, arrived - taken);
        const FrameResult result = scanner.next(guarded.at_end(rest));
        if (result.status == FrameResult::Status::NeedMore) break;
        ASSERT_LE(result.size, rest.size());
        complete += result.status == FrameResult::Status::Complete ? 1 : 0;
        taken += result.size;
      }
      if (arrived == stream.size()) break;
    }
    ASSERT_EQ(complete, 2U) << step;
  }
}

TEST(HostileMemory, check_sums_of_every_size_stay_between_guard_pages) {
  GuardedBytes guarded{kRoomBytes};
  for (std::size_t bytes = 0; bytes <= kBytesMax; ++bytes) {
    const std::string text(bytes, '\xff');
    const auto wanted = static_cast<std::uint8_t>(255 * bytes);
    ASSERT_EQ(check_sum(guarded.at_end(text)), wanted);
    ASSERT_EQ(check_sum(guarded.at_begin(text)), wanted);
  }
}

// A message that does not fit is sent truncated, or written past the end of the buffer.
TEST(HostileMemory, an_encoder_writes_between_guard_pages_or_reports_that_it_does_not_fit) {
  GuardedBytes guarded{kRoomBytes};
  HeaderTemplate session = *HeaderTemplate::make({"FIX.4.4", "SENDER", "TARGET"});
  std::size_t whole_bytes = 0;
  for (std::size_t size = 0; size <= kBytesMax; ++size) {
    const std::string filler(size, '#');
    for (const bool at_end : {true, false}) {
      const std::string_view room = at_end ? guarded.at_end(filler) : guarded.at_begin(filler);
      Encoder encoder{std::span{const_cast<char*>(room.data()), room.size()},
                      session,
                      {.msg_type = "D", .msg_seq_num = 7, .sending_time = {}}};
      encoder.field(58, std::string(100, 'x')).field(55, "AAPL").field(38, -12'345'678'901);
      encoder.field(44, Decimal{123'456'789, 2}).field(60, WallTime{}, TimePrecision::Picos);
      encoder.field(54, '1').field(43, true).data(95, 96, std::string(50, '\x01'));
      const auto message = encoder.finish();
      if (!message) {
        ASSERT_EQ(message.error().code, EncodeErrorCode::BufferFull);
        ASSERT_EQ(whole_bytes, 0U) << "what fitted before must fit into more";
        continue;
      }
      if (whole_bytes == 0) whole_bytes = message->size();
      ASSERT_EQ(message->size(), whole_bytes);
      ASSERT_EQ(next_frame(*message, {}).size, whole_bytes);
    }
  }
  EXPECT_GT(whole_bytes, 0U);
}

}  // namespace
}  // namespace nexusfix::wire
