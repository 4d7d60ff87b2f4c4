#include "simulate/message_simulator.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/check.h"

namespace sotto {

Result<Traffic> run_messages(std::span<const std::unique_ptr<Party>> parties,
                             RandomSource* schedule) {
  std::deque<Message> under_way;
  auto send = [&](std::vector<Message> messages) {
    for (Message& message : messages) under_way.push_back(std::move(message));
  };
  for (const auto& party : parties) {
    auto first = party->start();
    if (!first) return tl::unexpected(first.error());
    send(std::move(*first));
  }
  Traffic traffic;
  while (!under_way.empty()) {
    if (schedule != nullptr) {
      std::swap(under_way.front(), under_way[schedule->below(under_way.size())]);
    }
    const Message message = std::move(under_way.front());
    under_way.pop_front();
    check(message.to < parties.size(), "messages go to parties of the run");
    auto more = parties[message.to]->receive(message);
    if (!more) return tl::unexpected(more.error());
    send(std::move(*more));
    ++traffic.messages;
  }
  check(std::ranges::all_of(parties, [](const auto& party) { return party->done(); }),
        "a run without messages under way is over");
  return traffic;
}

}  // namespace sotto
