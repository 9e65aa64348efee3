#include "faults/attack/hostile_texts.hpp"

#include <memory>
#include <openssl/ssl.h>
#include <random>

#include "faults/attack/attack_message.hpp"

namespace nexusfix::attack {
namespace {

constexpr std::size_t kStorm = 5'000;
constexpr std::size_t kUnread = 30'000;
constexpr std::size_t kOrders = 300;  // that are requested again
constexpr std::size_t kEarly = 1'200;
constexpr std::size_t kEarlyBytes = 10'000;
constexpr std::size_t kCostlyBytes = 900'000;
constexpr std::size_t kKeepers = 4;  // sessions with a password

template <auto Free>
struct FreedBy {
  template <class Object>
  void operator()(Object* object) const {
    Free(object);
  }
};

std::string repeated(std::string_view item) {
  std::string text;
  while (text.size() < kCostlyBytes) text += item;
  return text;
}

std::string make_client_hello() {
  const std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>> context{SSL_CTX_new(TLS_client_method())};
  const std::unique_ptr<SSL, FreedBy<SSL_free>> ssl{SSL_new(context.get())};
  BIO* const written = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), written);
  SSL_set_connect_state(ssl.get());
  static_cast<void>(SSL_do_handshake(ssl.get()));
  char* data = nullptr;
  const long size = BIO_get_mem_data(written, &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

std::string endless_logon() {
  static const std::string text =
      testing::soh("8=FIX.4.4|9=3900|35=A|58=") + std::string(3'000, 'x');
  return text;
}

std::string bad_logon(std::size_t number) {
  const std::string who = std::to_string(number);
  switch (number % 7) {
    case 0:
      return logon("STRANGER" + who);
    case 1: {
      const std::string keeper = "KEEPER" + std::to_string(number / 7 % kKeepers);
      return logon(keeper, "553=" + keeper + "|554=guess-" + who + "|");
    }
    case 2: {
      std::string text = logon("LIVE0");
      text[text.size() - 2] = text[text.size() - 2] == '0' ? '1' : '0';
      return text;
    }
    case 3: {
      std::string text = logon("LIVE0");
      text[text.find("\x01"
                     "9=") +
           3] ^= 1;
      return text;
    }
    case 4:
      return logon("LIVE" + std::to_string(number / 7 % 100));
    case 5:
      return message("LIVE0", "D", 1, "11=X|");
    default:
      return testing::soh("8=FIX.4.4|9=999999|35=A|58=") + std::string(5'000, 'x');
  }
}

std::string garbled_storm(std::size_t) {
  std::string text = logon("GARBLER");
  for (std::size_t i = 0; i < kStorm; ++i) {
    std::string torn = message("GARBLER", "0", i + 2, "");
    torn[torn.size() - 2] = 'x';
    text += torn;
  }
  return text;
}

std::string test_requests(std::size_t) {
  std::string text = logon("PINGER");
  for (std::size_t i = 0; i < kStorm; ++i) text += message("PINGER", "1", i + 2, "112=T|");
  return text;
}

std::string repeated_resends(std::size_t) {
  const std::string padding(200, 'x');
  std::string text = logon("ASKER");
  for (std::size_t i = 0; i < kOrders; ++i) {
    text += message("ASKER", "D", i + 2, "11=" + padding + "|");
  }
  for (std::size_t i = 0; i < kStorm; ++i) {
    text += message("ASKER", "2", kOrders + 2 + i, "7=1|16=0|");
  }
  return text;
}

std::string costly_streams(std::size_t number) {
  const std::string end = message("COSTLY", "5", 3, "");
  switch (number % 4) {
    case 0:
      return logon("COSTLY") + testing::soh("8=FIX.4.4|9=5|35=D|") + repeated("x");
    case 1:
      return logon("COSTLY") + testing::soh(repeated("8=FIX.4.4|9=5|35=D|"));
    case 2:
      return logon("COSTLY") +
             message("COSTLY", "D", 2, "11=A|453=900000|448=P|" + repeated("447=D|")) + end;
    default:
      return logon("COSTLY") +
             message("COSTLY", "B", 2, "148=A|33=80000|" + repeated("58=x|354=0|")) + end;
  }
}

std::string unread_orders(std::size_t) {
  static const std::string text = [] {
    const std::string padding(200, 'x');
    std::string all = logon("DEAF");
    for (std::size_t i = 0; i < kUnread; ++i) {
      all += message("DEAF", "D", i + 2, "11=" + padding + "|");
    }
    return all;
  }();
  return text;
}

std::string early_orders(std::size_t number) {
  const std::string hoarder = "HOARDER" + std::to_string(number % kHoarders);
  const std::string body = "58=" + std::string(kEarlyBytes, 'x') + "|";
  std::string text = logon(hoarder);
  for (std::size_t i = 0; i < kEarly; ++i) text += message(hoarder, "B", i + 1'000, body);
  return text;
}

std::string tls_rubbish(std::size_t number) {
  std::minstd_rand random{static_cast<unsigned>(number + 1)};
  std::string text(64 + number % 500, '\0');
  for (char& c : text) c = static_cast<char>(random());
  switch (number % 4) {
    case 0:
      return text;
    case 1:
      return logon("STRANGER");
    case 2:
      return std::string{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11} + text;
    default: {
      std::string hello = client_hello();
      for (std::size_t i = 0; i < 8; ++i) hello[5 + random() % (hello.size() - 5)] ^= 1;
      return hello + text;
    }
  }
}

std::string client_hello() {
  static const std::string hello = make_client_hello();
  return hello;
}

std::string half_client_hello() { return client_hello().substr(0, client_hello().size() / 2); }

}  // namespace nexusfix::attack
