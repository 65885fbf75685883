import { html, type Html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import type { AuthorizationRequest, Client } from './authorization-request.ts';
import { permissionsOf } from './scope.ts';
import { canonical } from './web-address.ts';
import type { Visit } from './waiting-room.ts';

/** The address in its canonical form: a lookalike host shows as the punycode that it is. */
function appHead(client: Client, heading: Html): Html {
  const picture = client.logo
    ? html`<img class="logo" src="${client.logo}" alt="" />`
    : html`<span class="logo initial" aria-hidden="true">${Array.from(client.name)[0]?.toUpperCase()}</span>`;
  return html`<div class="app">
    ${picture}
    <div>${heading}<code>${canonical(client.id)}</code></div>
  </div>`;
}

function warningsOf(warnings: readonly string[]): Html[] {
  return warnings.map((warning) => html`<p class="warning" role="note">${warning}</p>`);
}

/** Who asks, for what, and where the answer will go (IndieAuth 5.2, Micropub 5.4); one button. */
export function requestPage(options: {
  request: AuthorizationRequest;
  warnings: readonly string[];
  me: string;
  query: string;
  proof: string;
}): Page {
  const { request, warnings, me, query, proof } = options;
  const { client, scopes } = request;
  const permissions = permissionsOf(scopes).map(
    ({ scope, words }) => html`<li><span>${words}</span><code>${scope}</code></li>`,
  );
  return {
    title: `Sign in to ${client.name}`,
    body: html`<main>
        ${appHead(client, html`<h1>Sign in to <bdi>${client.name}</bdi></h1>`)}
        <p>It asks whether you are <strong>${withoutScheme(me)}</strong>.</p>
        ${warningsOf(warnings)}
        <h2>What it may do</h2>
        <ul>
          ${permissions.length > 0 ? permissions : html`<li>Only learn that you are ${withoutScheme(me)}</li>`}
        </ul>
        <h2>Where the answer goes</h2>
        <p><code>${request.redirectUri}</code></p>
        <form method="post" action="/auth/requests">
          <input type="hidden" name="request" value="${query}" />
          <input type="hidden" name="proof" value="${proof}" />
          <button type="submit">Ask on my computer</button>
        </form>
      </main>
      <footer>
        <span class="light" aria-hidden="true"></span>Only the person at the owner’s computer can approve a
        sign-in.
      </footer>`,
  };
}

/**
 * Waits without reloading; a page without scripts looks again every few seconds. A server that is out for a while
 * (the light went off, the tunnel reconnects) is waited for too: to load the page again would lose it.
 */
const waitScript = `(async () => {
  for (;;) {
    try {
      const answer = await fetch(location.pathname + '/state', { cache: 'no-store' });
      if (answer.status >= 500 || answer.status === 429) throw answer;
      if (!answer.ok || (await answer.json()).state !== 'waiting') { location.replace(location.href); return; }
    } catch { await new Promise((next) => setTimeout(next, 3000)); }
  }
})();`;

/** The match code, and nothing that could be mistaken for it. */
export function waitingPage(visit: Visit): Page {
  const { client } = visit.request;
  return {
    title: `Waiting: sign in to ${client.name}`,
    head: html`<noscript><meta http-equiv="refresh" content="3" /></noscript>`,
    script: waitScript,
    body: html`<main class="center">
        <h1>Now look at your computer</h1>
        <p>
          Porchlight asks there whether to sign in to <bdi>${client.name}</bdi>. Approve only if it shows this
          number:
        </p>
        <output class="match-code" id="match-code" aria-label="Match code">${visit.matchCode}</output>
        <p class="soft" role="status">Waiting for your answer… This page goes on by itself.</p>
      </main>
      <footer>
        <span class="light" aria-hidden="true"></span>If nobody answers within ten minutes, the request ends.
      </footer>`,
  };
}

/** For a browser whose request made room for one from another network. `wayBack`: to the app, with the error. */
export function replacedPage({ request: { client } }: Visit, wayBack: string): Page {
  return {
    title: 'This sign-in was replaced',
    body: html`<main>
      ${appHead(client, html`<h1>This sign-in was replaced</h1>`)}
      <p>
        Another sign-in took the place of this one: too many were waiting, and two of them came from your
        network. You were not signed in. Go back to the app and sign in again.
      </p>
      <a class="button quiet" href="${wayBack}" rel="noreferrer">Back to <bdi>${client.name}</bdi></a>
    </main>`,
  };
}

/** For a browser that has nothing to wait for here. */
export function nothingWaitsPage(): Page {
  return {
    title: 'Nothing waits here',
    body: html`<main>
      <h1>Nothing waits here</h1>
      <p>This sign-in is over, or it was started in another browser. Go back to the app and sign in again.</p>
    </main>`,
  };
}

/** A request that must not lead anywhere: its client or its way back is wrong (IA-56). */
export function refusedPage(message: string): Page {
  return {
    title: 'This sign-in can’t go on',
    body: html`<main>
      <h1>This sign-in can’t go on</h1>
      <p>${message}</p>
      <p class="soft">
        Something is wrong with the app that sent you here, or with the link you followed. You were not signed
        in anywhere.
      </p>
    </main>`,
  };
}

/** A fault that the app should hear of: named, with the way back for the person to take (BCP 4.11: no open redirector). */
export function faultyPage(options: {
  client: Client;
  error: string;
  message: string;
  wayBack: string;
}): Page {
  const { client, error, message, wayBack } = options;
  return {
    title: 'This sign-in can’t go on',
    body: html`<main>
      ${appHead(client, html`<h1>This sign-in can’t go on</h1>`)}
      <p>${message}</p>
      <p><code>${error}</code></p>
      <a class="button quiet" href="${wayBack}" rel="noreferrer">Back to <bdi>${client.name}</bdi></a>
    </main>`,
  };
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}
