// An honest party among honest ones and one that is the fuzzer's: any bytes at any time, and words
// of the protocol changed, repeated, out of order, too early, signed again. Never a crash, a hang,
// memory without bound, or a promise of docs/proofs/session.md that is broken.

#include <deque>
#include <map>
#include <memory>

#include "fuzz/fuzz.h"
#include "support/invariant_checker.h"

namespace sotto {
namespace {

using fuzz::Choices;
using fuzz::require;

constexpr PartyId kFoe = 0;
constexpr std::size_t kMostFrames = 400;  // that the fuzzer looks at; then all goes its honest way
constexpr Time kHang{4 * 3'600'000};      // longer than any run that ends by itself

SimulatedStudy study_of(Choices& choices) {
  constexpr SimulatedSolver kSolvers[] = {SimulatedSolver::kLocal, SimulatedSolver::kShuffle,
                                          SimulatedSolver::kPairwise, SimulatedSolver::kTracking};
  constexpr ConsensusMethod kMethods[] = {ConsensusMethod::kExact, ConsensusMethod::kPlain,
                                          ConsensusMethod::kChebyshev};
  SeededRandom random(1);
  const SimulatedSolver solver = kSolvers[choices.below(4)];
  const ConsensusMethod method = kMethods[choices.below(3)];
  const std::size_t shape = choices.below(3);
  Graph graph = shape == 0 ? *Graph::complete(3) : shape == 1 ? *Graph::star(3) : *Graph::cycle(4);
  const std::size_t parties = graph.size();
  const std::size_t least = choices.flag() ? parties : parties - 1;
  return SimulatedStudy::make(solver, method, std::move(graph), least, 1, random);
}

struct Mail {
  PartyId from = 0;
  PartyId to = 0;
  std::string frame;
};

class Meeting {
 public:
  explicit Meeting(Choices& choices)
      : choices_(choices), study_(study_of(choices)), checker_(study_), random_(2) {
    checker_.liars.insert(kFoe);
    for (PartyId p = 0; p < study_.graph.size(); ++p) {
      seats_.push_back(std::make_unique<Seat>(p));
      open(p);
    }
    for (const Edge& edge : study_.graph.edges()) join(edge.a, edge.b, true);
  }

  void play() {
    for (std::size_t k = 0; k < kMostFrames && !choices_.empty(); ++k) move();
    finish();
    for (const PartyId liar : checker_.liars) checker_.ends[liar].liar = true;
    checker_.verify(FaultKind::kLiars, std::nullopt);
    std::string violations;
    for (const std::string& violation : checker_.violations) violations += "\n" + violation;
    require(violations.empty(), "a run keeps its promises:" + violations);
  }

 private:
  struct Seat {
    explicit Seat(PartyId self) : signer(self) {}
    MemoryJournal journal;
    SimulatedSigner signer;
    std::unique_ptr<Session> session;
  };
  // What was said to a neighbour under the numbers of the session inside the foe.
  struct Channel {
    std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> said;  // → number, body
    std::uint64_t next = 1;
  };

  void open(PartyId p) {
    Seat& seat = *seats_[p];
    auto session = Session::open(study_.terms(p), seat.signer, seat.journal,
                                 p == kFoe ? study_.factory(p) : checker_.factory(p),
                                 simulated_key(random_), now_);
    require(session.has_value(), "a journal that was not touched opens again");
    seat.session = std::move(*session);
  }

  void join(PartyId a, PartyId b, bool up) {
    for (const auto& [end, other] : {std::pair{a, b}, std::pair{b, a}}) {
      if (seats_[end]->session == nullptr) continue;
      if (up) seats_[end]->session->connected(other, now_);
      if (!up) seats_[end]->session->disconnected(other, now_);
    }
  }

  // Commits and sends, all of it; leaves when it may.
  void flush(PartyId p) {
    Seat& seat = *seats_[p];
    if (seat.session == nullptr) return;
    auto out = seat.session->flush(now_);
    require(out.has_value(), "a journal in memory takes what it is given");
    if (p != kFoe) checker_.told(p, seat.session->take_notes());
    for (Outgoing& outgoing : *out) {
      if (p != kFoe) checker_.sent(p, outgoing.frame, *seat.session, seat.journal);
      std::string frame = p == kFoe ? renumbered(outgoing) : std::move(outgoing.frame);
      if (seen_.size() < 64) seen_.push_back({p, outgoing.to, frame});
      mail_.push_back({p, outgoing.to, std::move(frame)});
    }
    if (p == kFoe || !seat.session->may_leave(now_)) return;
    checker_.left(p, *seat.session, seat.journal);
    for (const PartyId q : study_.graph.neighbours(p)) join(p, q, false);
    seat.session.reset();
  }

