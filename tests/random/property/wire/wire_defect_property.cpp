// Every kind of defect at every field of messages of every length, every possible head of a
// message, and every policy: each kernel returns the reference parser's result.
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "random/property/wire/wire_comparison.hpp"
#include "unit/wire/kernels/kernel_parameters.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using test::with_check_sum;
using test::with_pipes;
using test::with_soh;

// They share no divisor with a block's 64 bytes.
#if defined(__aarch64__)
constexpr std::size_t kLengthStep = 13;  // mostly emulated
#elif defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
constexpr std::size_t kLengthStep = 7;
#else
constexpr std::size_t kLengthStep = 1;
#endif
constexpr std::size_t kStep = kLengthStep == 1 ? 1 : 3;  // through what is not a length

// A reference and a parser for each kernel, under one policy.
class Kernels {
 public:
  explicit Kernels(Checks checks = {},
                   const DataFieldTable& data_fields = DataFieldTable::standard())
      : reference_{data_fields, checks} {
    for (const kernels::KernelTable* const kernel : test::every_kernel()) {
      names_.emplace_back(kernel->name);
      parsers_.emplace_back(data_fields, *kernel, checks);
    }
  }

  // Empty, or the kernel that differs from the reference, with the difference.
  std::string disagreement(const std::string& frame) {
    const test::ReferenceMessage wanted = reference_.parse(frame);
    accepted_ += wanted.garbled ? 0 : 1;
    faulty_ += wanted.faults.empty() ? 0 : 1;
    for (std::size_t i = 0; i < parsers_.size(); ++i) {
      const std::string difference = test::difference(parsers_[i].parse(frame), wanted);
      if (!difference.empty()) return names_[i] + ": " + difference + " in " + with_pipes(frame);
    }
    return {};
  }
  std::size_t accepted() const { return accepted_; }
  std::size_t faulty() const { return faulty_; }

 private:
  test::ReferenceParser reference_;
  std::vector<std::string> names_;
  std::vector<detail::ParserIndex> parsers_;
  std::size_t accepted_ = 0;
  std::size_t faulty_ = 0;
};

// The fields of a body of exactly this size, each with its SOH. Sizes and tags differ, so that over
// all lengths every field begins at every position of a block.
std::vector<std::string> fields_of(std::size_t body_bytes) {
  constexpr std::string_view kOthers[] = {"49=SENDER|",   "56=TARGET|",         "34=12345|",
                                          "37=ORDER123|", "58=a longer text|",  "39=2|",
                                          "1137=9|",      "60=20240115-10:30|", "20001=x|"};
  std::vector<std::string> fields{with_soh("35=8|")};
  std::size_t bytes = fields[0].size();
  constexpr std::size_t kLastMin = 5;  // 58=x and SOH
  for (std::size_t i = 0;; i = (i + 1) % std::size(kOthers)) {
    if (bytes + kOthers[i].size() + kLastMin > body_bytes) break;
    fields.push_back(with_soh(kOthers[i]));
    bytes += kOthers[i].size();
  }
  if (bytes + kLastMin <= body_bytes) {
    fields.push_back("58=" + std::string(body_bytes - bytes - kLastMin + 1, 'x') + "\x01");
  }
  return fields;
}

std::string framed(const std::string& body, std::string_view begin_string,
                   std::string_view length) {
  return with_check_sum(
      with_soh("8=" + std::string{begin_string} + "|9=" + std::string{length} + "|") + body);
}

std::string framed(const std::string& body, std::string_view begin_string = "FIX.4.4") {
  return framed(body, begin_string, std::to_string(body.size()));
}

// Replacements of one field, or of none.
constexpr std::string_view kDefects[] = {
    // no `=`
    "37|", "|", "||", "1|", "12345678|", "a longer text without one|",
    // an empty value
    "55=|", "=|", "=x|",
    // tags
    "0=x|", "055=x|", "00035=x|", "5a=x|", "-1=x|", ":5=x|", "5/=x|", "x1=x|", "10000=x|",
    "99999=x|", "1234567890=x|", "65534=x|", "65535=x|", "65536=x|", "65591=x|", "2147483647=x|",
    "2147483648=x|", "4294967351=x|", "99999999999=x|", "18446744073709551671=x|",
    // `=` in a value
    "58=a=b|", "58==|", "58===|", "58=x=|", "55=a=b=c=d=e|",
    // data fields: with SOH, with the wrong length, without one of the two, empty
    "95=10|96=|55=EVIL|x|", "95=1|96=||", "95=3|96=a=b|", "95=2|96=abc|", "95=4|96=abc|",
    "95=9999|96=abc|", "95=-1|96=abc|", "95=x|96=abc|", "95=4294967299|96=abc|", "95=003|96=abc|",
    "95=3|", "96=abc|", "95=0|96=|", "95=|96=|", "95=5|55=x|96=abc|", "95=8|96=abc|1=2|x|",
    // fields of the envelope within the body
    "8=FIX.4.4|", "9=5|", "10=123|", "35=AE|"};

