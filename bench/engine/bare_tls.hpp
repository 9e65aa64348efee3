// A bare TLS connection over loopback: the limit for every engine that uses OpenSSL and the kernel.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <openssl/ssl.h>
#include <string>

#include "bench/engine/bare_tcp.hpp"
#include "bench/measure/background.hpp"
#include "bench/store/bench_folder.hpp"

namespace nexusfix::bench {

template <auto Free>
struct FreedBy {
  template <class Object>
  void operator()(Object* object) const noexcept {
    Free(object);
  }
};
using Ssl = std::unique_ptr<SSL, FreedBy<SSL_free>>;
using SslContext = std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>>;

// A self-signed certificate of 127.0.0.1 with an ECDSA key on P-256. PEM.
struct CertificateFiles {
  std::string certificate;
  std::string key;
};
[[nodiscard]] CertificateFiles make_certificate(const BenchFolder& folder);

// TLS 1.3 only, with OpenSSL's default cipher suite; no tickets and no cache, so that each
// handshake is a full one. A client trusts only the certificate.
[[nodiscard]] SslContext bare_server_context(const CertificateFiles& files);
[[nodiscard]] SslContext bare_client_context(const CertificateFiles& files);

// "TLSv1.3, TLS_AES_256_GCM_SHA384", as in the engine's events.
[[nodiscard]] std::string protection_of(const SSL* ssl);

// One end that spins. It calls the kernel itself and passes the received bytes to OpenSSL: a poll
// without new bytes costs only a system call. With OpenSSL's own socket, round trips took 3 to 15 %
// longer.
class BareTlsEnd {
 public:
  BareTlsEnd(int socket, Ssl ssl, std::size_t bytes_in, std::string out);
  BareTlsEnd(const BareTlsEnd&) = delete;
  BareTlsEnd& operator=(const BareTlsEnd&) = delete;

  // Continues the handshake as far as the received bytes allow. True: it is complete.
  bool shake_hands();
  void send();
  // Whether a complete message has arrived.
  bool receive();
  [[nodiscard]] std::string protection() const { return protection_of(ssl_.get()); }

  // Called by OpenSSL.
  [[nodiscard]] int read_below(char* bytes, int size);
  [[nodiscard]] int write_below(const char* bytes, int size) const;

 private:
  bool ask_kernel();

  int socket_;
  Ssl ssl_;
  std::size_t bytes_in_;
  std::string out_;
  std::size_t received_ = 0;
  std::size_t begin_ = 0;  // of the bytes that OpenSSL has not read yet
  std::size_t end_ = 0;
  std::array<char, std::size_t{32} << 10U> encrypted_;
  std::array<char, std::size_t{32} << 10U> plain_;
};

// Two ends; the far one runs on another core.
class BareTlsPair {
 public:
  BareTlsPair(const CertificateFiles& files, std::size_t order_bytes, std::size_t report_bytes);
  void resume() { spinning_->resume(); }
  void pause() { spinning_->pause(); }
  void round_trip() {
    near_->send();
    while (!near_->receive()) continue;
  }
  [[nodiscard]] std::string protection() const { return near_->protection(); }

 private:
  struct Turn {
    BareTlsEnd* end;
    void operator()() const {
      if (end->receive()) end->send();
    }
  };

  SocketPair sockets_;
  SslContext client_;
  SslContext server_;
  std::unique_ptr<BareTlsEnd> near_;
  std::unique_ptr<BareTlsEnd> far_;
  std::unique_ptr<BackgroundLoop<Turn>> spinning_;
};

}  // namespace nexusfix::bench
