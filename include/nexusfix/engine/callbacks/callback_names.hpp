// The names of callbacks, and the names that programs bring from other engines and styles, for the
// compile-time errors of callback_check.hpp.
#pragma once

#include <type_traits>

#include <nexusfix/base/language.hpp>

namespace nexusfix::engine::detail {

// The callbacks; then other names of them, also those of QuickFIX, QuickFIX/J, QuickFIX/n, Fix8 and
// OnixS, and of the Google style.
// clang-format off
#define NEXUSFIX_CALLBACK_NAMES(X) \
  X(on_logon) X(on_logout) X(on_message) X(on_recovered) X(on_logon_request) X(on_admin)          \
  X(on_sending) X(on_sent) X(on_resend_request) X(on_disconnect) X(write_logon) X(on_writable)    \
  X(onLogon) X(onLogOn) X(OnLogon) X(OnLogOn) X(on_log_on) X(on_login) X(onLogin) X(OnLogin)      \
  X(on_logged_on) X(onLoggedOn) X(on_logged_in) X(handle_logon) X(handleLogon)                    \
  X(on_session_logon) X(onLogout) X(onLogOut) X(OnLogout) X(OnLogOut) X(on_log_out) X(on_logoff)  \
  X(onLogoff) X(OnLogoff) X(on_log_off) X(on_logged_out) X(onLoggedOut) X(handle_logout)          \
  X(handleLogout) X(on_session_logout) X(onMessage) X(OnMessage) X(on_messages) X(on_msg)         \
  X(onMsg) X(OnMsg) X(on_app_message) X(onAppMessage) X(on_application_message)                   \
  X(onApplicationMessage) X(on_receive) X(onReceive) X(on_received) X(onReceived)                 \
  X(on_message_received) X(onMessageReceived) X(handle_message) X(handleMessage)                  \
  X(HandleMessage) X(handle_application) X(process_message) X(processMessage)                     \
  X(on_inbound_message) X(onInboundApplicationMsg) X(fromApp) X(from_app) X(FromApp)              \
  X(onRecovered) X(OnRecovered) X(on_recover) X(on_recovery) X(onLogonRequest) X(OnLogonRequest)  \
  X(on_login_request) X(on_authenticate) X(onAdmin) X(OnAdmin) X(on_admin_message)                \
  X(onAdminMessage) X(fromAdmin) X(from_admin) X(FromAdmin) X(handle_admin)                       \
  X(onInboundSessionMsg) X(on_heartbeat) X(onHeartbeat) X(on_reject) X(onReject) X(onSending)     \
  X(OnSending) X(on_send) X(onSend) X(OnSend) X(on_outgoing) X(modify_outbound) X(toApp)          \
  X(to_app) X(ToApp) X(onSent) X(OnSent) X(on_message_sent) X(onMessageSent) X(onResendRequest)   \
  X(OnResendRequest) X(on_resend) X(onDisconnect) X(OnDisconnect) X(on_disconnected)              \
  X(onDisconnected) X(OnDisconnected) X(writeLogon) X(WriteLogon) X(write_log_on)                 \
  X(on_write_logon) X(toAdmin) X(to_admin) X(ToAdmin) X(onWritable) X(OnWritable)                 \
  X(on_execution_report) X(onExecutionReport) X(OnExecutionReport) X(handle_execution_report)     \
  X(on_new_order_single) X(onNewOrderSingle) X(OnNewOrderSingle) X(handle_new_order_single)       \
  X(on_order_cancel_request) X(onOrderCancelRequest) X(on_order_cancel_replace_request)           \
  X(onOrderCancelReplaceRequest) X(on_order_cancel_reject) X(onOrderCancelReject)                 \
  X(on_market_data_request) X(onMarketDataRequest) X(on_market_data_snapshot_full_refresh)        \
  X(onMarketDataSnapshotFullRefresh) X(on_market_data_incremental_refresh)                        \
  X(onMarketDataIncrementalRefresh) X(on_business_message_reject) X(onBusinessMessageReject)      \
  X(onCreate) X(OnCreate) X(on_create) X(on_log_in) X(onLogIn) X(OnLogIn) X(OnLoggedOn)           \
  X(onLoggedIn) X(OnLoggedIn) X(onSessionLogon) X(OnSessionLogon) X(on_session_logged_on)         \
  X(onSessionLoggedOn) X(OnSessionLoggedOn) X(HandleLogon) X(on_connect) X(onConnect)             \
  X(OnConnect) X(on_connected) X(onConnected) X(OnConnected) X(onLogOff) X(OnLogOff)              \
  X(OnLoggedOut) X(on_logged_off) X(onLoggedOff) X(OnLoggedOff) X(onSessionLogout)                \
  X(OnSessionLogout) X(HandleLogout) X(onMessages) X(OnMessages) X(OnAppMessage) X(on_app_msg)    \
  X(onAppMsg) X(OnAppMsg) X(OnApplicationMessage) X(OnReceive) X(OnReceived)                      \
  X(OnMessageReceived) X(handleApplication) X(HandleApplication) X(ProcessMessage)                \
  X(onInboundMessage) X(OnInboundMessage) X(on_fix_message) X(onFixMessage) X(OnFixMessage)       \
  X(on_data) X(onData) X(OnData) X(onRecover) X(OnRecover) X(onRecovery) X(OnRecovery)            \
  X(on_recovered_message) X(onRecoveredMessage) X(OnRecoveredMessage) X(on_restored)              \
  X(onRestored) X(OnRestored) X(on_replayed) X(onReplayed) X(OnReplayed) X(onLoginRequest)        \
  X(OnLoginRequest) X(on_log_on_request) X(onLogOnRequest) X(OnLogOnRequest) X(onAuthenticate)    \
  X(OnAuthenticate) X(on_authentication) X(onAuthentication) X(OnAuthentication)                  \
  X(on_logon_requested) X(onLogonRequested) X(OnLogonRequested) X(on_logon_received)              \
  X(onLogonReceived) X(OnLogonReceived) X(can_logon) X(canLogon) X(CanLogon) X(OnAdminMessage)    \
  X(on_admin_msg) X(onAdminMsg) X(OnAdminMsg) X(on_session_message) X(onSessionMessage)           \
  X(OnSessionMessage) X(handleAdmin) X(HandleAdmin) X(OnHeartbeat) X(on_heart_beat)               \
  X(onHeartBeat) X(OnHeartBeat) X(on_test_request) X(onTestRequest) X(OnTestRequest)              \
  X(on_sequence_reset) X(onSequenceReset) X(OnSequenceReset) X(OnReject) X(on_send_message)       \
  X(onSendMessage) X(OnSendMessage) X(onOutgoing) X(OnOutgoing) X(on_outgoing_message)            \
  X(onOutgoingMessage) X(OnOutgoingMessage) X(on_outbound) X(onOutbound) X(OnOutbound)            \
  X(on_outbound_message) X(onOutboundMessage) X(OnOutboundMessage) X(before_send) X(beforeSend)   \
  X(BeforeSend) X(on_before_send) X(onBeforeSend) X(OnBeforeSend) X(modifyOutbound)               \
  X(ModifyOutbound) X(onOutboundApplicationMsg) X(OnMessageSent) X(on_sent_message)               \
  X(onSentMessage) X(OnSentMessage) X(on_send_complete) X(onSendComplete) X(OnSendComplete)       \
  X(onOutboundSessionMsg) X(onResend) X(OnResend) X(on_resending) X(onResending) X(OnResending)   \
  X(on_resend_requested) X(onResendRequested) X(OnResendRequested) X(on_message_resending)        \
  X(onMessageResending) X(OnMessageResending) X(on_disconnection) X(onDisconnection)              \
  X(OnDisconnection) X(on_connection_lost) X(onConnectionLost) X(OnConnectionLost)                \
  X(on_connection_closed) X(onConnectionClosed) X(OnConnectionClosed) X(on_close) X(onClose)      \
  X(OnClose) X(on_closed) X(onClosed) X(OnClosed) X(writeLogOn) X(WriteLogOn) X(write_login)      \
  X(writeLogin) X(WriteLogin) X(onWriteLogon) X(OnWriteLogon)      \
  X(on_write_ready) X(onWriteReady) X(OnWriteReady) X(on_drained) X(onDrained)     \
  X(OnDrained) X(on_drain) X(onDrain) X(OnDrain) X(on_execution) X(onExecution) X(OnExecution)    \
  X(on_exec_report) X(onExecReport) X(OnExecReport) X(handleExecutionReport)                      \
  X(HandleExecutionReport) X(on_new_order) X(onNewOrder) X(OnNewOrder) X(on_order) X(onOrder)     \
  X(OnOrder) X(handleNewOrderSingle) X(HandleNewOrderSingle) X(OnOrderCancelRequest)              \
  X(on_cancel_request) X(onCancelRequest) X(OnCancelRequest) X(on_order_cancel) X(onOrderCancel)  \
  X(OnOrderCancel) X(handle_order_cancel_request) X(handleOrderCancelRequest)                     \
  X(HandleOrderCancelRequest) X(OnOrderCancelReplaceRequest) X(on_cancel_replace_request)         \
  X(onCancelReplaceRequest) X(OnCancelReplaceRequest) X(on_order_cancel_replace)                  \
  X(onOrderCancelReplace) X(OnOrderCancelReplace) X(on_order_replace) X(onOrderReplace)           \
  X(OnOrderReplace) X(handle_order_cancel_replace_request) X(handleOrderCancelReplaceRequest)     \
  X(HandleOrderCancelReplaceRequest) X(OnOrderCancelReject) X(on_cancel_reject)                   \
  X(onCancelReject) X(OnCancelReject) X(handle_order_cancel_reject) X(handleOrderCancelReject)    \
  X(HandleOrderCancelReject) X(OnMarketDataRequest) X(handle_market_data_request)                 \
  X(handleMarketDataRequest) X(HandleMarketDataRequest) X(OnMarketDataSnapshotFullRefresh)        \
  X(on_market_data_snapshot) X(onMarketDataSnapshot) X(OnMarketDataSnapshot)                      \
  X(on_snapshot_full_refresh) X(onSnapshotFullRefresh) X(OnSnapshotFullRefresh)                   \
  X(handle_market_data_snapshot_full_refresh) X(handleMarketDataSnapshotFullRefresh)              \
  X(HandleMarketDataSnapshotFullRefresh) X(OnMarketDataIncrementalRefresh)                        \
  X(on_incremental_refresh) X(onIncrementalRefresh) X(OnIncrementalRefresh)                       \
  X(handle_market_data_incremental_refresh) X(handleMarketDataIncrementalRefresh)                 \
  X(HandleMarketDataIncrementalRefresh) X(OnBusinessMessageReject) X(on_business_reject)          \
  X(onBusinessReject) X(OnBusinessReject) X(handle_business_message_reject)                       \
  X(handleBusinessMessageReject) X(HandleBusinessMessageReject) X(on_quote) X(onQuote)            \
  X(OnQuote) X(handle_quote) X(handleQuote) X(HandleQuote) X(on_quote_request) X(onQuoteRequest)  \
  X(OnQuoteRequest) X(handle_quote_request) X(handleQuoteRequest) X(HandleQuoteRequest)           \
  X(on_security_definition) X(onSecurityDefinition) X(OnSecurityDefinition)                       \
  X(handle_security_definition) X(handleSecurityDefinition) X(HandleSecurityDefinition)           \
  X(on_trade_capture_report) X(onTradeCaptureReport) X(OnTradeCaptureReport)                      \
  X(handle_trade_capture_report) X(handleTradeCaptureReport) X(HandleTradeCaptureReport)          \
  X(on_order_status_request) X(onOrderStatusRequest) X(OnOrderStatusRequest)                      \
  X(handle_order_status_request) X(handleOrderStatusRequest) X(HandleOrderStatusRequest)          \
  X(on_session_created) X(onSessionCreated) X(OnSessionCreated) X(Handles) X(on_from_app)         \
  X(on_to_app) X(on_from_admin) X(on_to_admin) X(on_inbound_app_message) X(on_incoming_message)   \
  X(onIncomingMessage) X(OnIncomingMessage) X(on_fill) X(on_trade)
// clang-format on

// has_NAME<A>(): whether class A has a member of this name: a function, overloaded or not, a
// template, or data, of any access. WithNames then inherits two of this name, and neither can be
// named. A final class has no derived class: only its accessible members that are not overloaded
// count.
#define NEXUSFIX_NAME(name) int name;
struct CallbackNames {
  NEXUSFIX_CALLBACK_NAMES(NEXUSFIX_NAME)
};
#undef NEXUSFIX_NAME

// One class for all names, because a class takes longer to compile than a look-up. Its destructor
// is protected, because -Wnon-virtual-dtor would warn about an application that is an interface.
template <class A>
struct WithNames : A, CallbackNames {
 protected:
  ~WithNames() = default;
};

// Whether A or a base of it has a member of this name.
#define NEXUSFIX_MEMBER(name)                    \
  template <class A>                             \
  consteval bool has_##name() {                  \
    if constexpr (std::is_final_v<A>) {          \
      return requires { &A::name; };             \
    } else {                                     \
      return !requires { &WithNames<A>::name; }; \
    }                                            \
  }
