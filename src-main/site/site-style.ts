import { palette } from '../http/page-palette.ts';

/** The style of the site: like the consent page's, with more room for reading. */
export const siteStyle = `${palette}
body { margin: 0; background: var(--ground); color: var(--ink); font: 17px/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif; }
.column { max-width: 42rem; margin: 0 auto; padding: 0 1.25rem; overflow-wrap: anywhere; }
a { color: inherit; text-decoration-color: var(--amber); text-underline-offset: .18em; text-decoration-thickness: .1em; }
a:hover { text-decoration-thickness: .16em; }
header.column { padding-top: 2.5rem; padding-bottom: 1.5rem; }
.owner { display: flex; gap: .7rem; align-items: center; font-weight: 650; }
.owner a { text-decoration: none; }
.owner a:hover { text-decoration: underline; }
.owner h1 { font-size: 1.6rem; line-height: 1.25; margin: 0; }
data:empty { display: none; }
.owner > .light { margin: 0; flex: none; }
.owner .portrait { width: 72px; height: 72px; border-radius: 50%; object-fit: cover; flex: none; }
article { background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: 1.5rem 1.75rem; margin: 0 0 1.25rem; }
h1 { font-size: 1.45rem; }
h1, h2, h3 { line-height: 1.3; margin: 0 0 .6rem; font-weight: 650; }
article > h1, article > h3 { font-size: 1.45rem; }
article .title a { text-decoration: none; }
article .title a:hover { text-decoration: underline; }
article > h1.kind, p.kind { font-size: .8125rem; font-weight: 600; color: var(--soft); margin: 0 0 .5rem; letter-spacing: .02em; }
.soft, small { color: var(--soft); font-size: .875rem; }
.context { border-inline-start: 3px solid var(--amber); padding-inline-start: .9rem; margin: 0 0 1rem; }
.context p { margin: 0; }
.context blockquote { margin: .4rem 0 0; color: var(--soft); }
.e-content > :first-child, .context blockquote > :first-child { margin-top: 0; }
.e-content > :last-child, .context blockquote > :last-child { margin-bottom: 0; }
.e-content { overflow-x: auto; }
.e-content img, .e-content video, .media img, .media video { max-width: 100%; height: auto; border-radius: 8px; }
.e-content blockquote { margin: 1rem 0; padding-inline-start: 1rem; border-inline-start: 3px solid var(--line); color: var(--soft); }
.e-content figure { margin: 1rem 0; }
.e-content figcaption { color: var(--soft); font-size: .875rem; }
.e-content pre { background: var(--ground); border-radius: 8px; padding: .8rem 1rem; white-space: pre-wrap; }
.e-content h2, .e-content h3, .e-content h4 { margin-top: 1.6rem; font-size: 1.1rem; }
.e-content table { border-collapse: collapse; }
.e-content td, .e-content th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: start; }
code, pre { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.media { display: grid; gap: .5rem; margin: 0 0 1rem; padding: 0; }
.media img, .media video { display: block; max-height: 42rem; margin: 0 auto; object-fit: contain; background: var(--ground); }
.media video { width: 100%; }
.media audio { width: 100%; }
.media.many { grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); }
.media.many img { width: 100%; height: 10rem; object-fit: cover; }
.facts { margin: 0 0 1rem; display: grid; grid-template-columns: auto 1fr; gap: .2rem 1rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; }
.meta { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; margin-top: 1.1rem; color: var(--soft); font-size: .875rem; }
.meta p { margin: 0; }
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
nav.pages { display: flex; justify-content: space-between; gap: 1rem; padding: .5rem 0 1rem; }
footer.column { padding-top: 1rem; padding-bottom: 2.5rem; color: var(--soft); font-size: .875rem; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 30rem) { article { padding: 1.1rem 1.15rem; } header.column { padding-top: 1.5rem; } }
`;