  void deliver(const Mail& mail) {
    Seat& seat = *seats_[mail.to];
    if (seat.session == nullptr) return;
    const std::string frame = mail.to == kFoe ? heard(mail) : mail.frame;
    const auto taken = seat.session->receive(mail.from, frame, now_);
    if (!taken && mail.to != kFoe) checker_.refused(mail.to, mail.from, taken.error());
    flush(mail.to);
  }

  // Words that were put in between count: the session inside must not notice.
  std::string renumbered(const Outgoing& outgoing) {
    auto frame = session::parse<wire::Frame>(outgoing.frame);
    if (!frame || frame->number() == 0) return outgoing.frame;
    Channel& channel = channels_[outgoing.to];
    const auto [said, first] =
        channel.said.try_emplace(frame->number(), channel.next, frame->body());
    if (first) ++channel.next;
    frame->set_number(said->second.first);
    frame->set_body(said->second.second);
    return frame->SerializeAsString();
  }
  std::string heard(const Mail& mail) {
    auto frame = session::parse<wire::Frame>(mail.frame);
    if (!frame) return mail.frame;
    std::uint64_t have = 0;
    for (const auto& [own, said] : channels_[mail.from].said) {
      if (said.first <= frame->have()) have = own;
    }
    frame->set_have(have);
    return frame->SerializeAsString();
  }

  // A word of the foe's own making, under the next number.
  void say(PartyId to, std::string body) {
    for (auto mail = mail_.rbegin(); mail != mail_.rend(); ++mail) {
      if (mail->from != kFoe || mail->to != to) continue;
      return say_as(*mail, std::move(body));
    }
    for (auto seen = seen_.rbegin(); seen != seen_.rend(); ++seen) {
      if (seen->from == kFoe && seen->to == to) return say_as(*seen, std::move(body));
    }
  }
  // With the head of an earlier frame.
  void say_as(const Mail& like, std::string body) {
    auto frame = session::parse<wire::Frame>(like.frame);
    if (!frame) return;
    frame->set_number(channels_[like.to].next++);
    frame->set_body(std::move(body));
    mail_.push_back({kFoe, like.to, frame->SerializeAsString()});
  }

  // Signs what is its own to sign, so that a changed word is looked at.
  std::string signed_again(std::string bytes) const {
    auto body = session::parse<wire::Body>(bytes);
    if (!body || !body->has_statement() || body->statement().author() != kFoe) return bytes;
    wire::Statement& said = *body->mutable_statement();
    said.set_signature(
        seats_[kFoe]->signer.sign(session::statement_text(study_.terms(kFoe).study_hash, said)));
    return body->SerializeAsString();
  }

  // One field of a frame, or what is in it.
  std::string changed(const std::string& bytes) {
    auto frame = session::parse<wire::Frame>(bytes);
    if (!frame) return bytes;
    std::string body = frame->body();
    switch (choices_.below(9)) {
      case 0:
        frame->set_number(frame->number() + choices_.byte() - 8);
        break;
      case 1:
        frame->set_have(choices_.byte());
        break;
      case 2:
        frame->set_start(choices_.byte());
        break;
      case 3:
        frame->set_knows(choices_.byte());
        break;
      case 4:
        fuzz::damage(choices_, *frame->mutable_nonce());
        break;
      case 5:
        fuzz::damage(choices_, *frame->mutable_study());
        break;
      case 6:
        frame->set_protocol(choices_.byte());
        break;
      case 7:
        fuzz::damage(choices_, body);
        break;
      default:
        change_word(body);
    }
    frame->set_body(signed_again(body));
    return frame->SerializeAsString();
  }

  // Inside a body: a statement's text or a step, as messages.
  void change_word(std::string& bytes) {
    auto body = session::parse<wire::Body>(bytes);
    if (!body) return;
    if (body->has_statement()) {
      fuzz::damage(choices_, *body->mutable_statement()->mutable_text());
    } else if (body->has_step()) {
      wire::Step& step = *body->mutable_step();
      switch (choices_.below(4)) {
        case 0:
          fuzz::damage(choices_, *step.mutable_attempt());
          break;
        case 1:
          if (step.has_round_values()) step.mutable_round_values()->add_values(1e300);
          if (step.has_shuffle_reply()) step.mutable_shuffle_reply()->add_scaled("\1\1");
          break;
        case 2:
          if (step.has_round_values()) step.mutable_round_values()->set_round(choices_.byte());
          if (step.has_round_releases()) step.mutable_round_releases()->set_round(choices_.byte());
          break;
        default: {
          std::string inner = step.SerializeAsString();
          fuzz::damage(choices_, inner);
          if (wire::Step again; again.ParseFromString(inner)) step = again;
        }
      }
    }
    bytes = body->SerializeAsString();
  }

