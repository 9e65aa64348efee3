// Random FIX messages, and random damage to them. Everything comes from one seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "unit/wire/message_text.hpp"

namespace nexusfix::test {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_{seed} {}

  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

  // A body of ordinary fields mixed with all that is allowed or nearly allowed.
  std::string body() {
    std::string body = "35=" + pick({"0", "8", "D", "AE", "W", ""}) + "|";
    const std::uint64_t fields = below(8) == 0 ? below(120) : below(24);
    for (std::uint64_t i = 0; i < fields; ++i) body += field();
    return with_soh(body);
  }

  // A body of a real counterparty, with an occasional other field.
  std::string ordinary_body() {
    std::string body = "35=8|";
    for (std::uint64_t i = below(60); i > 0; --i) {
      body += below(32) == 0 ? field() : ordinary_field();
    }
    return with_soh(body);
  }

  // A body of consecutive data fields, most of them with the same pair of tags, and of long values;
  // few or many.
  std::string sparse_body() {
    std::string body = "35=8|";
    for (std::uint64_t i = below(below(4) == 0 ? 200 : 12); i > 0; --i) {
      const std::uint64_t kind = below(16);
      if (kind < 2) {
        body += field();
      } else if (kind < 4) {
        body += "58=" + text(kind == 2 ? 150 : 1500) + "x|";
      } else if (kind < 6) {
        body += ordinary_field();
      } else {
        std::string value = text(below(8) == 0 ? 300 : 9) + "x";
        for (std::uint64_t sohs = below(4); sohs > 0; --sohs) value[below(value.size())] = '|';
        const std::uint64_t length = value.size() + (below(32) == 0 ? below(4) : 0);
        body += (kind == 6 ? "354=" : "95=") + std::to_string(length) + "|" +
                (kind == 6 ? "355=" : "96=") + value + "|";
      }
    }
    return with_soh(body);
  }

  // A data field of a user-defined pair, or the Length field of one without the data field.
  std::string user_data() {
    const std::string tags[][2] = {
        {"5001", "9000001"}, {"20001", "20002"}, {"96", "97"}, {"95", "96"}, {"9999", "1"}};
    const auto& pair = tags[below(5)];
    std::string value = text(below(6) == 0 ? 300 : 4);
    for (std::uint64_t i = below(3); i > 0 && !value.empty(); --i) value[below(value.size())] = '|';
    const std::string length = std::to_string(value.size() + (below(8) == 0 ? below(4) : 0));
    std::string body = pair[0] + "=" + length + "|" + pair[1] + "=" + value + "|";
    // If the value is a number, the data field looks like a Length field.
    if (below(3) == 0) body = "95=1|96=2|97=ab|" + body;
    return with_soh(body);
  }

  // body in a correct envelope.
  static std::string framed(const std::string& body) {
    return with_check_sum(with_soh("8=FIX.4.4|9=" + std::to_string(body.size()) + "|") + body);
  }

  // A frame whose CheckSum is right, with one that is right only modulo 256.
  static std::string with_raised_check_sum(const std::string& frame) {
    const std::size_t digits = frame.size() - 4;
    return frame.substr(0, digits) + std::to_string(std::stoi(frame.substr(digits, 3)) + 256) +
           "\x01";
  }

  // Changes one of the bytes from first on.
  void overwrite(std::string& bytes, std::size_t first = 0) {
    bytes[first + below(bytes.size() - first)] = hostile_byte();
  }

  // Changes, removes, repeats or inserts bytes, preferably significant ones.
  void damage(std::string& bytes) {
    for (std::uint64_t times = 1 + below(3); times > 0 && !bytes.empty(); --times) {
      const std::size_t at = below(bytes.size());
      const std::size_t size = 1 + below(below(4) == 0 ? 40 : 3);
      switch (below(4)) {
        case 0:
          bytes[at] = hostile_byte();
          break;
        case 1:
          bytes.erase(at, size);
          break;
        case 2:
          bytes.insert(at, bytes.substr(at, size));
          break;
        default:
          bytes.insert(at, 1, hostile_byte());
      }
    }
  }

 private:
  std::string pick(const std::vector<std::string>& choices) {
    return choices[below(choices.size())];
  }

  char hostile_byte() {
    using namespace std::string_view_literals;
    constexpr std::string_view kBytes = "\x01\x01==0189510-+.AZaz \x7f\x80\xff\0/:"sv;
    return kBytes[below(kBytes.size())];
  }

  std::string text(std::uint64_t bytes_max) {
    std::string text;
    for (std::uint64_t bytes = below(bytes_max); bytes > 0; --bytes) {
      text += static_cast<char>('!' + below(90));  // can be `=`, but not `|`
    }
    return text;
  }

  std::string ordinary_field() {
    const std::uint64_t largest[] = {9, 99, 999, 9999};
    return std::to_string(1 + below(largest[below(4)])) + "=" + text(below(10) == 0 ? 90 : 10) +
           "x|";
  }

  std::string field() {
    switch (below(16)) {
      case 0:
        return pick({"0", "00", "055", "-1", "+1", "x", "", "2147483648", "99999999999",
                     "4294967351", "1.5", "123456789012"}) +
               "=" + text(5) + "|";
      case 1:
        return pick({"2147483647", "12345678", "123456789", "1000000", "9999999", "10000"}) + "=" +
               text(20) + "|";
      case 2:
        return std::to_string(1 + below(5000)) + "=|";
      case 3:
        return text(12) + "|";
      case 4:
        return "58=" + text(400) + "|";
      case 5:
        return data_field();
      case 6:
        return pick({"10=000", "8=FIX.4.4", "9=5", "35=0", "95=3", "96=abc", "2143=3"}) + "|";
      default:
        return std::to_string(1 + below(1000)) + "=" + text(16) + "|";
    }
  }

  std::string data_field() {
    std::string value = text(below(6) == 0 ? 300 : 12);
    for (std::uint64_t i = below(4); i > 0 && !value.empty(); --i) value[below(value.size())] = '|';
    std::uint64_t length = value.size();
    if (below(4) == 0) length += below(8);
    if (below(16) == 0) length = below(1000);
    const std::string tags[][2] = {
        {"95", "96"}, {"354", "355"}, {"93", "89"}, {"1401", "1402"}, {"95", "355"}};
    const auto& pair = tags[below(5)];
    const std::string length_text =
        pick({std::to_string(length), std::to_string(length), std::to_string(length),
              "0" + std::to_string(length), "-1", "x", "4294967299", ""});
    return pair[0] + "=" + length_text + "|" + pair[1] + "=" + value + "|";
  }

  SeededRandom random_;
};

}  // namespace nexusfix::test
