#include "network/tls.h"

#include <gmock/gmock.h>
#include <openssl/rsa.h>

#include <thread>

#include "support/certificates.h"
#include "support/transports.h"

namespace sotto {
namespace {

using testing::HasSubstr;

// What a gRPC server says first to somebody it has let in: an HTTP/2 SETTINGS frame.
bool is_settings(const std::string& words) {
  return words.size() >= 9 && words[3] == 4;
}

// A party that listens for one neighbour, north.
class Handshake : public testing::Test {
 protected:
  void SetUp() override {
    party_ = open_transport(south_, "127.0.0.1:0", {peer_of(0, north_)});
    ASSERT_NE(party_, nullptr);
  }
  // Nothing that was refused was noticed as a connection.
  void expect_no_connection() {
    while (const auto event = party_->wait(std::chrono::milliseconds(20))) {
      EXPECT_EQ(event->kind, Kind::kTrouble) << event->text;
    }
  }
  const Identity north_ = identity_of("north");
  const Identity south_ = identity_of("south");
  const Identity eve_ = identity_of("north");  // the same name, another key
  std::unique_ptr<Transport> party_;
};

TEST_F(Handshake, LetsInAPinnedCertificateWithItsKey) {
  RawTls client(false);
  client.show(north_);
  EXPECT_TRUE(is_settings(client.first_words(party_->port())));
}

TEST_F(Handshake, RefusesAStrangerAndSaysWhatItShowedOnce) {
  RawTls client(false);
  client.show(eve_);
  EXPECT_EQ(client.first_words(party_->port()), "");
  EXPECT_EQ(client.first_words(party_->port()), "");
  const auto event = party_->wait(kLongEnough);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Kind::kTrouble);
  EXPECT_EQ(event->peer, std::nullopt);
  EXPECT_THAT(event->text, HasSubstr(eve_.fingerprint()));
  EXPECT_EQ(party_->wait(std::chrono::milliseconds(50)), std::nullopt);
}

TEST_F(Handshake, StrangersByTheDozenDoNotFillTheScreen) {
  for (int k = 0; k < 40; ++k) {
    RawTls client(false);
    client.show(identity_of("eve"));
    ASSERT_EQ(client.first_words(party_->port()), "");
  }
  std::vector<std::string> told;
  while (const auto event = party_->wait(std::chrono::milliseconds(50)))
    told.push_back(event->text);
  ASSERT_EQ(told.size(), 32U);
  EXPECT_THAT(told.back(), HasSubstr("further strangers"));
}

TEST_F(Handshake, RefusesAPinnedCertificateWithoutItsKey) {
  RawTls client(false);
  client.show_without_key(north_, eve_);
  EXPECT_EQ(client.first_words(party_->port()), "");
  expect_no_connection();
}

TEST_F(Handshake, RefusesWhoeverShowsNoCertificate) {
  const RawTls client(false);
  EXPECT_EQ(client.first_words(party_->port()), "");
  expect_no_connection();
}

TEST_F(Handshake, RefusesPlaintext) {
  const int socket = RawTls::connect_to(party_->port());
  const std::string hello("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
  ASSERT_EQ(::send(socket, hello.data(), hello.size(), MSG_NOSIGNAL), 33);
  std::string answer(256, '\0');
  const ssize_t size = ::recv(socket, answer.data(), answer.size(), 0);
  ::close(socket);
  answer.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  EXPECT_FALSE(is_settings(answer));
  EXPECT_LE(answer.size(), 7U) << "at most a TLS alert";
  expect_no_connection();
}

TEST_F(Handshake, RefusesTls12EvenWithAPinnedCertificateAndItsKey) {
  RawTls client(false, TLS1_2_VERSION);
  client.show(north_);
  EXPECT_EQ(client.first_words(party_->port()), "");
  expect_no_connection();
}

TEST_F(Handshake, RefusesAPinnedCertificateWhoseKeyIsNotEd25519) {
  const network::Key key(EVP_RSA_gen(2048));
  const auto certificate = certificate_of(key.get(), "north");
  Peer peer = peer_of(0, north_);
  peer.fingerprint = network::fingerprint_of(certificate.get());
  const auto party = open_transport(south_, "127.0.0.1:0", {peer});
  const RawTls client(false);
  ASSERT_EQ(SSL_CTX_use_certificate(client.context.get(), certificate.get()), 1);
  ASSERT_EQ(SSL_CTX_use_PrivateKey(client.context.get(), key.get()), 1);
  EXPECT_EQ(client.first_words(party->port()), "");
}

TEST_F(Handshake, DatesDoNotMatter) {
  // The certificate of north, with other dates, signed again.
  const auto certificate = network::certificate_from_pem(north_.certificate_pem());
  const auto key = network::key_from_pem(north_.key_pem());
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -7200);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), -3600);
  ASSERT_GT(X509_sign(certificate.get(), key.get(), nullptr), 0);
  Peer peer = peer_of(0, north_);
  peer.fingerprint = network::fingerprint_of(certificate.get());
  const auto party = open_transport(south_, "127.0.0.1:0", {peer});
  const RawTls client(false);
  ASSERT_EQ(SSL_CTX_use_certificate(client.context.get(), certificate.get()), 1);
  ASSERT_EQ(SSL_CTX_use_PrivateKey(client.context.get(), key.get()), 1);
  EXPECT_TRUE(is_settings(client.first_words(party->port())));
}

