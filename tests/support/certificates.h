#pragma once

#include <gtest/gtest.h>

#include <string>

#include "network/x509.h"

// Certificates that `sotto keys` does not make.
namespace sotto {

// Of a key of any kind, signed by itself, and good for an hour.
inline network::Certificate certificate_of(EVP_PKEY* key, const std::string& name) {
  network::Certificate certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  network::set_random_serial(certificate.get());
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key);
  EXPECT_TRUE(network::set_common_name(certificate.get(), name));
  EXPECT_GT(X509_sign(certificate.get(), key, EVP_sha256()), 0);
  return certificate;
}

}  // namespace sotto
