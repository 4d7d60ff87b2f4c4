#pragma once

#include <string>
#include <string_view>
#include <vector>

// A study file as lines that can be compared: what two parties' files differ in, key by key.
namespace sotto {

// "privacy.epsilon = 1", one line a key, sorted, without comments and spaces; a party by its name
// ("party.north.address"). Empty if the text is no TOML. Long values are cut, and so is the whole
// at `most_bytes`.
[[nodiscard]] std::string study_lines(std::string_view text, std::size_t most_bytes);

// "privacy.epsilon: 1 here, 2 there", at most `most` of them, then how many more. The other lines
// may be anything: a neighbour sent them. Empty if they say the same.
[[nodiscard]] std::vector<std::string> study_differences(std::string_view ours,
                                                         std::string_view theirs, std::size_t most);

}  // namespace sotto
