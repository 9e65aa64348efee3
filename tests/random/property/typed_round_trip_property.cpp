// Every message of a version, with all that its dictionary allows: a copy through the generated
// classes and the typed writers is the same message. A failure names the message and the seed.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/parser.hpp>

#include "random/property/typed_copier.hpp"
#include "support/fix_text.hpp"
#include "support/message_generator.hpp"

namespace nexusfix::testing {

extern const VersionCopies k_fix40_copies;
extern const VersionCopies k_fix41_copies;
extern const VersionCopies k_fix42_copies;
extern const VersionCopies k_fix43_copies;
extern const VersionCopies k_fix44_copies;
extern const VersionCopies k_fix50_copies;
extern const VersionCopies k_fix50sp1_copies;
extern const VersionCopies k_fix50sp2_copies;
extern const VersionCopies k_fixt11_copies;

namespace {

using dictionary::Dictionary;
using dictionary::FieldType;
using dictionary::Validator;
using dictionary::Version;

struct VersionUnderTest {
  const char* name;
  Version version;
  const VersionCopies* copies;
  const VersionCopies* transport;  // header and trailer
};
constexpr VersionUnderTest kVersions[] = {
    {"Fix42", Version::Fix42, &k_fix42_copies, &k_fix42_copies},
    {"Fixt11", Version::Fixt11, &k_fixt11_copies, &k_fixt11_copies},
#ifdef NEXUSFIX_ROUND_TRIP_OF_MOST_VERSIONS
    {"Fix40", Version::Fix40, &k_fix40_copies, &k_fix40_copies},
    {"Fix41", Version::Fix41, &k_fix41_copies, &k_fix41_copies},
    {"Fix44", Version::Fix44, &k_fix44_copies, &k_fix44_copies},
#endif
#ifdef NEXUSFIX_ROUND_TRIP_OF_ALL_VERSIONS
    {"Fix43", Version::Fix43, &k_fix43_copies, &k_fix43_copies},
    {"Fix50", Version::Fix50, &k_fix50_copies, &k_fixt11_copies},
    {"Fix50Sp1", Version::Fix50Sp1, &k_fix50sp1_copies, &k_fixt11_copies},
    {"Fix50Sp2", Version::Fix50Sp2, &k_fix50sp2_copies, &k_fixt11_copies},
#endif
};

// A number or a time in the form of a typed field: without needless digits, and in milliseconds.
// Independent of the library's conversions.
std::string canonical_number(std::string text) {
  const bool negative = text.starts_with('-');
  text.erase(0, negative ? 1 : 0);
  text.erase(0, std::min(text.find_first_not_of('0'), text.size()));
  if (text.find('.') != text.npos) {
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  if (text.empty() || text.front() == '.') text.insert(0, "0");
  return negative && text != "0" ? '-' + text : text;
}

std::string canonical_time(std::string text) {
  // The generator's only leap second. UTCTimestamps have none, so it becomes the next second.
  constexpr std::string_view kLeap = "20240229-23:59:60";
  if (text.starts_with(kLeap)) text.replace(0, kLeap.size(), "20240301-00:00:00");
  const auto point = text.find('.');
  if (point == text.npos) return text + ".000";
  text.resize(point + 1 + 3, '0');
  return text;
}

std::string canonical(const std::string& value, FieldType type) {
  switch (type) {
    case FieldType::Int:
    case FieldType::DayOfMonth:
    case FieldType::Length:
    case FieldType::NumInGroup:
    case FieldType::SeqNum:
    case FieldType::TagNum:
    case FieldType::Amt:
    case FieldType::Float:
    case FieldType::Percentage:
    case FieldType::Price:
    case FieldType::PriceOffset:
    case FieldType::Qty:
      return canonical_number(value);
    case FieldType::Time:
    case FieldType::UtcTimestamp:
    case FieldType::UtcTimeOnly:
      return canonical_time(value);
    default:
      return value;
  }
}

using TagValue = std::pair<wire::Tag, std::string>;

// Sorts the header for the comparison, because an Encoder has its own order. OrigSendingTime is
// written as given, and PossDupFlag and PossResend only if they are Y.
void sort_header(std::vector<TagValue>& header) {
  std::erase_if(header, [](const TagValue& field) {
    return (field.first == tag::PossDupFlag || field.first == tag::PossResend) &&
           field.second == "N";
  });
  std::ranges::sort(header);
}

struct Parts {
  std::vector<TagValue> header;  // sorted
  std::vector<TagValue> rest;    // in the order of the wire
};

Parts expected_parts(const std::vector<GeneratedField>& fields) {
  Parts parts;
  for (const GeneratedField& field : fields) {
    const bool is_verbatim = field.tag == tag::OrigSendingTime;
    TagValue one{field.tag, is_verbatim ? field.value : canonical(field.value, field.type)};
    (field.part == Part::Header ? parts.header : parts.rest).push_back(std::move(one));
  }
  sort_header(parts.header);
  return parts;
}

// The header's group NoHops has no class. In FIX 4.0 to 4.2, some fields that an Encoder takes as
// numbers or booleans are text or may be negative.
void make_writable(std::vector<GeneratedField>& fields) {
  std::erase_if(fields, [](const GeneratedField& field) {
    return field.part == Part::Header && (field.depth > 0 || field.is_count);
  });
  for (GeneratedField& field : fields) {
    if (field.tag == tag::MsgSeqNum && field.value.starts_with('-')) field.value.erase(0, 1);
    const bool is_flag = field.tag == tag::PossDupFlag || field.tag == tag::PossResend;
    if (is_flag && field.value != "N") field.value = "Y";
  }
}

class TypedRoundTrip : public ::testing::TestWithParam<VersionUnderTest> {
 protected:
  TypedRoundTrip()
      : transport_{dictionary::builtin_dictionary(is_fixt() ? Version::Fixt11
                                                            : GetParam().version)},
        application_{dictionary::builtin_dictionary(GetParam().version)},
        validator_{
            Validator::make(dictionary::FixtDictionaries{transport_, application_}, {}).value()} {}

  static bool is_fixt() { return GetParam().version >= Version::Fix50; }

  // The parsed message. Its bytes must stay at their address.
  wire::MessageView parsed(std::string_view bytes) {
    const auto message = parser_.parse(bytes);
    if (!message) {
      ADD_FAILURE() << "garbled: " << bar(bytes);
      return {};
    }
    const auto wrong = validator_.validate(*message);
    EXPECT_FALSE(wrong) << "rule " << static_cast<int>(wrong->rule) << ", tag " << wrong->tag
                        << ": " << bar(bytes);
    return *message;
  }

  // Reads every field and writes it.
  std::string copied(const wire::MessageView& message, const MessageCopy& copy) {
    const auto text = [&](wire::Tag tag) { return message[tag].value_or(""); };
    auto session = wire::HeaderTemplate::make(
        {message.begin_string(), text(tag::SenderCompID), text(tag::TargetCompID)});
    wire::Encoder encoder{
        buffer_, *session,
        wire::MessageHeader{.msg_type = copy.msg_type,
                            .msg_seq_num = message.get<std::uint64_t>(tag::MsgSeqNum).value(),
                            .sending_time = message.get<WallTime>(tag::SendingTime).value(),
                            .poss_dup = text(tag::PossDupFlag) == "Y",
                            .poss_resend = text(tag::PossResend) == "Y",
                            .orig_sending_time = text(tag::OrigSendingTime)}};
    TypedCopier copier{encoder};
    GetParam().transport->header(message, copier);
    copy.copy(message, copier);
    GetParam().transport->trailer(message, copier);
    EXPECT_FALSE(copier.error()) << "tag " << copier.error()->tag << ", code "
                                 << static_cast<int>(copier.error()->code) << ": "
                                 << bar(message.bytes());
    const auto bytes = encoder.finish();
    if (!bytes)
      ADD_FAILURE() << "tag " << bytes.error().tag << ": " << to_string(bytes.error().code);
    return std::string{bytes.value_or("")};
  }

  Parts parts_of(const wire::MessageView& message, std::size_t header_fields) {
    Parts parts;
    for (std::size_t i = 2; i + 1 < message.field_count(); ++i) {
      const wire::FieldView field = message.field(i);
      auto& list = i < 2 + header_fields ? parts.header : parts.rest;
      list.emplace_back(field.tag, std::string{field.value});
    }
    sort_header(parts.header);
    return parts;
  }

  void check(const MessageCopy& copy, const std::vector<GeneratedField>& fields) {
    const std::string bytes = fix(transport_.begin_string, body_of(fields));
    const wire::MessageView message = parsed(bytes);
    if (HasFailure()) return;
    const std::string once = copied(message, copy);
    if (HasFailure()) return;
    const Parts expected = expected_parts(fields);
    const wire::MessageView again = parsed(once);
    if (HasFailure()) return;
    const Parts parts = parts_of(again, expected.header.size());
    EXPECT_EQ(parts.header, expected.header);
    EXPECT_EQ(parts.rest, expected.rest);
    EXPECT_EQ(bar(copied(again, copy)), bar(once));
  }

  const Dictionary& transport_;
  const Dictionary& application_;
  Validator validator_;
  wire::Parser parser_;
  std::vector<char> buffer_ = std::vector<char>(4U << 20U);
};

// docs/guide/codegen.md, "Reading" and "Writing".
TEST_P(TypedRoundTrip, the_classes_write_what_they_have_read) {
  constexpr std::uint64_t kSeeds = 3;
  const bool is_transports = GetParam().version == Version::Fixt11 || !is_fixt();
  ASSERT_EQ(GetParam().copies->messages.size(), application_.messages.size());
  for (const MessageCopy& copy : GetParam().copies->messages) {
    const auto* const definition = application_.message(copy.msg_type);
    ASSERT_NE(definition, nullptr) << copy.msg_type;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      MessageGenerator generator{transport_, application_, seed, Numbers::OfTypedFields};
      for (const Fullness fullness : {Fullness::Required, Fullness::Some, Fullness::All}) {
        auto fields = generator.message(*definition, is_transports, fullness);
        make_writable(fields);
        SCOPED_TRACE(definition->name + ", seed " + std::to_string(seed));
        check(copy, fields);
        if (HasFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, TypedRoundTrip, ::testing::ValuesIn(kVersions),
                         [](const auto& version) { return std::string{version.param.name}; });

}  // namespace
}  // namespace nexusfix::testing
