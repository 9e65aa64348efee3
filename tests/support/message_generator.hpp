// Random messages that conform to a dictionary: of every field type and its enumeration, with
// nested groups. The same seed always gives the same messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::testing {

enum class Part : std::uint8_t { Header, Body, Trailer };

struct GeneratedField {
  wire::Tag tag = 0;
  std::string value;
  dictionary::FieldType type = dictionary::FieldType::Unknown;
  Part part = Part::Body;
  std::size_t place = 0;      // among the members of the message or the entry
  unsigned depth = 0;         // 0: in no group
  wire::Tag group = 0;        // count field of the innermost group
  bool begins_entry = false;  // the first field of an entry of that group
  bool is_count = false;
  bool is_required = false;      // in the message or its entry
  bool is_enumerated = false;    // and its enumeration is complete
  bool belongs_to_data = false;  // a Length field or the data field after it
};

enum class Fullness : std::uint8_t { Required, Some, All };

// FIX numbers have any number of digits, those of typed fields do not.
enum class Numbers : std::uint8_t { OfFix, OfTypedFields };

class MessageGenerator {
 public:
  // One dictionary twice, except for FIXT; both must outlive the generator.
  MessageGenerator(const dictionary::Dictionary& transport,
                   const dictionary::Dictionary& application, std::uint64_t seed,
                   Numbers numbers = Numbers::OfFix)
      : transport_{transport}, application_{application}, numbers_{numbers}, state_{seed} {}

  // From MsgType to the field before the CheckSum; without BeginString and BodyLength.
  [[nodiscard]] std::vector<GeneratedField> message(const dictionary::MessageDefinition& definition,
                                                    bool is_transports, Fullness fullness);

  [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return next() % limit; }

 private:
  struct Place {
    const dictionary::Dictionary& dictionary;
    Part part = Part::Body;
    unsigned depth = 0;
    wire::Tag group = 0;
  };

  std::uint64_t next();
  void add(const Place& place, const std::vector<dictionary::Member>& members, Fullness fullness,
           bool is_entry);
  void add_group(const Place& place, const dictionary::FlatMember& member, Fullness fullness);
  [[nodiscard]] std::string value_of(const dictionary::FieldDefinition& field);

  const dictionary::Dictionary& transport_;
  const dictionary::Dictionary& application_;
  Numbers numbers_;
  std::uint64_t state_;
  std::vector<GeneratedField> fields_;
};

// "35=D|49=..." for testing::fix().
[[nodiscard]] std::string body_of(const std::vector<GeneratedField>& fields);

}  // namespace nexusfix::testing