NEXUSFIX_CALLBACK_NAMES(NEXUSFIX_MEMBER)
#undef NEXUSFIX_MEMBER

// Whether it has one of them.
#define NEXUSFIX_OR(name) || has_##name<A>()
template <class A>
consteval bool has_any_name() {
  return false NEXUSFIX_CALLBACK_NAMES(NEXUSFIX_OR);
}
#undef NEXUSFIX_OR
#undef NEXUSFIX_CALLBACK_NAMES

// Its instantiation gives the errors of wrong names. A wrong name is accepted beside the right one:
// one class can serve two engines, and a callback can call functions with such names.
template <class A>
struct CallbackNameCheck {
  static consteval bool logon(bool has_other) { return !has_other || has_on_logon<A>(); }
  static consteval bool logout(bool has_other) { return !has_other || has_on_logout<A>(); }
  static consteval bool recovered(bool has_other) { return !has_other || has_on_recovered<A>(); }
  static consteval bool logon_request(bool has_other) {
    return !has_other || has_on_logon_request<A>();
  }
  static consteval bool admin(bool has_other) { return !has_other || has_on_admin<A>(); }
  static consteval bool sending(bool has_other) { return !has_other || has_on_sending<A>(); }
  static consteval bool sent(bool has_other) { return !has_other || has_on_sent<A>(); }
  static consteval bool resend_request(bool has_other) {
    return !has_other || has_on_resend_request<A>();
  }
  static consteval bool disconnect(bool has_other) { return !has_other || has_on_disconnect<A>(); }
  static consteval bool write(bool has_other) { return !has_other || has_write_logon<A>(); }
  static consteval bool writable(bool has_other) { return !has_other || has_on_writable<A>(); }

