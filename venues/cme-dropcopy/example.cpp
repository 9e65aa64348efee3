// CME Drop Copy: prints the messages of other sessions as they arrive.
// Usage: venue_example_cme-dropcopy client.cfg [COUNT]; logs out after COUNT copies.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/tags.hpp>
#include <nexusfix/wire/parser.hpp>

namespace tag = nexusfix::fix44::tag;
using nexusfix::MessageView;
using nexusfix::Session;

namespace {

// XmlData (213) is an element with a whole message; empty: it is another text.
std::string_view unwrapped(std::string_view xml) {
  constexpr std::string_view kBegin = "<RTRF>";
  constexpr std::string_view kEnd = "</RTRF>";
  if (!xml.starts_with(kBegin) || !xml.ends_with(kEnd)) return {};
  xml.remove_prefix(kBegin.size());
  xml.remove_suffix(kEnd.size());
  return xml;
}

class Desk {
 public:
  explicit Desk(long wanted) : wanted_{wanted} {}

  void on_message(Session& session, const MessageView& message) {
    if (message.msg_type() != "n") return print("message", message);
    const auto copy = parser_.parse(unwrapped(message[tag::XmlData].value_or("")));
    if (!copy) return print("unreadable", message);
    print("copy", *copy);
    if (++count_ == wanted_) session.log_out("done");
  }

  void on_admin(Session&, const MessageView& message) {
    if (message.msg_type() == "3") print("refused", message);
  }

 private:
  static void print(const char* what, const MessageView& message) {
    std::printf("%s 35=%s", what, std::string{message.msg_type()}.c_str());
    for (const auto field : {tag::TargetCompID, tag::MsgSeqNum, tag::OrderID, tag::OrdStatus,
                             tag::CumQty, tag::LastPx, tag::Text}) {
      const auto value = message[field];
      if (value) std::printf(" %u=%s", field, std::string{*value}.c_str());
    }
    std::printf("\n");
    std::fflush(stdout);
  }

  nexusfix::wire::Parser parser_;
  long wanted_;
  long count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Desk desk{argc > 2 ? std::atol(argv[2]) : 0};
  return nexusfix::run(argc > 1 ? argv[1] : "client.cfg", desk);
}
