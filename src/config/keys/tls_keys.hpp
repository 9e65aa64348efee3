// The keys of TLS. Of those with one meaning a file may have any; build/tls_settings.cpp reads
// them.
#pragma once

#include "config/keys/key_row.hpp"

namespace nexusfix::config::keys {

using enum TakesEffect;

inline constexpr ValueRule kProtocols =
    or_none(read_by<read_tls_versions>("TLSv1.2, TLSv1.3 or both"));

inline constexpr KeyRow kTls[] = {
    {"SocketUseSSL", NextLogon, kYesOrNo, kReadByBuilder, "N",
     "Y: this session uses TLS; N: it does not, whatever [DEFAULT] says"},
    {"SSLEnable", NextLogon, kYesOrNo, kReadByBuilder, "N", "another name of SocketUseSSL"},
    {"RequireTLS", NextLogon, kYesOrNo, kReadByBuilder, "N",
     "Y: the engine does not start without TLS"},
    {"ServerCertificateFile", NextLogon, kText, kReadByBuilder, "",
     "acceptor: our certificate and its chain, PEM or PKCS#12"},
    {"ServerCertificateKeyFile", NextLogon, kText, kReadByBuilder, "",
     "acceptor: the key of our certificate, PEM; if not given, in the certificate's file"},
    {"ClientCertificateFile", NextLogon, kText, kReadByBuilder, "",
     "initiator: our certificate and its chain, PEM or PKCS#12"},
    {"ClientCertificateKeyFile", NextLogon, kText, kReadByBuilder, "",
     "initiator: the key of our certificate, PEM; if not given, in the certificate's file"},
    {"SocketCertificateFile", NextLogon, kText, kReadByBuilder, "",
     "our certificate, of either role"},
    {"SocketPrivateKeyFile", NextLogon, kText, kReadByBuilder, "",
     "the key of our certificate, of either role; if not given, in the certificate's file"},
    {"SocketKeyStore", NextLogon, kText, kReadByBuilder, "",
     "another name of SocketCertificateFile", "QuickFIX/J: JKS, too"},
    {"SocketKeyStorePassword", NextLogon, secret(kText), kReadByBuilder, "",
     "the password of the key, or of the PKCS#12 file"},
    {"SSLCertificate", NextLogon, kText, kReadByBuilder, "",
     "another name of SocketCertificateFile"},
    {"SSLCertificatePassword", NextLogon, secret(kText), kReadByBuilder, "",
     "another name of SocketKeyStorePassword"},
    {"CertificationAuthoritiesFile", NextLogon, kText, kReadByBuilder, "",
     "the authorities of the counterparty's certificate"},
    {"CertificationAuthoritiesDirectory", NextLogon, kText, kReadByBuilder, "",
     "a folder of files of authorities, PEM"},
    {"SocketCAFile", NextLogon, kText, kReadByBuilder, "",
     "another name of CertificationAuthoritiesFile"},
    {"SocketTrustStore", NextLogon, kText, kReadByBuilder, "",
     "another name of CertificationAuthoritiesFile", "QuickFIX/J: JKS, too"},
    {"SocketTrustStorePassword", NextLogon, secret(kText), kReadByBuilder, "",
     "the password of the authorities' PKCS#12 file"},
    {"SSLCACertificate", NextLogon, kText, kReadByBuilder, "",
     "another name of CertificationAuthoritiesFile"},
    {"CertificateRevocationListFile", NextLogon, kText, kReadByBuilder, "",
     "revoked certificates, PEM: with it, each authority needs a list"},
    {"CertificateRevocationListDirectory", NextLogon, kText, kReadByBuilder, "",
     "a folder of lists of revoked certificates, PEM"},
    {"SSLCheckCertificateRevocation", NextLogon, kYesOrNo, kReadByBuilder, "N",
     "Y: CertificateRevocationListFile must be given"},
    {"CertificateVerifyLevel", NextLogon, number(0, 2), kReadByBuilder, "",
     "acceptor: 0 asks for no client certificate, 1 verifies one, 2 requires one", "QuickFIX: 0"},
    {"NeedClientAuth", NextLogon, kYesOrNo, kReadByBuilder, "",
     "acceptor: Y as CertificateVerifyLevel=2; Y if authorities are given", "QuickFIX/J: N"},
    {"SSLRequireClientCertificate", NextLogon, kYesOrNo, kReadByBuilder, "",
     "another name of NeedClientAuth"},
    {"SSLProtocol", NextLogon, or_none(kProtocols), kReadByBuilder, "",
     "versions of TLS: TLSv1.2, TLSv1.3, or both if not given", "QuickFIX: older ones, too"},
    {"EnabledProtocols", NextLogon, or_none(kProtocols), kReadByBuilder, "",
     "another name of SSLProtocol"},
    {"SSLProtocols", NextLogon, or_none(kProtocols), kReadByBuilder, "",
     "another name of SSLProtocol"},
    {"SocketMinimumTLSVersion", NextLogon, or_none(kProtocols), kReadByBuilder, "",
     "the lowest version: TLS12 or TLS13"},
    {"SSLCipherSuite", NextLogon, kText, kReadByBuilder, "",
     "TLS 1.2: the allowed suites, of those with ECDHE and AEAD", "QuickFIX: HIGH:!RC4"},
    {"CipherSuites", NextLogon, kText, kReadByBuilder, "",
     "the allowed suites by IANA's names, those of TLS 1.3 included"},
    {"TLSCipherSuites", NextLogon, kText, kReadByBuilder, "", "TLS 1.3: the allowed suites"},
    {"UseSNI", NextLogon, kYesOrNo, kReadByBuilder, "",
     "initiator: N: the host's name is not sent in the handshake"},
    {"SNIHostName", NextLogon, kShortText, kReadByBuilder, "",
     "initiator: the name in the acceptor's certificate; SocketConnectHost if not given"},
    {"SocketServerName", NextLogon, kShortText, kReadByBuilder, "", "another name of SNIHostName"},
    {"SSLServerName", NextLogon, kShortText, kReadByBuilder, "", "another name of SNIHostName"},
    {"EndpointIdentificationAlgorithm", NextLogon, or_none(one_of("HTTPS or LDAPS")),
     kReadByBuilder, "", "initiator: HTTPS; the name is always verified", "QuickFIX/J: it is not"},
    {"AllowedCertificates", NextLogon,
     or_none(read_by<read_certificates>(
         "certificates, such as san:broker.example.com or pin:sha256/ and 44 digits of base64,")),
     kReadByBuilder, "",
     "san:NAME and pin:sha256/...: the counterparty's certificate must match one"},
};

}  // namespace nexusfix::config::keys