  static_assert(logon(has_onLogon<A>()), "onLogon() is not called: it is on_logon()");
  static_assert(logon(has_onLogOn<A>()), "onLogOn() is not called: it is on_logon()");
  static_assert(logon(has_OnLogon<A>()), "OnLogon() is not called: it is on_logon()");
  static_assert(logon(has_OnLogOn<A>()), "OnLogOn() is not called: it is on_logon()");
  static_assert(logon(has_on_log_on<A>()), "on_log_on() is not called: it is on_logon()");
  static_assert(logon(has_on_login<A>()), "on_login() is not called: it is on_logon()");
  static_assert(logon(has_onLogin<A>()), "onLogin() is not called: it is on_logon()");
  static_assert(logon(has_OnLogin<A>()), "OnLogin() is not called: it is on_logon()");
  static_assert(logon(has_on_logged_on<A>()), "on_logged_on() is not called: it is on_logon()");
  static_assert(logon(has_onLoggedOn<A>()), "onLoggedOn() is not called: it is on_logon()");
  static_assert(logon(has_on_logged_in<A>()), "on_logged_in() is not called: it is on_logon()");
  static_assert(logon(has_handle_logon<A>()), "handle_logon() is not called: it is on_logon()");
  static_assert(logon(has_handleLogon<A>()), "handleLogon() is not called: it is on_logon()");
  static_assert(logon(has_on_session_logon<A>()),
                "on_session_logon() is not called: it is on_logon()");
  static_assert(logon(has_onCreate<A>()),
                "onCreate() is not called: on_logon() is; Engine::sessions() has all sessions");
  static_assert(logon(has_OnCreate<A>()),
                "OnCreate() is not called: on_logon() is; Engine::sessions() has all sessions");
  static_assert(logon(has_on_create<A>()),
                "on_create() is not called: on_logon() is; Engine::sessions() has all sessions");
  static_assert(logon(has_on_log_in<A>()), "on_log_in() is not called: it is on_logon()");
  static_assert(logon(has_onLogIn<A>()), "onLogIn() is not called: it is on_logon()");
  static_assert(logon(has_OnLogIn<A>()), "OnLogIn() is not called: it is on_logon()");
  static_assert(logon(has_OnLoggedOn<A>()), "OnLoggedOn() is not called: it is on_logon()");
  static_assert(logon(has_onLoggedIn<A>()), "onLoggedIn() is not called: it is on_logon()");
  static_assert(logon(has_OnLoggedIn<A>()), "OnLoggedIn() is not called: it is on_logon()");
  static_assert(logon(has_onSessionLogon<A>()), "onSessionLogon() is not called: it is on_logon()");
  static_assert(logon(has_OnSessionLogon<A>()), "OnSessionLogon() is not called: it is on_logon()");
  static_assert(logon(has_on_session_logged_on<A>()),
                "on_session_logged_on() is not called: it is on_logon()");
  static_assert(logon(has_onSessionLoggedOn<A>()),
                "onSessionLoggedOn() is not called: it is on_logon()");
  static_assert(logon(has_OnSessionLoggedOn<A>()),
                "OnSessionLoggedOn() is not called: it is on_logon()");
  static_assert(logon(has_HandleLogon<A>()), "HandleLogon() is not called: it is on_logon()");
  static_assert(logon(has_on_connect<A>()), "on_connect() is not called: it is on_logon()");
  static_assert(logon(has_onConnect<A>()), "onConnect() is not called: it is on_logon()");
  static_assert(logon(has_OnConnect<A>()), "OnConnect() is not called: it is on_logon()");
  static_assert(logon(has_on_connected<A>()), "on_connected() is not called: it is on_logon()");
  static_assert(logon(has_onConnected<A>()), "onConnected() is not called: it is on_logon()");
  static_assert(logon(has_OnConnected<A>()), "OnConnected() is not called: it is on_logon()");
  static_assert(
      logon(has_on_session_created<A>()),
      "on_session_created() is not called: on_logon() is; Engine::sessions() has all sessions");
  static_assert(
      logon(has_onSessionCreated<A>()),
      "onSessionCreated() is not called: on_logon() is; Engine::sessions() has all sessions");
  static_assert(
      logon(has_OnSessionCreated<A>()),
      "OnSessionCreated() is not called: on_logon() is; Engine::sessions() has all sessions");
  static_assert(logout(has_onLogout<A>()), "onLogout() is not called: it is on_logout()");
  static_assert(logout(has_onLogOut<A>()), "onLogOut() is not called: it is on_logout()");
  static_assert(logout(has_OnLogout<A>()), "OnLogout() is not called: it is on_logout()");
  static_assert(logout(has_OnLogOut<A>()), "OnLogOut() is not called: it is on_logout()");
  static_assert(logout(has_on_log_out<A>()), "on_log_out() is not called: it is on_logout()");
  static_assert(logout(has_on_logoff<A>()), "on_logoff() is not called: it is on_logout()");
  static_assert(logout(has_onLogoff<A>()), "onLogoff() is not called: it is on_logout()");
  static_assert(logout(has_OnLogoff<A>()), "OnLogoff() is not called: it is on_logout()");
  static_assert(logout(has_on_log_off<A>()), "on_log_off() is not called: it is on_logout()");
  static_assert(logout(has_on_logged_out<A>()), "on_logged_out() is not called: it is on_logout()");
  static_assert(logout(has_onLoggedOut<A>()), "onLoggedOut() is not called: it is on_logout()");
  static_assert(logout(has_handle_logout<A>()), "handle_logout() is not called: it is on_logout()");
  static_assert(logout(has_handleLogout<A>()), "handleLogout() is not called: it is on_logout()");
  static_assert(logout(has_on_session_logout<A>()),
                "on_session_logout() is not called: it is on_logout()");
  static_assert(logout(has_onLogOff<A>()), "onLogOff() is not called: it is on_logout()");
  static_assert(logout(has_OnLogOff<A>()), "OnLogOff() is not called: it is on_logout()");
  static_assert(logout(has_OnLoggedOut<A>()), "OnLoggedOut() is not called: it is on_logout()");
  static_assert(logout(has_on_logged_off<A>()), "on_logged_off() is not called: it is on_logout()");
  static_assert(logout(has_onLoggedOff<A>()), "onLoggedOff() is not called: it is on_logout()");
  static_assert(logout(has_OnLoggedOff<A>()), "OnLoggedOff() is not called: it is on_logout()");
  static_assert(logout(has_onSessionLogout<A>()),
                "onSessionLogout() is not called: it is on_logout()");
  static_assert(logout(has_OnSessionLogout<A>()),
                "OnSessionLogout() is not called: it is on_logout()");
  static_assert(logout(has_HandleLogout<A>()), "HandleLogout() is not called: it is on_logout()");
  static_assert(recovered(has_onRecovered<A>()),
                "onRecovered() is not called: it is on_recovered()");
  static_assert(recovered(has_OnRecovered<A>()),
                "OnRecovered() is not called: it is on_recovered()");
  static_assert(recovered(has_on_recover<A>()), "on_recover() is not called: it is on_recovered()");
  static_assert(recovered(has_on_recovery<A>()),
                "on_recovery() is not called: it is on_recovered()");
  static_assert(recovered(has_onRecover<A>()), "onRecover() is not called: it is on_recovered()");
  static_assert(recovered(has_OnRecover<A>()), "OnRecover() is not called: it is on_recovered()");
  static_assert(recovered(has_onRecovery<A>()), "onRecovery() is not called: it is on_recovered()");
  static_assert(recovered(has_OnRecovery<A>()), "OnRecovery() is not called: it is on_recovered()");
  static_assert(recovered(has_on_recovered_message<A>()),
                "on_recovered_message() is not called: it is on_recovered()");
  static_assert(recovered(has_onRecoveredMessage<A>()),
                "onRecoveredMessage() is not called: it is on_recovered()");
  static_assert(recovered(has_OnRecoveredMessage<A>()),
                "OnRecoveredMessage() is not called: it is on_recovered()");
  static_assert(recovered(has_on_restored<A>()),
                "on_restored() is not called: it is on_recovered()");
  static_assert(recovered(has_onRestored<A>()), "onRestored() is not called: it is on_recovered()");
  static_assert(recovered(has_OnRestored<A>()), "OnRestored() is not called: it is on_recovered()");
  static_assert(recovered(has_on_replayed<A>()),
                "on_replayed() is not called: it is on_recovered()");
  static_assert(recovered(has_onReplayed<A>()), "onReplayed() is not called: it is on_recovered()");
  static_assert(recovered(has_OnReplayed<A>()), "OnReplayed() is not called: it is on_recovered()");
  static_assert(logon_request(has_onLogonRequest<A>()),
                "onLogonRequest() is not called: it is on_logon_request()");
  static_assert(logon_request(has_OnLogonRequest<A>()),
                "OnLogonRequest() is not called: it is on_logon_request()");
  static_assert(logon_request(has_on_login_request<A>()),
                "on_login_request() is not called: it is on_logon_request()");
  static_assert(logon_request(has_on_authenticate<A>()),
                "on_authenticate() is not called: it is on_logon_request()");
  static_assert(logon_request(has_onLoginRequest<A>()),
                "onLoginRequest() is not called: it is on_logon_request()");
  static_assert(logon_request(has_OnLoginRequest<A>()),
                "OnLoginRequest() is not called: it is on_logon_request()");
  static_assert(logon_request(has_on_log_on_request<A>()),
                "on_log_on_request() is not called: it is on_logon_request()");
  static_assert(logon_request(has_onLogOnRequest<A>()),
                "onLogOnRequest() is not called: it is on_logon_request()");
  static_assert(logon_request(has_OnLogOnRequest<A>()),
                "OnLogOnRequest() is not called: it is on_logon_request()");
  static_assert(logon_request(has_onAuthenticate<A>()),
                "onAuthenticate() is not called: it is on_logon_request()");
  static_assert(logon_request(has_OnAuthenticate<A>()),
                "OnAuthenticate() is not called: it is on_logon_request()");
  static_assert(logon_request(has_on_authentication<A>()),
                "on_authentication() is not called: it is on_logon_request()");
  static_assert(logon_request(has_onAuthentication<A>()),
                "onAuthentication() is not called: it is on_logon_request()");
  static_assert(logon_request(has_OnAuthentication<A>()),
                "OnAuthentication() is not called: it is on_logon_request()");
  static_assert(logon_request(has_on_logon_requested<A>()),
                "on_logon_requested() is not called: it is on_logon_request()");
  static_assert(logon_request(has_onLogonRequested<A>()),
                "onLogonRequested() is not called: it is on_logon_request()");
  static_assert(logon_request(has_OnLogonRequested<A>()),
                "OnLogonRequested() is not called: it is on_logon_request()");
  static_assert(logon_request(has_on_logon_received<A>()),
                "on_logon_received() is not called: it is on_logon_request()");
  static_assert(logon_request(has_onLogonReceived<A>()),
                "onLogonReceived() is not called: it is on_logon_request()");
  static_assert(logon_request(has_OnLogonReceived<A>()),
                "OnLogonReceived() is not called: it is on_logon_request()");
  static_assert(logon_request(has_can_logon<A>()),
                "can_logon() is not called: it is on_logon_request()");
  static_assert(logon_request(has_canLogon<A>()),
                "canLogon() is not called: it is on_logon_request()");
  static_assert(logon_request(has_CanLogon<A>()),
                "CanLogon() is not called: it is on_logon_request()");
  static_assert(admin(has_onAdmin<A>()), "onAdmin() is not called: it is on_admin()");
  static_assert(admin(has_OnAdmin<A>()), "OnAdmin() is not called: it is on_admin()");
  static_assert(admin(has_on_admin_message<A>()),
                "on_admin_message() is not called: it is on_admin()");
  static_assert(admin(has_onAdminMessage<A>()), "onAdminMessage() is not called: it is on_admin()");
  static_assert(admin(has_fromAdmin<A>()), "fromAdmin() is not called: it is on_admin()");
  static_assert(admin(has_from_admin<A>()), "from_admin() is not called: it is on_admin()");
  static_assert(admin(has_FromAdmin<A>()), "FromAdmin() is not called: it is on_admin()");
  static_assert(admin(has_on_from_admin<A>()), "on_from_admin() is not called: it is on_admin()");
  static_assert(admin(has_handle_admin<A>()), "handle_admin() is not called: it is on_admin()");
  static_assert(admin(has_onInboundSessionMsg<A>()),
                "onInboundSessionMsg() is not called: it is on_admin()");
  static_assert(admin(has_on_heartbeat<A>()), "on_heartbeat() is not called: it is on_admin()");
  static_assert(admin(has_onHeartbeat<A>()), "onHeartbeat() is not called: it is on_admin()");
  static_assert(admin(has_on_reject<A>()), "on_reject() is not called: it is on_admin()");
  static_assert(admin(has_onReject<A>()), "onReject() is not called: it is on_admin()");
  static_assert(admin(has_OnAdminMessage<A>()), "OnAdminMessage() is not called: it is on_admin()");
  static_assert(admin(has_on_admin_msg<A>()), "on_admin_msg() is not called: it is on_admin()");
  static_assert(admin(has_onAdminMsg<A>()), "onAdminMsg() is not called: it is on_admin()");
  static_assert(admin(has_OnAdminMsg<A>()), "OnAdminMsg() is not called: it is on_admin()");
  static_assert(admin(has_on_session_message<A>()),
                "on_session_message() is not called: it is on_admin()");
  static_assert(admin(has_onSessionMessage<A>()),
                "onSessionMessage() is not called: it is on_admin()");
  static_assert(admin(has_OnSessionMessage<A>()),
                "OnSessionMessage() is not called: it is on_admin()");
  static_assert(admin(has_handleAdmin<A>()), "handleAdmin() is not called: it is on_admin()");
  static_assert(admin(has_HandleAdmin<A>()), "HandleAdmin() is not called: it is on_admin()");
  static_assert(admin(has_OnHeartbeat<A>()), "OnHeartbeat() is not called: it is on_admin()");
  static_assert(admin(has_on_heart_beat<A>()), "on_heart_beat() is not called: it is on_admin()");
  static_assert(admin(has_onHeartBeat<A>()), "onHeartBeat() is not called: it is on_admin()");
  static_assert(admin(has_OnHeartBeat<A>()), "OnHeartBeat() is not called: it is on_admin()");
  static_assert(admin(has_on_test_request<A>()),
                "on_test_request() is not called: it is on_admin()");
  static_assert(admin(has_onTestRequest<A>()), "onTestRequest() is not called: it is on_admin()");
  static_assert(admin(has_OnTestRequest<A>()), "OnTestRequest() is not called: it is on_admin()");
  static_assert(admin(has_on_sequence_reset<A>()),
                "on_sequence_reset() is not called: it is on_admin()");
  static_assert(admin(has_onSequenceReset<A>()),
                "onSequenceReset() is not called: it is on_admin()");
  static_assert(admin(has_OnSequenceReset<A>()),
                "OnSequenceReset() is not called: it is on_admin()");
  static_assert(admin(has_OnReject<A>()), "OnReject() is not called: it is on_admin()");
  static_assert(sending(has_onSending<A>()), "onSending() is not called: it is on_sending()");
  static_assert(sending(has_OnSending<A>()), "OnSending() is not called: it is on_sending()");
  static_assert(sending(has_on_send<A>()), "on_send() is not called: it is on_sending()");
  static_assert(sending(has_onSend<A>()), "onSend() is not called: it is on_sending()");
  static_assert(sending(has_OnSend<A>()), "OnSend() is not called: it is on_sending()");
  static_assert(sending(has_on_outgoing<A>()), "on_outgoing() is not called: it is on_sending()");
  static_assert(sending(has_modify_outbound<A>()),
                "modify_outbound() is not called: it is on_sending()");
  static_assert(sending(has_toApp<A>()), "toApp() is not called: it is on_sending()");
  static_assert(sending(has_to_app<A>()), "to_app() is not called: it is on_sending()");
  static_assert(sending(has_ToApp<A>()), "ToApp() is not called: it is on_sending()");
  static_assert(sending(has_on_to_app<A>()), "on_to_app() is not called: it is on_sending()");
  static_assert(sending(has_on_send_message<A>()),
                "on_send_message() is not called: it is on_sending()");
  static_assert(sending(has_onSendMessage<A>()),
                "onSendMessage() is not called: it is on_sending()");
  static_assert(sending(has_OnSendMessage<A>()),
                "OnSendMessage() is not called: it is on_sending()");
  static_assert(sending(has_onOutgoing<A>()), "onOutgoing() is not called: it is on_sending()");
  static_assert(sending(has_OnOutgoing<A>()), "OnOutgoing() is not called: it is on_sending()");
  static_assert(sending(has_on_outgoing_message<A>()),
                "on_outgoing_message() is not called: it is on_sending()");
  static_assert(sending(has_onOutgoingMessage<A>()),
                "onOutgoingMessage() is not called: it is on_sending()");
  static_assert(sending(has_OnOutgoingMessage<A>()),
                "OnOutgoingMessage() is not called: it is on_sending()");
  static_assert(sending(has_on_outbound<A>()), "on_outbound() is not called: it is on_sending()");
  static_assert(sending(has_onOutbound<A>()), "onOutbound() is not called: it is on_sending()");
  static_assert(sending(has_OnOutbound<A>()), "OnOutbound() is not called: it is on_sending()");
  static_assert(sending(has_on_outbound_message<A>()),
                "on_outbound_message() is not called: it is on_sending()");
  static_assert(sending(has_onOutboundMessage<A>()),
                "onOutboundMessage() is not called: it is on_sending()");
  static_assert(sending(has_OnOutboundMessage<A>()),
                "OnOutboundMessage() is not called: it is on_sending()");
  static_assert(sending(has_before_send<A>()), "before_send() is not called: it is on_sending()");
  static_assert(sending(has_beforeSend<A>()), "beforeSend() is not called: it is on_sending()");
  static_assert(sending(has_BeforeSend<A>()), "BeforeSend() is not called: it is on_sending()");
  static_assert(sending(has_on_before_send<A>()),
                "on_before_send() is not called: it is on_sending()");
  static_assert(sending(has_onBeforeSend<A>()), "onBeforeSend() is not called: it is on_sending()");
  static_assert(sending(has_OnBeforeSend<A>()), "OnBeforeSend() is not called: it is on_sending()");
  static_assert(sending(has_modifyOutbound<A>()),
                "modifyOutbound() is not called: it is on_sending()");
  static_assert(sending(has_ModifyOutbound<A>()),
                "ModifyOutbound() is not called: it is on_sending()");
  static_assert(sending(has_onOutboundApplicationMsg<A>()),
                "onOutboundApplicationMsg() is not called: it is on_sending()");
  static_assert(sent(has_onSent<A>()), "onSent() is not called: it is on_sent()");
  static_assert(sent(has_OnSent<A>()), "OnSent() is not called: it is on_sent()");
  static_assert(sent(has_on_message_sent<A>()), "on_message_sent() is not called: it is on_sent()");
  static_assert(sent(has_onMessageSent<A>()), "onMessageSent() is not called: it is on_sent()");
  static_assert(sent(has_OnMessageSent<A>()), "OnMessageSent() is not called: it is on_sent()");
  static_assert(sent(has_on_sent_message<A>()), "on_sent_message() is not called: it is on_sent()");
  static_assert(sent(has_onSentMessage<A>()), "onSentMessage() is not called: it is on_sent()");
  static_assert(sent(has_OnSentMessage<A>()), "OnSentMessage() is not called: it is on_sent()");
  static_assert(sent(has_on_send_complete<A>()),
                "on_send_complete() is not called: it is on_sent()");
  static_assert(sent(has_onSendComplete<A>()), "onSendComplete() is not called: it is on_sent()");
  static_assert(sent(has_OnSendComplete<A>()), "OnSendComplete() is not called: it is on_sent()");
  static_assert(sent(has_onOutboundSessionMsg<A>()),
                "onOutboundSessionMsg() is not called: it is on_sent()");
  static_assert(resend_request(has_onResendRequest<A>()),
                "onResendRequest() is not called: it is on_resend_request()");
  static_assert(resend_request(has_OnResendRequest<A>()),
                "OnResendRequest() is not called: it is on_resend_request()");
  static_assert(resend_request(has_on_resend<A>()),
                "on_resend() is not called: it is on_resend_request()");
  static_assert(resend_request(has_onResend<A>()),
                "onResend() is not called: it is on_resend_request()");
  static_assert(resend_request(has_OnResend<A>()),
                "OnResend() is not called: it is on_resend_request()");
  static_assert(resend_request(has_on_resending<A>()),
                "on_resending() is not called: it is on_resend_request()");
  static_assert(resend_request(has_onResending<A>()),
                "onResending() is not called: it is on_resend_request()");
  static_assert(resend_request(has_OnResending<A>()),
                "OnResending() is not called: it is on_resend_request()");
  static_assert(resend_request(has_on_resend_requested<A>()),
                "on_resend_requested() is not called: it is on_resend_request()");
  static_assert(resend_request(has_onResendRequested<A>()),
                "onResendRequested() is not called: it is on_resend_request()");
  static_assert(resend_request(has_OnResendRequested<A>()),
                "OnResendRequested() is not called: it is on_resend_request()");
  static_assert(resend_request(has_on_message_resending<A>()),
                "on_message_resending() is not called: it is on_resend_request()");
  static_assert(resend_request(has_onMessageResending<A>()),
                "onMessageResending() is not called: it is on_resend_request()");
  static_assert(resend_request(has_OnMessageResending<A>()),
                "OnMessageResending() is not called: it is on_resend_request()");
  static_assert(disconnect(has_onDisconnect<A>()),
                "onDisconnect() is not called: it is on_disconnect()");
  static_assert(disconnect(has_OnDisconnect<A>()),
                "OnDisconnect() is not called: it is on_disconnect()");
  static_assert(disconnect(has_on_disconnected<A>()),
                "on_disconnected() is not called: it is on_disconnect()");
  static_assert(disconnect(has_onDisconnected<A>()),
                "onDisconnected() is not called: it is on_disconnect()");
  static_assert(disconnect(has_OnDisconnected<A>()),
                "OnDisconnected() is not called: it is on_disconnect()");
  static_assert(disconnect(has_on_disconnection<A>()),
                "on_disconnection() is not called: it is on_disconnect()");
  static_assert(disconnect(has_onDisconnection<A>()),
                "onDisconnection() is not called: it is on_disconnect()");
  static_assert(disconnect(has_OnDisconnection<A>()),
                "OnDisconnection() is not called: it is on_disconnect()");
  static_assert(disconnect(has_on_connection_lost<A>()),
                "on_connection_lost() is not called: it is on_disconnect()");
  static_assert(disconnect(has_onConnectionLost<A>()),
                "onConnectionLost() is not called: it is on_disconnect()");
  static_assert(disconnect(has_OnConnectionLost<A>()),
                "OnConnectionLost() is not called: it is on_disconnect()");
  static_assert(disconnect(has_on_connection_closed<A>()),
                "on_connection_closed() is not called: it is on_disconnect()");
  static_assert(disconnect(has_onConnectionClosed<A>()),
                "onConnectionClosed() is not called: it is on_disconnect()");
  static_assert(disconnect(has_OnConnectionClosed<A>()),
                "OnConnectionClosed() is not called: it is on_disconnect()");
  static_assert(disconnect(has_on_close<A>()), "on_close() is not called: it is on_disconnect()");
  static_assert(disconnect(has_onClose<A>()), "onClose() is not called: it is on_disconnect()");
  static_assert(disconnect(has_OnClose<A>()), "OnClose() is not called: it is on_disconnect()");
  static_assert(disconnect(has_on_closed<A>()), "on_closed() is not called: it is on_disconnect()");
  static_assert(disconnect(has_onClosed<A>()), "onClosed() is not called: it is on_disconnect()");
  static_assert(disconnect(has_OnClosed<A>()), "OnClosed() is not called: it is on_disconnect()");
  static_assert(write(has_writeLogon<A>()), "writeLogon() is not called: it is write_logon()");
  static_assert(write(has_WriteLogon<A>()), "WriteLogon() is not called: it is write_logon()");
  static_assert(write(has_write_log_on<A>()), "write_log_on() is not called: it is write_logon()");
  static_assert(write(has_on_write_logon<A>()),
                "on_write_logon() is not called: it is write_logon()");
  static_assert(write(has_toAdmin<A>()), "toAdmin() is not called: it is write_logon()");
  static_assert(write(has_to_admin<A>()), "to_admin() is not called: it is write_logon()");
  static_assert(write(has_ToAdmin<A>()), "ToAdmin() is not called: it is write_logon()");
  static_assert(write(has_on_to_admin<A>()), "on_to_admin() is not called: it is write_logon()");
  static_assert(write(has_writeLogOn<A>()), "writeLogOn() is not called: it is write_logon()");
  static_assert(write(has_WriteLogOn<A>()), "WriteLogOn() is not called: it is write_logon()");
  static_assert(write(has_write_login<A>()), "write_login() is not called: it is write_logon()");
  static_assert(write(has_writeLogin<A>()), "writeLogin() is not called: it is write_logon()");
  static_assert(write(has_WriteLogin<A>()), "WriteLogin() is not called: it is write_logon()");
  static_assert(write(has_onWriteLogon<A>()), "onWriteLogon() is not called: it is write_logon()");
  static_assert(write(has_OnWriteLogon<A>()), "OnWriteLogon() is not called: it is write_logon()");
  static_assert(writable(has_onWritable<A>()), "onWritable() is not called: it is on_writable()");
  static_assert(writable(has_OnWritable<A>()), "OnWritable() is not called: it is on_writable()");
  static_assert(writable(has_on_write_ready<A>()),
                "on_write_ready() is not called: it is on_writable()");
  static_assert(writable(has_onWriteReady<A>()),
                "onWriteReady() is not called: it is on_writable()");
  static_assert(writable(has_OnWriteReady<A>()),
                "OnWriteReady() is not called: it is on_writable()");
  static_assert(writable(has_on_drained<A>()), "on_drained() is not called: it is on_writable()");
  static_assert(writable(has_onDrained<A>()), "onDrained() is not called: it is on_writable()");
  static_assert(writable(has_OnDrained<A>()), "OnDrained() is not called: it is on_writable()");
  static_assert(writable(has_on_drain<A>()), "on_drain() is not called: it is on_writable()");
  static_assert(writable(has_onDrain<A>()), "onDrain() is not called: it is on_writable()");
  static_assert(writable(has_OnDrain<A>()), "OnDrain() is not called: it is on_writable()");
  static constexpr bool kDone = true;
};

}  // namespace nexusfix::engine::detail
