/** The colors of every page that people see in a browser: warm neutrals and one amber, in a light and a dark theme. */
export const palette = `
:root { color-scheme: light dark; --ground: #faf8f5; --surface: #fff; --ink: #2b2723; --soft: #6b635a; --line: #e5dfd6; --amber: #f2a33a; --on-amber: #2b1a00; --warn: #8a4b00; --warn-ground: #fff4e0; }
@media (prefers-color-scheme: dark) { :root { --ground: #1b1917; --surface: #25221f; --ink: #ede8e1; --soft: #aaa197; --line: #3a3530; --amber: #f2a33a; --on-amber: #2b1a00; --warn: #ffcf8a; --warn-ground: #3a2c15; } }
* { box-sizing: border-box; }
:focus-visible { outline: 3px solid var(--amber); outline-offset: 2px; }
.light { display: inline-block; width: .7em; height: .7em; border-radius: 50%; background: var(--amber); margin-right: .4em; }
`;
