// A session, for an application; and its timers.
#pragma once

#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/engine/events.hpp>
#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/typed.hpp>

// Timers that an application sets for a session.

namespace nexusfix::engine {

class Session;

namespace detail {

// Calls a function of an Argument&, which may be a member function of it. std::invoke() does the
// same, but reading <functional> would take a tenth of the time of compiling a small program.
template <class Callback, class Argument>
decltype(auto) call_with(Callback& callback, Argument& argument) {
  if constexpr (std::is_member_pointer_v<Callback>) {
    return (argument.*callback)();
  } else {
    return callback(argument);
  }
}

}  // namespace detail

// The size limit of a timer's callback with its captures. A larger one does not compile.
inline constexpr std::size_t kTimerBytesMax = 128;
// The timers that one session may have at a time.
inline constexpr std::size_t kTimersMax = 65'536;

// Names a timer for Session::cancel(). It may be kept after the timer has run or was cancelled,
// until its session is removed: no other timer of the session gets the same handle.
struct TimerHandle {
  std::uint64_t number = 0;        // among the timers of its session, from 1 on; 0: no timer
  std::chrono::nanoseconds due{};  // since the zero of its clock
  std::uint32_t session = 0;       // SessionHandle::key
  bool is_of_wall_clock = false;   // due is a wall time
  // Whether a timer was set.
  explicit operator bool() const noexcept { return number != 0; }
  // Whether both name the same timer.
  friend bool operator==(const TimerHandle&, const TimerHandle&) = default;
};

namespace detail {

// A callback with its captures in place: that of a timer, or of a result.
//
// Any function of an Argument that returns nothing and has at most BytesMax bytes. One whose move
// may throw is allocated: a capture of a const object, such as of a const std::string, has no move.
template <class Argument, std::size_t BytesMax>
class StoredCallback {
 public:
  // There is no callback: it must not be called.
  StoredCallback() = default;
  // Takes the callback of the other one, which then has none.
  StoredCallback(StoredCallback&& other) noexcept { take(other); }
  // Destroys its own callback first.
  StoredCallback& operator=(StoredCallback&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  // Destroys the captures.
  ~StoredCallback() { reset(); }

  // Whether there is a callback.
  explicit operator bool() const noexcept { return operations_ != nullptr; }
  // Calls it. It may be called again.
  void operator()(Argument argument) { operations_->call(bytes_, argument); }
  // Destroys the callback with its captures.
  void reset() noexcept {
    if (operations_ != nullptr) std::exchange(operations_, nullptr)->destroy(bytes_);
  }

 protected:
  template <class Given>
  static constexpr bool kTakesArgument = std::is_invocable_v<Given&, Argument>;
  template <class Given>
  [[nodiscard]] static consteval bool returns_nothing() {
    if constexpr (kTakesArgument<Given>) {
      return std::is_void_v<std::invoke_result_t<Given&, Argument>>;
    } else {
      return true;  // the error is about the argument
    }
  }
  template <class Given>
  static constexpr bool kFits =
      sizeof(Given) <= BytesMax && alignof(Given) <= alignof(std::max_align_t);

  // There must be no callback yet. Throws what copying or moving the callback throws.
  template <class Callback>
  void emplace(Callback&& callback) {
    using Given = std::decay_t<Callback>;  // of a function: its pointer
    if constexpr (kTakesArgument<Given> && kFits<Given>) {
      constexpr bool kMoves = std::is_nothrow_move_constructible_v<Given>;
      using Stored = std::conditional_t<kMoves, Given, Allocated<Given>>;
      void* const place = bytes_;
      if constexpr (kMoves) {
        ::new (place) Stored(std::forward<Callback>(callback));
      } else {
        ::new (place) Stored(std::make_unique<Given>(std::forward<Callback>(callback)));
      }
      operations_ = &kOperations<Stored>;
    }
  }

 private:
  struct Operations {
    void (*call)(void* callback, Argument argument);
    void (*move)(void* from, void* to) noexcept;  // destroys the one that it moves from
    void (*destroy)(void* callback) noexcept;
  };
  template <class Given>
  struct Allocated {
    std::unique_ptr<Given> given;
    void operator()(Argument argument) { call_with(*given, argument); }
  };
  template <class Stored>
  static Stored& as(void* callback) noexcept {
    return *std::launder(static_cast<Stored*>(callback));
  }
  template <class Stored>
  static constexpr Operations kOperations{
      .call = [](void* callback, Argument argument) { call_with(as<Stored>(callback), argument); },
      .move =
          [](void* from, void* to) noexcept {
            ::new (to) Stored(std::move(as<Stored>(from)));
            std::destroy_at(&as<Stored>(from));
          },
      .destroy = [](void* callback) noexcept { std::destroy_at(&as<Stored>(callback)); }};

  void take(StoredCallback& other) noexcept {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ != nullptr) operations_->move(other.bytes_, bytes_);
  }

