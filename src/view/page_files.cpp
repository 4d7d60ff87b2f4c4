#include "view/page_files.h"

#include "report/html.h"
#include "report/svg.h"

namespace sotto::view {

std::optional<PageFile> page_file(std::string_view name) {
  if (name.empty())
    return PageFile{"text/html; charset=utf-8", std::string(page_text("index.html"))};
  const std::string_view text = page_text(name);
  if (text.empty()) return std::nullopt;
  if (name == "style.css") {
    return PageFile{"text/css; charset=utf-8",
                    report::chart_css() + std::string(report::page_css()) + std::string(text)};
  }
  if (name.ends_with(".js")) return PageFile{"text/javascript; charset=utf-8", std::string(text)};
  if (name.ends_with(".svg")) return PageFile{"image/svg+xml", std::string(text)};
  return std::nullopt;
}

}  // namespace sotto::view
