import { html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { pageStyle } from '../../http/page-style.ts';

/** The consent page's style, and styles for form fields. */
export const formStyle = `${pageStyle}
label { display: block; margin-top: 1rem; font-weight: 600; }
input { display: block; width: 100%; margin-top: .3rem; padding: .65rem .8rem; border: 1px solid var(--line); border-radius: 10px; background: var(--ground); color: var(--ink); font: inherit; }
dt { margin-top: .8rem; font-weight: 600; }
dd { margin: .1rem 0 0; }
`;

export interface FormFields {
  readonly source?: string | undefined;
  readonly target?: string | undefined;
}

/** Returns a form for people whose own site can't send webmentions. `fault`: why the last submission was rejected. */
export function formPage({ source = '', target = '' }: FormFields, fault?: string): Page {
  return {
    title: 'Send a webmention',
    style: formStyle,
    body: html`<main>
      <h1>Did you write about a page on this site?</h1>
      <p class="soft">
        Many sites send a webmention automatically. If yours doesn’t, enter both addresses here.
      </p>
      ${fault !== undefined && html`<p class="warning" role="alert">${fault}</p>`}
      <form method="post" action="/webmention">
        <label for="source">Address of your page</label>
        <input id="source" name="source" type="url" required maxlength="2048" value="${source}" />
        <label for="target">Address of the page on this site that it links to</label>
        <input id="target" name="target" type="url" required maxlength="2048" value="${target}" />
        <button type="submit">Send webmention</button>
      </form>
    </main>`,
  };
}
