// Callbacks that the engine would not call, and that the compiler must refuse. NEXUSFIX_MISTAKE
// selects one; with 0 there is none, and the file compiles.
#include <chrono>
#include <concepts>
#include <cstdlib>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/logon.hpp>
#include <nexusfix/fix44/new_order_single.hpp>

namespace nexusfix {

using fix44::ExecutionReport;
using fix44::NewOrderSingle;

// A message of a dictionary of its own.
struct Status {
  static constexpr std::string_view kMsgType = "U1";
  static constexpr std::string_view kBeginString = "FIX.4.4";
  static constexpr std::string_view kApplicationVersion = "FIX.4.4";
  using Required = wire::detail::TagList<>;
  static std::expected<Status, wire::FieldError> from(const MessageView&) { return Status{}; }
};

#if NEXUSFIX_MISTAKE == 0
struct Venue {
  void on_logon(Session&) {}
  void on_recovered(const RecoveredMessage&) {}
  MessageReply on_message(Session&, const NewOrderSingle&) { return accept(); }
  void on_message(Session&, const ExecutionReport&) {}
  void on_message(Session&, const MessageView&) {}
  void on_writable(Session& session) {
    session.attach<std::string>("A");
    session.call_after(std::chrono::seconds{1}, [this](Session& s) { on_logon(s); });
  }
};
// In the order of the dictionary; a message without an on_message() is not among them.
static_assert(std::same_as<engine::detail::HandlesOf<Venue>::type,
                           Messages<ExecutionReport, NewOrderSingle>>);
// An overload set with those of its base, and a callback that is virtual or static.
struct BaseVenue {
  virtual ~BaseVenue() = default;
  virtual void on_message(Session&, const NewOrderSingle&) {}
  void on_logout(Session&) {}
};
struct WholeVenue : BaseVenue {
  using BaseVenue::on_message;
  static void on_logon(Session&) {}
  void on_message(Session&, const NewOrderSingle&) override {}
  void on_message(Session&, const ExecutionReport&) {}
  LogonAnswer on_logon_request(Session&, const LogonRequest& request) {
    return request.id == 0 ? LogonAnswer::refuse("no") : LogonAnswer::accept();
  }
};
int use(WholeVenue& venue) { return run("venue.cfg", venue); }
// A class that serves another engine, too, has both names.
struct Both : Venue {
  void onLogon(Session&) {}
};
int use(Both& both) { return run("venue.cfg", both); }
// An interface, and callbacks of a base.
class Desk {
 public:
  virtual void on_logon(Session& session) = 0;
  virtual void on_message(Session& session, const NewOrderSingle& order) = 0;

