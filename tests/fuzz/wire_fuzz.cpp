// What a neighbour sends, as bytes: a frame, what is in it, and the protocol's messages. What is
// taken has one form only, so that what was signed is what is computed with.

#include "fuzz/fuzz.h"
#include "session/wire.h"

namespace sotto {
namespace {

void look_at(const wire::Step& step) {
  const auto payload = payload_of(step);
  if (!payload) return;
  // Widths only pad, so any will do.
  const wire::Step again = step_of(*payload, {.ciphertext = 0, .release = 0});
  const auto same = payload_of(again);
  fuzz::require(same.has_value() && same->index() == payload->index(), "a payload reads back");
  fuzz::require(step_of(*same, {.ciphertext = 0, .release = 0}).SerializeAsString() ==
                    again.SerializeAsString(),
                "a payload has one form");
  const bool first = std::holds_alternative<RoundValues>(*payload);
  if (first) (void)session::values_text("attempt", 0, std::get<RoundValues>(*payload));
}

}  // namespace

SOTTO_FUZZER(wire) {
  if (const auto frame = session::parse<wire::Frame>(bytes)) {
    fuzz::require(session::parse<wire::Frame>(frame->SerializeAsString()).has_value(),
                  "a frame reads back");
    (void)session::parse<wire::Body>(frame->body());
  }
  if (const auto body = session::parse<wire::Body>(bytes)) {
    if (body->has_step()) look_at(body->step());
    if (body->has_statement()) {
      (void)session::statement_text("study", body->statement());
      (void)session::parse<wire::Text>(body->statement().text());
    }
  }
  if (const auto text = session::parse<wire::Text>(bytes)) {
    fuzz::require(session::parse<wire::Text>(text->SerializeAsString()).has_value(),
                  "a text reads back");
  }
}

}  // namespace sotto
