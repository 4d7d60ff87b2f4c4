#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// A reader for the XML that this room writes, strict about being well formed:
// tags nest, attributes are quoted and unique, < and & stand only where they may.
namespace sotto::xml {

struct Element {
  std::string tag;
  std::map<std::string, std::string> attributes;
  std::string text;               // entities resolved; without that of its children
  std::vector<std::string> path;  // the tags around it

  [[nodiscard]] bool is(std::string_view kind) const {
    const auto found = attributes.find("class");
    return found != attributes.end() && found->second == kind;
  }
  [[nodiscard]] double number(const std::string& name) const {
    return std::stod(attributes.at(name));
  }
};

class Reader {
 public:
  // All elements in document order; throws std::runtime_error where it is not well formed.
  static std::vector<Element> read(std::string_view text) { return Reader(text).document(); }

 private:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Element> document() {
    std::vector<std::size_t> open;
    while (at_ < text_.size()) {
      if (text_[at_] != '<') {
        const std::string words = unescape(until("<"));
        if (!open.empty()) {
          elements_[open.back()].text += words;
        } else if (words.find_first_not_of(" \n") != std::string::npos) {
          fail("text outside the root");
        }
      } else if (text_.substr(at_).starts_with("</")) {
        at_ += 2;
        const std::string tag(until(">"));
        ++at_;
        if (open.empty() || elements_[open.back()].tag != tag)
          fail("</" + tag + "> closes nothing");
        open.pop_back();
      } else {
        if (open.empty() && !elements_.empty()) fail("a second root");
        const bool closed = start_tag(open);
        if (!closed) open.push_back(elements_.size() - 1);
      }
    }
    if (!open.empty()) fail("<" + elements_[open.back()].tag + "> is not closed");
    if (elements_.empty()) fail("no element");
    return elements_;
  }

  // Returns whether the tag closes itself.
  bool start_tag(const std::vector<std::size_t>& open) {
    ++at_;
    Element element;
    element.tag = name();
    for (const std::size_t parent : open) element.path.push_back(elements_[parent].tag);
    for (;;) {
      const bool space = skip_space();
      if (text_.substr(at_).starts_with("/>")) {
        at_ += 2;
        elements_.push_back(element);
        return true;
      }
      if (peek() == '>') {
        ++at_;
        elements_.push_back(element);
        return false;
      }
      if (!space) fail("no space before an attribute");
      const std::string key = name();
      expect('=');
      expect('"');
      const std::string value = unescape(until("\""));
      expect('"');
      if (!element.attributes.emplace(key, value).second) fail("attribute " + key + " twice");
    }
  }

  std::string name() {
    const std::size_t from = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '-') ++at_;
    if (at_ == from) fail("a name is missing");
    return std::string(text_.substr(from, at_ - from));
  }

  bool skip_space() {
    const std::size_t from = at_;
    while (peek() == ' ' || peek() == '\n') ++at_;
    return at_ > from;
  }

  std::string_view until(std::string_view stop) {
    const std::size_t end = text_.find(stop, at_);
    if (end == text_.npos && at_ < text_.size() && stop == "<") {
      const std::string_view rest = text_.substr(at_);
      at_ = text_.size();
      return rest;
    }
    if (end == text_.npos) fail("no " + std::string(stop));
    const std::string_view piece = text_.substr(at_, end - at_);
    at_ = end;
    return piece;
  }

  std::string unescape(std::string_view raw) {
    static const std::map<std::string_view, char> kEntities{
        {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"#39", '\''}};
    std::string plain;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const auto c = static_cast<unsigned char>(raw[i]);
      if (c == '<' || (c < 0x20 && c != '\n' && c != '\t')) fail("a bare < or control character");
      if (c != '&') {
        plain += raw[i];
        continue;
      }
      const std::size_t end = raw.find(';', i);
      const auto entity = kEntities.find(raw.substr(i + 1, end == raw.npos ? 0 : end - i - 1));
      if (entity == kEntities.end()) fail("an unknown entity");
      plain += entity->second;
      i = end;
    }
    return plain;
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void expect(char c) {
    if (peek() != c) fail(std::string("expected ") + c);
    ++at_;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " near: " + std::string(text_.substr(at_, 60)));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Element> elements_;
};

// All elements of one kind, in document order.
inline std::vector<Element> all(std::string_view text, std::string_view kind) {
  std::vector<Element> found;
  for (const Element& e : Reader::read(text)) {
    if (e.is(kind)) found.push_back(e);
  }
  return found;
}

}  // namespace sotto::xml
