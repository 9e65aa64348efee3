// Every kernel returns the result of the reference parser, for valid and for damaged messages.
//
// A seed makes a body and a series of damaged copies of it. NEXUSFIX_KERNELS_SEED is the first seed
// and NEXUSFIX_KERNELS_SEEDS their number. A failure says how to repeat its seed.
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/wire/parser.hpp>

#include "random/property/wire/wire_generate.hpp"
#include "random/property/wire/wire_reference.hpp"
#include "unit/wire/kernels/kernel_parameters.hpp"
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire {
namespace {

using test::Generator;
using test::ReferenceFault;
using test::ReferenceMessage;

constexpr std::uint64_t kMessagesOfSeed = 16;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
constexpr std::uint64_t kSeeds = 6'000;
#elif defined(__aarch64__)
constexpr std::uint64_t kSeeds = 2'000;  // mostly emulated
#else
constexpr std::uint64_t kSeeds = 62'500;  // a million messages
#endif

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

std::string described(const std::optional<Fault>& fault) {
  if (!fault) return "no fault";
  return "fault " + std::to_string(static_cast<int>(fault->rule)) + " at " +
         std::to_string(fault->offset) + " tag `" + std::string{fault->tag_text} + "`";
}

std::string described(const ReferenceFault* fault) {
  if (fault == nullptr) return "no fault";
  return "fault " + std::to_string(static_cast<int>(fault->rule)) + " at " +
         std::to_string(fault->offset) + " tag `" + fault->tag_text + "`";
}

std::string described(const std::expected<MessageView, ParseError>& message) {
  if (!message) return std::string{to_string(message.error().reason)};
  std::string text;
  for (const FieldView field : *message) {
    text += std::to_string(field.tag) + "@" + std::to_string(field.offset) + "=" +
            std::string{field.value} + "\n";
  }
  return text + described(message->fault()) + ", " + described(message->fault_but_empty());
}

std::string described(const ReferenceMessage& message) {
  if (message.garbled) return std::string{to_string(*message.garbled)};
  std::string text;
  for (const auto& field : message.fields) {
    text += std::to_string(field.tag) + "@" + std::to_string(field.value_offset) + "=" +
            field.value + "\n";
  }
  return text + described(message.first_fault(true)) + ", " + described(message.first_fault(false));
}

bool same(const std::optional<Fault>& got, const ReferenceFault* wanted) {
  if (!got || wanted == nullptr) return !got && wanted == nullptr;
  return got->rule == wanted->rule && got->offset == wanted->offset &&
         got->tag_text == wanted->tag_text;
}

// Does not build the texts above, which would take longer than the parsing.
bool same(const std::expected<MessageView, ParseError>& got, const ReferenceMessage& wanted) {
  if (!got || wanted.garbled) return !got && wanted.garbled == got.error().reason;
  if (got->field_count() != wanted.fields.size()) return false;
  for (std::size_t i = 0; i < wanted.fields.size(); ++i) {
    const FieldView field = got->field(i);
    const test::ReferenceField& reference = wanted.fields[i];
    if (field.tag != reference.tag || field.offset != reference.value_offset ||
        field.value != reference.value) {
      return false;
    }
  }
  return same(got->fault(), wanted.first_fault(true)) &&
         same(got->fault_but_empty(), wanted.first_fault(false));
}

// All kernels that this CPU supports, and the reference.
class Kernels {
 public:
  explicit Kernels(const DataFieldTable& table) : reference_{table} {
    for (const kernels::KernelTable* const kernel : test::every_kernel()) {
      names_.emplace_back(kernel->name);
      parsers_.push_back(std::make_unique<detail::ParserIndex>(table, *kernel));
    }
  }

  bool agree(const std::string& frame) {
    const ReferenceMessage reference = reference_.parse(frame);
    ++messages_;
    if (!reference.garbled) ++well_framed_;
    if (!reference.faults.empty()) ++with_faults_;
    for (std::size_t i = 0; i < parsers_.size(); ++i) {
      const auto got = parsers_[i]->parse(frame);
      if (got && got->shape() != nullptr) ++fitting_;
      if (same(got, reference)) continue;
      EXPECT_EQ(described(got), described(reference))
          << names_[i] << " on " << test::with_pipes(frame);
      return false;
    }
    return true;
  }

  // How often a frame fitted its shape.
  [[nodiscard]] std::uint64_t fitting() const noexcept { return fitting_; }

  // The generator must reach the inner parts of the parser, or an agreement proves nothing.
  void expect_variety() const {
    EXPECT_GT(well_framed_, messages_ / 2);
    EXPECT_LT(well_framed_, messages_);
    EXPECT_GT(with_faults_, messages_ / 4);
    EXPECT_LT(with_faults_, messages_ * 9 / 10);
  }

 private:
  test::ReferenceParser reference_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<detail::ParserIndex>> parsers_;
  std::uint64_t messages_ = 0;
  std::uint64_t well_framed_ = 0;
  std::uint64_t with_faults_ = 0;
  std::uint64_t fitting_ = 0;
};

// One body, unchanged and damaged: its own bytes, in a new envelope, or with a damaged envelope.
bool agree_on_seed(Kernels& kernels, std::uint64_t seed, std::string (*make_body)(Generator&)) {
  Generator generator{seed};
  const std::string body = make_body(generator);
  if (!kernels.agree(Generator::framed(body))) return false;
  for (std::uint64_t i = 1; i < kMessagesOfSeed; ++i) {
    std::string frame = body;
    if (generator.below(4) != 0) {
      generator.damage(frame);
      frame = Generator::framed(frame);
    } else {
      frame = Generator::framed(frame);
      generator.damage(frame);
    }
    if (!kernels.agree(frame)) return false;
  }
  return true;
}

void expect_agreement(const DataFieldTable& table, std::uint64_t seeds,
                      std::string (*make_body)(Generator&)) {
  Kernels kernels{table};
  const std::uint64_t first = from_environment("NEXUSFIX_KERNELS_SEED", 0);
  seeds = from_environment("NEXUSFIX_KERNELS_SEEDS", seeds);
  for (std::uint64_t seed = first; seed != first + seeds; ++seed) {
    ASSERT_TRUE(agree_on_seed(kernels, seed, make_body))
        << "repeat with NEXUSFIX_KERNELS_SEED=" << seed << " NEXUSFIX_KERNELS_SEEDS=1";
  }
  if (seeds >= 1000) kernels.expect_variety();
}

TEST(KernelsProperty, kernels_agree_with_the_reference_on_generated_and_damaged_messages) {
  expect_agreement(DataFieldTable::standard(), kSeeds,
                   [](Generator& generator) { return generator.body(); });
}

TEST(KernelsProperty, kernels_agree_on_messages_of_mostly_ordinary_fields) {
  expect_agreement(DataFieldTable::standard(), kSeeds / 4,
                   [](Generator& generator) { return generator.ordinary_body(); });
}

TEST(KernelsProperty, kernels_agree_on_messages_of_data_fields_and_long_values) {
  expect_agreement(DataFieldTable::standard(), kSeeds / 8,
                   [](Generator& generator) { return generator.sparse_body(); });
}

// Copies of a frame whose shape is known, of the same size and with the right CheckSum.
TEST(KernelsProperty, kernels_agree_on_frames_that_are_compared_with_a_shape) {
  constexpr int kCopies = 8;
  constexpr std::size_t kTrailerBytes = 7;
  Kernels kernels{DataFieldTable::standard()};
  std::uint64_t fitting = 0;
  for (std::uint64_t seed = 0; seed < kSeeds / 40; ++seed) {
    Generator generator{seed};
    const std::string frame =
        Generator::framed(generator.below(4) == 0 ? generator.body() : generator.ordinary_body());
    for (int i = 0; i < kCopies; ++i) {
      // So often that the shape is learned again at once if the last copy did not fit.
      for (int j = 0; j < 20; ++j) ASSERT_TRUE(kernels.agree(frame)) << seed;
      std::string copy = frame.substr(0, frame.size() - kTrailerBytes);
      for (std::uint64_t changes = 1 + generator.below(3); changes > 0; --changes) {
        generator.overwrite(copy);
      }
      copy = test::with_check_sum(copy);
      const std::uint64_t damage = generator.below(8);
      if (damage < 2) generator.overwrite(copy, copy.size() - kTrailerBytes);
      if (damage == 2) copy = Generator::with_raised_check_sum(copy);
      const std::uint64_t before = kernels.fitting();
      ASSERT_TRUE(kernels.agree(copy)) << seed;
      fitting += kernels.fitting() - before;
    }
  }
  EXPECT_GT(fitting, kSeeds / 4'000);
}

// Longer than the windows of any kernel, with data fields across their ends.
TEST(KernelsProperty, kernels_agree_on_messages_far_longer_than_a_window) {
  expect_agreement(DataFieldTable::standard(), kSeeds / 100, [](Generator& generator) {
    std::string body = generator.body();
    while (body.size() < 5000) {
      body += generator.below(2) == 0 ? generator.body() : generator.ordinary_body();
    }
    return body;
  });
}

// Pairs that a user's dictionary may add: tags of five and more digits, and a data field whose tag
// is another pair's Length tag and announces nothing.
TEST(KernelsProperty, kernels_agree_on_the_data_fields_of_a_user) {
  DataFieldTable table = DataFieldTable::standard();
  for (const DataFieldTable::Pair pair :
       {DataFieldTable::Pair{5001, 9'000'001}, DataFieldTable::Pair{20001, 20002},
        DataFieldTable::Pair{96, 97}, DataFieldTable::Pair{9999, 1}}) {
    table.add(pair);
  }
  expect_agreement(table, kSeeds / 10, [](Generator& generator) {
    std::string body = generator.body();
    for (std::uint64_t i = generator.below(4); i > 0; --i) body += generator.user_data();
    return body;
  });
}

}  // namespace
}  // namespace nexusfix::wire
