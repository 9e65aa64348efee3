// The names of callbacks, and the names that programs bring from other engines and styles, for the
// compile-time errors of callback_check.hpp.
#pragma once

#include <type_traits>

#include <nexusfix/base/language.hpp>

namespace nexusfix::engine::detail {

// The callbacks; then other spellings of them, also those of QuickFIX, QuickFIX/N and fix8, and of
// the Google style.
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
  X(onCreate) X(OnCreate) X(on_create) X(Handles)
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
#undef NEXUSFIX_CALLBACK_NAMES

// Its instantiation gives the errors of wrong names. A wrong name is accepted beside the right one:
// one class can serve two engines, and a callback can call functions with such names.
template <class A>
struct CallbackNameCheck {
  static_assert(!has_onLogon<A>() || has_on_logon<A>(),
                "onLogon() is not called: it is on_logon()");
  static_assert(!has_onLogOn<A>() || has_on_logon<A>(),
                "onLogOn() is not called: it is on_logon()");
  static_assert(!has_OnLogon<A>() || has_on_logon<A>(),
                "OnLogon() is not called: it is on_logon()");
  static_assert(!has_OnLogOn<A>() || has_on_logon<A>(),
                "OnLogOn() is not called: it is on_logon()");
  static_assert(!has_on_log_on<A>() || has_on_logon<A>(),
                "on_log_on() is not called: it is on_logon()");
  static_assert(!has_on_login<A>() || has_on_logon<A>(),
                "on_login() is not called: it is on_logon()");
  static_assert(!has_onLogin<A>() || has_on_logon<A>(),
                "onLogin() is not called: it is on_logon()");
  static_assert(!has_OnLogin<A>() || has_on_logon<A>(),
                "OnLogin() is not called: it is on_logon()");
  static_assert(!has_on_logged_on<A>() || has_on_logon<A>(),
                "on_logged_on() is not called: it is on_logon()");
  static_assert(!has_onLoggedOn<A>() || has_on_logon<A>(),
                "onLoggedOn() is not called: it is on_logon()");
  static_assert(!has_on_logged_in<A>() || has_on_logon<A>(),
                "on_logged_in() is not called: it is on_logon()");
  static_assert(!has_handle_logon<A>() || has_on_logon<A>(),
                "handle_logon() is not called: it is on_logon()");
  static_assert(!has_handleLogon<A>() || has_on_logon<A>(),
                "handleLogon() is not called: it is on_logon()");
  static_assert(!has_on_session_logon<A>() || has_on_logon<A>(),
                "on_session_logon() is not called: it is on_logon()");
  static_assert(!has_onLogout<A>() || has_on_logout<A>(),
                "onLogout() is not called: it is on_logout()");
  static_assert(!has_onLogOut<A>() || has_on_logout<A>(),
                "onLogOut() is not called: it is on_logout()");
  static_assert(!has_OnLogout<A>() || has_on_logout<A>(),
                "OnLogout() is not called: it is on_logout()");
  static_assert(!has_OnLogOut<A>() || has_on_logout<A>(),
                "OnLogOut() is not called: it is on_logout()");
  static_assert(!has_on_log_out<A>() || has_on_logout<A>(),
                "on_log_out() is not called: it is on_logout()");
  static_assert(!has_on_logoff<A>() || has_on_logout<A>(),
                "on_logoff() is not called: it is on_logout()");
  static_assert(!has_onLogoff<A>() || has_on_logout<A>(),
                "onLogoff() is not called: it is on_logout()");
  static_assert(!has_OnLogoff<A>() || has_on_logout<A>(),
                "OnLogoff() is not called: it is on_logout()");
  static_assert(!has_on_log_off<A>() || has_on_logout<A>(),
                "on_log_off() is not called: it is on_logout()");
  static_assert(!has_on_logged_out<A>() || has_on_logout<A>(),
                "on_logged_out() is not called: it is on_logout()");
  static_assert(!has_onLoggedOut<A>() || has_on_logout<A>(),
                "onLoggedOut() is not called: it is on_logout()");
  static_assert(!has_handle_logout<A>() || has_on_logout<A>(),
                "handle_logout() is not called: it is on_logout()");
  static_assert(!has_handleLogout<A>() || has_on_logout<A>(),
                "handleLogout() is not called: it is on_logout()");
  static_assert(!has_on_session_logout<A>() || has_on_logout<A>(),
                "on_session_logout() is not called: it is on_logout()");
  static_assert(!has_onMessage<A>() || has_on_message<A>(),
                "onMessage() is not called: it is on_message()");
  static_assert(!has_OnMessage<A>() || has_on_message<A>(),
                "OnMessage() is not called: it is on_message()");
  static_assert(!has_on_messages<A>() || has_on_message<A>(),
                "on_messages() is not called: it is on_message()");
  static_assert(!has_on_msg<A>() || has_on_message<A>(),
                "on_msg() is not called: it is on_message()");
  static_assert(!has_onMsg<A>() || has_on_message<A>(),
                "onMsg() is not called: it is on_message()");
  static_assert(!has_OnMsg<A>() || has_on_message<A>(),
                "OnMsg() is not called: it is on_message()");
  static_assert(!has_on_app_message<A>() || has_on_message<A>(),
                "on_app_message() is not called: it is on_message()");
  static_assert(!has_onAppMessage<A>() || has_on_message<A>(),
                "onAppMessage() is not called: it is on_message()");
  static_assert(!has_on_application_message<A>() || has_on_message<A>(),
                "on_application_message() is not called: it is on_message()");
  static_assert(!has_onApplicationMessage<A>() || has_on_message<A>(),
                "onApplicationMessage() is not called: it is on_message()");
  static_assert(!has_on_receive<A>() || has_on_message<A>(),
                "on_receive() is not called: it is on_message()");
  static_assert(!has_onReceive<A>() || has_on_message<A>(),
                "onReceive() is not called: it is on_message()");
  static_assert(!has_on_received<A>() || has_on_message<A>(),
                "on_received() is not called: it is on_message()");
  static_assert(!has_onReceived<A>() || has_on_message<A>(),
                "onReceived() is not called: it is on_message()");
  static_assert(!has_on_message_received<A>() || has_on_message<A>(),
                "on_message_received() is not called: it is on_message()");
  static_assert(!has_onMessageReceived<A>() || has_on_message<A>(),
                "onMessageReceived() is not called: it is on_message()");
  static_assert(!has_handle_message<A>() || has_on_message<A>(),
                "handle_message() is not called: it is on_message()");
  static_assert(!has_handleMessage<A>() || has_on_message<A>(),
                "handleMessage() is not called: it is on_message()");
  static_assert(!has_HandleMessage<A>() || has_on_message<A>(),
                "HandleMessage() is not called: it is on_message()");
  static_assert(!has_handle_application<A>() || has_on_message<A>(),
                "handle_application() is not called: it is on_message()");
  static_assert(!has_process_message<A>() || has_on_message<A>(),
                "process_message() is not called: it is on_message()");
  static_assert(!has_processMessage<A>() || has_on_message<A>(),
                "processMessage() is not called: it is on_message()");
  static_assert(!has_on_inbound_message<A>() || has_on_message<A>(),
                "on_inbound_message() is not called: it is on_message()");
  static_assert(!has_onInboundApplicationMsg<A>() || has_on_message<A>(),
                "onInboundApplicationMsg() is not called: it is on_message()");
  static_assert(!has_fromApp<A>() || has_on_message<A>(),
                "fromApp() is not called: it is on_message()");
  static_assert(!has_from_app<A>() || has_on_message<A>(),
                "from_app() is not called: it is on_message()");
  static_assert(!has_FromApp<A>() || has_on_message<A>(),
                "FromApp() is not called: it is on_message()");
  static_assert(!has_onRecovered<A>() || has_on_recovered<A>(),
                "onRecovered() is not called: it is on_recovered()");
  static_assert(!has_OnRecovered<A>() || has_on_recovered<A>(),
                "OnRecovered() is not called: it is on_recovered()");
  static_assert(!has_on_recover<A>() || has_on_recovered<A>(),
                "on_recover() is not called: it is on_recovered()");
  static_assert(!has_on_recovery<A>() || has_on_recovered<A>(),
                "on_recovery() is not called: it is on_recovered()");
  static_assert(!has_onLogonRequest<A>() || has_on_logon_request<A>(),
                "onLogonRequest() is not called: it is on_logon_request()");
  static_assert(!has_OnLogonRequest<A>() || has_on_logon_request<A>(),
                "OnLogonRequest() is not called: it is on_logon_request()");
  static_assert(!has_on_login_request<A>() || has_on_logon_request<A>(),
                "on_login_request() is not called: it is on_logon_request()");
  static_assert(!has_on_authenticate<A>() || has_on_logon_request<A>(),
                "on_authenticate() is not called: it is on_logon_request()");
  static_assert(!has_onAdmin<A>() || has_on_admin<A>(),
                "onAdmin() is not called: it is on_admin()");
  static_assert(!has_OnAdmin<A>() || has_on_admin<A>(),
                "OnAdmin() is not called: it is on_admin()");
  static_assert(!has_on_admin_message<A>() || has_on_admin<A>(),
                "on_admin_message() is not called: it is on_admin()");
  static_assert(!has_onAdminMessage<A>() || has_on_admin<A>(),
                "onAdminMessage() is not called: it is on_admin()");
  static_assert(!has_fromAdmin<A>() || has_on_admin<A>(),
                "fromAdmin() is not called: it is on_admin()");
  static_assert(!has_from_admin<A>() || has_on_admin<A>(),
                "from_admin() is not called: it is on_admin()");
  static_assert(!has_FromAdmin<A>() || has_on_admin<A>(),
                "FromAdmin() is not called: it is on_admin()");
  static_assert(!has_handle_admin<A>() || has_on_admin<A>(),
                "handle_admin() is not called: it is on_admin()");
  static_assert(!has_onInboundSessionMsg<A>() || has_on_admin<A>(),
                "onInboundSessionMsg() is not called: it is on_admin()");
  static_assert(!has_on_heartbeat<A>() || has_on_admin<A>(),
                "on_heartbeat() is not called: it is on_admin()");
  static_assert(!has_onHeartbeat<A>() || has_on_admin<A>(),
                "onHeartbeat() is not called: it is on_admin()");
  static_assert(!has_on_reject<A>() || has_on_admin<A>(),
                "on_reject() is not called: it is on_admin()");
  static_assert(!has_onReject<A>() || has_on_admin<A>(),
                "onReject() is not called: it is on_admin()");
  static_assert(!has_onSending<A>() || has_on_sending<A>(),
                "onSending() is not called: it is on_sending()");
  static_assert(!has_OnSending<A>() || has_on_sending<A>(),
                "OnSending() is not called: it is on_sending()");
  static_assert(!has_on_send<A>() || has_on_sending<A>(),
                "on_send() is not called: it is on_sending()");
  static_assert(!has_onSend<A>() || has_on_sending<A>(),
                "onSend() is not called: it is on_sending()");
  static_assert(!has_OnSend<A>() || has_on_sending<A>(),
                "OnSend() is not called: it is on_sending()");
  static_assert(!has_on_outgoing<A>() || has_on_sending<A>(),
                "on_outgoing() is not called: it is on_sending()");
  static_assert(!has_modify_outbound<A>() || has_on_sending<A>(),
                "modify_outbound() is not called: it is on_sending()");
  static_assert(!has_toApp<A>() || has_on_sending<A>(),
                "toApp() is not called: it is on_sending()");
  static_assert(!has_to_app<A>() || has_on_sending<A>(),
                "to_app() is not called: it is on_sending()");
  static_assert(!has_ToApp<A>() || has_on_sending<A>(),
                "ToApp() is not called: it is on_sending()");
  static_assert(!has_onSent<A>() || has_on_sent<A>(), "onSent() is not called: it is on_sent()");
  static_assert(!has_OnSent<A>() || has_on_sent<A>(), "OnSent() is not called: it is on_sent()");
  static_assert(!has_on_message_sent<A>() || has_on_sent<A>(),
                "on_message_sent() is not called: it is on_sent()");
  static_assert(!has_onMessageSent<A>() || has_on_sent<A>(),
                "onMessageSent() is not called: it is on_sent()");
  static_assert(!has_onResendRequest<A>() || has_on_resend_request<A>(),
                "onResendRequest() is not called: it is on_resend_request()");
  static_assert(!has_OnResendRequest<A>() || has_on_resend_request<A>(),
                "OnResendRequest() is not called: it is on_resend_request()");
  static_assert(!has_on_resend<A>() || has_on_resend_request<A>(),
                "on_resend() is not called: it is on_resend_request()");
  static_assert(!has_onDisconnect<A>() || has_on_disconnect<A>(),
                "onDisconnect() is not called: it is on_disconnect()");
  static_assert(!has_OnDisconnect<A>() || has_on_disconnect<A>(),
                "OnDisconnect() is not called: it is on_disconnect()");
  static_assert(!has_on_disconnected<A>() || has_on_disconnect<A>(),
                "on_disconnected() is not called: it is on_disconnect()");
  static_assert(!has_onDisconnected<A>() || has_on_disconnect<A>(),
                "onDisconnected() is not called: it is on_disconnect()");
  static_assert(!has_OnDisconnected<A>() || has_on_disconnect<A>(),
                "OnDisconnected() is not called: it is on_disconnect()");
  static_assert(!has_writeLogon<A>() || has_write_logon<A>(),
                "writeLogon() is not called: it is write_logon()");
  static_assert(!has_WriteLogon<A>() || has_write_logon<A>(),
                "WriteLogon() is not called: it is write_logon()");
  static_assert(!has_write_log_on<A>() || has_write_logon<A>(),
                "write_log_on() is not called: it is write_logon()");
  static_assert(!has_on_write_logon<A>() || has_write_logon<A>(),
                "on_write_logon() is not called: it is write_logon()");
  static_assert(!has_toAdmin<A>() || has_write_logon<A>(),
                "toAdmin() is not called: it is write_logon()");
  static_assert(!has_to_admin<A>() || has_write_logon<A>(),
                "to_admin() is not called: it is write_logon()");
  static_assert(!has_ToAdmin<A>() || has_write_logon<A>(),
                "ToAdmin() is not called: it is write_logon()");
  static_assert(!has_onWritable<A>() || has_on_writable<A>(),
                "onWritable() is not called: it is on_writable()");
  static_assert(!has_OnWritable<A>() || has_on_writable<A>(),
                "OnWritable() is not called: it is on_writable()");
  static_assert(
      !has_on_execution_report<A>() || has_on_message<A>(),
      "on_execution_report() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(
      !has_onExecutionReport<A>() || has_on_message<A>(),
      "onExecutionReport() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(
      !has_OnExecutionReport<A>() || has_on_message<A>(),
      "OnExecutionReport() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(!has_handle_execution_report<A>() || has_on_message<A>(),
                "handle_execution_report() is not called: it is on_message(Session&, const "
                "ExecutionReport&)");
  static_assert(
      !has_on_new_order_single<A>() || has_on_message<A>(),
      "on_new_order_single() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(
      !has_onNewOrderSingle<A>() || has_on_message<A>(),
      "onNewOrderSingle() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(
      !has_OnNewOrderSingle<A>() || has_on_message<A>(),
      "OnNewOrderSingle() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(
      !has_handle_new_order_single<A>() || has_on_message<A>(),
      "handle_new_order_single() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(!has_on_order_cancel_request<A>() || has_on_message<A>(),
                "on_order_cancel_request() is not called: it is on_message(Session&, const "
                "OrderCancelRequest&)");
  static_assert(!has_onOrderCancelRequest<A>() || has_on_message<A>(),
                "onOrderCancelRequest() is not called: it is on_message(Session&, const "
                "OrderCancelRequest&)");
  static_assert(!has_on_order_cancel_replace_request<A>() || has_on_message<A>(),
                "on_order_cancel_replace_request() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(!has_onOrderCancelReplaceRequest<A>() || has_on_message<A>(),
                "onOrderCancelReplaceRequest() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(!has_on_order_cancel_reject<A>() || has_on_message<A>(),
                "on_order_cancel_reject() is not called: it is on_message(Session&, const "
                "OrderCancelReject&)");
  static_assert(
      !has_onOrderCancelReject<A>() || has_on_message<A>(),
      "onOrderCancelReject() is not called: it is on_message(Session&, const OrderCancelReject&)");
  static_assert(!has_on_market_data_request<A>() || has_on_message<A>(),
                "on_market_data_request() is not called: it is on_message(Session&, const "
                "MarketDataRequest&)");
  static_assert(
      !has_onMarketDataRequest<A>() || has_on_message<A>(),
      "onMarketDataRequest() is not called: it is on_message(Session&, const MarketDataRequest&)");
  static_assert(!has_on_market_data_snapshot_full_refresh<A>() || has_on_message<A>(),
                "on_market_data_snapshot_full_refresh() is not called: it is on_message(Session&, "
                "const MarketDataSnapshotFullRefresh&)");
  static_assert(!has_onMarketDataSnapshotFullRefresh<A>() || has_on_message<A>(),
                "onMarketDataSnapshotFullRefresh() is not called: it is on_message(Session&, const "
                "MarketDataSnapshotFullRefresh&)");
  static_assert(!has_on_market_data_incremental_refresh<A>() || has_on_message<A>(),
                "on_market_data_incremental_refresh() is not called: it is on_message(Session&, "
                "const MarketDataIncrementalRefresh&)");
  static_assert(!has_onMarketDataIncrementalRefresh<A>() || has_on_message<A>(),
                "onMarketDataIncrementalRefresh() is not called: it is on_message(Session&, const "
                "MarketDataIncrementalRefresh&)");
  static_assert(!has_on_business_message_reject<A>() || has_on_message<A>(),
                "on_business_message_reject() is not called: it is on_message(Session&, const "
                "BusinessMessageReject&)");
  static_assert(!has_onBusinessMessageReject<A>() || has_on_message<A>(),
                "onBusinessMessageReject() is not called: it is on_message(Session&, const "
                "BusinessMessageReject&)");
  static_assert(!has_onCreate<A>() || has_on_logon<A>(),
                "onCreate() is not called: on_logon() is; Engine::sessions() has all sessions");
  static_assert(!has_OnCreate<A>() || has_on_logon<A>(),
                "OnCreate() is not called: on_logon() is; Engine::sessions() has all sessions");
  static_assert(!has_on_create<A>() || has_on_logon<A>(),
                "on_create() is not called: on_logon() is; Engine::sessions() has all sessions");
  static constexpr bool kDone = true;
};

}  // namespace nexusfix::engine::detail
