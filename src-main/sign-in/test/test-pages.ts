import { html, type Html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { pageStyle } from '../../http/page-style.ts';
import type { TestOutcome } from './test-sign-ins.ts';

const appName = 'Porchlight test app';

/**
 * Styles for the test app's pages. The app's name must be a link, because servers read the app's URL from that link,
 * but the name looks like a plain heading. The steps are a numbered list.
 */
const style = `${pageStyle}
h1 a { text-decoration: none; }
ol { margin: .6rem 0; padding-inline-start: 1.4rem; }
li > span { flex: none; }
li > bdi { min-width: 0; overflow-wrap: anywhere; }
ol > li { display: list-item; border: 0; padding: .25rem 0; }
`;

/** Returns the test app's own page. Its microformats (h-app) describe the app to the server that it signs in to. */
export function appPage(clientId: string): Page {
  return {
    title: appName,
    style,
    body: html`<main>
      <div class="h-app">
        <h1><a class="u-url p-name" href="${clientId}">${appName}</a></h1>
      </div>
      <p>Porchlight’s owner signs in to this app to try out their address. The test starts in Porchlight.</p>
    </main>`,
  };
}

/** Returns the page that says how a test sign-in ended, in plain words. */
export function outcomePage(outcome: TestOutcome): Page {
  switch (outcome.kind) {
    case 'signedIn':
      return page('Your sign-in works', signedIn(outcome));
    case 'declined':
      return page(
        'You declined the sign-in',
        html`<p>The test app asked who you are, and you said no in Porchlight.</p>
          <p>The app received nothing. To try again, start a new test in Porchlight.</p>`,
      );
    case 'failed':
      return page(
        'The test sign-in failed',
        html`<p>${outcome.message}</p>
          <p>You weren’t signed in. Check your public address in Porchlight, then start a new test.</p>`,
      );
  }
}

/** Returns the page for a test that is over, has expired or never started. */
export function usedPage(): Page {
  return page(
    'This test is over',
    html`<p>Each test page works for one sign-in, within ten minutes. To try again, start a new test in Porchlight.</p>`,
  );
}

function signedIn({ me, name, photo }: Extract<TestOutcome, { kind: 'signedIn' }>): Html {
  return html`<ol>
      <li>This page, as a test app, asked who you are.</li>
      <li>You approved in Porchlight. Nobody else can do that.</li>
      <li>The app received only what is listed below.</li>
      <li>The app got no access: it can’t post or read anything.</li>
    </ol>
    <h2>What the app received</h2>
    <ul>
      <li><span>Address</span><code>${me}</code></li>
      <li><span>Name</span><bdi>${name === '' ? 'not shared' : name}</bdi></li>
      ${photo !== '' && html`<li><span>Photo</span><code>${photo}</code></li>`}
    </ul>
    <p>Every app that offers “Sign in with your domain” works like this. You can close this page.</p>`;
}

function page(title: string, body: Html): Page {
  return {
    title,
    style,
    body: html`<main>
      <h1>${title}</h1>
      ${body}
    </main>`,
  };
}
