// identity.key and identity.crt in a party's folder, and certificates that somebody sends.

#include <sys/stat.h>

#include "fuzz/fuzz.h"
#include "network/identity.h"

namespace sotto {
namespace {

const Identity& own() {
  static const Identity identity = *Identity::make("north", {"north.example", "10.0.0.5", "::1"});
  return identity;
}

}  // namespace

// The first byte: damage to the certificate, to the key, or a certificate and a key of any bytes.
SOTTO_FUZZER(identity) {
  fuzz::Choices choices(bytes);
  const std::size_t what = choices.below(4);
  std::string certificate = own().certificate_pem();
  std::string key = own().key_pem();
  if (what == 0) fuzz::damage(choices, certificate);
  if (what == 1) fuzz::damage(choices, key);
  if (what >= 2) certificate = choices.rest();
  const std::string folder = fuzz::own_folder();
  ::chmod(folder.c_str(), 0700);
  fuzz::file_with("identity.crt", certificate);
  ::chmod(fuzz::file_with("identity.key", key).c_str(), 0600);
  const auto loaded = Identity::load(folder);
  if (fuzz::fine_or_error(loaded)) {
    fuzz::require(!loaded->name().empty() && !loaded->hosts().empty() &&
                      loaded->fingerprint().starts_with("sha256:"),
                  "what loads is the party");
    fuzz::require(verify_signature(loaded->certificate_der(), "text", loaded->sign("text")),
                  "key and certificate belong together");
    (void)loaded->valid_until();
    (void)loaded->from_the_future();
  }
  (void)fingerprint_of_der(certificate);
  (void)fingerprint_of_pem(certificate);
  (void)verify_signature(certificate, "text", std::string(64, 's'));
  if (what == 3) {
    std::string der = own().certificate_der();
    fuzz::Choices edits(bytes.substr(1));
    for (int k = 0; k < 3 && !edits.empty(); ++k) fuzz::damage(edits, der);
    (void)verify_signature(der, "text", own().sign("text"));
    fuzz::require(
        (fingerprint_of_der(der) == own().fingerprint()) == (der == own().certificate_der()),
        "a fingerprint is of one certificate");
  }
}

}  // namespace sotto
