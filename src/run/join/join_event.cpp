// Names and fields of the JSON lines are a contract with scripts; the texts are not.
#include "run/join/join_event.h"

#include "base/json.h"
#include "run/home.h"

namespace sotto {
namespace {

using Kind = JoinEvent::Kind;

constexpr EnumNames<Kind, 12> kEvents{{"begun", "resumed", "phase", "waiting", "connected", "lost",
                                       "trouble", "refused", "note", "bytes", "finished",
                                       "failed"}};

void add_fields(const JoinEvent& event, Json& json) {
  switch (event.kind) {
    case Kind::kPhase:
    case Kind::kWaiting:
      json["phase"] = kPhases[event.progress.phase];
      json["waiting_for"] = event.progress.waiting_for;
      json["without"] = event.progress.without;
      json["released"] = event.progress.released;
      break;
    case Kind::kConnected:
    case Kind::kLost:
    case Kind::kTrouble:
    case Kind::kRefused:
      json["peer"] = event.peer.empty() ? Json(nullptr) : Json(event.peer);
      if (event.kind == Kind::kRefused) json["error"]["name"] = event.error.name;
      break;
    case Kind::kBytes:
      json["sent"] = event.bytes.sent;
      json["received"] = event.bytes.received;
      break;
    case Kind::kResumed:
      json["run"] = event.run;
      break;
    case Kind::kFinished:
      json["run"] = event.run;
      json["files"] = event.files;
      break;
    case Kind::kFailed:
      json["error"] = to_json(event.error);
      break;
    case Kind::kBegun:
    case Kind::kNote:
      break;
  }
}

// What another process wrote: every field may be missing, or of another kind.
template <class T>
void take_field(const Json& json, const char* name, T& value) {
  const auto field = json.find(name);
  if (field == json.end()) return;
  if constexpr (std::is_same_v<T, std::string>) {
    if (field->is_string()) value = field->template get<std::string>();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (field->is_boolean()) value = field->template get<bool>();
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (field->is_number_unsigned()) value = field->template get<std::uint64_t>();
  } else {
    if (!field->is_array()) return;
    for (const Json& item : *field) {
      if (item.is_string()) value.push_back(item.get<std::string>());
    }
  }
}

}  // namespace

Json to_json(const Error& error) {
  Json json = {{"name", error.name},
               {"what", error.what},
               {"where", error.where},
               {"fix", error.fix},
               {"status", static_cast<int>(error.status)}};
  if (error.others.empty()) return json;
  json["others"] = json_list(error.others, [](const Error& other) { return to_json(other); });
  json["unlisted"] = error.unlisted;
  return json;
}

std::string to_json_line(const JoinEvent& event, std::int64_t time) {
  Json json{{"time", utc_text(time)}, {"event", kEvents[event.kind]}};
  add_fields(event, json);
  json["text"] = event.text;
  return json_line(json);
}

std::optional<JoinEvent> join_event_from(std::string_view line) {
  const Json json = parse_json(line);
  if (!json.is_object()) return std::nullopt;
  std::string name;
  std::string phase;
  JoinEvent event;
  take_field(json, "event", name);
  if (name.empty()) return std::nullopt;
  event.kind = kEvents.find(name).value_or(Kind::kNote);
  take_field(json, "text", event.text);
  take_field(json, "phase", phase);
  if (const auto known = kPhases.find(phase)) {
    event.progress.phase = *known;
  } else if (event.kind == Kind::kPhase || event.kind == Kind::kWaiting) {
    event.kind = Kind::kNote;
  }
  take_field(json, "waiting_for", event.progress.waiting_for);
  take_field(json, "without", event.progress.without);
  take_field(json, "released", event.progress.released);
  take_field(json, "peer", event.peer);
  take_field(json, "sent", event.bytes.sent);
  take_field(json, "received", event.bytes.received);
  take_field(json, "run", event.run);
  take_field(json, "files", event.files);
  if (const auto error = json.find("error"); error != json.end() && error->is_object()) {
    take_field(*error, "name", event.error.name);
    take_field(*error, "what", event.error.what);
    take_field(*error, "where", event.error.where);
    take_field(*error, "fix", event.error.fix);
  }
  return event;
}

}  // namespace sotto