  const Operations* operations_ = nullptr;  // null: there is no callback
  alignas(std::max_align_t) std::byte bytes_[BytesMax];
};

// The callback of a timer, with its captures in place: any function of a Session& that returns
// nothing and has at most kTimerBytesMax bytes. One whose move may throw is allocated: a capture of
// a const object, such as of a const std::string, has no move.
class TimerCallback : public StoredCallback<Session&, kTimerBytesMax> {
 public:
  TimerCallback() = default;  // must not be called
  // Implicit, so that call_at() takes a lambda. A pointer to a function must not be null. Throws
  // what copying or moving the callback throws.
  template <class Callback>
    requires(!std::is_same_v<std::remove_cvref_t<Callback>, TimerCallback>)
  explicit(false) TimerCallback(Callback&& callback) {
    using Given = std::decay_t<Callback>;
    static_assert(kTakesArgument<Given>, "a timer's callback has the argument (Session&)");
    static_assert(returns_nothing<Given>(),
                  "a timer's callback returns nothing: handle a SendResult in it");
    static_assert(kFits<Given>, "a timer's callback may capture up to kTimerBytesMax bytes");
    emplace(std::forward<Callback>(callback));
  }
};

}  // namespace detail

}  // namespace nexusfix::engine

// The application's own object of a session: Session::attach() makes it.

namespace nexusfix::engine::detail {

// Its address identifies a type. Not const: a linker may merge equal constants.
template <class T>
inline char type_mark = 0;

// Owns an object of any type, and knows its type.
class AttachedData {
 public:
  AttachedData() = default;
  AttachedData(const AttachedData&) = delete;
  AttachedData& operator=(const AttachedData&) = delete;
  ~AttachedData() = default;

  // The object before it is destroyed when the new one exists.
  template <class T, class... Arguments>
  T& make(Arguments&&... arguments) {
    constexpr bool kIsObject =
        std::is_object_v<T> && !std::is_array_v<T> && std::is_same_v<T, std::remove_cv_t<T>>;
    static_assert(kIsObject, "attach() makes an object: a class or a value, without const and &");
    if constexpr (kIsObject) {
      auto made = std::make_unique<T>(std::forward<Arguments>(arguments)...);
      T& object = *made;
      type_ = &type_mark<T>;
      object_ = Owner{made.release(), [](void* owned) noexcept { delete static_cast<T*>(owned); }};
      return object;
    } else {
      std::unreachable();
    }
  }
  // Null: the object is of another type, or there is none.
  template <class T>
  [[nodiscard]] T* get() const noexcept {
    return type_ == &type_mark<T> ? static_cast<T*>(object_.get()) : nullptr;
  }

 private:
  using Owner = std::unique_ptr<void, void (*)(void*) noexcept>;

  const char* type_ = nullptr;  // null: there is no object
  Owner object_{nullptr, [](void*) noexcept {}};
};

}  // namespace nexusfix::engine::detail

// A session, for an application.