  // One of the foe's frames that are under way, or none.
  Mail* of_foe() {
    std::vector<Mail*> own;
    for (Mail& mail : mail_) {
      if (mail.from == kFoe) own.push_back(&mail);
    }
    return own.empty() ? nullptr : own[choices_.below(own.size())];
  }

  void move() {
    const auto neighbours = study_.graph.neighbours(kFoe);
    const PartyId dupe = neighbours[choices_.below(neighbours.size())];
    switch (choices_.below(14)) {
      case 0:
      case 1:
      case 2:
        // Most of the time nothing happens but what should.
        for (std::size_t k = choices_.below(24); k > 0 && !mail_.empty(); --k) deliver_one(0);
        break;
      case 3:
        if (!mail_.empty()) deliver_one(choices_.below(mail_.size()));
        break;
      case 4:
        if (Mail* mail = of_foe()) mail->frame = changed(mail->frame);
        break;
      case 5:
        mail_.push_back({kFoe, dupe, std::string(choices_.text())});
        break;
      case 6:
        say(dupe, signed_again(std::string(choices_.text())));
        break;
      case 7: {
        if (seen_.empty()) break;
        const Mail& seen = seen_[choices_.below(seen_.size())];
        const auto frame = session::parse<wire::Frame>(seen.frame);
        if (!frame) break;
        // Somebody's word, as the foe's own, or its own once more.
        std::string body = frame->body();
        if (choices_.flag()) change_word(body);
        say(dupe, signed_again(body));
        break;
      }
      case 8:
        if (!seen_.empty()) {
          const Mail& seen = seen_[choices_.below(seen_.size())];
          if (seen.from == kFoe) mail_.push_back(seen);
        }
        break;
      case 9:
        if (Mail* mail = of_foe()) mail->frame.clear();
        break;
      case 10:
        now_ += Time(1000 * (1 + choices_.byte()));
        tick_all();
        break;
      case 11: {
        join(kFoe, dupe, false);
        if (choices_.flag()) now_ += Time(2000);
        join(kFoe, dupe, true);
        flush(kFoe);
        flush(dupe);
        break;
      }
      case 12: {
        // An honest process dies and comes back.
        const PartyId p = dupe;
        if (seats_[p]->session == nullptr) break;
        for (const PartyId q : study_.graph.neighbours(p)) join(p, q, false);
        seats_[p]->session.reset();
        seats_[p]->journal.crash();
        open(p);
        for (const PartyId q : study_.graph.neighbours(p)) join(p, q, true);
        flush(p);
        break;
      }
      default:
        for (PartyId p = 0; p < seats_.size(); ++p) flush(p);
    }
  }

  void deliver_one(std::size_t at) {
    const Mail mail = std::move(mail_[at]);
    mail_.erase(mail_.begin() + static_cast<std::ptrdiff_t>(at));
    deliver(mail);
  }

  void tick_all() {
    for (PartyId p = 0; p < seats_.size(); ++p) {
      if (seats_[p]->session == nullptr) continue;
      seats_[p]->session->tick(now_);
      flush(p);
    }
  }

  // Everything arrives from here on, and the foe says no more than the session inside it.
  void finish() {
    const auto all_gone = [&] {
      for (PartyId p = 0; p < seats_.size(); ++p) {
        if (p != kFoe && seats_[p]->session != nullptr) return false;
      }
      return true;
    };
    while (!all_gone()) {
      require(now_ < kHang, "a run ends");
      std::size_t frames = 0;
      while (!mail_.empty() && !all_gone()) {
        require(++frames < 100'000, "parties have said what they have to say");
        deliver_one(0);
      }
      now_ += Time(5000);
      tick_all();
    }
  }

  Choices& choices_;
  SimulatedStudy study_;
  InvariantChecker checker_;
  SeededRandom random_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::deque<Mail> mail_;
  std::vector<Mail> seen_;  // the first frames of all
  std::map<PartyId, Channel> channels_;
  Time now_{};
};

}  // namespace

// Four bytes choose the study, the rest are moves.
SOTTO_FUZZER(session) {
  Choices choices(bytes);
  Meeting(choices).play();
}

}  // namespace sotto