TEST(DefectProperty, every_defect_at_every_field_of_messages_of_every_length) {
  Kernels kernels;
  std::size_t frames = 0;
  for (std::size_t length = 60; length <= 600; length += kLengthStep) {
    constexpr std::size_t kAround = 16 + 7;
    const std::vector<std::string> fields = fields_of(length - kAround);
    // Each length takes the next one of three groups of fields, so that all of them reach every
    // position.
    for (std::size_t at = length % 3; at <= fields.size(); at += 3) {
      std::string front;
      std::string back;
      for (std::size_t i = 0; i < at; ++i) front += fields[i];
      for (std::size_t i = at; i < fields.size(); ++i) back += fields[i];
      for (const std::string_view defect : kDefects) {
        const std::string wrong = kernels.disagreement(framed(front + with_soh(defect) + back));
        ASSERT_EQ(wrong, "") << "length " << length << ", field " << at << ", " << defect;
        ++frames;
      }
    }
  }
  // A frame with the defect before MsgType is not a message.
  EXPECT_GT(kernels.accepted(), frames * 3 / 4);
  EXPECT_GT(kernels.faulty(), frames / 2);
}

// Kernels without wide vectors process a kilobyte at a time.
TEST(DefectProperty, every_defect_at_the_end_of_every_kilobyte) {
  Kernels kernels;
  for (std::size_t kilobytes = 1; kilobytes <= 3; ++kilobytes) {
    for (std::size_t to_end = 0; to_end <= 64; to_end += kLengthStep) {
      std::string front = with_soh("35=8|");
      front += "58=" + std::string(kilobytes * 1024 - to_end - 30, 'x') + "\x01";
      for (const std::string_view defect : kDefects) {
        for (const std::string_view back : {"", "1=2|1=2|1=2|1=2|1=2|1=2|1=2|1=2|1=2|1=2|"}) {
          ASSERT_EQ(kernels.disagreement(framed(front + with_soh(defect) + with_soh(back))), "");
        }
      }
    }
  }
  EXPECT_GT(kernels.faulty(), 0U);
}