 protected:
  ~Desk() = default;
};
static_assert(std::same_as<engine::detail::HandlesOf<Desk>::type, Messages<NewOrderSingle>>);
int use(Desk& desk) { return run("desk.cfg", desk); }
struct Base {
  void on_message(auto&, const ExecutionReport&) const noexcept {}
};
struct Reader final : private Base {
  using Base::on_message;
  static void on_message(Session&, const NewOrderSingle&) {}
  int handles = 0;  // no list of messages
};
static_assert(std::same_as<engine::detail::HandlesOf<Reader>::type,
                           Messages<ExecutionReport, NewOrderSingle>>);
int use(Reader& reader) { return run("reader.cfg", reader); }
#elif NEXUSFIX_MISTAKE == 1
// error: onLogon\(\) is not called: it is on_logon\(\)
struct Venue {
  void onLogon(Session&) {}
};
#elif NEXUSFIX_MISTAKE == 3
// error: fromApp\(\) is not called: it is on_message\(\)
struct Venue {
  void fromApp(Session&, const MessageView&) {}
};
#elif NEXUSFIX_MISTAKE == 4
// error: on_logon\(\) must be: public: void on_logon\(Session&\)
class Venue {
  void on_logon(Session&) {}
};
#elif NEXUSFIX_MISTAKE == 5
// error: on_recovered\(\) must be: public: void on_recovered\(const RecoveredMessage&\)
struct Venue {
  void on_recovered(RecoveredMessage&) {}
};
#elif NEXUSFIX_MISTAKE == 6
// error: must be: public: ResendAnswer on_resend_request\(Session&, const ResendRequest&\)
struct Venue {
  void on_resend_request(Session&, const ResendRequest&) {}
};
#elif NEXUSFIX_MISTAKE == 7
// error: on_message\(\) must be: public: .*on_message\(Session&, const M&\)
struct Venue {
  void on_message(Session&, NewOrderSingle&) {}
};
#elif NEXUSFIX_MISTAKE == 8
// error: on_message\(\) must be: public: .*on_message\(Session&, const M&\)
struct Venue {
  void on_message(const NewOrderSingle&, Session&) {}
  void on_message(Session&, const ExecutionReport&) {}
};
#elif NEXUSFIX_MISTAKE == 9
// error: on_message\(\) must return MessageReply or void
struct Venue {
  bool on_message(Session&, const NewOrderSingle&) { return true; }
};
#elif NEXUSFIX_MISTAKE == 10
// error: on_message\(\) takes a message that Handles does not list
struct Venue {
  using Handles = Messages<ExecutionReport>;
  void on_message(Session&, const NewOrderSingle&) {}
  void on_message(Session&, const ExecutionReport&) {}
};
#elif NEXUSFIX_MISTAKE == 11
// error: Handles lists a message that no public on_message
struct Venue {
  using Handles = Messages<ExecutionReport, NewOrderSingle>;
  void on_message(Session&, const ExecutionReport&) {}
};
#elif NEXUSFIX_MISTAKE == 12
// error: on_message\(\) does not get messages of the session layer
struct Venue {
  void on_message(Session&, const fix44::Logon&) {}
};
#elif NEXUSFIX_MISTAKE == 13
// error: on_message\(\) is a template: list its messages
struct Venue {
  template <wire::TypedMessage M>
  void on_message(Session&, const M&) {}
};
#elif NEXUSFIX_MISTAKE == 14
// error: on_message\(\) is never called: it must be public
class Venue {
  void on_message(Session&, const NewOrderSingle&) {}
};
#elif NEXUSFIX_MISTAKE == 16
// error: on_sending\(\) must be: public: SendDecision or void
struct Venue final {
  void on_sending(Session&, const SentMessage&) {}
};
#elif NEXUSFIX_MISTAKE == 17
// error: on_logout\(\) must be: public: void on_logout\(Session&\)
struct Venue {
  void on_logout(Session&, const std::string&) {}
};
#elif NEXUSFIX_MISTAKE == 18
// error: nodiscard|unused
struct Venue {
  void on_logon(Session& session) { session.begin("0"); }
};
#elif NEXUSFIX_MISTAKE == 19
// error: OnLogon\(\) is not called: it is on_logon\(\)
struct Venue {
  void OnLogon(Session&) {}
};
#elif NEXUSFIX_MISTAKE == 20
// error: on_message\(\) takes a message whose header is not included
struct Venue {
  void on_message(Session&, const NewOrderSingle&) {}
  void on_message(Session&, const fix44::OrderCancelRequest&) {}
};
#elif NEXUSFIX_MISTAKE == 21
// error: on_message\(\) must be: public: .*on_message\(Session&, const M&\)
struct Venue {
  void on_message(Session&, const NewOrderSingle&) {}
  void on_message(Session*, const ExecutionReport&) {}
};
#elif NEXUSFIX_MISTAKE == 22
// error: on_message\(\) must be: public: .*on_message\(Session&, const M&\)
struct Venue {
  void on_message(Session&, const NewOrderSingle&) {}
  void on_message(Session&, MessageView&) {}
};
#elif NEXUSFIX_MISTAKE == 23
// error: on_message\(\) takes a message of another dictionary: list all messages
struct Venue {
  void on_message(Session&, const NewOrderSingle&) {}
  void on_message(Session&, const Status&) {}
};
#elif NEXUSFIX_MISTAKE == 24
// error: on_message\(\) takes a message that Handles does not list
struct Venue {
  using Handles = Messages<NewOrderSingle>;
  void on_message(Session&, const NewOrderSingle&) {}
  void on_message(Session&, const Status&) {}
};
#elif NEXUSFIX_MISTAKE == 25
// error: the list of messages must be: public: using Handles
class Venue {
  using Handles = Messages<NewOrderSingle>;