namespace nexusfix::engine {

// Keys of the configuration that a reload found changed, and whose old values are still in effect.
struct PendingKeys {
  std::vector<std::string> until_logon;  // until the session's next Logon
  std::vector<std::string> until_start;  // until the next start of the program
  // Whether every value of the file is in effect.
  [[nodiscard]] bool empty() const noexcept { return until_logon.empty() && until_start.empty(); }
};

// Both are the engine's: a session's state in its event loop, and the components that it uses.
class SessionEntry;
struct SessionServices;
// An application's callbacks: see application.hpp.
struct Callbacks;

namespace detail {

class AnySession;
class SessionConversations;

// Whether only the session layer sends messages of this type.
template <class Message>
inline constexpr bool kIsOfSessionLayer = false;
template <wire::TypedMessage Message>
inline constexpr bool kIsOfSessionLayer<Message> = session::is_administrative(Message::kMsgType);

}  // namespace detail

// Why a message was not sent. It got no MsgSeqNum, and nothing was stored.
enum class SendFailure : std::uint8_t {
  Encode,                 // a value cannot be sent: see SendError::encode
  WrongVersion,           // the typed message is of another FIX version than the session
  NotApplicationMessage,  // only the session layer sends administrative messages
  StoreStopped,           // the store failed or is closed: no message is accepted any more
  StoreFull,              // the disk is full; its reserve is for messages of the session layer
  NotBegun,               // finish() without its begin(): see Session::begin()
  TransactionTooLarge,    // this callback has sent more than 512 MiB
  Vetoed,                 // on_sending() withheld it
  NotLoggedOn,            // not logged on, and SendWhileLoggedOut=N or a secret in it
  WithinSending,          // on_sending(), on_sent() and write_logon() cannot send
  SessionEnding,  // its sequence numbers are about to be reset, and the message would be lost
  OutOfMemory,    // the message was not numbered, stored or sent
  Draining,       // the engine finishes its work and stops: no new message is accepted
  RateLimited,    // OutboundMessages, and it does not wait: see SendError::wait
};

// For people, such as "the session is not logged on". Static lifetime.
[[nodiscard]] std::string_view to_string(SendFailure failure) noexcept;

// The error of a send.
struct SendError {
  SendFailure failure = SendFailure::Encode;  // why the message was not sent
  wire::EncodeError encode{};                 // failure is Encode: the field and its error
  // RateLimited: the time until the limit permits a message of this type, if none waits before it.
  std::chrono::duration<std::uint32_t, std::milli> wait{};
  // One sentence for people, such as "field 58: the value is empty".
  [[nodiscard]] std::string what() const;
  // what() as a function.
  friend std::string to_string(const SendError& error) { return error.what(); }
};

// The result of a successful send. The message is journaled with its callback's event, and
// transmitted after that.
struct Sent {
  std::uint64_t msg_seq_num = 0;  // its MsgSeqNum (34)
  // false: the counterparty is not logged on. The message is stored. If our Logon waits for its
  // answer, it is sent directly after that answer; otherwise a resend sends it after the next
  // Logon. If a reset comes first, it is never sent.
  bool is_transmitted = true;
  // true: the message waits for OutboundMessages, is_transmitted is false, and it has no MsgSeqNum
  // yet (0). on_sent() shows when it is sent. If it is not, for example because the Logon ends
  // first, on_not_sent() gets it. It is not stored: it ends with the process.
  bool is_queued = false;
};

// The text of an error of this layer, such as SendError, in a std::ostream.
template <class Traits, class Error>
  requires requires(const Error& error) { std::string_view{error.what()}; }
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const Error& error) {
  return out << std::string_view{error.what()};
}
// The text of a reason of this layer, such as SendFailure and LogonWait.
template <class Traits, class Reason>
  requires std::is_enum_v<Reason> && requires(Reason reason) {
    { to_string(reason) } -> std::same_as<std::string_view>;
  }
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, Reason reason) {
  return out << to_string(reason);
}

// What every send returns: the MsgSeqNum, or why the message was not sent.
using SendResult = std::expected<Sent, SendError>;

// A message that waited for OutboundMessages, and is not sent. Lives until on_not_sent() returns.
struct NotSentMessage {
  std::string_view bytes{};  // as send() has encoded it; MsgSeqNum and SendingTime mean nothing
  SendError why{};           // NotLoggedOn: the Logon has ended before it
};

// Names a session for Remote::post(). Any thread may keep it, also when the session does not exist
// any more.
struct SessionHandle {
  std::uint32_t loop = 0;  // the number of its event loop, from 0 on
  std::uint32_t key = 0;   // identifies the session in that loop; no other session gets it
  // In no order that means anything: for containers.
  friend auto operator<=>(const SessionHandle&, const SessionHandle&) = default;
};

