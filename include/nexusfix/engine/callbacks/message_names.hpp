// The compile-time errors of callbacks that programs of other engines have in place of
// on_message().
#pragma once

#include <nexusfix/engine/callbacks/callback_names.hpp>

namespace nexusfix::engine::detail {

// As CallbackNameCheck.
template <class A>
struct MessageNameCheck {
  static consteval bool message(bool has_other) { return !has_other || has_on_message<A>(); }

  static_assert(message(has_onMessage<A>()), "onMessage() is not called: it is on_message()");
  static_assert(message(has_OnMessage<A>()), "OnMessage() is not called: it is on_message()");
  static_assert(message(has_on_messages<A>()), "on_messages() is not called: it is on_message()");
  static_assert(message(has_on_msg<A>()), "on_msg() is not called: it is on_message()");
  static_assert(message(has_onMsg<A>()), "onMsg() is not called: it is on_message()");
  static_assert(message(has_OnMsg<A>()), "OnMsg() is not called: it is on_message()");
  static_assert(message(has_on_app_message<A>()),
                "on_app_message() is not called: it is on_message()");
  static_assert(message(has_onAppMessage<A>()), "onAppMessage() is not called: it is on_message()");
  static_assert(message(has_on_application_message<A>()),
                "on_application_message() is not called: it is on_message()");
  static_assert(message(has_onApplicationMessage<A>()),
                "onApplicationMessage() is not called: it is on_message()");
  static_assert(message(has_on_receive<A>()), "on_receive() is not called: it is on_message()");
  static_assert(message(has_onReceive<A>()), "onReceive() is not called: it is on_message()");
  static_assert(message(has_on_received<A>()), "on_received() is not called: it is on_message()");
  static_assert(message(has_onReceived<A>()), "onReceived() is not called: it is on_message()");
  static_assert(message(has_on_message_received<A>()),
                "on_message_received() is not called: it is on_message()");
  static_assert(message(has_onMessageReceived<A>()),
                "onMessageReceived() is not called: it is on_message()");
  static_assert(message(has_handle_message<A>()),
                "handle_message() is not called: it is on_message()");
  static_assert(message(has_handleMessage<A>()),
                "handleMessage() is not called: it is on_message()");
  static_assert(message(has_HandleMessage<A>()),
                "HandleMessage() is not called: it is on_message()");
  static_assert(message(has_handle_application<A>()),
                "handle_application() is not called: it is on_message()");
  static_assert(message(has_process_message<A>()),
                "process_message() is not called: it is on_message()");
  static_assert(message(has_processMessage<A>()),
                "processMessage() is not called: it is on_message()");
  static_assert(message(has_on_inbound_message<A>()),
                "on_inbound_message() is not called: it is on_message()");
  static_assert(message(has_onInboundApplicationMsg<A>()),
                "onInboundApplicationMsg() is not called: it is on_message()");
  static_assert(message(has_fromApp<A>()), "fromApp() is not called: it is on_message()");
  static_assert(message(has_from_app<A>()), "from_app() is not called: it is on_message()");
  static_assert(message(has_FromApp<A>()), "FromApp() is not called: it is on_message()");
  static_assert(message(has_on_from_app<A>()), "on_from_app() is not called: it is on_message()");
  static_assert(message(has_on_inbound_app_message<A>()),
                "on_inbound_app_message() is not called: it is on_message()");
  static_assert(message(has_on_incoming_message<A>()),
                "on_incoming_message() is not called: it is on_message()");
  static_assert(message(has_onIncomingMessage<A>()),
                "onIncomingMessage() is not called: it is on_message()");
  static_assert(message(has_OnIncomingMessage<A>()),
                "OnIncomingMessage() is not called: it is on_message()");
  static_assert(message(has_on_fill<A>()),
                "on_fill() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(message(has_on_trade<A>()),
                "on_trade() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(
      message(has_on_execution_report<A>()),
      "on_execution_report() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(
      message(has_onExecutionReport<A>()),
      "onExecutionReport() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(
      message(has_OnExecutionReport<A>()),
      "OnExecutionReport() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(message(has_handle_execution_report<A>()),
                "handle_execution_report() is not called: it is on_message(Session&, const "
                "ExecutionReport&)");
  static_assert(
      message(has_on_new_order_single<A>()),
      "on_new_order_single() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(
      message(has_onNewOrderSingle<A>()),
      "onNewOrderSingle() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(
      message(has_OnNewOrderSingle<A>()),
      "OnNewOrderSingle() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(
      message(has_handle_new_order_single<A>()),
      "handle_new_order_single() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(message(has_on_order_cancel_request<A>()),
                "on_order_cancel_request() is not called: it is on_message(Session&, const "
                "OrderCancelRequest&)");
  static_assert(message(has_onOrderCancelRequest<A>()),
                "onOrderCancelRequest() is not called: it is on_message(Session&, const "
                "OrderCancelRequest&)");
  static_assert(message(has_on_order_cancel_replace_request<A>()),
                "on_order_cancel_replace_request() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_onOrderCancelReplaceRequest<A>()),
                "onOrderCancelReplaceRequest() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_on_order_cancel_reject<A>()),
                "on_order_cancel_reject() is not called: it is on_message(Session&, const "
                "OrderCancelReject&)");
  static_assert(
      message(has_onOrderCancelReject<A>()),
      "onOrderCancelReject() is not called: it is on_message(Session&, const OrderCancelReject&)");
  static_assert(message(has_on_market_data_request<A>()),
                "on_market_data_request() is not called: it is on_message(Session&, const "
                "MarketDataRequest&)");
  static_assert(
      message(has_onMarketDataRequest<A>()),
      "onMarketDataRequest() is not called: it is on_message(Session&, const MarketDataRequest&)");
  static_assert(message(has_on_market_data_snapshot_full_refresh<A>()),
                "on_market_data_snapshot_full_refresh() is not called: it is on_message(Session&, "
                "const MarketDataSnapshotFullRefresh&)");
  static_assert(message(has_onMarketDataSnapshotFullRefresh<A>()),
                "onMarketDataSnapshotFullRefresh() is not called: it is on_message(Session&, const "
                "MarketDataSnapshotFullRefresh&)");
  static_assert(message(has_on_market_data_incremental_refresh<A>()),
                "on_market_data_incremental_refresh() is not called: it is on_message(Session&, "
                "const MarketDataIncrementalRefresh&)");
  static_assert(message(has_onMarketDataIncrementalRefresh<A>()),
                "onMarketDataIncrementalRefresh() is not called: it is on_message(Session&, const "
                "MarketDataIncrementalRefresh&)");
  static_assert(message(has_on_business_message_reject<A>()),
                "on_business_message_reject() is not called: it is on_message(Session&, const "
                "BusinessMessageReject&)");
  static_assert(message(has_onBusinessMessageReject<A>()),
                "onBusinessMessageReject() is not called: it is on_message(Session&, const "
                "BusinessMessageReject&)");
  static_assert(message(has_onMessages<A>()), "onMessages() is not called: it is on_message()");
  static_assert(message(has_OnMessages<A>()), "OnMessages() is not called: it is on_message()");
  static_assert(message(has_OnAppMessage<A>()), "OnAppMessage() is not called: it is on_message()");
  static_assert(message(has_on_app_msg<A>()), "on_app_msg() is not called: it is on_message()");
  static_assert(message(has_onAppMsg<A>()), "onAppMsg() is not called: it is on_message()");
  static_assert(message(has_OnAppMsg<A>()), "OnAppMsg() is not called: it is on_message()");
  static_assert(message(has_OnApplicationMessage<A>()),
                "OnApplicationMessage() is not called: it is on_message()");
  static_assert(message(has_OnReceive<A>()), "OnReceive() is not called: it is on_message()");
  static_assert(message(has_OnReceived<A>()), "OnReceived() is not called: it is on_message()");
  static_assert(message(has_OnMessageReceived<A>()),
                "OnMessageReceived() is not called: it is on_message()");
  static_assert(message(has_handleApplication<A>()),
                "handleApplication() is not called: it is on_message()");
  static_assert(message(has_HandleApplication<A>()),
                "HandleApplication() is not called: it is on_message()");
  static_assert(message(has_ProcessMessage<A>()),
                "ProcessMessage() is not called: it is on_message()");
  static_assert(message(has_onInboundMessage<A>()),
                "onInboundMessage() is not called: it is on_message()");
  static_assert(message(has_OnInboundMessage<A>()),
                "OnInboundMessage() is not called: it is on_message()");
  static_assert(message(has_on_fix_message<A>()),
                "on_fix_message() is not called: it is on_message()");
  static_assert(message(has_onFixMessage<A>()), "onFixMessage() is not called: it is on_message()");
  static_assert(message(has_OnFixMessage<A>()), "OnFixMessage() is not called: it is on_message()");
  static_assert(message(has_on_data<A>()), "on_data() is not called: it is on_message()");
  static_assert(message(has_onData<A>()), "onData() is not called: it is on_message()");
  static_assert(message(has_OnData<A>()), "OnData() is not called: it is on_message()");
  static_assert(message(has_on_execution<A>()),
                "on_execution() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(message(has_onExecution<A>()),
                "onExecution() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(message(has_OnExecution<A>()),
                "OnExecution() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(
      message(has_on_exec_report<A>()),
      "on_exec_report() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(message(has_onExecReport<A>()),
                "onExecReport() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(message(has_OnExecReport<A>()),
                "OnExecReport() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(
      message(has_handleExecutionReport<A>()),
      "handleExecutionReport() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(
      message(has_HandleExecutionReport<A>()),
      "HandleExecutionReport() is not called: it is on_message(Session&, const ExecutionReport&)");
  static_assert(message(has_on_new_order<A>()),
                "on_new_order() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(message(has_onNewOrder<A>()),
                "onNewOrder() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(message(has_OnNewOrder<A>()),
                "OnNewOrder() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(message(has_on_order<A>()),
                "on_order() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(message(has_onOrder<A>()),
                "onOrder() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(message(has_OnOrder<A>()),
                "OnOrder() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(
      message(has_handleNewOrderSingle<A>()),
      "handleNewOrderSingle() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(
      message(has_HandleNewOrderSingle<A>()),
      "HandleNewOrderSingle() is not called: it is on_message(Session&, const NewOrderSingle&)");
  static_assert(message(has_OnOrderCancelRequest<A>()),
                "OnOrderCancelRequest() is not called: it is on_message(Session&, const "
                "OrderCancelRequest&)");
  static_assert(
      message(has_on_cancel_request<A>()),
      "on_cancel_request() is not called: it is on_message(Session&, const OrderCancelRequest&)");
  static_assert(
      message(has_onCancelRequest<A>()),
      "onCancelRequest() is not called: it is on_message(Session&, const OrderCancelRequest&)");
  static_assert(
      message(has_OnCancelRequest<A>()),
      "OnCancelRequest() is not called: it is on_message(Session&, const OrderCancelRequest&)");
  static_assert(
      message(has_on_order_cancel<A>()),
      "on_order_cancel() is not called: it is on_message(Session&, const OrderCancelRequest&)");
  static_assert(
      message(has_onOrderCancel<A>()),
      "onOrderCancel() is not called: it is on_message(Session&, const OrderCancelRequest&)");
  static_assert(
      message(has_OnOrderCancel<A>()),
      "OnOrderCancel() is not called: it is on_message(Session&, const OrderCancelRequest&)");
  static_assert(message(has_handle_order_cancel_request<A>()),
                "handle_order_cancel_request() is not called: it is on_message(Session&, const "
                "OrderCancelRequest&)");
  static_assert(message(has_handleOrderCancelRequest<A>()),
                "handleOrderCancelRequest() is not called: it is on_message(Session&, const "
                "OrderCancelRequest&)");
  static_assert(message(has_HandleOrderCancelRequest<A>()),
                "HandleOrderCancelRequest() is not called: it is on_message(Session&, const "
                "OrderCancelRequest&)");
  static_assert(message(has_OnOrderCancelReplaceRequest<A>()),
                "OnOrderCancelReplaceRequest() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_on_cancel_replace_request<A>()),
                "on_cancel_replace_request() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_onCancelReplaceRequest<A>()),
                "onCancelReplaceRequest() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_OnCancelReplaceRequest<A>()),
                "OnCancelReplaceRequest() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_on_order_cancel_replace<A>()),
                "on_order_cancel_replace() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_onOrderCancelReplace<A>()),
                "onOrderCancelReplace() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_OnOrderCancelReplace<A>()),
                "OnOrderCancelReplace() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_on_order_replace<A>()),
                "on_order_replace() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_onOrderReplace<A>()),
                "onOrderReplace() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_OnOrderReplace<A>()),
                "OnOrderReplace() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_handle_order_cancel_replace_request<A>()),
                "handle_order_cancel_replace_request() is not called: it is on_message(Session&, "
                "const OrderCancelReplaceRequest&)");
  static_assert(message(has_handleOrderCancelReplaceRequest<A>()),
                "handleOrderCancelReplaceRequest() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(message(has_HandleOrderCancelReplaceRequest<A>()),
                "HandleOrderCancelReplaceRequest() is not called: it is on_message(Session&, const "
                "OrderCancelReplaceRequest&)");
  static_assert(
      message(has_OnOrderCancelReject<A>()),
      "OnOrderCancelReject() is not called: it is on_message(Session&, const OrderCancelReject&)");
  static_assert(
      message(has_on_cancel_reject<A>()),
      "on_cancel_reject() is not called: it is on_message(Session&, const OrderCancelReject&)");
  static_assert(
      message(has_onCancelReject<A>()),
      "onCancelReject() is not called: it is on_message(Session&, const OrderCancelReject&)");
  static_assert(
      message(has_OnCancelReject<A>()),
      "OnCancelReject() is not called: it is on_message(Session&, const OrderCancelReject&)");
  static_assert(message(has_handle_order_cancel_reject<A>()),
                "handle_order_cancel_reject() is not called: it is on_message(Session&, const "
                "OrderCancelReject&)");
  static_assert(message(has_handleOrderCancelReject<A>()),
                "handleOrderCancelReject() is not called: it is on_message(Session&, const "
                "OrderCancelReject&)");
  static_assert(message(has_HandleOrderCancelReject<A>()),
                "HandleOrderCancelReject() is not called: it is on_message(Session&, const "
                "OrderCancelReject&)");
  static_assert(
      message(has_OnMarketDataRequest<A>()),
      "OnMarketDataRequest() is not called: it is on_message(Session&, const MarketDataRequest&)");
  static_assert(message(has_handle_market_data_request<A>()),
                "handle_market_data_request() is not called: it is on_message(Session&, const "
                "MarketDataRequest&)");
  static_assert(message(has_handleMarketDataRequest<A>()),
                "handleMarketDataRequest() is not called: it is on_message(Session&, const "
                "MarketDataRequest&)");
  static_assert(message(has_HandleMarketDataRequest<A>()),
                "HandleMarketDataRequest() is not called: it is on_message(Session&, const "
                "MarketDataRequest&)");
  static_assert(message(has_OnMarketDataSnapshotFullRefresh<A>()),
                "OnMarketDataSnapshotFullRefresh() is not called: it is on_message(Session&, const "
                "MarketDataSnapshotFullRefresh&)");
  static_assert(message(has_on_market_data_snapshot<A>()),
                "on_market_data_snapshot() is not called: it is on_message(Session&, const "
                "MarketDataSnapshotFullRefresh&)");
  static_assert(message(has_onMarketDataSnapshot<A>()),
                "onMarketDataSnapshot() is not called: it is on_message(Session&, const "
                "MarketDataSnapshotFullRefresh&)");
  static_assert(message(has_OnMarketDataSnapshot<A>()),
                "OnMarketDataSnapshot() is not called: it is on_message(Session&, const "
                "MarketDataSnapshotFullRefresh&)");
  static_assert(message(has_on_snapshot_full_refresh<A>()),
                "on_snapshot_full_refresh() is not called: it is on_message(Session&, const "
                "MarketDataSnapshotFullRefresh&)");
  static_assert(message(has_onSnapshotFullRefresh<A>()),
                "onSnapshotFullRefresh() is not called: it is on_message(Session&, const "
                "MarketDataSnapshotFullRefresh&)");
  static_assert(message(has_OnSnapshotFullRefresh<A>()),
                "OnSnapshotFullRefresh() is not called: it is on_message(Session&, const "
                "MarketDataSnapshotFullRefresh&)");
  static_assert(message(has_handle_market_data_snapshot_full_refresh<A>()),
                "handle_market_data_snapshot_full_refresh() is not called: it is "
                "on_message(Session&, const MarketDataSnapshotFullRefresh&)");
  static_assert(message(has_handleMarketDataSnapshotFullRefresh<A>()),
                "handleMarketDataSnapshotFullRefresh() is not called: it is on_message(Session&, "
                "const MarketDataSnapshotFullRefresh&)");
  static_assert(message(has_HandleMarketDataSnapshotFullRefresh<A>()),
                "HandleMarketDataSnapshotFullRefresh() is not called: it is on_message(Session&, "
                "const MarketDataSnapshotFullRefresh&)");
  static_assert(message(has_OnMarketDataIncrementalRefresh<A>()),
                "OnMarketDataIncrementalRefresh() is not called: it is on_message(Session&, const "
                "MarketDataIncrementalRefresh&)");
  static_assert(message(has_on_incremental_refresh<A>()),
                "on_incremental_refresh() is not called: it is on_message(Session&, const "
                "MarketDataIncrementalRefresh&)");
  static_assert(message(has_onIncrementalRefresh<A>()),
                "onIncrementalRefresh() is not called: it is on_message(Session&, const "
                "MarketDataIncrementalRefresh&)");
  static_assert(message(has_OnIncrementalRefresh<A>()),
                "OnIncrementalRefresh() is not called: it is on_message(Session&, const "
                "MarketDataIncrementalRefresh&)");
  static_assert(message(has_handle_market_data_incremental_refresh<A>()),
                "handle_market_data_incremental_refresh() is not called: it is "
                "on_message(Session&, const MarketDataIncrementalRefresh&)");
  static_assert(message(has_handleMarketDataIncrementalRefresh<A>()),
                "handleMarketDataIncrementalRefresh() is not called: it is on_message(Session&, "
                "const MarketDataIncrementalRefresh&)");
  static_assert(message(has_HandleMarketDataIncrementalRefresh<A>()),
                "HandleMarketDataIncrementalRefresh() is not called: it is on_message(Session&, "
                "const MarketDataIncrementalRefresh&)");
  static_assert(message(has_OnBusinessMessageReject<A>()),
                "OnBusinessMessageReject() is not called: it is on_message(Session&, const "
                "BusinessMessageReject&)");
  static_assert(message(has_on_business_reject<A>()),
                "on_business_reject() is not called: it is on_message(Session&, const "
                "BusinessMessageReject&)");
  static_assert(
      message(has_onBusinessReject<A>()),
      "onBusinessReject() is not called: it is on_message(Session&, const BusinessMessageReject&)");
  static_assert(
      message(has_OnBusinessReject<A>()),
      "OnBusinessReject() is not called: it is on_message(Session&, const BusinessMessageReject&)");
  static_assert(message(has_handle_business_message_reject<A>()),
                "handle_business_message_reject() is not called: it is on_message(Session&, const "
                "BusinessMessageReject&)");
  static_assert(message(has_handleBusinessMessageReject<A>()),
                "handleBusinessMessageReject() is not called: it is on_message(Session&, const "
                "BusinessMessageReject&)");
  static_assert(message(has_HandleBusinessMessageReject<A>()),
                "HandleBusinessMessageReject() is not called: it is on_message(Session&, const "
                "BusinessMessageReject&)");
  static_assert(message(has_on_quote<A>()),
                "on_quote() is not called: it is on_message(Session&, const Quote&)");
  static_assert(message(has_onQuote<A>()),
                "onQuote() is not called: it is on_message(Session&, const Quote&)");
  static_assert(message(has_OnQuote<A>()),
                "OnQuote() is not called: it is on_message(Session&, const Quote&)");
  static_assert(message(has_handle_quote<A>()),
                "handle_quote() is not called: it is on_message(Session&, const Quote&)");
  static_assert(message(has_handleQuote<A>()),
                "handleQuote() is not called: it is on_message(Session&, const Quote&)");
  static_assert(message(has_HandleQuote<A>()),
                "HandleQuote() is not called: it is on_message(Session&, const Quote&)");
  static_assert(
      message(has_on_quote_request<A>()),
      "on_quote_request() is not called: it is on_message(Session&, const QuoteRequest&)");
  static_assert(message(has_onQuoteRequest<A>()),
                "onQuoteRequest() is not called: it is on_message(Session&, const QuoteRequest&)");
  static_assert(message(has_OnQuoteRequest<A>()),
                "OnQuoteRequest() is not called: it is on_message(Session&, const QuoteRequest&)");
  static_assert(
      message(has_handle_quote_request<A>()),
      "handle_quote_request() is not called: it is on_message(Session&, const QuoteRequest&)");
  static_assert(
      message(has_handleQuoteRequest<A>()),
      "handleQuoteRequest() is not called: it is on_message(Session&, const QuoteRequest&)");
  static_assert(
      message(has_HandleQuoteRequest<A>()),
      "HandleQuoteRequest() is not called: it is on_message(Session&, const QuoteRequest&)");
  static_assert(message(has_on_security_definition<A>()),
                "on_security_definition() is not called: it is on_message(Session&, const "
                "SecurityDefinition&)");
  static_assert(message(has_onSecurityDefinition<A>()),
                "onSecurityDefinition() is not called: it is on_message(Session&, const "
                "SecurityDefinition&)");
  static_assert(message(has_OnSecurityDefinition<A>()),
                "OnSecurityDefinition() is not called: it is on_message(Session&, const "
                "SecurityDefinition&)");
  static_assert(message(has_handle_security_definition<A>()),
                "handle_security_definition() is not called: it is on_message(Session&, const "
                "SecurityDefinition&)");
  static_assert(message(has_handleSecurityDefinition<A>()),
                "handleSecurityDefinition() is not called: it is on_message(Session&, const "
                "SecurityDefinition&)");
  static_assert(message(has_HandleSecurityDefinition<A>()),
                "HandleSecurityDefinition() is not called: it is on_message(Session&, const "
                "SecurityDefinition&)");
  static_assert(message(has_on_trade_capture_report<A>()),
                "on_trade_capture_report() is not called: it is on_message(Session&, const "
                "TradeCaptureReport&)");
  static_assert(message(has_onTradeCaptureReport<A>()),
                "onTradeCaptureReport() is not called: it is on_message(Session&, const "
                "TradeCaptureReport&)");
  static_assert(message(has_OnTradeCaptureReport<A>()),
                "OnTradeCaptureReport() is not called: it is on_message(Session&, const "
                "TradeCaptureReport&)");
  static_assert(message(has_handle_trade_capture_report<A>()),
                "handle_trade_capture_report() is not called: it is on_message(Session&, const "
                "TradeCaptureReport&)");
  static_assert(message(has_handleTradeCaptureReport<A>()),
                "handleTradeCaptureReport() is not called: it is on_message(Session&, const "
                "TradeCaptureReport&)");
  static_assert(message(has_HandleTradeCaptureReport<A>()),
                "HandleTradeCaptureReport() is not called: it is on_message(Session&, const "
                "TradeCaptureReport&)");
  static_assert(message(has_on_order_status_request<A>()),
                "on_order_status_request() is not called: it is on_message(Session&, const "
                "OrderStatusRequest&)");
  static_assert(message(has_onOrderStatusRequest<A>()),
                "onOrderStatusRequest() is not called: it is on_message(Session&, const "
                "OrderStatusRequest&)");
  static_assert(message(has_OnOrderStatusRequest<A>()),
                "OnOrderStatusRequest() is not called: it is on_message(Session&, const "
                "OrderStatusRequest&)");
  static_assert(message(has_handle_order_status_request<A>()),
                "handle_order_status_request() is not called: it is on_message(Session&, const "
                "OrderStatusRequest&)");
  static_assert(message(has_handleOrderStatusRequest<A>()),
                "handleOrderStatusRequest() is not called: it is on_message(Session&, const "
                "OrderStatusRequest&)");
  static_assert(message(has_HandleOrderStatusRequest<A>()),
                "HandleOrderStatusRequest() is not called: it is on_message(Session&, const "
                "OrderStatusRequest&)");
  static constexpr bool kDone = true;
};

}  // namespace nexusfix::engine::detail