 public:
  void on_message(Session&, const NewOrderSingle&) {}
};
#elif NEXUSFIX_MISTAKE == 26
// error: on_message\(\) does not get messages of the session layer
struct Venue {
  using Handles = Messages<fix44::Logon>;
  void on_message(Session&, const auto&) {}
};
#elif NEXUSFIX_MISTAKE == 27
// error: the application is an object of a class that is defined before
using Venue = std::unique_ptr<int>;
#elif NEXUSFIX_MISTAKE == 28
// error: the application is an object of a class that is defined before
struct Venue;
#elif NEXUSFIX_MISTAKE == 30
// error: on_writable\(\) must be: public: void on_writable\(Session&\)
struct Venue {
  void on_writable(const Session&, int) {}
};
#elif NEXUSFIX_MISTAKE == 31
// error: a timer's callback returns nothing
struct Venue {
  void on_logon(Session& session) {
    session.call_after(std::chrono::seconds{1}, [](Session& s) { return s.is_writable(); });
  }
};
#elif NEXUSFIX_MISTAKE == 32
// error: a timer's callback may capture up to kTimerBytesMax bytes
struct Venue {
  struct Order {
    char text[200];
  };
  void on_logon(Session& session) {
    session.call_after(std::chrono::seconds{1}, [order = Order{}](Session&) { use(order); });
  }
  static void use(const Order&) {}
};
#elif NEXUSFIX_MISTAKE == 33
// error: on_result has the argument \(const PostResult&\)
struct Venue {
  void ask(Remote& desk, const NewOrderSingle::Draft& order) {
    static_cast<void>(desk.send(order, [](const SendResult&) {}));
  }
};
#elif NEXUSFIX_MISTAKE == 34
// error: on_result returns nothing
struct Venue {
  void ask(Remote& desk, const NewOrderSingle::Draft& order) {
    static_cast<void>(desk.send(order, [](const PostResult& result) { return result.sent; }));
  }
};
#elif NEXUSFIX_MISTAKE == 35
// error: on_message.* is (a )?private
class Venue {
 public:
  void on_message(Session&, const NewOrderSingle&) {}