// One session of an engine. It lives until the engine ends or the session is removed. Only the
// thread of its event loop uses it; other threads use a Remote. Commands of a callback, such as
// log_out(), take effect after the current message.
class Session {
 public:
  // For the engine.
  Session(const SessionServices& services, SessionEntry& entry) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // BeginString, CompIDs, sub and location IDs, and the qualifier. Valid as long as the session.
  [[nodiscard]] const session::SessionId& id() const noexcept;
  // The value of an application's own key (ApplicationKeys). key: in upper or lower case, with or
  // without the prefix "Application."; no value: the configuration does not have it. A reload may
  // change it.
  [[nodiscard]] std::optional<std::string> setting(std::string_view key) const;
  // The keys that a reload found changed and that still have their old values. Valid until the next
  // reload or Logon.
  [[nodiscard]] const PendingKeys& pending_keys() const noexcept;
  // "FIX.4.4:VENUE->TRADER": id().to_string(), made once. Valid as long as the session.
  [[nodiscard]] std::string_view name() const noexcept;
  // Names this session for Remote::post(). Any thread.
  [[nodiscard]] SessionHandle handle() const noexcept;
  // Whether both sides have sent a Logon, no Logout was sent, and the store has not failed.
  [[nodiscard]] bool is_logged_on() const noexcept;
  // Why send() would refuse any message of this session now; nothing: it would take one, unless the
  // disk or the memory is full. A callback that must send to several sessions, or to none, asks
  // them first.
  [[nodiscard]] std::optional<SendFailure> send_obstacle() const noexcept;
  // The next MsgSeqNums in both directions, from 1 on.
  [[nodiscard]] session::Numbers numbers() const noexcept;
  // The FIX version of our application messages, such as "FIX.4.4": BeginString, or that of
  // DefaultApplVerID on a FIXT session. Valid as long as the session.
  [[nodiscard]] std::string_view application_version() const noexcept {
    return versions_->own.name;
  }
  // The FIX version of the counterparty's messages without ApplVerID: that of its last Logon. Valid
  // as long as the session.
  [[nodiscard]] std::string_view counterparty_version() const noexcept {
    return versions_->counterparty.name;
  }
  // The wall time (UTC) of the running event: the same for the whole callback.
  [[nodiscard]] WallTime now() const noexcept;

  // In on_message() and on_admin(): when the bytes of the message came. With ReceiveTimestamps: the
  // time of the kernel or of the network card, in CLOCK_REALTIME, of the last packet that was
  // received together with the message. Otherwise, and where neither gives a time: now().
  // Other callbacks: of the last bytes that came, or now(). A message that waited for earlier ones
  // (ThrottleAction=Delay, a gap) has the time of the bytes that came last.
  [[nodiscard]] WallTime received_at() const noexcept;

  // Sends a typed message. Errors: SendFailure. Does not block; allocates nothing in steady state.
  //
  //   auto sent = session.send<fix44::NewOrderSingle>(ClOrdID{"A1"}, Side::Buy, ...);
  //
  // Each part is a typed field, a std::optional of one, the result of another message's getter
  // (such as order.account()), a repeating group made by group(), or the time of sending
  // (TransactTime::now()). A call without a required field does not compile. A field that the
  // dictionary does not have in this message does not compile either, unless its tag is
  // user-defined (from 5000). Parts are sent in the given order, but header fields, like
  // SenderSubID, come first. On a FIXT session a message of another FIX 5.0 version than the
  // session's own is sent with its ApplVerID (1128).
  //
  // Not logged on: the message is numbered and stored. If our Logon waits for its answer, the
  // message is sent directly after that answer; otherwise a resend sends it after the next Logon. A
  // reset of the sequence numbers that comes first (ResetOn... keys, or ResetSeqNumFlag from either
  // side) ends the epoch of its MsgSeqNum, and it is not sent. With SendWhileLoggedOut=N the
  // message is refused instead.
  //
  // Above OutboundMessages the message waits (Sent::is_queued), or is refused (RateLimited), before
  // it uses a MsgSeqNum. A message that waits is copied, which allocates.
  template <class Message = wire::detail::NoMessage, class... Parts>
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE SendResult send(const Parts&... parts) {
    constexpr bool kIsOfSession = detail::kIsOfSessionLayer<Message>;
    static_assert(!kIsOfSession,
                  "the session itself sends the messages of the session layer: log_on(), "
                  "log_out(), reset(); write_logon() adds fields to a Logon");
    if constexpr (kIsOfSession) {
      return {};
    } else if constexpr (!wire::detail::MessageCheck<Message, Parts...>::kIsWritten) {
      static_assert(wire::detail::MessageCheck<Message, Parts...>::kDone);
      return {};
    } else {
      using Writer = wire::detail::MessageWriter<Message, Parts...>;
      static_assert(wire::detail::MessageCheck<Message, Parts...>::kDone);
      static_assert(!Writer::kHasFieldOfSession,
                    "the session itself writes this field when it sends the message");
      return send_typed<Message>([&] [[gnu::always_inline]] (auto& encoder) noexcept {
        Writer::write(encoder, [this] { return sending_time(); }, parts...);
      });
    }
  }