// Length and data tags of every number of digits.
TEST(DefectProperty, user_defined_data_fields_at_every_position) {
  constexpr DataFieldTable::Pair kPairs[] = {{.length = 1, .data = 2},
                                             {.length = 3, .data = 10},  // as CheckSum has it
                                             {.length = 77, .data = 7},
                                             {.length = 999, .data = 12'345},
                                             {.length = 5001, .data = 9'000'001},
                                             {.length = 20'001, .data = 20'002},
                                             {.length = 65'535, .data = 65'534},
                                             {.length = 2'147'483'646, .data = 2'147'483'647}};
  DataFieldTable table;
  for (const DataFieldTable::Pair& pair : kPairs) table.add(pair);
  Kernels kernels{{}, table};
  for (const DataFieldTable::Pair& pair : kPairs) {
    const std::string length_tag = std::to_string(pair.length);
    const std::string data_tag = std::to_string(pair.data);
    for (std::size_t padding = 0; padding <= 300; padding += kLengthStep) {
      const std::string text = "58=" + std::string(padding, 'x') + "|";
      ASSERT_EQ(kernels.disagreement(framed(with_soh("35=8|" + text + length_tag + "=3|"))), "");
      for (const std::string_view value : {"", "abc", "|", "a=b|c|1=3|", "|||||||||||||||||||||"}) {
        for (const std::size_t wrong : {0U, 1U, 400U}) {
          const std::string fields = text + length_tag + "=" +
                                     std::to_string(value.size() + wrong) + "|" + data_tag + "=" +
                                     std::string{value} + "|";
          ASSERT_EQ(kernels.disagreement(framed(with_soh("35=8|" + fields))), "");
          ASSERT_EQ(kernels.disagreement(framed(with_soh("35=8|" + fields + "55=A|96=x|"))), "");
        }
      }
    }
  }
}

// The number of fields that a window, a register or an array can hold, and one more.
TEST(DefectProperty, any_number_of_fields_of_any_size) {
  Kernels kernels;
  for (std::size_t fields = 0; fields <= 150; ++fields) {
    for (std::size_t value_bytes = 0; value_bytes <= 9; value_bytes += kStep) {
      for (const std::string_view tag : {"1=", "22=", "333=", "4444=", "55555=", "="}) {
        std::string body = with_soh("35=8|");
        for (std::size_t i = 0; i < fields; ++i) {
          body += std::string{tag} + std::string(value_bytes, 'x') + "\x01";
        }
        ASSERT_EQ(kernels.disagreement(framed(body)), "");
      }
    }
  }
}

TEST(DefectProperty, two_defects_at_any_distance) {
  Kernels kernels;
  for (std::size_t between = 0; between <= 300; between += kLengthStep) {
    std::string fields;
    while (fields.size() + 9 < between) fields += "1=2|";
    const std::size_t rest = between - fields.size();
    if (rest >= 4) fields += "58=" + std::string(rest - 4, 'y') + "|";
    for (const std::string_view first : {"37|", "55=|", "055=x|", "95=1|96=||", "58=a=b|", "|"}) {
      for (const std::string_view second : {"37|", "55=|", "10000=x|", "95=9|96=a|", "58==|"}) {
        const std::string body = "35=8|" + std::string{first} + fields + std::string{second};
        ASSERT_EQ(kernels.disagreement(framed(with_soh(body))), "");
        ASSERT_EQ(kernels.disagreement(framed(with_soh(body + "1=2|"))), "");
      }
    }
  }
}

// Size, start and BodyLength of a head decide whether it is a usual one. Tries each size with
// usual, similar and other heads, and with all numbers of digits.
TEST(HeadProperty, every_version_and_spelling_of_body_length_at_every_size) {
  Kernels kernels;
  using namespace std::string_view_literals;
  for (std::size_t body_bytes = 0; body_bytes <= 290; body_bytes += kLengthStep) {
    const std::vector<std::string> fields = fields_of(body_bytes);
    std::string body;
    for (const std::string& field : fields) body += field;
    if (body.size() > body_bytes)
      body = with_soh("35=0|").substr(5 - std::min<std::size_t>(5, body_bytes));
    const std::string length = std::to_string(body.size());
    for (const std::string_view version :
         {"FIX.4.0"sv,  "FIX.4.4"sv,  "FIX.4.9"sv,  "FIX.4.:"sv,    "FIX.4.?"sv,
          "FIX.4./"sv,  "FIX.4.@"sv,  "FIX.4.="sv,  "FIX.4.\x01"sv, "FIX.4.\xb4"sv,
          "FIX.4"sv,    "FIX.4."sv,   "FIX.4.10"sv, "FIX.5.0"sv,    "FIXT.1.1"sv,
          "FIXT.1.9"sv, "FIXT.1.?"sv, "FIXT.1./"sv, "FIXT.1.="sv,   "FIXT.1.\x01"sv,
          "FIXT.1"sv,   "FIXT.1."sv,  "FIXT.1-1"sv, "FIXT.1.1a"sv,  "FIXT.2.1"sv,
          "X"sv,        ""sv}) {
      for (const std::string& text :
           {length, "0" + length, "00" + length, "000" + length, "0000000000" + length,
            std::to_string(body.size() + 1), std::to_string(body.size() + 100),
            std::to_string(body.size() + 256), length + "0", length.substr(1), length + "x",
            "-" + length, ":" + length, std::string{"0"}, std::string{"100000"}}) {
        ASSERT_EQ(kernels.disagreement(framed(body, version, text)), "");
      }
    }
  }
  EXPECT_GT(kernels.accepted(), 5000U / kLengthStep);
}

TEST(HeadProperty, any_byte_instead_of_any_byte_of_the_head_and_the_trailer) {
  Kernels kernels;
  for (const std::size_t body_bytes : {40U, 88U, 99U, 100U, 101U, 150U, 230U}) {
    for (const std::string_view version : {"FIX.4.2", "FIXT.1.1"}) {
      std::string body;
      for (const std::string& field : fields_of(body_bytes)) body += field;
      const std::string good = framed(body, version);
      const std::size_t head = good.size() - 7 - body.size();
      for (std::size_t at = 0; at < good.size(); ++at) {
        if (at == head + 4) at = good.size() - 10;
        for (int byte = 0; byte < 256; byte += static_cast<int>(kStep)) {
          std::string bytes = good;
          bytes[at] = static_cast<char>(byte);
          ASSERT_EQ(kernels.disagreement(bytes), "");
          // With the matching CheckSum, only the form can be wrong.
          ASSERT_EQ(kernels.disagreement(with_check_sum(bytes.substr(0, good.size() - 7))), "");
        }
      }
    }
  }
}

// Only the defects that a policy does not check are accepted.
class PolicyProperty : public testing::TestWithParam<Checks> {};

TEST_P(PolicyProperty, only_omitted_checks_let_a_defect_pass) {
  Kernels kernels{GetParam()};
  std::size_t wrong_sums = 0;
  for (std::size_t body_bytes = 5; body_bytes <= 400; body_bytes += 2 + kLengthStep) {
    std::string body;
    for (const std::string& field : fields_of(body_bytes)) body += field;
    for (const std::string_view version : {"FIX.4.4", "FIXT.1.1", "FIX.5.0"}) {
      for (const std::string& length :
           {std::to_string(body.size()), "0" + std::to_string(body.size()),
            std::to_string(body.size() + 1), std::string{"5"}, std::string{"x"}, std::string{},
            std::string{"99999999999"}, std::string{"-1"}, std::string{"1=2"}}) {
        for (const std::string_view defect : {"", "37|", "55=|", "0=x|", "95=1|96=||", "58=a=b|"}) {
          const std::string good = framed(body + with_soh(defect), version, length);
          ASSERT_EQ(kernels.disagreement(good), "");
          std::string wrong = good;
          wrong[good.size() - 3] = wrong[good.size() - 3] == '0' ? '1' : '0';
          const std::size_t accepted_before = kernels.accepted();
          ASSERT_EQ(kernels.disagreement(wrong), "");
          wrong_sums += kernels.accepted() - accepted_before;
          wrong[good.size() - 3] = 'x';
          ASSERT_EQ(kernels.disagreement(wrong), "");
          ASSERT_EQ(kernels.disagreement(good.substr(0, good.size() - 1)), "");
        }
      }
    }
  }
  EXPECT_EQ(wrong_sums != 0, !GetParam().check_sum);
}

TEST_P(PolicyProperty, the_first_three_tags_and_the_trailer_are_always_checked) {
  Kernels kernels{GetParam()};
  for (const std::string_view filler : {"", "58=some text that makes it longer than that|"}) {
    for (const std::string_view head :
         {"8=FIX.4.4|9=#|49=S|35=0|", "8=FIX.4.4|35=0|9=#|", "9=#|8=FIX.4.4|35=0|",
          "8=FIX.4.4|9=#|335=0|", "8=FIX.4.4|9=#|35|", "8=FIX.4.4|9=#|3=5|", "8=FIX.4.4|9=#|035=0|",
          "8=FIX.4.4|9=#|350=0|", "8=FIX.4.4|9=#||35=0|", "8=FIX.4.4||9=#|35=0|"}) {
      std::string text = with_soh(std::string{head} + std::string{filler});
      const std::size_t hash = text.find('#');
      const std::size_t body_bytes = text.size() - text.find('\x01', hash) - 1;
      text.replace(hash, 1, std::to_string(body_bytes));
      ASSERT_EQ(kernels.disagreement(with_check_sum(text)), "");
      EXPECT_EQ(kernels.accepted(), 0U) << head;
    }
    std::string good = framed(with_soh("35=0|34=2|" + std::string{filler}));
    for (std::size_t from_end = 1; from_end <= 8; ++from_end) {
      std::string wrong = good;
      wrong[wrong.size() - from_end] = 'x';
      ASSERT_EQ(kernels.disagreement(wrong), "");
      EXPECT_EQ(kernels.accepted(), 0U) << from_end;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Policies, PolicyProperty,
    testing::Values(Checks{}, Checks{.check_sum = false}, Checks{.body_length = false},
                    Checks{.check_sum = false, .body_length = false}),
    [](const auto& test) {
      return std::string{test.param.check_sum ? "with_check_sum" : "without_check_sum"} +
             (test.param.body_length ? "_with_body_length" : "_without_body_length");
    });

}  // namespace
}  // namespace nexusfix::wire
