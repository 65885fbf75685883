/**
 * The style sheet that all themes share. A theme's colors are inserted before it, and the theme's own rules after it.
 * See look.ts for the colors.
 */
export const siteStyle = `:root { --text: system-ui, -apple-system, 'Segoe UI', sans-serif; --head: var(--text); --small: .875rem; }
* { box-sizing: border-box; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
.light { display: inline-block; width: .7em; height: .7em; border-radius: 50%; background: var(--amber); margin-right: .4em; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1.0625rem/1.6 var(--text); }
h1, h2, h3, .owner .name { font-family: var(--head); }
.skip { position: absolute; inset-inline-start: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--surface); border-radius: 8px; z-index: 1; }
.skip:focus { top: 1rem; }
.column { max-width: 42rem; margin: 0 auto; padding: 0 1.25rem; overflow-wrap: anywhere; }
a { color: inherit; text-decoration-color: var(--amber); text-underline-offset: .18em; text-decoration-thickness: .1em; }
a:hover { text-decoration-thickness: .16em; }
header.column { padding-top: 2.5rem; padding-bottom: 1.5rem; }
.owner { display: flex; gap: .9rem; align-items: center; }
.owner a { text-decoration: none; }
.owner a:hover { text-decoration: underline; }
.owner > a { display: inline-flex; gap: .7rem; align-items: center; font-weight: 650; }
.owner h1 { font-size: 1.7rem; line-height: 1.2; margin: 0; }
.owner p { margin: .15rem 0 0; }
.owner .links { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; margin: .5rem 0 0; padding: 0; font-size: .9375rem; }
.owner .links a { text-decoration: underline; text-decoration-color: var(--amber); }
data:empty { display: none; }
.owner .light { margin: 0; flex: none; }
.owner .portrait { width: 96px; height: 96px; border-radius: 50%; object-fit: cover; flex: none; }
.owner > a .portrait { width: 40px; height: 40px; }
.about { margin-top: 1.1rem; }
.about > :first-child { margin-top: 0; }
.about > :last-child { margin-bottom: 0; }
header.column nav { margin-top: 1.1rem; }
header.column nav ul { display: flex; flex-wrap: wrap; gap: .1rem 1.25rem; list-style: none; margin: 0; padding: 0; }
header.column nav a { display: inline-block; padding: .2rem 0; text-decoration: none; }
header.column nav a:hover { text-decoration: underline; }
header.column nav a[aria-current] { color: var(--accent); font-weight: 600; text-decoration: underline; }
form.search { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0 1.5rem; }
form.search label { flex-basis: 100%; }
form.search input { flex: 1 1 12rem; min-width: 0; font: inherit; padding: .5rem .8rem; border: 1px solid var(--soft); border-radius: 8px; background: var(--surface); color: var(--ink); }
form.search button { font: inherit; font-weight: 600; padding: .5rem 1.1rem; border: 0; border-radius: 8px; background: var(--amber); color: var(--on-amber); cursor: pointer; }
.recent { list-style: none; margin: 0; padding: 0; }
.recent li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: .4rem 0; border-top: 1px solid var(--line); }
.recent time { color: var(--soft); font-size: var(--small); }
article { background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: 1.5rem 1.75rem; margin: 0 0 1.25rem; }
h1 { font-size: 1.7rem; }
h2 { font-size: 1.15rem; }
h1, h2, h3 { line-height: 1.3; margin: 0 0 .6rem; font-weight: 650; }
main > h1, .h-feed > h1 { margin-bottom: .9rem; }
main > h2, main > section + section { margin-top: 1.75rem; }
article > h1, article > h3 { font-size: 1.45rem; }
article.own > h1 { font-size: 1.7rem; }
.up { margin: 0 0 .25rem; }
article .title a { text-decoration: none; }
article .title a:hover { text-decoration: underline; }
article > h1.kind, p.kind { font-size: .8125rem; font-weight: 600; color: var(--soft); margin: 0 0 .5rem; letter-spacing: .02em; }
.soft, small { color: var(--soft); font-size: var(--small); }
.context { border-inline-start: 3px solid var(--amber); padding-inline-start: .9rem; margin: 0 0 1rem; }
.context p { margin: 0; }
.context blockquote { margin: .4rem 0 0; color: var(--soft); }
.e-content > :first-child, .context blockquote > :first-child { margin-top: 0; }
.e-content > :last-child, .context blockquote > :last-child { margin-bottom: 0; }
.e-content { overflow-x: auto; }
.e-content img, .e-content video, .media img, .media video { max-width: 100%; height: auto; border-radius: 8px; }
.e-content blockquote { margin: 1rem 0; padding-inline-start: 1rem; border-inline-start: 3px solid var(--line); color: var(--soft); }
.e-content figure { margin: 1rem 0; }
.e-content figcaption { color: var(--soft); font-size: var(--small); }
.e-content pre { background: var(--ground); border-radius: 8px; padding: .8rem 1rem; white-space: pre-wrap; }
.e-content h2, .e-content h3, .e-content h4 { margin-top: 1.6rem; font-size: 1.1rem; }
.e-content table { border-collapse: collapse; }
.e-content td, .e-content th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: start; }
code, pre { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.media { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; margin: 0 0 1rem; padding: 0; justify-items: center; }
.media a { display: block; max-width: 100%; }
.media img, .media video { display: block; width: auto; max-height: 90vh; object-fit: contain; background: var(--ground); }
.media video, .media audio { width: 100%; }
.media.many { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .4rem; }
.media.many:has(> :nth-child(2):last-child), .media.many:has(> :nth-child(4):last-child) { grid-template-columns: repeat(2, minmax(0, 1fr)); }
.media.many > * { width: 100%; }
.media.many > :is(video, audio) { grid-column: 1 / -1; }
.media.many img { width: 100%; height: 100%; aspect-ratio: 1; object-fit: cover; }
.facts { margin: 0 0 1rem; display: grid; grid-template-columns: auto 1fr; gap: .2rem 1rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; }
.meta { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; margin-top: 1.1rem; color: var(--soft); font-size: var(--small); }
.meta p { margin: 0; }
.meta a { text-decoration-color: var(--line); }
.meta a:hover { text-decoration-color: var(--amber); }
.tags { display: flex; flex-wrap: wrap; gap: .25rem .75rem; list-style: none; margin: 0; padding: 0; }
.tags a::before { content: '#'; }
.responses { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: 1.25rem; font-size: .9375rem; }
.responses h2 { font-size: 1.1rem; margin: 0; }
.responses > p.soft { margin: 0 0 .25rem; }
.responses h3 { font-size: .8125rem; font-weight: 600; color: var(--soft); margin: 1.1rem 0 .4rem; }
.face { display: grid; place-items: center; flex: none; width: 40px; height: 40px; border-radius: 50%; object-fit: cover; background: var(--line); color: var(--ink); font-size: 1.0625rem; font-weight: 600; line-height: 1; overflow: hidden; }
.faces, .said { list-style: none; margin: 0; padding: 0; }
.faces { display: flex; flex-wrap: wrap; gap: .375rem; }
.faces a { display: block; position: relative; text-decoration: none; border-radius: 50%; }
.faces a:hover .face { filter: brightness(.94); }
.said { margin-top: 1.25rem; }
.said > li { position: relative; min-height: calc(40px + 1.8rem); padding: .9rem 0; padding-inline-start: calc(40px + .8rem); border-top: 1px solid var(--line); }
.said .face { position: absolute; inset-inline-start: 0; top: .9rem; }
.said .by { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .6rem; margin: 0 0 .3rem; }
.said .p-author { font-weight: 600; }
.said .e-content + p { margin: .4rem 0 0; }
.responses nav.pages { padding-bottom: 0; align-items: baseline; }
.copy-note { background: var(--surface); border-bottom: 1px solid var(--line); color: var(--soft); font-size: var(--small); padding: .6rem 1.25rem; text-align: center; text-wrap: balance; overflow-wrap: anywhere; }
nav.pages { display: flex; justify-content: space-between; gap: 1rem; padding: .5rem 0 1rem; }
footer.column { padding-top: 1rem; padding-bottom: 2.5rem; color: var(--soft); font-size: var(--small); display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .25rem 1.25rem; list-style: none; margin: 0 0 1.5rem; padding: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 30rem) {
  article { padding: 1.1rem 1.15rem; }
  header.column { padding-top: 1.5rem; }
  .owner .portrait { width: 72px; height: 72px; }
  .media.many { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .media.many > a:first-child:nth-last-child(odd) { grid-column: 1 / -1; }
  .media.many > a:first-child:nth-last-child(odd) img { aspect-ratio: 2; }
}
@media print {
  :root { color-scheme: light; }
  body { display: block; background: none; font-size: 11pt; }
  .column { max-width: none; padding: 0; margin: 0; }
  header.column { position: static; padding: 0 0 1rem; }
  header.column nav, form.search, nav.pages, footer.column, .skip, .media audio, .media video { display: none; }
  article { border: 0; border-radius: 0; box-shadow: none; padding: 0; margin: 0 0 1.5rem; background: none; }
  h1, h2, h3 { break-after: avoid; }
  img, figure, blockquote, pre { break-inside: avoid; }
  .media img, .e-content img { max-height: 18cm; }
  .e-content a[href^='http']:not([rel~='tag'])::after { content: ' (' attr(href) ')'; color: var(--soft); font-size: .85em; overflow-wrap: anywhere; }
}
`;