  // Sends a draft as it is: a new message each time, with a MsgSeqNum of its own. Does not check
  // required fields: Draft::validate() does. The draft may change or end directly after the call.
  //
  //   auto sent = session.send(order);  // fix44::NewOrderSingle::Draft order;
  template <class Message>
  [[nodiscard]] SendResult send(const wire::Draft<Message>& draft) {
    return send_typed<Message>([&](auto& encoder) noexcept { encoder.fields(draft.fields()); });
  }

  // Begins any message: begin(), any number of Encoder::field() calls, finish(). msg_type: MsgType
  // (35), such as "D". An event loop encodes one message at a time, and it must be finished before
  // the callback returns or Engine::poll() is called: otherwise finish() fails with NotBegun, and
  // no MsgSeqNum is used. Without finish() the message is not sent, and nothing reports it, because
  // a check would cost every event. Call both in one function. <nexusfix/wire.hpp> has the encoder.
  [[nodiscard]] wire::Encoder begin(std::string_view msg_type) noexcept;
  // Sends the message that begin() has begun, as send() does. A value that field() could not encode
  // is an error here. Later fields of the encoder are ignored; do not use a copy of it either: the
  // message leaves from where it was encoded.
  [[nodiscard]] SendResult finish(wire::Encoder& encoder) noexcept;
  // As finish(encoder). If the message is sent, its record also says that this counter has come to
  // count: 1 to 10^18 - 1, never below an earlier one. So a restarted program knows exactly which
  // of its inputs were sent. counter: a name of the program in Engine::store(), by
  // Store::open_session(), that no session has; its next_inbound is the count plus 1. A message
  // that waits for OutboundMessages is not counted. Throws std::bad_alloc.
  [[nodiscard]] SendResult finish(wire::Encoder& encoder, std::uint32_t counter,
                                  std::uint64_t count);

  // Calls callback(Session&) once, when the time has come; a time in the past is the present one.
  // The callback runs in the next turn of the loop or later, never within this call, on the
  // session's thread, between two events, in every state of the session, also without a connection.
  // It is one transaction, as every callback: if it throws, its messages are undone, and the event
  // log says so (NXF-1060). It is not called again; for a period, it sets the next timer.
  //
  // cancel(), remove() and the end of the engine cancel the timer: its captures are destroyed
  // without a call, and must not use the session. An exception of the callback that has set it does
  // not. Timers are not stored. run() goes on while a timer waits, because its callback may call
  // log_on(). Timers of the same time run in the order in which they were set. A MonoTime is one of
  // the engine's clock. A WallTime is UTC; a change of the wall clock is noticed within a minute.
  // In the simulator both are virtual.
  //
  // An empty handle: nothing was set, because the session is being removed, or has kTimersMax
  // timers; then the event log says so (NXF-1066). Throws std::bad_alloc. A timer allocates, except
  // in the place of an earlier one. TimerCallback has the limits of the callback.
  //
  //   session.call_after(5s, [this, id](Session& s) { cancel_order(s, id); });
  TimerHandle call_at(MonoTime time, detail::TimerCallback callback);
  // At a wall time, such as 16:00:00 UTC of a day.
  TimerHandle call_at(WallTime time, detail::TimerCallback callback);
  // After a time from now on: from the time of the running event, or of the clock outside
  // of events. A negative delay is 0.
  TimerHandle call_after(std::chrono::nanoseconds delay, detail::TimerCallback callback);
  // Cancels a timer of this session and destroys its captures. False: it has run, it is running, or
  // it was cancelled before; nothing happens.
  bool cancel(const TimerHandle& timer) noexcept;

  // The bytes that wait for the connection: sent by the application or by the session layer, and
  // not taken by the socket yet. 0 without a connection. Above MaxQueuedBytes (64 MiB) the
  // counterparty is disconnected.
  [[nodiscard]] std::size_t unsent_bytes() const noexcept;
  // False: more than a sixteenth of MaxQueuedBytes waits (4 MiB by default), or did so and more
  // than a quarter of that still waits. An application that can wait stops sending; on_writable()
  // follows if the connection lives. False also if half of OutboundQueueMessages wait for
  // OutboundMessages, until an eighth of it is left. True without a connection.
  [[nodiscard]] bool is_writable() const noexcept;