// A party that dials north, where somebody by hand answers.
class Dialling : public testing::Test {
 protected:
  // What the party says first to the server, which takes one connection.
  std::string words_to(const RawTls& server) {
    const Listener listener;
    const auto party = open_transport(south_, "", {peer_of(0, north_, listener.port())});
    std::string words = server.first_words_at(listener.socket());
    const auto event = party->wait(kLongEnough);
    trouble_ = event ? event->text : "nothing";
    return words;
  }
  const Identity north_ = identity_of("north");
  const Identity south_ = identity_of("south");
  const Identity eve_ = identity_of("north");
  std::string trouble_;
};

TEST_F(Dialling, SpeaksToThePinnedCertificateWithItsKey) {
  RawTls server(true);
  server.show(north_);
  EXPECT_THAT(words_to(server), HasSubstr("HTTP/2.0"));
}

TEST_F(Dialling, SaysNothingToAnotherCertificateAndNamesIt) {
  RawTls server(true);
  server.show(eve_);
  EXPECT_EQ(words_to(server), "");
  EXPECT_THAT(trouble_, HasSubstr("is not north"));
  EXPECT_THAT(trouble_, HasSubstr(eve_.fingerprint()));
  EXPECT_THAT(trouble_, HasSubstr(north_.fingerprint()));
}

TEST_F(Dialling, SaysNothingToThePinnedCertificateWithoutItsKey) {
  RawTls server(true);
  server.show_without_key(north_, eve_);
  EXPECT_EQ(words_to(server), "");
  EXPECT_THAT(trouble_, HasSubstr("TLS 1.3"));
}

TEST_F(Dialling, SaysNothingInTls12) {
  RawTls server(true, TLS1_2_VERSION);
  server.show(north_);
  EXPECT_EQ(words_to(server), "");
  EXPECT_THAT(trouble_, HasSubstr("TLS 1.3"));
}

TEST_F(Dialling, DoesNotTellEavesdroppersWhomItDials) {
  RawTls server(true);
  server.show(north_);
  static std::string name;
  SSL_CTX_set_tlsext_servername_callback(
      server.context.get(), +[](SSL* session, int*, void*) {
        name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
        return SSL_TLSEXT_ERR_OK;
      });
  EXPECT_THAT(words_to(server), HasSubstr("HTTP/2.0"));
  EXPECT_EQ(name, network::kServerName);
}

}  // namespace
}  // namespace sotto
