// What an identity is made of, and what it signs.

#include "network/identity.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <optional>

#include "base/check.h"
#include "network/x509.h"

namespace sotto {
namespace {

using namespace network;

constexpr std::uint64_t kMostDays = 36'600;
// Certificates are dated back by a day: clocks of other machines may be behind ours.
constexpr long kSecondsPerDay = 24L * 3600;
constexpr std::size_t kMaxHosts = 64;
constexpr std::size_t kMaxHostBytes = 253;

bool is_address(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

bool is_dns_name(const std::string& host) {
  if (host.empty() || host.size() > kMaxHostBytes) return false;
  if (host.front() == '.' || host.back() == '.' || host.find("..") != std::string::npos) {
    return false;
  }
  return std::ranges::all_of(host, [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.');
  });
}

Result<void> check_hosts(const std::vector<std::string>& hosts) {
  if (hosts.empty() || hosts.size() > kMaxHosts) {
    return bad_input("E-identity-host",
                     fmt::format("a certificate with {} names and addresses", hosts.size()),
                     fmt::format("1 to {}: the names and addresses under which the others "
                                 "reach you",
                                 kMaxHosts));
  }
  for (const std::string& host : hosts) {
    if (is_address(host) || is_dns_name(host)) continue;
    return bad_input("E-identity-host",
                     fmt::format("\"{}\" is neither a host name nor an IP address", host),
                     "north.example, 10.0.0.5 or 2001:db8::5, without a port");
  }
  return {};
}

bool has_control_characters(const std::string& name) {
  return std::ranges::any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// Since 1970; none if the bytes are no date.
std::optional<std::int64_t> seconds_of(const ASN1_TIME* date) {
  std::tm time{};
  if (ASN1_TIME_to_tm(date, &time) != 1) return std::nullopt;
  return static_cast<std::int64_t>(timegm(&time));
}

Error not_an_identity(const std::string& what) {
  return failed("E-identity-file", what,
                "put back the identity.key and identity.crt that 'sotto keys new' wrote");
}

}  // namespace

Result<Identity> Identity::make(const std::string& name, const std::vector<std::string>& hosts,
                                std::uint64_t days) {
  SOTTO_TRY(check_hosts(hosts));
  days = std::clamp<std::uint64_t>(days, 1, kMostDays);
  const auto bad_name = [&] {
    return bad_input("E-identity-name", fmt::format("\"{}\" cannot be the name of a party", name),
                     "1 to 64 characters of UTF-8, none of them a control character");
  };
  if (name.empty() || has_control_characters(name)) return bad_name();

  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  check(key != nullptr, "OpenSSL makes Ed25519 keys");
  const Certificate certificate(X509_new());
  check(X509_set_version(certificate.get(), X509_VERSION_3) == 1, "certificates are version 3");
  set_random_serial(certificate.get());
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kSecondsPerDay);
  X509_time_adj_ex(X509_getm_notAfter(certificate.get()), static_cast<int>(days), 0, nullptr);
  X509_set_pubkey(certificate.get(), key.get());
  // OpenSSL refuses what is not UTF-8, or longer than X.509's 64 characters.
  if (!set_common_name(certificate.get(), name)) return bad_name();
  add_extensions(certificate.get(), hosts);
  check(X509_sign(certificate.get(), key.get(), nullptr) > 0, "an Ed25519 key signs");
  return parse(to_pem(certificate.get()), to_pem(key.get()));
}

Result<Identity> Identity::parse(std::string certificate_pem, std::string key_pem) {
  Identity identity;
  identity.certificate_pem_ = std::move(certificate_pem);
  identity.key_pem_ = std::move(key_pem);
  const Certificate certificate = certificate_from_pem(identity.certificate_pem_);
  if (!certificate) return not_an_identity("identity.crt holds no certificate");
  const Key key = key_from_pem(identity.key_pem_);
  if (!key || EVP_PKEY_is_a(key.get(), "ED25519") != 1) {
    return not_an_identity("identity.key holds no Ed25519 key");
  }
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return not_an_identity("the key is not that of the certificate");
  }
  identity.name_ = common_name(certificate.get());
  identity.hosts_ = alternative_names(certificate.get());
  if (identity.name_.empty() || identity.hosts_.empty()) {
    return not_an_identity("the certificate says no name, or no address");
  }
  if (!seconds_of(X509_get0_notBefore(certificate.get())) ||
      !seconds_of(X509_get0_notAfter(certificate.get()))) {
    return not_an_identity("the certificate does not say from when to when it is valid");
  }
  return identity;
}

std::string Identity::fingerprint() const {
  return fingerprint_of_pem(certificate_pem_);
}

std::string Identity::certificate_der() const {
  return to_der(certificate_from_pem(certificate_pem_).get());
}

std::int64_t Identity::valid_until() const {
  const Certificate certificate = certificate_from_pem(certificate_pem_);
  const auto until = seconds_of(X509_get0_notAfter(certificate.get()));
  check(until.has_value(), "a certificate that was read has dates");
  return *until;
}

bool Identity::from_the_future() const {
  const Certificate certificate = certificate_from_pem(certificate_pem_);
  return X509_cmp_current_time(X509_get0_notBefore(certificate.get())) > 0;
}

std::string Identity::sign(std::string_view text) const {
  const Key key = key_from_pem(key_pem_);
  const DigestContext context(EVP_MD_CTX_new());
  std::string signature(64, '\0');
  std::size_t size = signature.size();
  const bool signed_it =
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
      EVP_DigestSign(context.get(), bytes(signature), &size, bytes(text), text.size()) == 1;
  check(signed_it && size == signature.size(), "an Ed25519 signature has 64 bytes");
  return signature;
}

Identity::~Identity() {
  OPENSSL_cleanse(key_pem_.data(), key_pem_.size());
}

std::string fingerprint_of_der(std::string_view der) {
  const Certificate certificate = certificate_from_der(der);
  return certificate ? fingerprint_of(certificate.get()) : "";
}

std::string fingerprint_of_pem(std::string_view pem) {
  const Certificate certificate = certificate_from_pem(pem);
  return certificate ? fingerprint_of(certificate.get()) : "";
}

bool verify_signature(std::string_view certificate_der, std::string_view text,
                      std::string_view signature) {
  const Certificate certificate = certificate_from_der(certificate_der);
  if (!certificate) return false;
  EVP_PKEY* key = X509_get0_pubkey(certificate.get());
  if (key == nullptr || EVP_PKEY_is_a(key, "ED25519") != 1) return false;
  const DigestContext context(EVP_MD_CTX_new());
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key) == 1 &&
         EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(text),
                          text.size()) == 1;
}

}  // namespace sotto