  // Makes the application's own object of this session, a T(arguments...), and returns it; an
  // earlier one is destroyed. It lives until the session is destroyed, or the next attach(). Its
  // destructor may call no function of the session but id() and name(). Allocates; throws what the
  // constructor throws, and the earlier object then stays.
  //
  //   void on_logon(Session& s) { if (s.data<Book>() == nullptr) s.attach<Book>(s.name()); }
  template <class T, class... Arguments>
  T& attach(Arguments&&... arguments) {
    return data_.make<T>(std::forward<Arguments>(arguments)...);
  }
  // The attached object, if it is exactly a T, also as a const T. Null: it is of another type, or
  // there is none. Valid as long as the object. Allocates nothing: a comparison and a load.
  template <class T>
  [[nodiscard]] T* data() const noexcept {
    return data_.get<std::remove_const_t<T>>();
  }

  // Memory for the running callback: it is empty again after the callback, also if that throws. For
  // vectors, texts and drafts that a callback builds; the messages that it sends are copied, so
  // what they are made of may lie here. No destructor runs, and deallocate() frees nothing before
  // the end of the callback.
  //
  //   std::pmr::vector<Fill> fills{&session.scratch()};
  //   fix44::NewOrderSingle::Draft order{session.scratch()};
  //
  // The sessions of an event loop share it. It grows to what the largest callback has used, and
  // then allocates nothing; above 4 MiB it goes back to the heap within seconds. More than
  // kScratchBytesMax in one callback throws std::bad_alloc, as the heap does without memory.
  //
  // Outside of callbacks, between two calls of Engine::poll(), it is empty again with the next
  // poll(). A callback within another one, such as on_sending(), uses the memory of the outer one.
  // A pointer that outlives the callback, in a member or across a co_await, points to memory that
  // the next one overwrites; AddressSanitizer reports its use.
  [[nodiscard]] std::pmr::memory_resource& scratch() noexcept;
  // The most that scratch() gives in one callback, in bytes.
  static constexpr std::size_t kScratchBytesMax = std::size_t{256} << 20U;

  // Sends a Logout with this Text (58) and disconnects after the answer, or after LogoutTimeout. An
  // initiator does not log on again by itself.
  void log_out(std::string_view text = {});
  // Acceptor: answers a LogonRequest for which on_logon_request() gave no answer. id:
  // LogonRequest::id. An answer after LogonTimeout, or after the end of the connection,
  // has no effect.
  void answer_logon(std::uint64_t id, const LogonAnswer& answer);
  // Ends the connection without a Logout; why: for the log. Bytes that wait for the connection are
  // sent first, for at most 2 s. An initiator connects again.
  void disconnect(std::string_view why);
  // Resets both sequence numbers to 1, and records that in the store: at once without a connection,
  // otherwise after a Logout with this text. Then an initiator logs on again, even if it was halted
  // because one side had lost sequence numbers. The counterparty must reset its own, too.
  void reset(std::string_view text);
  // Resets both sequence numbers to 1 without a disconnect, from FIX 4.1 on: a TestRequest shows
  // that no message is missing, then a Logon with ResetSeqNumFlag=Y (141) and MsgSeqNum 1 asks the
  // counterparty to do the same (FIX 4.4 volume 2, "Logon"). A message that is sent before the
  // answer follows it. Returns at once: numbers() and the event NXF-2001 show when it is done. If
  // the counterparty does not answer the TestRequest, nothing is reset (NXF-2012); if it does not
  // answer the Logon, the connection ends, and the next Logon repeats it, also after a crash.
  // Error: the session is not logged on, or it is of FIX 4.0.
  [[nodiscard]] std::expected<void, std::string> reset_in_session();
  // Removes the session from the engine: logs it out with this text, and destroys the Session at
  // the end of the turn in which its connection has ended. Its timers are cancelled; on_logout()
  // and on_disconnect() are its last callbacks. Its sent messages stay in the store, in case a
  // session of this name is added again.
  void remove(std::string_view text);
  // Initiator: connects and logs on again after log_out().
  void log_on();
  // Sets the next sequence numbers by an operator's decision, both 1 to 10^18. Only without a
  // connection (a connection attempt is aborted, and repeated after ReconnectInterval), and not
  // from within a callback. An error says why nothing was changed. The store and the log record the
  // change with its reason (operator, cause).
  //
  // A lower outbound number begins a new epoch: messages of the old epoch are not resent any more.
  // With a lower inbound number the counterparty's messages from there on are delivered again. An
  // initiator that was halted because sequence numbers were lost connects again. A message that was
  // begun before this call can no longer be finished.
  [[nodiscard]] std::expected<void, std::string> set_next_numbers(session::Numbers numbers,
                                                                  std::string_view reason);