 private:
  void on_message(Session&, const ExecutionReport&) {}
};
#elif NEXUSFIX_MISTAKE == 36
// error: onCreate\(\) is not called: it is on_logon\(\)
struct Venue {
  void onCreate(const std::string&) {}
};
#elif NEXUSFIX_MISTAKE == 37
// error: a function or a lambda is not called|function or a lambda
struct Venue {
  void operator()(Session&, const NewOrderSingle&) {}
};
#elif NEXUSFIX_MISTAKE == 38
// error: name a message whose header is included
struct Venue {
  void on_logon(Session& session) { static_cast<void>(session.send(fix44::ClOrdID{"A"})); }
};
#elif NEXUSFIX_MISTAKE == 39
// error: name a message whose header is included
struct Venue {
  void on_logon(Session& session) { static_cast<void>(session.send<fix44::OrderCancelRequest>()); }
};
#elif NEXUSFIX_MISTAKE == 40
// error: the session itself sends the messages of the session layer
struct Venue {
  void on_logon(Session& session) { static_cast<void>(session.send<fix44::Logon>()); }
};
#elif NEXUSFIX_MISTAKE == 41
// error: field\(tag, value\) takes a text
struct Venue {
  void on_logon(Session& session) {
    wire::Encoder encoder = session.begin("D");
    encoder.field(44, 1.5);
  }
};
#elif NEXUSFIX_MISTAKE == 42  // each callback is private
// error: on_logon\(\) must be: public: void
// error: on_logout\(\) must be: public: void
// error: on_recovered\(\) must be: public: void
// error: on_logon_request\(\) must be: public: std::optional<LogonAnswer>
// error: on_admin\(\) must be: public: void
// error: on_sending\(\) must be: public: SendDecision or void
// error: on_sent\(\) must be: public: void
// error: on_resend_request\(\) must be: public: ResendAnswer
// error: on_disconnect\(\) must be: public: void
// error: write_logon\(\) must be: public: void
// error: on_writable\(\) must be: public: void
class Venue {
  void on_logon(Session&);
  void on_logout(Session&);
  void on_recovered(const RecoveredMessage&);
  std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest&);
  void on_admin(Session&, const MessageView&);
  SendDecision on_sending(Session&, OutgoingMessage&);
  void on_sent(Session&, const SentMessage&);
  ResendAnswer on_resend_request(Session&, const ResendRequest&);
  void on_disconnect(Session&, const Disconnection&);
  void write_logon(Session&, wire::Encoder&, const wire::MessageHeader&);
  void on_writable(Session&);
};
#elif NEXUSFIX_MISTAKE == 43  // each callback has another argument
// error: on_logon\(\) must be: public: void
// error: on_logout\(\) must be: public: void
// error: on_recovered\(\) must be: public: void
// error: on_logon_request\(\) must be: public: std::optional<LogonAnswer>
// error: on_admin\(\) must be: public: void
// error: on_sending\(\) must be: public: SendDecision or void
// error: on_sent\(\) must be: public: void
// error: on_resend_request\(\) must be: public: ResendAnswer
// error: on_disconnect\(\) must be: public: void
// error: write_logon\(\) must be: public: void
// error: on_writable\(\) must be: public: void
struct Venue {
  void on_logon(const SessionId&);
  void on_logout(const SessionId&);
  void on_recovered(const SessionId&);
  std::optional<LogonAnswer> on_logon_request(const SessionId&);
  void on_admin(const SessionId&);
  SendDecision on_sending(const SessionId&);
  void on_sent(const SessionId&);
  ResendAnswer on_resend_request(const SessionId&);
  void on_disconnect(const SessionId&);
  void write_logon(const SessionId&);
  void on_writable(const SessionId&);
};
#elif NEXUSFIX_MISTAKE == 44  // each callback returns something else
// error: on_logon\(\) must be: public: void
// error: on_logout\(\) must be: public: void
// error: on_recovered\(\) must be: public: void
// error: on_logon_request\(\) must be: public: std::optional<LogonAnswer>
// error: on_admin\(\) must be: public: void
// error: on_sending\(\) must be: public: SendDecision or void
// error: on_sent\(\) must be: public: void
// error: on_resend_request\(\) must be: public: ResendAnswer
// error: on_disconnect\(\) must be: public: void
// error: write_logon\(\) must be: public: void
// error: on_writable\(\) must be: public: void
struct Venue {
  int on_logon(Session&);
  int on_logout(Session&);
  int on_recovered(const RecoveredMessage&);
  int on_logon_request(Session&, const LogonRequest&);
  int on_admin(Session&, const MessageView&);
  int on_sending(Session&, OutgoingMessage&);
  int on_sent(Session&, const SentMessage&);
  int on_resend_request(Session&, const ResendRequest&);
  int on_disconnect(Session&, const Disconnection&);
  int write_logon(Session&, wire::Encoder&, const wire::MessageHeader&);
  int on_writable(Session&);
};
#elif NEXUSFIX_MISTAKE == 45  // names of the other QuickFIX engines
// error: OnLogout\(\) is not called: it is on_logout\(\)
// error: OnMessage\(\) is not called: it is on_message\(\)
// error: fromAdmin\(\) is not called: it is on_admin\(\)
// error: toApp\(\) is not called: it is on_sending\(\)
// error: toAdmin\(\) is not called: it is write_logon\(\)
struct Venue {
  void OnLogout(Session&, int);
  void OnMessage(Session&, int);
  void fromAdmin(Session&, int);
  void toApp(Session&, int);
  void toAdmin(Session&, int);
};
#elif NEXUSFIX_MISTAKE == 46
// error: an on_message\(\) is protected, and is never called
class Venue {
 public:
  void on_message(Session&, const NewOrderSingle&) {}

