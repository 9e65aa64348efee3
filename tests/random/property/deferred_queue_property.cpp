// For any sequence of operations of its two sides, a queue behaves like a list with a limit.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/deferred.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>

namespace nexusfix::deferred {
namespace {

// The operation and its size.
using Step = std::pair<std::uint8_t, std::uint16_t>;

RC_GTEST_PROP(QueueProperty, slots_are_a_list_with_a_limit, (std::vector<Step> steps)) {
  constexpr std::size_t kCapacity = 8;
  SpscQueue<int, kCapacity> queue;
  std::deque<int> model;
  int next = 0;
  for (const auto& [what, how_much] : steps) {
    std::array<int, 2 * kCapacity> batch{};
    const std::size_t count = how_much % batch.size();
    switch (what % 5) {
      case 0: {
        const bool pushed = queue.push(next);
        RC_ASSERT(pushed == (model.size() < kCapacity));
        if (pushed) model.push_back(next++);
        break;
      }
      case 1: {
        for (std::size_t i = 0; i < count; ++i) batch[i] = next + static_cast<int>(i);
        const std::size_t pushed = queue.push_batch(std::span{batch}.first(count));
        RC_ASSERT(pushed == std::min(count, kCapacity - model.size()));
        for (std::size_t i = 0; i < pushed; ++i) model.push_back(next++);
        break;
      }
      case 2: {
        int value = -1;
        RC_ASSERT(queue.pop(value) == !model.empty());
        if (model.empty()) break;
        RC_ASSERT(value == model.front());
        model.pop_front();
        break;
      }
      case 3: {
        const std::size_t popped = queue.pop_batch(std::span{batch}.first(count));
        RC_ASSERT(popped == std::min(count, model.size()));
        for (std::size_t i = 0; i < popped; ++i, model.pop_front()) {
          RC_ASSERT(batch[i] == model.front());
        }
        break;
      }
      default: {
        const std::span<int> some = queue.readable();
        RC_ASSERT(some.empty() == model.empty());
        for (std::size_t i = 0; i < some.size(); ++i) RC_ASSERT(some[i] == model[i]);
        const std::size_t released = std::min(some.size(), count);
        queue.release(released);
        model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(released));
      }
    }
    RC_ASSERT(queue.size() == model.size());
  }
}

RC_GTEST_PROP(QueueProperty, byte_records_are_a_list_with_a_limit, (std::vector<Step> steps)) {
  RecordQueue queue{256};
  std::deque<std::string> model;
  char next = 'a';
  for (const auto& [what, how_much] : steps) {
    switch (what % 4) {
      case 0:
      case 1: {
        const std::size_t claimed = how_much % (queue.record_bytes_max() + 8);
        const bool was_empty = queue.size_bytes() == 0;
        const auto room = queue.claim(claimed);
        if (!room) {
          RC_ASSERT((room.error() == RecordQueue::Error::TooLong) ==
                    (claimed > queue.record_bytes_max()));
          // An empty ring accepts every size below its maximum.
          RC_ASSERT(room.error() == RecordQueue::Error::TooLong || !was_empty);
          break;
        }
        RC_ASSERT(room->size() == claimed);
        if (how_much % 7 == 0) break;  // forgotten
        const std::size_t used = how_much % 3 == 0 ? claimed / 2 : claimed;
        std::memset(room->data(), next, claimed);
        queue.commit(used);
        model.emplace_back(used, next);
        next = next == 'z' ? 'a' : static_cast<char>(next + 1);
        break;
      }
      case 2: {
        const auto record = queue.read();
        RC_ASSERT(record.has_value() == !model.empty());
        if (!record) break;
        RC_ASSERT(record->size() == model.front().size());
        RC_ASSERT(record->empty() ||
                  std::memcmp(record->data(), model.front().data(), record->size()) == 0);
        model.pop_front();
        break;
      }
      default:
        queue.release();
    }
  }
}

RC_GTEST_PROP(QueueProperty, buffers_of_any_length_are_a_list_with_a_limit,
              (std::vector<Step> steps)) {
  constexpr std::size_t kCapacity = 8;
  using Buffer = MessageBuffer<300>;
  detail::BufferRing<Buffer, kCapacity> ring;
  std::deque<std::pair<std::string, std::int64_t>> model;
  std::int64_t next = 0;
  for (const auto& [what, how_much] : steps) {
    if (what % 3 != 0) {
      Buffer* const buffer = ring.claim();
      RC_ASSERT((buffer != nullptr) == (model.size() < kCapacity));
      if (buffer == nullptr) continue;
      const std::string text(how_much % 302, static_cast<char>('a' + next % 26));
      const bool fits = buffer->assign(text, WallTime{std::chrono::nanoseconds{next}});
      RC_ASSERT(fits == (text.size() <= Buffer::kBytesMax));
      if (!fits || how_much % 7 == 0) continue;  // forgotten
      ring.commit();
      model.emplace_back(text, next++);
    } else {
      const std::size_t count_max = how_much % (2 * kCapacity);
      detail::Buffers<Buffer> some = ring.readable(count_max);
      const std::size_t count = some.count();
      // The reader sees committed records with a delay, but always some if there are any.
      RC_ASSERT(count <= std::min(count_max, model.size()));
      RC_ASSERT((count == 0) == (count_max == 0 || model.empty()));
      for (; some.count() != 0; some.drop_front(), model.pop_front()) {
        RC_ASSERT(some.front()->bytes() == model.front().first);
        RC_ASSERT(some.front()->time().time_since_epoch().count() == model.front().second);
      }
      ring.release(count, some);
    }
    RC_ASSERT(ring.empty() == model.empty());
    // The content of the ring has not been overwritten.
    detail::Buffers<Buffer> all = ring.readable(kCapacity);
    for (const auto& [text, time] : model) {
      if (all.count() == 0) break;
      RC_ASSERT(all.front()->bytes() == text);
      all.drop_front();
    }
  }
  RC_ASSERT(ring.pushed() == static_cast<std::uint64_t>(next));
}

}  // namespace
}  // namespace nexusfix::deferred