 private:
  friend class Remote;
  friend class detail::SessionConversations;

  template <class Application>
  friend Callbacks make_callbacks(Application& application);

  // Inlined, so that no field of the message has to be in memory before it is written.
  template <class Message, class Write>
  NEXUSFIX_ALWAYS_INLINE SendResult send_typed(Write&& write) {
    const bool is_own = wire::detail::is_version_of<Message>(versions_->own);
    if (!is_own && std::string_view{Message::kBeginString} != id().begin_string) {
      return std::unexpected{SendError{SendFailure::WrongVersion, {}}};
    }
    // A copy that has no visible address: the compiler keeps its members in registers.
    const auto begun = begin(Message::kMsgType);
    auto encoder = begun;
    if (!is_own) {
      encoder.template field<tag::ApplVerID>(wire::appl_ver_id(Message::kApplicationVersion));
    }
    write(encoder);
    return finish(encoder.finish());
  }
  SendResult finish(const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept;
  // That of a message which is sent now.
  [[nodiscard]] wire::SendingTime sending_time() const noexcept;

  const SessionServices* services_ = nullptr;
  SessionEntry* entry_ = nullptr;
  const session::detail::ApplicationVersions* versions_ = nullptr;  // the state machine's
  detail::AttachedData data_;
  detail::AttachedData conversations_;  // see <nexusfix/coroutine.hpp>; they end before data_
};

}  // namespace nexusfix::engine

// Equal handles have one hash.
template <>
struct std::hash<nexusfix::engine::SessionHandle> {
  [[nodiscard]] std::size_t operator()(
      const nexusfix::engine::SessionHandle& handle) const noexcept {
    return std::size_t{handle.loop} << 32U ^ handle.key;
  }
};

template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::SendError> = true;
template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::SendFailure> = true;

// The sessions of an engine as a range: Engine::sessions().

namespace nexusfix::engine {

class EventLoop;

// A forward range of Session&, in the order of Engine::session(). It and its iterators are valid
// until a session is added or destroyed, or the engine ends. Session::remove() destroys no session
// before the end of a turn of its loop, so the body of a loop may call it.
class SessionRange {
 public:
  // Points to one session.
  class Iterator {
   public:
    using value_type = Session;
    using difference_type = std::ptrdiff_t;
    using pointer = Session*;
    using reference = Session&;
    using iterator_category = std::forward_iterator_tag;

    // Can only be assigned to, and compared with others of its kind.
    Iterator() = default;
    // The session.
    [[nodiscard]] Session& operator*() const noexcept;
    // The session.
    [[nodiscard]] Session* operator->() const noexcept { return &**this; }
    // Goes to the next session.
    Iterator& operator++() noexcept {
      ++index_;
      skip_ends();
      return *this;
    }
    // Goes to the next session, and returns the iterator before it.
    Iterator operator++(int) noexcept {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    // Whether both are at the same session, or at the end.
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    friend class SessionRange;
    using Loop = const std::unique_ptr<EventLoop>*;
    Iterator(Loop loop, Loop end) noexcept : loop_{loop}, end_{end} { skip_ends(); }
    // From the end of a loop's sessions to the next loop.
    void skip_ends() noexcept;

    Loop loop_ = nullptr;
    Loop end_ = nullptr;  // after the last loop
    std::size_t index_ = 0;
  };

  // The first session.
  [[nodiscard]] Iterator begin() const noexcept { return {first_, end_}; }
  // After the last session.
  [[nodiscard]] Iterator end() const noexcept { return {end_, end_}; }

 private:
  friend class Engine;
  SessionRange(Iterator::Loop first, Iterator::Loop end) noexcept : first_{first}, end_{end} {}

  Iterator::Loop first_;
  Iterator::Loop end_;
};

}  // namespace nexusfix::engine
