// Numbers, acknowledgements, and when something is sent again.

#include "session/links.h"

#include <algorithm>

#include "base/digest.h"
#include "session/wire.h"

namespace sotto::session {
namespace {

constexpr Time kLastResend{60'000};
// A greeting of any version is smaller.
constexpr std::size_t kMaxFirstLookBytes = 4096;
// How long an acknowledgement waits for a body to travel with.
constexpr Time kReceiptDelay{150};

tl::unexpected<Refusal> refuse(std::string name, std::string what, std::string fix,
                               bool knows_us_better = false) {
  return tl::unexpected(
      Refusal{failed(std::move(name), std::move(what), std::move(fix)), knows_us_better});
}

tl::unexpected<Refusal> malformed(std::string what = "a malformed message") {
  return refuse("E-frame", std::move(what), "it was refused, and nothing has changed");
}

// Another version's frames may have fields that ours does not know: only this one is looked at.
std::optional<std::uint32_t> other_protocol(std::string_view bytes) {
  wire::Frame frame;
  if (bytes.size() > kMaxFirstLookBytes ||
      !frame.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return std::nullopt;
  }
  if (frame.protocol() == kProtocol || frame.protocol() == 0) return std::nullopt;
  return frame.protocol();
}

}  // namespace

Links::Links(std::string study_hash, std::string nonce, std::uint64_t start,
             std::span<const PartyId> neighbours, Time resend)
    : study_hash_(std::move(study_hash)), nonce_(std::move(nonce)), start_(start), resend_(resend) {
  for (const PartyId neighbour : neighbours) links_[neighbour];
}

void Links::connected(PartyId peer, Time now) {
  Link& link = links_.at(peer);
  link.connected = true;
  link.heard = false;
  link.owes_greeting = true;
  link.sent = link.acknowledged;
  link.last_sent = now;
  link.resend_after = resend_;
}

void Links::disconnected(PartyId peer) {
  links_.at(peer).connected = false;
}

void Links::post(PartyId to, std::string body) {
  Link& link = links_.at(to);
  link.unacknowledged.push_back(std::move(body));
  ++link.posted;
}

void Links::acknowledge(Link& link, std::uint64_t have) {
  for (; link.acknowledged < have; ++link.acknowledged) link.unacknowledged.pop_front();
  link.sent = std::max(link.sent, link.acknowledged);
}

Received<std::optional<std::string>> Links::receive(PartyId from, std::string_view bytes,
                                                    Time now) {
  const auto found = links_.find(from);
  if (found == links_.end()) return malformed("a message from somebody who is no neighbour");
  Link& link = found->second;
  if (const auto other = other_protocol(bytes)) {
    return refuse("E-protocol",
                  "its sotto speaks version " + std::to_string(*other) +
                      " of the protocol, ours version " + std::to_string(kProtocol),
                  "let every party run the same release of sotto");
  }
  const auto frame = parse<wire::Frame>(bytes);
  if (!frame) return malformed();
  if (frame->study() != study_hash_) {
    return refuse("E-study-differs",
                  "its study differs from ours: their digest begins " +
                      to_hex(frame->study()).substr(0, 16) + ", ours " +
                      to_hex(study_hash_).substr(0, 16),
                  "compare the two study.toml: every byte must be the same");
  }
  if (frame->nonce().size() != kNonceBytes || frame->start() == 0) return malformed();
  // What the journal says of a start holds for all of it.
  if (link.nonce == frame->nonce() && link.start != frame->start()) {
    return malformed("a message that calls one start by two numbers");
  }
  if (link.nonce && *link.nonce != frame->nonce()) {
    // Whoever is behind must hear from us how far.
    const bool earlier = frame->start() < link.start;
    return refuse("E-begun-anew",
                  earlier ? "it has begun anew since, and this is an earlier start of it"
                          : "it has begun another run, or lost its journal",
                  earlier ? "it will hear of it; if it runs twice, end one of the two"
                          : "let it resume the run it began, or start a new run everywhere",
                  earlier);
  }
  if (frame->knows() > start_) {
    auto refusal = refuse("E-outrun", "it knows a later start of this party than this one",
                          "is this party running elsewhere too? end one of the two", true);
    refusal.value().later_start = frame->knows();
    return refusal;
  }
  // To an earlier start of ours: what it counts is not ours. Our greeting tells it.
  if (frame->knows() != 0 && frame->knows() < start_) {
    know(from, {frame->nonce(), frame->start()});
    return std::nullopt;
  }
  if (frame->have() > link.posted) {
    return refuse("E-other-journal", "it has heard more of this party than this run has said",
                  "resume with the home that the run began in, or start a new run everywhere",
                  true);
  }
  const std::uint64_t number = frame->number();
  if ((number == 0) != frame->body().empty()) return malformed();
  // Said before it had heard which start of ours would hear it: an earlier one, perhaps, whose
  // numbers it will begin anew when it hears of this one. It says it again when it knows.
  const bool addressed = frame->knows() != 0;
  if (addressed && number > 0 && number <= link.received.size() &&
      link.received[number - 1] != digest_of(frame->body())) {
    return refuse("E-equivocation", "it sent two different messages under one number",
                  "it has lost its journal, or lies; nothing of the second was used");
  }
  know(from, {frame->nonce(), frame->start()});
  if (frame->have() > link.acknowledged) {
    link.last_sent = now;
    link.resend_after = resend_;
  }
  acknowledge(link, frame->have());
  if (!link.heard) {
    link.heard = true;
    link.sent = link.acknowledged;
  }
  if (number > 0 && !addressed) link.owes_greeting = true;
  if (number == 0 || !addressed) return std::nullopt;
  if (!link.owes_receipt) link.owes_receipt = now;
  // A gap closes by itself: what is missing is sent again.
  if (number != link.received.size() + 1) return std::nullopt;
  return frame->body();
}

std::optional<Links::Start> Links::later_start(PartyId from, std::string_view bytes) const {
  const auto found = links_.find(from);
  if (found == links_.end() || !found->second.nonce) return std::nullopt;
  const auto frame = parse<wire::Frame>(bytes);
  if (!frame || frame->protocol() != kProtocol || frame->study() != study_hash_) {
    return std::nullopt;
  }
  Start start{.nonce = frame->nonce(), .number = frame->start()};
  if (!is_later(from, start)) return std::nullopt;
  return start;
}

bool Links::is_later(PartyId from, const Start& start) const {
  const Link& link = links_.at(from);
  return start.nonce.size() == kNonceBytes && start.nonce != link.nonce &&
         start.number > link.start;
}

Links::Start Links::start_of(PartyId peer) const {
  return {.nonce = links_.at(peer).nonce.value(), .number = links_.at(peer).start};
}

void Links::know(PartyId from, const Start& start) {
  links_.at(from).nonce = start.nonce;
  links_.at(from).start = start.number;
}

void Links::renew(PartyId from, const Start& start) {
  Link& link = links_.at(from);
  const bool connected = link.connected;
  const Time last_sent = link.last_sent;
  link = {};
  link.connected = connected;
  link.heard = connected;
  link.owes_greeting = connected;
  link.last_sent = last_sent;
  link.resend_after = resend_;
  link.nonce = start.nonce;
  link.start = start.number;
}

std::string Links::digest_of(std::string_view body) {
  return Digest("sotto body").add(body).value();
}

void Links::accept_digest(PartyId from, std::string digest) {
  links_.at(from).received.push_back(std::move(digest));
}

void Links::tick(Time now) {
  for (auto& [peer, link] : links_) {
    if (!link.connected || now - link.last_sent < link.resend_after) continue;
    const bool waiting = !link.heard || link.sent > link.acknowledged;
    if (!waiting) continue;
    // The peer's greeting may have been lost, and it will not greet again without a reason: what
    // it has is learnt from its acknowledgements as well.
    link.heard = true;
    link.owes_greeting = true;
    link.sent = link.acknowledged;
    link.last_sent = now;
    link.resend_after = std::min(2 * link.resend_after, kLastResend);
  }
}

std::string Links::frame_of(const Link& link, std::uint64_t number, const std::string& body) const {
  wire::Frame frame;
  frame.set_protocol(kProtocol);
  frame.set_study(study_hash_);
  frame.set_nonce(nonce_);
  frame.set_have(link.received.size());
  frame.set_number(number);
  frame.set_body(body);
  frame.set_start(start_);
  frame.set_knows(link.start);
  return frame.SerializeAsString();
}

std::vector<Outgoing> Links::collect(Time now, bool at_once) {
  std::vector<Outgoing> out;
  for (auto& [peer, link] : links_) {
    if (!link.connected) continue;
    if (link.heard) {
      for (; link.sent < link.posted; ++link.sent) {
        const auto& body = link.unacknowledged[link.sent - link.acknowledged];
        out.push_back({peer, frame_of(link, link.sent + 1, body)});
        link.owes_greeting = false;
        link.owes_receipt.reset();
        link.last_sent = now;
      }
    }
    const bool receipt_due =
        link.owes_receipt && (at_once || now - *link.owes_receipt >= kReceiptDelay);
    if (link.owes_greeting || receipt_due) {
      out.push_back({peer, frame_of(link, 0, {})});
      link.owes_greeting = false;
      link.owes_receipt.reset();
    }
  }
  return out;
}

bool Links::delivered(PartyId peer) const {
  return links_.at(peer).unacknowledged.empty();
}

}  // namespace sotto::session
