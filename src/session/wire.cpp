// One function a message, each way. Whatever a peer could write in two ways is refused, but for
// zeros before an integer.

#include "session/wire.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "base/digest.h"

namespace sotto {
namespace {

using Strings = google::protobuf::RepeatedPtrField<std::string>;

// A sign, and at least `width` bytes behind it.
std::string padded(const Integer& integer, std::size_t width) {
  const std::string plain = integer_bytes(integer);
  if (plain.size() > width + 1) return plain;
  std::string bytes(width + 1, '\0');
  if (plain.empty()) return bytes;
  bytes[0] = plain[0];
  std::copy(plain.begin() + 1, plain.end(), bytes.end() - static_cast<long>(plain.size() - 1));
  return bytes;
}

void put(const IntegerVector& integers, std::size_t width, Strings& strings) {
  for (const Integer& integer : integers) strings.Add(padded(integer, width));
}

std::optional<Integer> unpadded(std::string_view bytes) {
  if (bytes.empty() || (bytes[0] != 0 && bytes[0] != 1)) return std::nullopt;
  const std::size_t begin = bytes.find_first_not_of('\0', 1);
  // Nothing is not negative.
  if (begin == std::string_view::npos) {
    return bytes[0] == 0 ? std::optional(Integer(0)) : std::nullopt;
  }
  std::string plain(1, bytes[0]);
  plain += bytes.substr(begin);
  return integer_from(plain);
}

std::optional<IntegerVector> get(const Strings& strings) {
  IntegerVector integers;
  integers.reserve(static_cast<std::size_t>(strings.size()));
  for (const std::string& bytes : strings) {
    auto integer = unpadded(bytes);
    if (!integer) return std::nullopt;
    integers.push_back(std::move(*integer));
  }
  return integers;
}

std::optional<Payload> offer_from(const wire::ShuffleOffer& offer) {
  auto negated = get(offer.negated());
  if (!negated) return std::nullopt;
  return ShuffleOffer{offer.public_key(), std::move(*negated)};
}

std::optional<Payload> reply_from(const wire::ShuffleReply& reply) {
  auto scaled = get(reply.scaled());
  if (!scaled) return std::nullopt;
  return ShuffleReply{std::move(*scaled)};
}

std::optional<Payload> pairwise_from(const wire::PairwiseOffer& offer) {
  PairwiseOffer result;
  if (offer.public_key().size() != result.public_key.size()) return std::nullopt;
  std::memcpy(result.public_key.data(), offer.public_key().data(), result.public_key.size());
  return result;
}

bool can_open(const std::string& nonce) {
  return nonce.empty() || nonce.size() == kDigestBytes;
}

std::optional<Payload> values_from(const wire::RoundValues& values) {
  if (values.signature().size() > kMaxSignatureBytes || !can_open(values.nonce())) {
    return std::nullopt;
  }
  return RoundValues{values.round(),
                     {values.values().begin(), values.values().end()},
                     values.signature(),
                     values.nonce()};
}

std::optional<Payload> releases_from(const wire::RoundReleases& releases) {
  RoundReleases result{releases.round(), {}};
  for (const wire::AuthoredRelease& release : releases.news()) {
    auto indices = get(release.indices());
    if (!indices || release.signature().size() > kMaxSignatureBytes || !can_open(release.nonce())) {
      return std::nullopt;
    }
    result.news.push_back({release.author(),
                           std::make_shared<const IntegerVector>(std::move(*indices)),
                           release.signature(), release.nonce()});
  }
  return result;
}

}  // namespace

wire::Step step_of(const Payload& payload, IntegerWidths widths) {
  wire::Step step;
  if (const auto* offer = std::get_if<ShuffleOffer>(&payload)) {
    step.mutable_shuffle_offer()->set_public_key(offer->public_key);
    put(offer->negated, widths.ciphertext, *step.mutable_shuffle_offer()->mutable_negated());
  } else if (const auto* reply = std::get_if<ShuffleReply>(&payload)) {
    put(reply->scaled, widths.ciphertext, *step.mutable_shuffle_reply()->mutable_scaled());
  } else if (const auto* pairwise = std::get_if<PairwiseOffer>(&payload)) {
    step.mutable_pairwise_offer()->set_public_key(pairwise->public_key.data(),
                                                  pairwise->public_key.size());
  } else if (const auto* values = std::get_if<RoundValues>(&payload)) {
    auto& out = *step.mutable_round_values();
    out.set_round(values->round);
    out.mutable_values()->Add(values->values.begin(), values->values.end());
    out.set_signature(values->signature);
    out.set_nonce(values->nonce);
  } else {
    const auto& releases = std::get<RoundReleases>(payload);
    auto& out = *step.mutable_round_releases();
    out.set_round(releases.round);
    for (const AuthoredRelease& release : releases.news) {
      auto& item = *out.add_news();
      item.set_author(release.author);
      put(*release.indices, widths.release, *item.mutable_indices());
      item.set_signature(release.signature);
      item.set_nonce(release.nonce);
    }
  }
  return step;
}

std::optional<Payload> payload_of(const wire::Step& step) {
  switch (step.payload_case()) {
    case wire::Step::kShuffleOffer:
      return offer_from(step.shuffle_offer());
    case wire::Step::kShuffleReply:
      return reply_from(step.shuffle_reply());
    case wire::Step::kPairwiseOffer:
      return pairwise_from(step.pairwise_offer());
    case wire::Step::kRoundValues:
      return values_from(step.round_values());
    case wire::Step::kRoundReleases:
      return releases_from(step.round_releases());
    case wire::Step::PAYLOAD_NOT_SET:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string digest_of_release(const IntegerVector& indices) {
  return Digest("sotto indices").add(indices).value();
}

std::string digest_of_first_words(const Payload& payload) {
  if (const auto* values = std::get_if<RoundValues>(&payload)) {
    return Digest("sotto first values").add(std::span<const double>(values->values)).value();
  }
  const auto* releases = std::get_if<RoundReleases>(&payload);
  check(releases != nullptr && releases->news.size() == 1, "a party's first words are its own");
  return digest_of_release(*releases->news.front().indices);
}

std::string commitment_to(std::string_view release_digest, std::string_view attempt, PartyId author,
                          std::string_view nonce) {
  return Digest("sotto commitment")
      .add(attempt)
      .add(std::uint64_t{author})
      .add(nonce)
      .add(release_digest)
      .value();
}

std::string transcript_digest(std::string_view attempt, std::span<const std::string> sent) {
  Digest digest("sotto transcript");
  digest.add(attempt);
  for (const std::string& one : sent) digest.add(one);
  return digest.value();
}

std::string transcript_hash(std::string_view attempt, std::span<const std::string> sent) {
  return to_hex(transcript_digest(attempt, sent));
}

namespace session {

template <class T>
std::optional<T> parse(std::string_view bytes) {
  T message;
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return std::nullopt;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  // One meaning, one text. Unknown fields would be signed, journalled and forwarded without
  // anybody having read them.
  message.DiscardUnknownFields();
  if (message.SerializeAsString() != bytes) return std::nullopt;
  return message;
}
template std::optional<wire::Frame> parse(std::string_view bytes);
template std::optional<wire::Body> parse(std::string_view bytes);
template std::optional<wire::Text> parse(std::string_view bytes);

bool is_hello(const wire::Statement& statement) {
  const auto text = parse<wire::Text>(statement.text());
  return text && text->has_hello();
}

std::string statement_text(std::string_view study_hash, const wire::Statement& statement) {
  return Digest("sotto statement")
      .add(study_hash)
      .add(std::uint64_t{statement.author()})
      .add(statement.nonce())
      .add(statement.text())
      .value();
}

std::string release_text(std::string_view attempt, PartyId author, std::string_view indices_digest,
                         std::string_view nonce) {
  return Digest("sotto release")
      .add(attempt)
      .add(std::uint64_t{author})
      .add(indices_digest)
      .add(nonce)
      .value();
}

std::string values_text(std::string_view attempt, PartyId sender, const RoundValues& values) {
  return Digest("sotto round")
      .add(attempt)
      .add(std::uint64_t{sender})
      .add(std::uint64_t{values.round})
      .add(std::span<const double>(values.values))
      .add(values.nonce)
      .value();
}

}  // namespace session
}  // namespace sotto