 protected:
  void on_message(Session&, const ExecutionReport&) {}
};
#elif NEXUSFIX_MISTAKE == 47
// error: an on_message\(\) is protected, and is never called
class Venue {
 public:
  void on_message(Session&, const NewOrderSingle&) {}

 protected:
  void on_message(Session&, const MessageView&) {}
};
#elif NEXUSFIX_MISTAKE == 48
// error: a task is a function of \(Session&\)
struct Venue {
  void ask(Remote& remote, SessionHandle session, NewOrderSingle::Draft& order) {
    static_cast<void>(remote.post(session, order));
  }
};
#elif NEXUSFIX_MISTAKE == 49
// error: a task returns nothing, a SendResult
struct Venue {
  void ask(Remote& remote, SessionHandle session) {
    static_cast<void>(remote.post(session, [](Session&) { return 5; }));
  }
};
#elif NEXUSFIX_MISTAKE == 50
// error: on_result has the argument \(const PostResult&\)
struct Venue {
  void ask(Remote& remote) {
    static_cast<void>(remote.post([](Session&) {}, [](int) {}));
  }
};
#elif NEXUSFIX_MISTAKE == 53
// error: an on_message\(\) hides that of a base
struct Base {
  void on_message(Session&, const NewOrderSingle&) {}
};
struct Venue : Base {
  void on_message(Session&, const ExecutionReport&) {}
};
#elif NEXUSFIX_MISTAKE == 54  // clang sees no base of a class with constructors, but its callbacks
// error: an on_message\(\) hides that of a base
struct Base {
  void on_logon(Session&) {}
  void on_message(Session&, const NewOrderSingle&) {}
};
struct Venue : Base {
  explicit Venue(int) {}
  void on_message(Session&, const ExecutionReport&) {}
};
#elif NEXUSFIX_MISTAKE == 59
// error: on_logon\(\) must be: public: void on_logon\(Session&\)
struct Venue {
  void on_logon(Session session) { session.log_out(); }
};
#elif NEXUSFIX_MISTAKE == 61
// error: an answer is LogonAnswer::accept\(\) or LogonAnswer::refuse\("reason"\)
struct Venue {
  std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest&) { return true; }
};
#elif NEXUSFIX_MISTAKE == 62
// error: an answer is LogonAnswer::accept\(\) or LogonAnswer::refuse\("reason"\)
struct Venue {
  LogonAnswer on_logon_request(Session&, const LogonRequest&) { return "refused"; }
};
#elif NEXUSFIX_MISTAKE == 85
// error: on_message\(\) must be: public: .*on_message\(Session&, const M&\)
struct Venue {
  void on_message(Session&, NewOrderSingle) {}
};
#elif NEXUSFIX_MISTAKE == 86  // the timer would read overwritten bytes
// error: a received message is a view
struct Venue {
  void on_message(Session& session, const NewOrderSingle& order) {
    session.call_after(std::chrono::seconds{1}, [order](Session& s) { s.log_out(order.symbol()); });
  }
};
#elif NEXUSFIX_MISTAKE == 78  // would compare the token
// error: test the result: if \(auto sent = remote.send\(order\); !sent\)
struct Venue {
  bool is_unsent(Remote& remote, NewOrderSingle::Draft& order) {
    return remote.send(order) == false;
  }
};
#elif NEXUSFIX_MISTAKE == 80  // would compare the token
// error: test the result: if \(auto sent = remote.send\(order\); !sent\)
struct Venue {
  bool is_refused(Remote& remote) {
    return remote.post(SessionHandle{}, [](Session&) {}) == false;
  }
};
#elif NEXUSFIX_MISTAKE == 83  // would compare the token
// error: test the result: if \(auto sent = remote.send\(order\); !sent\)
struct Venue {
  bool is_unsent(Remote& remote, NewOrderSingle::Draft& order) { return remote.send(order) == 0; }
};
#elif NEXUSFIX_MISTAKE == 96
// error: attach\(\) makes an object: a class or a value, without const and &
struct Venue {
  void on_logon(Session& session) { session.attach<const std::string>("A"); }
};
#endif

int main_of(Venue& venue) { return run("venue.cfg", venue); }

}  // namespace nexusfix
