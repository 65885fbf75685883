/**
 * The style sheet that all themes share: for every page of the site. A theme's colors are inserted before it, and the
 * theme's own rules after it. See themes.ts for the colors. The sizes of type are multiples of the text: 1.9 for a title,
 * 1.4 for a title in a list, 1.3 and 1.1 for headings. A line of text is 36rem wide, which is about 65 characters.
 */
export const siteStyle = `:root { --text: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif; --head: var(--text); --small: .875rem; --edge: 8px; }
* { box-sizing: border-box; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1.125rem/1.6 var(--text); }
h1, h2, h3, .owner .name { font-family: var(--head); }
h1, h2, h3, h4 { line-height: 1.25; margin: 0 0 .6rem; font-weight: 680; letter-spacing: -.012em; text-wrap: balance; }
h1 { font-size: 1.9em; line-height: 1.15; letter-spacing: -.022em; }
h2 { font-size: 1.3em; }
h3 { font-size: 1.1em; }
a { color: inherit; text-decoration-color: var(--amber); text-underline-offset: .18em; text-decoration-thickness: .1em; }
a:hover { text-decoration-thickness: .16em; }
.skip { position: absolute; inset-inline-start: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--surface); border-radius: var(--edge); z-index: 1; }
.skip:focus { top: 1rem; }
.column { max-width: 38.5rem; margin: 0 auto; padding: 0 1.25rem; overflow-wrap: anywhere; }
.soft, small { color: var(--soft); font-size: var(--small); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
data:empty { display: none; }
.light { display: inline-block; flex: none; width: .7em; height: .7em; border-radius: 50%; background: var(--amber); box-shadow: 0 0 0 .3em color-mix(in srgb, var(--amber) 22%, transparent); }
header.column { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: .6rem 2rem; padding-top: 2.25rem; padding-bottom: 2.75rem; }
header.column > .h-card { flex: 1 0 100%; }
.owner { display: flex; gap: 1.1rem; align-items: center; min-width: 0; }
.owner a { text-decoration: none; }
.owner a:hover { text-decoration: underline; }
.owner > a { display: inline-flex; gap: .7rem; align-items: center; font-weight: 680; }
.owner h1 { font-size: 1.7em; margin: 0; }
.owner p { margin: .2rem 0 0; }
.owner .links { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; margin: .4rem 0 0; padding: 0; font-size: var(--small); }
.owner .links a { text-decoration: underline; text-decoration-color: var(--amber); }
.owner > .light { align-self: flex-start; width: 1em; height: 1em; margin: .5em 0 0 .3em; }
.owner .portrait { width: 96px; height: 96px; border-radius: 50%; object-fit: cover; flex: none; }
.owner > a .portrait { width: 36px; height: 36px; }
.about { margin-top: 1.1rem; }
.about > :first-child { margin-top: 0; }
.about > :last-child { margin-bottom: 0; }
header.column nav ul { display: flex; flex-wrap: wrap; gap: .1rem 1.25rem; list-style: none; margin: 0; padding: 0; font-size: .9375rem; }
header.column nav a { display: inline-block; padding: .2rem 0; color: var(--soft); text-decoration: none; }
header.column nav a:hover { text-decoration: underline; }
header.column nav a[aria-current] { color: var(--ink); text-decoration: underline; text-decoration-color: var(--amber); }
form.search { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0 1.75rem; }
form.search input, .fields input { flex: 1 1 12rem; min-width: 0; font: inherit; padding: .5rem .8rem; border: 1px solid var(--soft); border-radius: var(--edge); background: var(--surface); color: var(--ink); }
form.search button, .fields button { font: inherit; font-weight: 600; padding: .5rem 1.1rem; border: 0; border-radius: var(--edge); background: var(--amber); color: var(--on-amber); text-decoration: none; cursor: pointer; }
main > h1, .h-feed > h1 { margin-bottom: 1rem; }
main > h2, main > section + section { margin-top: 2rem; }
.up { margin: 0 0 .25rem; }
.h-feed > article { padding: 1.75rem 0; border-top: 1px solid var(--line); }
.h-feed > h2.hidden:first-child + article { padding-top: 0; border-top: 0; }
article .title { margin-bottom: .35rem; }
.h-feed .title { font-size: 1.4em; }
.title a { text-decoration: none; }
.title a:hover { text-decoration: underline; text-decoration-color: var(--amber); }
article.own > h1 { margin-bottom: 1.25rem; }
.meta { display: flex; flex-wrap: wrap; gap: .1rem .9rem; align-items: baseline; margin: 0 0 1rem; color: var(--soft); font-size: var(--small); }
main > article > .title + .meta { margin-bottom: 1.75rem; }
.title:dir(rtl) + .meta { direction: rtl; }
.title:dir(rtl) + .meta > p { direction: ltr; }
footer.meta { margin: 1rem 0 0; }
.meta p { margin: 0; }
.meta a, .said .by a { text-decoration-color: var(--line); }
.meta a:hover { text-decoration-color: var(--amber); }
.tags { display: flex; flex-wrap: wrap; gap: .1rem .7rem; list-style: none; margin: 0; padding: 0; }
.tags .p-category::before { content: '#'; }
.p-summary.soft { font-size: 1.1em; line-height: 1.45; margin: 0 0 1.25rem; }
.h-feed .p-summary { margin: 0 0 .4rem; }
.context { border-inline-start: 3px solid var(--amber); padding-inline-start: 1rem; margin: 0 0 1.1rem; }
.context p { margin: 0; }
.context blockquote { margin: .4rem 0 0; color: var(--soft); }
.e-content { overflow-x: auto; }
.e-content > :first-child, .context blockquote > :first-child { margin-top: 0; }
.e-content > :last-child, .context blockquote > :last-child { margin-bottom: 0; }
.e-content p, .e-content ul, .e-content ol { margin: 1.1em 0; }
.e-content li { margin: .3em 0; }
.e-content h2, .e-content h3, .e-content h4 { margin: 1.7em 0 .5em; }
.h-feed .e-content :is(h4, h5, h6) { font-size: 1.1em; }
.e-content blockquote { margin: 1.4em 0; padding-inline-start: 1.1rem; border-inline-start: 3px solid var(--line); color: var(--soft); }
.e-content figure { margin: 2rem 0; }
.e-content figcaption { color: var(--soft); font-size: var(--small); margin-top: .4rem; }
.e-content pre { background: var(--surface); border: 1px solid var(--line); border-radius: var(--edge); padding: .9rem 1.1rem; white-space: pre-wrap; }
.e-content hr { border: 0; border-top: 1px solid var(--line); margin: 2.25rem 0; }
.e-content table { border-collapse: collapse; font-size: .9em; }
.e-content td, .e-content th { border: 1px solid var(--line); padding: .35rem .7rem; text-align: start; }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.emoji { font-size: 3rem; line-height: 1.2; }
.e-content img, .e-content video, .media img, .media video { max-width: 100%; height: auto; border-radius: var(--edge); }
.media { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; margin: 0 0 1.25rem; padding: 0; }
main > article > .media { margin-bottom: 2rem; }
.media a { display: block; max-width: 100%; }
.media img, .media video { display: block; width: auto; max-height: 90vh; object-fit: contain; background: var(--surface); }
.media video, .media audio { width: 100%; }
.media.cover img { width: 100%; max-height: 60vh; object-fit: cover; }
.media.many { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .4rem; }
.media.many:has(> :nth-child(2):last-child), .media.many:has(> :nth-child(4):last-child) { grid-template-columns: repeat(2, minmax(0, 1fr)); }
.media.many > * { width: 100%; }
.media.many > :is(video, audio) { grid-column: 1 / -1; }
.media.many img { width: 100%; height: 100%; aspect-ratio: 1; object-fit: cover; }
.facts { margin: 0 0 1.1rem; display: grid; grid-template-columns: auto 1fr; gap: .2rem 1rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; }
.responses { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: 1.75rem; font-size: 1rem; }
.responses h3 { font-size: var(--small); font-weight: 600; letter-spacing: 0; color: var(--soft); margin: 0; }
.piles { display: flex; flex-wrap: wrap; gap: .7rem 1.75rem; margin: .9rem 0 0; }
.piles > div { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem .7rem; }
.face { display: grid; place-items: center; flex: none; width: 2.5rem; height: 2.5rem; border-radius: 50%; object-fit: cover; background: var(--line); color: var(--ink); font-size: 1.0625rem; font-weight: 600; line-height: 1; overflow: hidden; }
.faces, .said, .recent { list-style: none; margin: 0; padding: 0; }
.faces { display: flex; flex-wrap: wrap; gap: .25rem 0; padding-inline-start: 8px; }
.faces .face { width: 2.125rem; height: 2.125rem; font-size: .9375rem; box-shadow: 0 0 0 2px var(--ground); }
.faces li { margin-inline-start: -8px; }
.faces a { display: block; position: relative; text-decoration: none; border-radius: 50%; }
.faces a:is(:hover, :focus-visible) { z-index: 1; }
.piles:empty { display: none; }
.responses > h3 { margin-top: 1.5rem; }
.said > li { position: relative; min-height: 4.5rem; padding: 1rem 0; padding-inline-start: 3.4rem; }
.said > li + li { border-top: 1px solid var(--line); }
.said .face { position: absolute; inset-inline-start: 0; top: 1rem; }
.said .by { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .6rem; margin: 0 0 .2rem; }
.said .p-author { font-weight: 600; }
.said .e-content + p { margin: .4rem 0 0; }
.said .file img { display: block; max-width: 100%; height: auto; max-height: 24rem; border-radius: var(--edge); }
.reply { display: flex; flex-wrap: wrap; gap: .6rem 1.75rem; border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: 1.25rem; font-size: 1rem; }
.reply p { margin: 0; }
.reply summary { cursor: pointer; text-decoration: underline; text-decoration-color: var(--amber); text-underline-offset: .18em; text-decoration-thickness: .1em; }
.reply [open] { flex: 1 0 100%; }
.fields { display: grid; justify-items: start; gap: .5rem; margin: .9rem 0 .5rem; }
.fields label { font-weight: 600; margin-top: .4rem; }
.fields input { width: 100%; }
.feeds { list-style: none; margin: 0 0 2rem; padding: 0; }
.feeds li { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .35rem 0; }
.feeds span { flex: 0 0 7rem; }
article.own > h2 { margin-top: 1.75rem; }
.copied { user-select: all; }
.found .title { font-size: 1.15em; margin-bottom: .15rem; }
.found .meta { margin-bottom: .3rem; }
.found > h2 { margin-bottom: 1.1rem; }
.found > article { padding: 1.1rem 0; }
.found .p-summary { margin: 0; }
mark { background: color-mix(in srgb, var(--amber) 25%, transparent); color: var(--ink); border-radius: 3px; }
.copy-note { background: var(--surface); border-bottom: 1px solid var(--line); color: var(--soft); font-size: var(--small); padding: .6rem 1.25rem; text-align: center; text-wrap: balance; overflow-wrap: anywhere; }
nav.pages { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem 2rem; padding: 1.5rem 0 .5rem; }
nav.pages > :last-child { text-align: end; }
nav.beside { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); margin-top: 2.5rem; border-top: 1px solid var(--line); font-size: 1rem; }
.beside a { display: block; text-decoration: none; }
.beside a > .soft { display: block; }
.beside a:hover bdi { text-decoration: underline; text-decoration-color: var(--amber); }
.recent li { display: flex; justify-content: space-between; align-items: baseline; gap: 0 1.5rem; padding: .4rem 0; }
.recent a { text-decoration-color: var(--line); }
.recent time { flex: none; color: var(--soft); font-size: var(--small); }
.counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .25rem 1.25rem; list-style: none; margin: 0 0 1.5rem; padding: 0; }
.counts li:has(ul) { grid-column: 1 / -1; }
.counts .recent { margin: .2rem 0 1rem; }
.photos { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1rem .5rem; }
.photos a { display: block; }
.photos img { display: block; width: 100%; height: auto; aspect-ratio: 1; object-fit: cover; border-radius: var(--edge); background: var(--surface); }
.photos a:not(:has(img)) { aspect-ratio: 1; padding: .8rem; overflow: hidden; border: 1px solid var(--line); border-radius: var(--edge); font-size: 1rem; }
.photos p { margin: .2rem 0 0; }
footer.column { padding-top: 3rem; padding-bottom: 3rem; color: var(--soft); font-size: var(--small); display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
@media (max-width: 30rem) {
  header.column { padding-top: 1.5rem; padding-bottom: 2rem; }
  .owner .portrait { width: 72px; height: 72px; }
  .media.many { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .photos { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .media.many > a:first-child:nth-last-child(odd) { grid-column: 1 / -1; }
  .media.many > a:first-child:nth-last-child(odd) img { aspect-ratio: 2; }
}
@media print {
  :root { color-scheme: light; }
  body { display: block; background: none; font-size: 11pt; }
  .column { max-width: none; padding: 0; margin: 0; }
  header.column { position: static; padding: 0 0 1.5rem; }
  header.column nav, form.search, .reply, nav.pages, footer.column, .skip, .media audio, .media video { display: none; }
  article { border: 0; border-radius: 0; box-shadow: none; margin: 0 0 1.5rem; background: none; }
  h1, h2, h3 { break-after: avoid; }
  p, li { orphans: 3; widows: 3; }
  img, figure, blockquote, pre, .said > li { break-inside: avoid; }
  .media img, .e-content img { width: auto; max-height: 18cm; }
  .e-content a[href^='http']:not([rel~='tag'], :has(img))::after { content: ' (' attr(href) ')'; color: var(--soft); font-size: .85em; overflow-wrap: anywhere; }
}
`;
