// Cards: what a neighbour shows before the first frame. Whatever it shows, its clock is believable
// or not believed, its study's lines are short, and so are the words that they become.

#include <map>

#include "fuzz/fuzz.h"
#include "network/transport_core.h"
#include "study/study_lines.h"

namespace sotto {
namespace {

class SilentStream final : public network::Stream {
 public:
  using Stream::Stream;
  bool send(std::string) override { return true; }
  void show(std::string card) override { shown.push_back(std::move(card)); }
  void resume() override {}
  void finish() override {}
  void cancel(const grpc::Status&) override {}
  std::vector<std::string> shown;
};

}  // namespace

SOTTO_FUZZER(card) {
  const std::string lines = "graph.parties = 3\nparty.north.address = \"n:1\"\nprivacy.epsilon = 1";
  const Peer peer{.id = 1, .name = "north", .address = "", .fingerprint = "sha256:00"};
  network::TransportCore core({peer}, {},
                              {.study = std::string(32, 's'), .study_lines = lines, .protocol = 5},
                              "sha256:11");
  const auto stream = std::make_shared<SilentStream>(1);
  fuzz::require(core.attach(stream, true), "a stream is taken");
  // More than anybody listens to: kMostCards of network/transport_core_cards.cpp, beside our own.
  constexpr std::size_t kMostCards = 4;
  for (int k = 0; k < 12; ++k) core.stream_card(*stream, std::string(bytes));
  fuzz::require(stream->shown.size() <= 1 + kMostCards, "cards are answered a few times");
  std::size_t heard = 0;
  for (int k = 0; k < 20; ++k) {
    const auto event = core.wait(std::chrono::milliseconds(0));
    if (!event) break;
    if (event->kind != TransportEvent::Kind::kCard) continue;
    fuzz::require(++heard <= kMostCards, "cards are heard a few times");
    fuzz::require(event->card.study_lines.size() <= kMaxStudyLinesBytes, "lines are bounded");
    const auto words = study_differences(lines, event->card.study_lines, 3);
    fuzz::require(words.size() <= 4, "a few differences are told");
    for (const std::string& word : words) {
      fuzz::require(word.size() < 2000, "a difference is short");
    }
  }
  (void)parse_address(std::string(bytes));
  core.stream_ended(stream, grpc::Status::OK);
}

}  // namespace sotto
