#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "report/text.h"
#include "support/temporary_folder.h"

// Whole pages in a real browser: what unit tests can only estimate (the width of
// text, the layout of a page) is measured here.
namespace sotto::chromium {

namespace fs = std::filesystem;

// A browser does not make its window as narrow as a telephone; frames inside it
// can be. The page itself forbids scripts, so this one looks in from outside.
inline constexpr const char* kProbe = R"html(<!DOCTYPE html><meta charset="utf-8">
<style>iframe{height:900px}</style><pre id="answer">never ran</pre>
<script>
function look(page, width) {
  const bad = [];
  if (page.documentElement.scrollWidth > width) bad.push('the page scrolls sideways');
  let texts = 0, drawings = 0;
  for (const svg of page.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    if (frame.width === 0) continue;
    drawings++;
    const boxes = [...svg.querySelectorAll('text')].map(
        t => ({name: t.textContent, ...t.getBoundingClientRect().toJSON()}));
    texts += boxes.length;
    boxes.forEach((a, i) => {
      if (a.left < frame.left - .5 || a.right > frame.right + .5 || a.top < frame.top - .5 ||
          a.bottom > frame.bottom + .5) bad.push('outside: ' + a.name);
      if (a.height < 10.9) bad.push('too small: ' + a.name);
      for (const b of boxes.slice(i + 1)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 0 && down > 3) bad.push('overlap: ' + a.name + ' | ' + b.name);
      }
    });
  }
  const paper = getComputedStyle(page.body).backgroundColor;
  const path = page.querySelector('path.line');
  const line = path ? getComputedStyle(path).stroke : 'none';
  return `width=${width} drawings=${drawings} enough=${texts > 40} paper=${paper} line=${line} ` +
         `bad=[${bad.join('; ')}]\n`;
}
addEventListener('load', () => {
  let answer = '';
  for (const f of document.querySelectorAll('iframe'))
    answer += look(f.contentDocument, f.clientWidth);
  document.getElementById('answer').textContent = answer;
});
</script>
)html";

class Browser : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      if (std::system(fmt::format("command -v {} >/dev/null 2>&1", name).c_str()) == 0) {
        browser_ = name;
        break;
      }
    }
    if (browser_.empty()) {
      fmt::print(stderr,
                 "\n*** NOT TESTED: no chromium here, so nobody looked at the report's pages. "
                 "apt install chromium ***\n\n");
      GTEST_SKIP() << "chromium is not installed";
    }
  }

  // Opens `page` and returns what the browser wrote to standard output.
  [[nodiscard]] std::string browse(const fs::path& page, const std::string& options) const {
    const std::string command = fmt::format(
        "timeout 60 {} --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync "
        "--hide-scrollbars --user-data-dir='{}' {} 'file://{}' 2>/dev/null",
        browser_, (folder_ / "profile").string(), options, page.string());
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return "popen failed";
    std::string output;
    char block[4096];
    for (std::size_t got; (got = std::fread(block, 1, sizeof block, pipe)) > 0;) {
      output.append(block, got);
    }
    pclose(pipe);
    return output;
  }

  // What the probe found out about the pages: for each of them, one line per width.
  [[nodiscard]] std::string probe(const std::vector<std::string>& pages,
                                  const std::vector<int>& widths, bool dark) const {
    const fs::path page = folder_ / "probe.html";
    std::string html = kProbe;
    for (const std::string& each : pages) {
      const std::string source = report::escape(each);
      for (const int width : widths) {
        html += fmt::format("<iframe style=\"border:0;width:{}px\" srcdoc=\"{}\"></iframe>\n",
                            width, source);
      }
    }
    if (!write_file(page, html)) return "not written";
    const std::string dom = browse(
        page, fmt::format("--blink-settings=preferredColorScheme={} --dump-dom", dark ? 0 : 1));
    const std::size_t from = dom.find("<pre id=\"answer\">");
    if (from == dom.npos) return "no answer in: " + dom.substr(0, 300);
    return dom.substr(from + 17, dom.find("</pre>", from) - from - 17);
  }

  // How many bytes the picture of a page takes; a blank one compresses to a few kilobytes.
  [[nodiscard]] std::uintmax_t picture_bytes(const fs::path& page) const {
    const fs::path shot = folder_ / "shot.png";
    fs::remove(shot);
    (void)browse(page, fmt::format("--window-size=1000,2000 --screenshot='{}'", shot.string()));
    return fs::exists(shot) ? fs::file_size(shot) : 0;
  }

  const TemporaryFolder folder_;
  std::string browser_;
};

}  // namespace sotto::chromium
