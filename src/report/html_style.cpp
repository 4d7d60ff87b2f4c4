#include "report/html.h"

// The look of a page on screens from 320 pixels up, and on paper.
namespace sotto::report {

// The colours are the variables of chart_css(), so that text and drawings agree.
// Text in a series's colour is mixed with ink: 3:1 is enough for a line, not for words.
std::string_view page_css() {
  return R"css(
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);
  font:1.0625rem/1.6 Charter,'Bitstream Charter','Sitka Text',Cambria,Georgia,serif}
main{max-width:46rem;margin:0 auto;padding:3.5rem 1.25rem 5rem}
h1,h2,nav,table,figcaption,.facts,.callout-title,.verdict{
  font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 .75rem;text-wrap:balance}
h2{font-size:1.3rem;line-height:1.3;letter-spacing:-.01em;margin:3.25rem 0 .75rem;text-wrap:balance}
p,ul,figure{margin:0 0 1.1rem}
p,li,dd,td,th,figcaption{overflow-wrap:break-word}
.lead{font-size:1.15rem;color:var(--ink-muted)}
a{color:var(--series-1);text-underline-offset:.15em}
a:focus-visible,.scroll:focus-visible{outline:2px solid var(--series-1);outline-offset:2px}
.facts{display:flex;flex-wrap:wrap;gap:.75rem 2rem;margin:1.5rem 0;padding:.9rem 0;
  border-block:1px solid var(--rule);font-size:.875rem;line-height:1.4}
.facts div{min-width:0}
.facts dt{color:var(--ink-muted)}
.facts dd{margin:0;font-variant-numeric:tabular-nums}
nav{font-size:.9375rem;line-height:1.9}
nav ol{margin:0;padding-left:1.4rem}
.scroll{overflow-x:auto;margin:1.5rem 0}
table{border-collapse:collapse;width:100%;font-size:.875rem;line-height:1.45}
table.claims{margin:1.5rem 0}
caption{caption-side:top;text-align:left;font-weight:600;padding:0 0 .5rem}
th,td{padding:.45rem .8rem .45rem 0;text-align:left;vertical-align:baseline;
  border-bottom:1px solid var(--rule)}
th:last-child,td:last-child{padding-right:0}
thead th{color:var(--ink-muted);font-weight:500;border-bottom-color:var(--ink-muted)}
tbody th{font-weight:500}
tbody tr:last-child>*{border-bottom-color:var(--ink-muted)}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.verdict{white-space:nowrap;font-weight:600}
.holds{--accent:var(--series-3)}
.differs{--accent:var(--series-2)}
.corrected{--accent:var(--series-1)}
.verdict,.callout-title span{color:var(--ink);color:color-mix(in srgb,var(--accent) 70%,var(--ink))}
figure{margin:1.75rem 0 2rem}
figure svg{display:block;width:100%;height:auto}
.narrow{display:none}
figcaption{font-size:.875rem;line-height:1.5;color:var(--ink-muted);padding:.6rem .85rem 0}
figcaption a{white-space:nowrap;margin-left:.35rem}
.callout{margin:1.5rem 0;padding:.85rem 1.1rem;border:1px solid var(--rule);
  border-left:4px solid var(--accent);border-radius:4px;--accent:var(--series-6)}
.callout p{margin:0}
.callout-title{font-weight:600;font-size:.9375rem;padding-bottom:.25rem}
.finding{--accent:var(--series-1)}
.warning{--accent:var(--series-2)}
@media (max-width:40rem){
  main{padding:2rem 1rem 3rem}
  h1{font-size:1.6rem}
  .wide{display:none}
  .narrow{display:block}
  figure{margin-inline:-.5rem}
  figcaption{padding-inline:.5rem}
  :is(.claims,.cards),:is(.claims,.cards) :is(caption,tbody,tr,th,td){display:block}
  :is(.claims,.cards) thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
  :is(.claims,.cards) tr{padding:.7rem 0;border-bottom:1px solid var(--rule)}
  :is(.claims,.cards) :is(th,td){border:0;padding:.1rem 0}
  :is(.claims,.cards) td{display:grid;grid-template-columns:6rem 1fr}
  :is(.claims,.cards) td::before{content:attr(data-label);color:var(--ink-muted)}
  .cards td{grid-template-columns:10rem 1fr}
  .cards .number{text-align:left;white-space:normal}
}
@media print{
  body{font-size:10.5pt}
  main{max-width:none;padding:0}
  nav{display:none}
  figure,table,.callout,tr{break-inside:avoid}
  h2{break-after:avoid}
  .scroll{overflow:visible}
  .wide{display:block}
  .narrow{display:none}
}
)css";
}

}  // namespace sotto::report
