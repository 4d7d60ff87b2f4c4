// Signed statements: whatever is done to one, nobody but its author has signed it.

#include "fuzz/fuzz.h"
#include "network/identity.h"
#include "session/wire.h"

namespace sotto {
namespace {

const Identity& somebody(std::size_t k) {
  static const std::vector<Identity> both = [] {
    std::vector<Identity> made;
    for (const char* name : {"north", "south"})
      made.push_back(*Identity::make(name, {"localhost"}));
    return made;
  }();
  return both[k];
}

}  // namespace

// Damage to a statement, its study and its signature; then a signature of any bytes.
SOTTO_FUZZER(statement) {
  fuzz::Choices choices(bytes);
  const Identity& author = somebody(0);
  const IdentitySigner signer(author, {{author.fingerprint()}, {somebody(1).fingerprint()}});
  wire::Statement said;
  said.set_author(static_cast<std::uint32_t>(choices.below(4)));
  said.set_nonce(std::string(choices.take(kNonceBytes)));
  said.set_text(std::string(choices.text()));
  std::string study(kDigestBytes, 'h');
  said.set_signature(signer.sign(session::statement_text(study, said)));
  fuzz::require(signer.pinned(0, author.certificate_der()) &&
                    signer.verify(author.certificate_der(), session::statement_text(study, said),
                                  said.signature()),
                "what was signed was signed");
  const std::string certificate = author.certificate_der();
  wire::Statement other = said;
  std::string other_study = study;
  std::string other_certificate = certificate;
  for (int k = 0; k < 4 && !choices.empty(); ++k) {
    const std::size_t what = choices.below(6);
    if (what == 0) fuzz::damage(choices, *other.mutable_nonce());
    if (what == 1) fuzz::damage(choices, *other.mutable_text());
    if (what == 2) fuzz::damage(choices, *other.mutable_signature());
    if (what == 3) fuzz::damage(choices, other_study);
    if (what == 4) fuzz::damage(choices, other_certificate);
    if (what == 5) other.set_author(static_cast<std::uint32_t>(choices.word()));
  }
  const bool same_words = other.author() == said.author() && other.nonce() == said.nonce() &&
                          other.text() == said.text() && other_study == study;
  const bool verified =
      signer.verify(certificate, session::statement_text(other_study, other), other.signature());
  fuzz::require(verified == (same_words && other.signature() == said.signature()),
                "a signature is good for its words alone");
  fuzz::require(signer.pinned(0, other_certificate) == (other_certificate == certificate),
                "one certificate is pinned");
  (void)signer.verify(other_certificate, other.text(), other.signature());
  fuzz::require(!signer.pinned(1, certificate) && !signer.pinned(2, certificate),
                "a certificate is one party's");
}

}  // namespace sotto
