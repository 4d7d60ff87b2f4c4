// [graph] and [[party]]: who is neighbour to whom, and with what weight.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <span>

#include "base/digest.h"
#include "graph/topologies.h"
#include "study/sections.h"

namespace sotto {
namespace {

Result<std::vector<Edge>> read_edges(TomlReader& section, const std::vector<PartyTerms>& parties) {
  const toml::node* node = section.node("edges");
  const toml::array* list = node == nullptr ? nullptr : node->as_array();
  const std::string fix =
      "write pairs of numbers from 1, edges = [[1, 2], [2, 3]], or of parties' names";
  if (list == nullptr) {
    section.fail("edges", bad_input("E-study-missing", "topology = \"edges\" needs edges", fix));
    return section.finish().error();
  }
  auto end_of_edge = [&](const toml::node& end) -> std::optional<PartyId> {
    if (const auto* number = end.as_integer();
        number != nullptr && number->get() >= 1 && number->get() <= std::int64_t{kMaxParties}) {
      return static_cast<PartyId>(number->get() - 1);
    }
    if (const auto* name = end.as_string()) {
      const auto found = std::ranges::find(parties, name->get(), &PartyTerms::name);
      if (found != parties.end()) return static_cast<PartyId>(found - parties.begin());
    }
    return std::nullopt;
  };
  std::vector<Edge> edges;
  for (const auto& element : *list) {
    const auto* pair = element.as_array();
    std::optional<PartyId> a;
    std::optional<PartyId> b;
    if (pair != nullptr && pair->size() == 2) {
      a = end_of_edge(*pair->get(0));
      b = end_of_edge(*pair->get(1));
    }
    if (!a || !b) {
      section.fail("edges", bad_input("E-graph-edge",
                                      fmt::format("edge number {} does not name two parties",
                                                  edges.size() + 1),
                                      fix));
      return section.finish().error();
    }
    edges.push_back({*a, *b});
  }
  return edges;
}

// A graph keeps its edges sorted; a person's list of weights goes with the list of
// edges beside it, in whatever order that stands.
std::vector<double> in_graph_order(const Graph& graph, std::span<const Edge> listed,
                                   std::vector<double> weights) {
  if (listed.size() != weights.size()) return weights;  // Weights::given refuses it
  std::map<Edge, double> by_edge;
  for (std::size_t k = 0; k < listed.size(); ++k) {
    const auto [a, b] = std::minmax(listed[k].a, listed[k].b);
    by_edge[{a, b}] = weights[k];
  }
  std::vector<double> sorted;
  for (const Edge& edge : graph.edges()) sorted.push_back(by_edge.at(edge));
  return sorted;
}

// Which keys go with which topologies, and no others.
void check_graph_keys(TomlReader& section, Topology topology) {
  using enum Topology;
  const std::vector<std::pair<const char*, std::vector<Topology>>> kinds{
      {"degree", {kRandomRegular, kErdosRenyi, kSmallWorld}},
      {"seed", {kRandomRegular, kErdosRenyi, kSmallWorld}},
      {"rewire", {kSmallWorld}},
      {"base", {kBase}},
      {"file", {kFile}},
      {"edges", {kEdges}}};
  for (const auto& [key, those] : kinds) {
    if (!section.has(key) || std::ranges::find(those, topology) != those.end()) continue;
    std::vector<std::string> names;
    for (const Topology one : those) names.push_back(fmt::format("\"{}\"", to_string(one)));
    section.fail_value(key, fmt::format("{} is for topology = {}", key, fmt::join(names, ", ")),
                       fmt::format("remove {}", key));
  }
}

// host:port, a host of letters, digits, '-', '_' and '.', or an IPv6 address in brackets.
bool is_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view port = text.substr(colon + 1);
  std::string_view host = text.substr(0, colon);
  std::uint32_t number = 0;
  const auto [stop, fault] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (fault != std::errc{} || stop != port.data() + port.size()) return false;
  if (number < 1 || number > 65'535) return false;
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  const std::string_view letters =
      brackets ? "0123456789abcdefABCDEF:."
               : "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.";
  return !host.empty() && host.find_first_not_of(letters) == std::string_view::npos;
}

// What is written of a party's whereabouts; whether enough is, is check_network()'s to say.
void check_party(TomlReader& section, const PartyTerms& party,
                 const std::vector<PartyTerms>& before) {
  if (!party.address.empty() && !is_address(party.address)) {
    section.fail(
        "address",
        bad_input("E-network-address", fmt::format("\"{}\" is not host:port", party.address),
                  "write north.example:7101, 10.0.0.5:7101 or [2001:db8::5]:7101, with a "
                  "port from 1 to 65535"));
  }
  if (party.fingerprint.empty()) return;
  if (!is_fingerprint(party.fingerprint)) {
    section.fail("fingerprint",
                 bad_input("E-network-fingerprint",
                           fmt::format("the fingerprint of {} is not sha256: and 64 digits from "
                                       "0-9a-f",
                                       party.name),
                           "paste what 'sotto keys show' prints there"));
  }
  const auto same = std::ranges::find(before, party.fingerprint, &PartyTerms::fingerprint);
  if (same != before.end()) {
    section.fail("fingerprint", bad_input("E-network-fingerprint",
                                          fmt::format("{} and {} have the same fingerprint",
                                                      same->name, party.name),
                                          "every party makes its own key with sotto keys new"));
  }
}

}  // namespace

Result<Weights> read_graph_section(TomlReader section, const std::vector<PartyTerms>& listed,
                                   const std::filesystem::path& folder,
                                   const SettingsByName& named) {
  const std::string name = section.word("topology");
  const Topology topology = *topology_from(name);
  const auto stated = section.optional_integer("parties", 1, kMaxParties);
  TopologyRequest request;
  if (const auto settings = named.find(name); settings != named.end()) {
    request.settings = settings->second;
  }
  if (const auto degree = section.optional_integer("degree", 1, kMaxParties)) {
    request.degree = static_cast<std::size_t>(*degree);
  }
  if (const auto seed =
          section.optional_integer("seed", 0, std::numeric_limits<std::int64_t>::max())) {
    request.seed = static_cast<std::uint64_t>(*seed);
  }
  request.rewire = section.optional_number("rewire").value_or(request.rewire);
  if (const auto base = section.optional_integer("base", 0, kMaxParties)) {
    request.base = static_cast<std::size_t>(*base);
  }
  if (topology == Topology::kFile) request.file = (folder / section.text("file")).string();
  std::optional<double> uniform;
  std::optional<std::vector<double>> given;
  if (const auto* weight = section.node("weight"); weight != nullptr && weight->is_string()) {
    static_cast<void>(section.choice("weight", {"metropolis"}));
  } else if (weight != nullptr && weight->is_array()) {
    given = section.optional_numbers("weight");
  } else {
    uniform = section.optional_number("weight");
  }
  check_graph_keys(section, topology);
  std::vector<Edge> edges;
  if (topology == Topology::kEdges) {
    SOTTO_ASSIGN(edges, read_edges(section, listed));
  }
  std::size_t parties = listed.empty() ? 0 : listed.size();
  if (stated) {
    // Fewer are a study that is still being made; check_network() wants them all.
    if (listed.size() > static_cast<std::size_t>(*stated)) {
      section.fail_value(
          "parties", fmt::format("parties = {}, and {} [[party]] entries", *stated, listed.size()),
          fmt::format("write parties = {}, or remove the line", listed.size()));
    }
    parties = static_cast<std::size_t>(*stated);
    request.stated = parties;
  } else if (listed.empty() && topology == Topology::kPetersen) {
    parties = 10;
  } else if (listed.empty() && topology != Topology::kFile) {
    section.fail("parties", bad_input("E-study-missing", "the number of parties is missing",
                                      "add parties = 10 to [graph], or a [[party]] for each"));
  }
  SOTTO_TRY(section.finish());
  if (topology == Topology::kPetersen && parties != 10) {
    section.fail_value("parties", fmt::format("a Petersen graph has 10 parties, not {}", parties),
                       "write parties = 10, or another topology");
    return section.finish().error();
  }

  auto fail = [&](std::string_view key, const Error& error) {
    section.fail(key, error);
    return section.finish().error();
  };
  request.parties = parties;
  request.edges = edges;
  auto graph = make_graph(topology, request);
  if (!graph) {
    return fail(topology == Topology::kEdges  ? "edges"
                : topology == Topology::kFile ? "file"
                                              : "topology",
                graph.error());
  }
  if (listed.size() > graph->size()) {
    return fail("file", bad_input("E-graph-file",
                                  fmt::format("a graph of {} parties, and {} [[party]] entries",
                                              graph->size(), listed.size()),
                                  "as many parties in one as in the other"));
  }
  if (graph->size() < 2) {
    return fail("parties", bad_input("E-graph-parties", "1 party has nobody to keep a secret from",
                                     "a study has at least 2 parties"));
  }
  if (auto connected = require_connected(*graph); !connected) {
    return fail(topology == Topology::kFile    ? "file"
                : topology == Topology::kEdges ? "edges"
                                               : "topology",
                connected.error());
  }
  auto weights = given ? Weights::given(*graph, in_graph_order(*graph, edges, std::move(*given)))
                 : uniform ? Weights::uniform(*graph, *uniform)
                           : Result<Weights>(Weights::metropolis(*graph));
  if (!weights) return fail("weight", weights.error());
  return weights;
}

namespace {

// One, or two while the party exchanges its key: fingerprint = ["sha256:…", "sha256:…"].
void read_fingerprints(TomlReader& section, PartyTerms& party) {
  const toml::node* node = section.node("fingerprint");
  if (node == nullptr || !node->is_array()) {
    party.fingerprint = section.optional_text("fingerprint").value_or("");
    return;
  }
  const auto both = section.optional_texts("fingerprint");
  if (!both) return;
  if (both->empty() || both->size() > 2) {
    section.fail_value("fingerprint",
                       fmt::format("{} has {} fingerprints", party.name, both->size()),
                       "one, or two while its key is exchanged");
    return;
  }
  party.fingerprint = both->front();
  if (both->size() == 2) party.other_fingerprint = both->back();
}

}  // namespace

Result<std::vector<PartyTerms>> read_parties(const toml::node* list, const std::string& file) {
  std::vector<PartyTerms> parties;
  if (list == nullptr) return parties;
  const auto* array = list->as_array();
  if (array == nullptr || !array->is_array_of_tables()) {
    return bad_input("E-study-value", "party must be a list of tables",
                     "write [[party]], with two brackets")
        .at(fmt::format("line {} of {}", list->source().begin.line, file));
  }
  for (const auto& element : *array) {
    TomlReader section(element.as_table(), "[[party]]", file);
    PartyTerms party;
    party.name = section.text("name");
    if (const toml::node* name = section.node("name");
        name != nullptr && name->as_string() != nullptr && party.name.empty()) {
      section.fail_value("name", "a party's name is empty", "what everybody calls it, as in --as");
    }
    party.address = section.optional_text("address").value_or("");
    read_fingerprints(section, party);
    if (std::ranges::find(parties, party.name, &PartyTerms::name) != parties.end()) {
      section.fail_value("name", fmt::format("two parties are called \"{}\"", party.name),
                         "give each party a name of its own");
    }
    check_party(section, party, parties);
    SOTTO_TRY(section.finish());
    parties.push_back(std::move(party));
  }
  return parties;
}

}  // namespace sotto
