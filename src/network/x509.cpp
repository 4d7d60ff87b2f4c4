// The only file that speaks OpenSSL's PEM, DER and extensions.

#include "network/x509.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/check.h"
#include "base/digest.h"
#include "base/random.h"

namespace sotto::network {
namespace {

using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Names = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using Octets = std::unique_ptr<ASN1_OCTET_STRING, Free<ASN1_OCTET_STRING_free>>;

Bio reader_of(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// What could not be read was somebody's input; the queue must not blame the next call.
template <class Pointer>
Pointer or_none(Pointer pointer) {
  if (!pointer) ERR_clear_error();
  return pointer;
}

std::string contents_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

int refuse_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) {
  return -1;
}

void add_extension(X509* certificate, int kind, const char* value) {
  const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value));
  check(extension && X509_add_ext(certificate, extension.get(), -1) == 1,
        "OpenSSL knows the extensions that are written here");
}

std::string address_text(const ASN1_OCTET_STRING* octets) {
  const int family = ASN1_STRING_length(octets) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(octets) != 16) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(family, ASN1_STRING_get0_data(octets), text.data(), text.size());
}

std::string dns_text(const ASN1_STRING* name) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(name)),
          static_cast<std::size_t>(ASN1_STRING_length(name))};
}

void push_name(GENERAL_NAMES* names, const std::string& host) {
  GENERAL_NAME* name = GENERAL_NAME_new();
  if (Octets address(a2i_IPADDRESS(host.c_str())); address) {
    GENERAL_NAME_set0_value(name, GEN_IPADD, address.release());
  } else {
    ERR_clear_error();
    ASN1_IA5STRING* text = ASN1_IA5STRING_new();
    ASN1_STRING_set(text, host.data(), static_cast<int>(host.size()));
    GENERAL_NAME_set0_value(name, GEN_DNS, text);
  }
  sk_GENERAL_NAME_push(names, name);
}

}  // namespace

Certificate certificate_from_pem(std::string_view pem) {
  return or_none(
      Certificate(PEM_read_bio_X509(reader_of(pem).get(), nullptr, refuse_password, nullptr)));
}

Certificate certificate_from_der(std::string_view der) {
  const unsigned char* end = bytes(der);
  Certificate certificate(d2i_X509(nullptr, &end, static_cast<long>(der.size())));
  if (certificate && end != bytes(der) + der.size()) certificate.reset();
  return or_none(std::move(certificate));
}

Key key_from_pem(std::string_view pem) {
  return or_none(
      Key(PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, refuse_password, nullptr)));
}

std::string to_pem(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  check(PEM_write_bio_X509(bio.get(), certificate) == 1, "a certificate can be written");
  return contents_of(bio.get());
}

std::string to_pem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_secmem()));
  check(PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
        "a key can be written");
  return contents_of(bio.get());
}

std::string to_der(X509* certificate) {
  const int size = i2d_X509(certificate, nullptr);
  check(size > 0, "a certificate has an encoding");
  std::string der(static_cast<std::size_t>(size), '\0');
  unsigned char* end = bytes(der);
  i2d_X509(certificate, &end);
  return der;
}

std::string fingerprint_of(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  check(X509_digest(certificate, EVP_sha256(), digest.data(), &size) == 1, "SHA-256 is there");
  return "sha256:" + to_hex({reinterpret_cast<const char*>(digest.data()), size});
}

std::string common_name(const X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (place < 0) return {};
  unsigned char* text = nullptr;
  const int size =
      ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place)));
  if (size < 0) return {};
  std::string name(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  OPENSSL_free(text);
  return name;
}

std::vector<std::string> alternative_names(const X509* certificate) {
  std::vector<std::string> hosts;
  const Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int k = 0; names && k < sk_GENERAL_NAME_num(names.get()); ++k) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), k);
    if (name->type == GEN_DNS) hosts.push_back(dns_text(name->d.dNSName));
    if (name->type == GEN_IPADD) hosts.push_back(address_text(name->d.iPAddress));
  }
  std::erase(hosts, "");
  return hosts;
}

void set_random_serial(X509* certificate) {
  // 20 octets at most, and positive: 159 random bits.
  std::array<unsigned char, 20> serial{};
  OsRandom random;
  random.fill(std::as_writable_bytes(std::span(serial)));
  serial[0] &= 0x7f;
  BIGNUM* number = BN_bin2bn(serial.data(), static_cast<int>(serial.size()), nullptr);
  check(BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr,
        "a serial number fits");
  BN_free(number);
}

bool set_common_name(X509* certificate, const std::string& name) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  if (X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8, bytes(name),
                                 static_cast<int>(name.size()), -1, 0) != 1) {
    ERR_clear_error();
    return false;
  }
  return X509_set_issuer_name(certificate, subject) == 1;
}

void add_extensions(X509* certificate, const std::vector<std::string>& hosts) {
  add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate, NID_key_usage, "critical,digitalSignature");
  add_extension(certificate, NID_ext_key_usage, "serverAuth,clientAuth");
  const Names names(GENERAL_NAMES_new());
  std::vector<std::string> seen;
  for (const std::string& host : hosts) {
    if (std::ranges::find(seen, host) != seen.end()) continue;
    seen.push_back(host);
    push_name(names.get(), host);
  }
  check(X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, 0) == 1,
        "names and addresses can be encoded");
}

}  // namespace sotto::network
