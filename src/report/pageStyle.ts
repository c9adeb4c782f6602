import { seriesVariables } from './palette.js'

/** The style sheet of a page. */
export function pageStyle(): string {
  return `:root { color-scheme: light dark; --page: #fcfcfa; --ink: #1d2127; --soft: #5a626d; --rule: #dcdfe3; --panel: #f2f3f1;
  --accent: #1f5fbf; ${seriesVariables('light')} }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #14171b; --ink: #e6e8eb; --soft: #a3abb6; --rule: #333a43; --panel: #1c2026;
    --accent: #79b0ff; ${seriesVariables('dark')} }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
header, main, footer { max-width: 1080px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 40px; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 0 0 .5rem; padding-top: 2rem; border-top: 1px solid var(--rule); }
section:first-child h2 { border-top: 0; padding-top: 0; }
h3 { font-size: .95rem; line-height: 1.3; margin: 0 0 .3rem; }
p { margin: .5rem 0; max-width: 72ch; }
.lead { font-size: 1.1rem; color: var(--soft); }
.finding { font-size: 1.12rem; font-weight: 600; border-left: 4px solid var(--accent); padding-left: .8rem; margin: .8rem 0; }
dl { display: flex; flex-wrap: wrap; gap: .4rem 2rem; margin: 1.2rem 0; }
dt { color: var(--soft); font-size: .8rem; }
dd { margin: 0; font-variant-numeric: tabular-nums; }
nav { position: sticky; top: 0; z-index: 1; background: var(--page); border-bottom: 1px solid var(--rule); }
nav div { max-width: 1080px; margin: 0 auto; padding: .55rem 24px; display: flex; gap: .3rem 1.1rem; overflow-x: auto; white-space: nowrap; font-size: .9rem; mask-image: linear-gradient(to left, transparent, #000 24px); }
nav a { text-decoration: none; }
nav.list { position: static; max-width: 1080px; margin: 0 auto; padding: 0 24px; }
nav.list ul { columns: 300px; margin: .6rem 0; padding-left: 1.1rem; font-size: .9rem; }
nav.list li { break-inside: avoid; margin: .15rem 0; }
a { color: var(--accent); text-underline-offset: 3px; }
section { margin: 2.2rem 0 3rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 460px), 1fr)); gap: 1.4rem 2rem; margin: 1.2rem 0; }
figure { margin: 0; min-width: 0; }
figure:only-child, figure.whole { grid-column: 1 / -1; }
.plot { overflow-x: auto; overflow-y: hidden; }
.plot svg { width: 100%; max-height: 75vh; }
pre { overflow-x: auto; background: var(--panel); padding: .8rem 1rem; font-size: .85rem; line-height: 1.45; }
figcaption { color: var(--soft); font-size: .88rem; line-height: 1.4; margin-top: .2rem; }
svg { --plot-background: var(--page); max-width: 100%; height: auto; }
.plot svg { max-width: none; }
.plot.natural svg { width: auto; max-height: none; }
.plot.narrow { display: none; }
.wide { overflow-x: auto; background: linear-gradient(to right, var(--page) 40%, transparent) left / 40px 100% no-repeat local, linear-gradient(to left, var(--page) 40%, transparent) right / 40px 100% no-repeat local, linear-gradient(to right, #8886, #8880) left / 12px 100% no-repeat, linear-gradient(to left, #8886, #8880) right / 12px 100% no-repeat; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; margin: .8rem 0; white-space: nowrap; }
th, td { text-align: left; vertical-align: top; padding: .22rem .9rem .22rem 0; border-bottom: 1px solid var(--rule); }
th { color: var(--soft); font-weight: 600; border-bottom-width: 2px; }
th button { all: unset; cursor: pointer; }
th button::after { content: " \\2195"; font-weight: 400; opacity: .6; }
th[aria-sort="ascending"] button::after { content: " \\2191"; opacity: 1; }
th[aria-sort="descending"] button::after { content: " \\2193"; opacity: 1; }
th button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
th button:hover { color: var(--ink); }
td.number, th.number { text-align: right; }
td.text, th.text { white-space: normal; min-width: 24ch; max-width: 80ch; }
details { margin: .8rem 0; }
summary { cursor: pointer; color: var(--accent); }
footer { color: var(--soft); font-size: .88rem; padding-bottom: 3rem; }
@media (max-width: 600px) { header, main, footer, nav div { padding-left: 16px; padding-right: 16px; } header { padding-top: 24px; } h1 { font-size: 1.6rem; } .plot { margin: 0 -12px; } .plot.narrow { display: block; } .plot:has(+ .narrow) { display: none; } th, td { padding-right: .7rem; } td.text, th.text { min-width: 15ch; } tr > :nth-child(n+4).text, tr:has(> :nth-child(4)) > .text { min-width: 30ch; } p { overflow-wrap: anywhere; } tr:has(td.text) td:first-child { white-space: normal; min-width: 10ch; } }
@media print {
  :root { color-scheme: light; } body { font-size: 12px; } header, main, footer { max-width: none; padding: 0; }
  nav, details { display: none; } th button::after { content: none; } .wide { background: none; overflow: visible; } .plot { overflow: visible; }
  .plot svg { min-width: 0 !important; max-height: 40vh; } table { white-space: normal; font-size: 10px; } th, td { padding-right: 8px; } td.text, th.text { min-width: 0; }
  section { margin: 1rem 0; } h2, h3, .finding { break-after: avoid; } figure, tr { break-inside: avoid; }
}`
}
