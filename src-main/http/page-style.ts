import { palette } from './page-palette.ts';

/** The style of the consent page: one card, with its most important element on a separate line. */
export const pageStyle = `${palette}
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', sans-serif; display: flex; flex-direction: column; align-items: center; padding: 6vh 1rem 2rem; }
main { width: 100%; max-width: 32rem; background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: 2rem; overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .35rem; font-weight: 650; }
h2 { font-size: .95rem; margin: 1.5rem 0 .4rem; font-weight: 600; }
p { margin: .4rem 0; }
.soft, small { color: var(--soft); font-size: .875rem; }
.app { display: flex; gap: 1rem; align-items: center; margin-bottom: 1rem; }
.app > div { min-width: 0; }
.logo { width: 56px; height: 56px; flex: none; border-radius: 12px; object-fit: contain; }
.initial { display: grid; place-items: center; background: var(--line); font-size: 1.5rem; font-weight: 600; }
ul { list-style: none; margin: 0; padding: 0; }
li { padding: .45rem 0; border-top: 1px solid var(--line); display: flex; justify-content: space-between; gap: 1rem; align-items: baseline; }
li:first-child { border-top: 0; }
li > code { flex: none; max-width: 45%; text-align: end; }
code { font: .8125rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; color: var(--soft); }
.warning { background: var(--warn-ground); color: var(--warn); border-radius: 8px; padding: .6rem .8rem; margin: .8rem 0; }
button, .button { display: block; width: 100%; margin-top: 1.5rem; padding: .8rem 1rem; border: 0; border-radius: 10px; background: var(--amber); color: var(--on-amber); font: inherit; font-weight: 650; text-align: center; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { filter: brightness(1.06); }
.quiet { background: transparent; color: inherit; border: 1px solid var(--line); }
.match-code { display: block; font-size: 4.5rem; line-height: 1.1; font-weight: 700; letter-spacing: .08em; text-align: center; margin: 1rem 0; font-variant-numeric: tabular-nums; }
.center { text-align: center; text-wrap: balance; }
@media (max-width: 30rem) { main { padding: 1.5rem 1.25rem; } }
a { color: inherit; }
footer { margin-top: 1.25rem; color: var(--soft); font-size: .8125rem; text-align: center; }
`;
