// Every kernel gives the same answer as the reference parser, on good and on damaged messages.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <nexusfix/wire/parser.hpp>

#include "property/wire_generate.hpp"
#include "property/wire_reference.hpp"
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire {
namespace {

using test::Generator;
using test::ReferenceFault;
using test::ReferenceMessage;

constexpr std::uint64_t kMessages = 150'000;

std::string described(const std::optional<Fault>& fault) {
  if (!fault) return "no fault";
  return "fault " + std::to_string(static_cast<int>(fault->rule)) + " at " +
         std::to_string(fault->offset) + " tag `" + std::string{fault->tag_text} + "`";
}

std::string described(const std::vector<ReferenceFault>& faults, bool empty_counts) {
  for (const ReferenceFault& fault : faults) {
    if (fault.rule == FaultRule::ValueEmpty && !empty_counts) continue;
    return "fault " + std::to_string(static_cast<int>(fault.rule)) + " at " +
           std::to_string(fault.offset) + " tag `" + fault.tag_text + "`";
  }
  return "no fault";
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
  return text + described(message.faults, true) + ", " + described(message.faults, false);
}

class KernelProperty : public testing::Test {
 protected:
  KernelProperty() {
    const kernels::KernelList all = kernels::all();
    for (std::size_t i = 0; i < all.count; ++i) {
      if (!all.tables[i]->supported()) continue;
      names_.emplace_back(all.tables[i]->name);
      parsers_.push_back(std::make_unique<ParserIndex>(DataFieldTable::standard(), *all.tables[i]));
    }
  }

  // True: all kernels agree with the reference.
  bool agree(const std::string& frame) {
    const ReferenceMessage reference = reference_.parse(frame);
    const std::string wanted = described(reference);
    if (!reference.garbled) ++well_framed_;
    if (!reference.faults.empty()) ++with_faults_;
    for (std::size_t i = 0; i < parsers_.size(); ++i) {
      const std::string got = described(parsers_[i]->parse(frame));
      EXPECT_EQ(got, wanted) << names_[i] << " on " << test::with_pipes(frame);
      if (got != wanted) return false;
    }
    return true;
  }

  test::ReferenceParser reference_{DataFieldTable::standard()};
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<ParserIndex>> parsers_;
  std::uint64_t well_framed_ = 0;
  std::uint64_t with_faults_ = 0;
};

TEST_F(KernelProperty, kernels_agree_with_the_reference_on_generated_and_damaged_messages) {
  for (std::uint64_t seed = 0; seed < kMessages; ++seed) {
    Generator generator{seed};
    std::string frame;
    if (generator.below(3) == 0) {
      frame = Generator::framed(generator.body());
      generator.damage(frame);  // the envelope too
    } else {
      std::string body = generator.body();
      if (generator.below(2) == 0) generator.damage(body);
      frame = Generator::framed(body);
    }
    ASSERT_TRUE(agree(frame)) << "seed " << seed;
  }
  // The generator must reach the parser's inside, or the agreement says nothing.
  EXPECT_GT(well_framed_, kMessages / 2);
  EXPECT_GT(with_faults_, kMessages / 4);
}

TEST_F(KernelProperty, kernels_agree_on_messages_far_longer_than_a_block) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Generator generator{seed};
    std::string body = generator.body();
    while (body.size() < 5000) body += generator.body();
    ASSERT_TRUE(agree(Generator::framed(body))) << "seed " << seed;
  }
}

}  // namespace
}  // namespace nexusfix::wire
