// The keys of a session's connections, and of the threads that serve them.
#pragma once

#include "config/keys/key_row.hpp"

namespace nexusfix::config::keys {

using enum TakesEffect;
using transport::ReceiveTimestamps;
using transport::SocketOptions;

inline constexpr ValueRule kNetworks = or_none(
    read_by<read_addresses>("list",
                            "addresses and networks, such as "
                            "10.0.0.1,10.1.0.0/16,2001:db8::/32,fe80::1%eth0, or localhost,"));
inline constexpr ValueRule kProxyVersion =
    or_none({is_proxy_version, "word", "1.0 or 1.1 of http, or 4, 4a or 5 of socks"});

inline constexpr KeyRow kConnection[] = {
    {"SocketConnectHost", NextLogon, numbered(kHost), kReadByBuilder, "", "fix.venue.example",
     "initiator: where to connect; SocketConnectHost1 and so on are tried after it"},
    {"SocketConnectPort", NextLogon, numbered(port(1)), kReadByBuilder, "", "5001",
     "initiator: the port to connect to"},
    {"ReconnectInterval", AtOnce,
     read_by<read_intervals>(
         "list",
         "a whole number of seconds from 1 to 86400, or a list such as 5;30;60 or 3*10;60,"),
     sets<&ReconnectSettings::intervals, read_intervals>, "30", "5;30;60",
     "initiator: seconds between attempts; 5;30;60 grows until there is a Logon"},
    {"SocketAcceptPort", AtOnce, port(0), kReadByBuilder, "", "5001",
     "acceptor: the port to listen on; 0 is any free one"},
    {"SocketAcceptAddress", AtOnce, or_none(kHost), kReadByBuilder, "", "10.0.0.5",
     "acceptor: the address to listen on; every one if not given"},
    {"SocketAcceptHost", AtOnce, or_none(kHost), kReadByBuilder, "", "10.0.0.5",
     "another name of SocketAcceptAddress"},
    {"SocketConnectTimeout", NextLogon, seconds(0, 3'600),
     sets<&ReconnectSettings::connect_timeout>, "0", "5",
     "initiator: seconds that a connect may take; 0: as LogonTimeout", "QuickFIX/J: 60"},
    {"HostSelectionPolicy", AtOnce, one_of("ROUNDROBIN or PRIORITY"), kReadByBuilder, "ROUNDROBIN",
     "PRIORITY", "initiator: PRIORITY tries the first address first after a lost session"},
    {"HostSelectionPolicyPriorityStartOverInterval", AtOnce, seconds(0, 86'400), kReadByBuilder,
     "120", "600",
     "PRIORITY: after this number of seconds of failures the first address is first again"},
    {"SocketLocalHost", NextLogon, or_none(kAddress), sets<&SocketOptions::source_host>, "",
     "10.0.0.7", "another name of SocketConnectSourceHost"},
    {"SocketLocalPort", NextLogon, port(0), sets<&SocketOptions::source_port>, "0", "40001",
     "another name of SocketConnectSourcePort"},
    {"SocketConnectSourceHost", NextLogon, or_none(kAddress), sets<&SocketOptions::source_host>, "",
     "10.0.0.7", "initiator: the address of this machine to connect from"},
    {"SocketConnectSourcePort", NextLogon, port(0), sets<&SocketOptions::source_port>, "0", "40001",
     "initiator: the port to connect from; 0: any"},
    {"AllowedRemoteAddresses", AtOnce, or_none(kNetworks), kReadByBuilder, "",
     "10.0.0.0/8,192.0.2.7",
     "acceptor: addresses and networks that may log on; every one if not given"},
    {"UseTCPProxy", NextLogon, kYesOrNo, kReadByBuilder, "N", "Y",
     "acceptor: Y: connections come from TrustedProxies, with a header of the PROXY protocol"},
    {"TrustedProxies", NextLogon, or_none(kNetworks), kReadByBuilder, "", "10.0.0.9",
     "UseTCPProxy=Y: addresses and networks of the trusted proxies"},
    {"ProxyType", NextLogon, or_none(one_of("http or socks")), kReadByBuilder, "", "http",
     "initiator: connect through a proxy: http (CONNECT) or socks; none if not given"},
    {"ProxyVersion", NextLogon, or_none(kProxyVersion), kReadByBuilder, "", "1.1",
     "http: 1.1 or 1.0; socks: 5, 4a or 4", "QuickFIX/J: required for socks"},
    {"ProxyHost", NextLogon, or_none(kHost), kReadByBuilder, "", "proxy.example",
     "the name or address of the proxy"},
    {"ProxyPort", NextLogon, port(1), kReadByBuilder, "", "3128", "the port of the proxy"},
    {"ProxyUser", NextLogon, kShortText, kReadByBuilder, "", "trader",
     "our user name at the proxy"},
    {"ProxyPassword", NextLogon, secret(kShortText), kReadByBuilder, "", "change-me",
     "the password of ProxyUser"},
    {"MaxPendingLogons", AtOnce, number(0, 1'000'000), sets<&AdmissionSettings::pending_logons_max>,
     "1000", "200", "acceptor: connections to its port without a Logon; 0: no limit",
     "others: no limit"},
    {"MaxQueuedBytes", AtOnce, bytes(65'536, 4'000'000'000), sets<&SessionLimits::queued_bytes_max>,
     "67108864", "16777216", "bytes that may wait for a counterparty that does not read"},
    {"MaxBufferedBytes", NextStart, bytes(1'048'576, 1'000'000'000'000),
     sets<&Settings::buffered_bytes_max>, "536870912", "1073741824",
     "buffered bytes of all sessions; above it the largest session is disconnected",
     "others: no limit"},
    {"SlowConsumerTimeout", AtOnce, seconds(1, 3'600), sets<&SessionLimits::slow_consumer_timeout>,
     "60", "30", "seconds after which a counterparty that reads nothing is disconnected"},
    {"MaxMessageSize", NextLogon, bytes(1'024, 67'108'864), sets<&SessionLimits::message_bytes_max>,
     "1048576", "262144", "a counterparty that sends a longer message is disconnected",
     "others: no limit"},
    {"MaxLogonSize", NextLogon, bytes(256, 1'048'576), sets<&SessionLimits::logon_bytes_max>,
     "4096", "2048", "acceptor: a connection whose Logon is longer is closed", "others: no limit"},
    {"AcceptorTemplate", AtOnce, kYesOrNo, sets<&SessionSettings::is_template>, "N", "Y",
     "acceptor: a pattern for sessions that are created at a Logon; a CompID of * is any"},
    {"DynamicSessions", AtOnce, kYesOrNo, kReadByBuilder, "N", "Y",
     "acceptor: other CompIDs may log on as well, each to a new session like this one"},
    {"DynamicSessionsMax", NextStart, number(0, 50'000), sets<&Settings::dynamic_sessions_max>,
     "1000", "100",
     "acceptor: sessions that Logons may create since the start, besides those stored before",
     "others: no limit"},
    {"SocketTcpNoDelay", NextLogon, kYesOrNo, sets<&SocketOptions::no_delay>, "Y", "N",
     "another name of SocketNodelay"},
    {"SocketNodelay", NextLogon, kYesOrNo, sets<&SocketOptions::no_delay>, "Y", "N", "TCP_NODELAY",
     "QuickFIX: N"},
    {"SocketKeepAlive", NextLogon, kYesOrNo, sets<&SocketOptions::keep_alive>, "Y", "N",
     "SO_KEEPALIVE", "others: N"},
    {"SocketReuseAddress", NextStart, kYesOrNo, sets<&SocketOptions::reuse_address>, "Y", "N",
     "acceptor: SO_REUSEADDR"},
    {"SocketSendBufferSize", NextLogon, bytes(0, 1'000'000'000),
     sets<&SocketOptions::send_buffer_bytes>, "0", "1048576",
     "SO_SNDBUF; 0: the operating system's default"},
    {"SocketReceiveBufferSize", NextLogon, bytes(0, 1'000'000'000),
     sets<&SocketOptions::receive_buffer_bytes>, "0", "1048576",
     "SO_RCVBUF; 0: the operating system's default"},
    {"ReceiveTimestamps", NextLogon, one_of("none, software or hardware"),
     sets_to<&SocketOptions::receive_timestamps, ReceiveTimestamps::None,
             ReceiveTimestamps::Software, ReceiveTimestamps::Hardware>,
     "none", "software",
     "who says when messages came: software: the kernel; hardware: the network card; none: the "
     "engine, when it reads them"},
    {"SocketTrafficClass", NextLogon, number(0, 255), sets<&SocketOptions::traffic_class>, "0",
     "16", "IP_TOS, or IPV6_TCLASS"},
};

inline constexpr KeyRow kThreads[] = {
    {"EventLoops", NextStart, number(1, 64), sets<&Settings::event_loops>, "1", "4",
     "threads, each with its own sessions; FileStorePath has a folder for each but the first"},
    {"EventLoop", NextStart, number(0, 63), sets<&SessionSettings::event_loop>, "", "1",
     "the thread of a new session, from 0; if not given, by its name; a stored one keeps its own"},
    {"EventLoopCpu", NextStart,
     read_by<read_cpus>("list", "the number of a CPU, or one for each event loop, such as 2,3,"),
     shared(Shared::Threads, sets<&ThreadSettings::cpus, read_cpus>), "", "2,3",
     "the CPU that run() and start() pin each thread to: 2, or 2,3"},
    {"BusySpin", NextStart, kYesOrNo, shared(Shared::Threads, sets<&ThreadSettings::busy_spin>), "",
     "Y",
     "Y: the threads poll without sleeping, a whole CPU each; N: they sleep at once; if not given, "
     "they poll for 50 microseconds in dense traffic (200 while the store syncs)"},
    {"LockMemory", NextStart, kYesOrNo, shared(Shared::Threads, sets<&ThreadSettings::lock_memory>),
     "N", "Y", "Y: all memory of the process is kept in RAM"},
    {"CoreDumps", NextStart, kYesOrNo, shared(Shared::Threads, sets<&ThreadSettings::core_dumps>),
     "N", "Y", "N: a core dump contains no memory, and so no password; Y: as the system is set",
     "others: Y"},
};

}  // namespace nexusfix::config::keys
