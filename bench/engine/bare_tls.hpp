// A bare TLS connection over loopback: what nobody who uses OpenSSL and the kernel can be faster
// than.
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

// Of 127.0.0.1, signed by itself: an ECDSA key on P-256. PEM.
struct CertificateFiles {
  std::string certificate;
  std::string key;
};
[[nodiscard]] CertificateFiles make_certificate(const BenchFolder& folder);

// TLS 1.3 alone, with OpenSSL's own choice of a cipher suite; no tickets and no cache, so that each
// handshake is a whole one. A client believes the certificate alone.
[[nodiscard]] SslContext bare_server_context(const CertificateFiles& files);
[[nodiscard]] SslContext bare_client_context(const CertificateFiles& files);

// "TLSv1.3, TLS_AES_256_GCM_SHA384", as the engine's events have it.
[[nodiscard]] std::string protection_of(const SSL* ssl);

// One end that spins. It asks the kernel itself and hands OpenSSL what came: a question that is
// answered by nothing costs a system call alone. With a socket of OpenSSL's own, round trips took 3
// to 15 % longer.
class BareTlsEnd {
 public:
  BareTlsEnd(int socket, Ssl ssl, std::size_t bytes_in, std::string out);
  BareTlsEnd(const BareTlsEnd&) = delete;
  BareTlsEnd& operator=(const BareTlsEnd&) = delete;

  // Whether it is done. As far as the bytes that are there allow.
  bool shake_hands();
  void send();
  // Whether a whole message is there.
  bool receive();
  [[nodiscard]] std::string protection() const { return protection_of(ssl_.get()); }

  // By OpenSSL.
  [[nodiscard]] int read_below(char* bytes, int size);
  [[nodiscard]] int write_below(const char* bytes, int size) const;

 private:
  bool ask_kernel();

  int socket_;
  Ssl ssl_;
  std::size_t bytes_in_;
  std::string out_;
  std::size_t received_ = 0;
  std::size_t begin_ = 0;  // of what OpenSSL has not taken
  std::size_t end_ = 0;
  std::array<char, std::size_t{32} << 10U> encrypted_;
  std::array<char, std::size_t{32} << 10U> plain_;
};

// Two of them; the far one in its turn on another core.
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
