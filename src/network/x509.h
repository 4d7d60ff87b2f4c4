#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

// OpenSSL's certificates and keys as values: what identity.cpp and tls.cpp are written in.
namespace sotto::network {

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;

// Null if it is none, or (DER) if something follows it.
[[nodiscard]] Certificate certificate_from_pem(std::string_view pem);
[[nodiscard]] Certificate certificate_from_der(std::string_view der);
[[nodiscard]] Key key_from_pem(std::string_view pem);  // unencrypted only; never asks anybody
[[nodiscard]] std::string to_pem(X509* certificate);
[[nodiscard]] std::string to_pem(EVP_PKEY* key);  // the caller wipes it
[[nodiscard]] std::string to_der(X509* certificate);

[[nodiscard]] std::string fingerprint_of(const X509* certificate);
[[nodiscard]] std::string common_name(const X509* certificate);  // UTF-8; empty if none
// DNS names and addresses.
[[nodiscard]] std::vector<std::string> alternative_names(const X509* certificate);

void set_random_serial(X509* certificate);
// Subject and issuer; false if the name is not UTF-8 or too long.
[[nodiscard]] bool set_common_name(X509* certificate, const std::string& name);
// subjectAltName, and what the key is for: signatures of TLS servers and clients.
// Precondition: each host is a DNS name or an IP address.
void add_extensions(X509* certificate, const std::vector<std::string>& hosts);

inline const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
inline unsigned char* bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace sotto::network
