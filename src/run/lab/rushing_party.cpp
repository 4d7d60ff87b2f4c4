// Reads releases out of frames, and puts its own in when it knows all others.
#include "run/lab/rushing_party.h"

#include "session/wire.h"

namespace sotto {
namespace {

// The body of a frame, if releases are in it.
std::optional<wire::Body> releases_in(const wire::Frame& frame) {
  auto body = session::parse<wire::Body>(frame.body());
  if (!body || !body->has_step() || !body->step().has_round_releases()) return std::nullopt;
  return body;
}

}  // namespace

void RushingParty::hear(const std::string& frame) {
  const auto read = session::parse<wire::Frame>(frame);
  if (!read) return;
  const auto body = releases_in(*read);
  if (!body) return;
  const auto payload = payload_of(body->step());
  if (!payload) return;
  for (const AuthoredRelease& release : std::get<RoundReleases>(*payload).news) {
    if (release.author != self_) heard_.emplace(release.author, release.indices->front());
  }
}

std::optional<std::string> RushingParty::say(const std::string& frame) const {
  auto read = session::parse<wire::Frame>(frame);
  if (!read) return frame;
  auto body = releases_in(*read);
  if (!body) return frame;
  wire::Step& step = *body->mutable_step();
  const auto payload = payload_of(step);
  if (!payload) return frame;
  const auto& news = std::get<RoundReleases>(*payload).news;
  for (std::size_t k = 0; k < news.size(); ++k) {
    if (news[k].author != self_) continue;
    if (heard_.size() < others_) return std::nullopt;
    // With this the first entry of all releases adds up to 0.
    IntegerVector chosen = *news[k].indices;
    chosen.front() = 0;
    for (const auto& [author, first] : heard_) chosen.front() -= first;
    wire::AuthoredRelease& own = *step.mutable_round_releases()->mutable_news(static_cast<int>(k));
    own.set_indices(0, integer_bytes(chosen.front()));
    own.set_signature(signer_.sign(
        session::release_text(step.attempt(), self_, digest_of_release(chosen), news[k].nonce)));
  }
  read->set_body(body->SerializeAsString());
  return read->SerializeAsString();
}

}  // namespace sotto
