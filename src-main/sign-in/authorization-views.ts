import type { ErrorCode } from '../contract/error.ts';
import { html, type Html } from '../http/html.ts';
import { type Page, technicalDetails } from '../http/page.ts';
import type { AuthorizationRequest, Client, RequestVerdict } from './authorization-request.ts';
import { permissionsOf } from './scope.ts';
import { canonical } from '../platform/web-address.ts';
import type { Visit } from './waiting-room.ts';

/**
 * Returns the logo, heading and address of an app. The address is in canonical form, which shows lookalike hosts as
 * punycode.
 */
function appHead(client: Client, heading: Html): Html {
  const picture = client.logo
    ? html`<img class="logo" src="${client.logo}" alt="" />`
    : html`<span class="logo initial" aria-hidden="true">${initialOf(client.name)}</span>`;
  return html`<div class="app">
    ${picture}
    <div>${heading}<code>${breakable(canonical(client.id))}</code></div>
  </div>`;
}

/** Returns the markup of an address in which lines break after dots and slashes, so that no name in it is broken. */
const breakable = (address: string): Html =>
  html`${address.split(/(?<=[./])(?![./])/).map((part, index) => html`${index > 0 && { markup: '<wbr>' }}${part}`)}`;

/** Made at its first use, because a start doesn't need it. */
let characters: Intl.Segmenter | undefined;

/** Returns a name's first character as people see it, such as an emoji that consists of several code points. */
function initialOf(name: string): string {
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const [first] = characters.segment(name.trim());
  return first?.segment.toUpperCase() ?? '';
}

function warningsOf(warnings: readonly string[]): Html[] {
  return warnings.map((warning) => html`<p class="warning" role="note">${warning}</p>`);
}

/** Returns the page that shows the app, the requested permissions and the redirect URI (IndieAuth 5.2). */
export function requestPage(options: {
  request: AuthorizationRequest;
  warnings: readonly string[];
  me: string;
  query: string;
  proof: string;
  /** Whether the owner lets phones approve. It is the same for all visitors. */
  hasPhones: boolean;
}): Page {
  const { request, warnings, me, query, proof, hasPhones } = options;
  const { client, scopes } = request;
  const permissions = permissionsOf(scopes, request.resource).map(
    ({ scope, words }) => html`<li><span>${words}</span><code>${scope}</code></li>`,
  );
  return {
    title: `Sign in to ${client.name}`,
    body: html`<main>
        ${appHead(client, html`<h1>Sign in to <bdi>${client.name}</bdi></h1>`)}
        <p>This app wants to confirm that you are <strong>${withoutScheme(me)}</strong>.</p>
        ${warningsOf(warnings)}
        <h2>What this app may do</h2>
        <ul>
          ${permissions.length > 0 ? permissions : html`<li>Confirm that you are ${withoutScheme(me)}, and nothing else</li>`}
        </ul>
        <h2>Your browser then returns to</h2>
        <p><code>${request.redirectUri}</code></p>
        <form method="post" action="/auth/requests" class="act">
          <input type="hidden" name="request" value="${query}" />
          <input type="hidden" name="proof" value="${proof}" />
          <button type="submit">Ask on my computer</button>
        </form>
      </main>
      <footer>
        <span class="light" aria-hidden="true"></span>Only someone at the owner’s computer${hasPhones && ', or with a phone paired there,'} can approve
        this sign-in.
      </footer>`,
  };
}

/**
 * The script of the waiting page, which waits for the owner's decision without reloading. (Without scripts, the page
 * reloads every few seconds.) While the server doesn't respond, the page says so, and doesn't reload, because a failed
 * reload would lose the page. Each fetch has a time limit, because it may hang after the computer has slept. A 404
 * means that the server no longer knows this sign-in.
 */
const waitScript = `(async () => {
  const status = document.getElementById('status');
  const waiting = status.textContent;
  const say = (text, look) => { if (status.textContent !== text) { status.textContent = text; status.className = look; } };
  for (let away = false; ; ) {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), 40000);
    try {
      const answer = await fetch(location.pathname + (away ? '/state?now' : '/state'), { cache: 'no-store', signal: limit.signal });
      if (answer.status !== 429) {
        if (!answer.ok && answer.status !== 404) throw answer;
        const { state } = await answer.json();
        if (answer.status === 404) { showGone(); return; }
        if (state !== 'waiting') { location.replace(location.href); return; }
        say(waiting, 'soft');
        away = false;
        continue;
      }
    } catch { say(status.dataset.away, 'warning'); away = true; }
    finally { clearTimeout(timer); }
    await new Promise((next) => setTimeout(next, 3000));
  }
  function showGone() {
    for (const part of document.querySelectorAll('#wait, footer')) part.hidden = true;
    document.getElementById('gone').hidden = false;
    const heading = document.querySelector('#gone h1');
    document.title = heading.textContent;
    heading.focus();
  }
})();`;

/**
 * Returns the waiting page. It shows the match code for the owner to compare, and nothing else that looks like a match
 * code. `wayBack`: the URL that returns to the app with access_denied. The page links to it if the server no longer has
 * the sign-in.
 */
export function waitingPage(options: {
  visit: Visit;
  cancelProof: string;
  wayBack: string;
  hasPhones: boolean;
}): Page {
  const { visit, cancelProof, wayBack, hasPhones } = options;
  const { client } = visit.request;
  return {
    title: `Waiting: sign in to ${client.name}`,
    head: html`<noscript><meta http-equiv="refresh" content="3" /></noscript>`,
    script: waitScript,
    body: html`<main class="center" id="wait">
        <h1>Now look at your computer</h1>
        <p>
          Porchlight asks you there whether to sign in to <bdi>${client.name}</bdi>. Approve only if it shows
          this code:
        </p>
        <output class="match-code" id="match-code" aria-label="Match code">${visit.matchCode}</output>
        ${
          hasPhones &&
          html`<p>
            Approve on your computer, or
            <a href="/phone" target="_blank" rel="noreferrer">on your phone</a> if you paired one.
          </p>`
        }
        <p
          class="soft"
          role="status"
          id="status"
          data-away="Porchlight is turned off or asleep. This page continues when it is back."
        >
          Waiting for your approval… This page continues by itself.
        </p>
        <form method="post" action="/auth/requests/${visit.id}/cancel" class="act">
          <input type="hidden" name="proof" value="${cancelProof}" />
          <button type="submit" class="quiet">Cancel</button>
        </form>
      </main>
      <main id="gone" hidden>
        <h1 tabindex="-1">This sign-in is no longer waiting</h1>
        <p>Porchlight has restarted, or the sign-in ended a while ago. Go back to the app and sign in again.</p>
        <a class="button quiet" href="${wayBack}" rel="noreferrer">Back to <bdi>${client.name}</bdi></a>
      </main>
      <footer>
        <span class="light" aria-hidden="true"></span>If nobody answers within ten minutes, this sign-in
        expires.
      </footer>`,
  };
}

/** Returns the page for a sign-in that was replaced. `wayBack`: the URL that returns to the app with the error. */
export function replacedPage({ request: { client } }: Visit, wayBack: string): Page {
  return {
    title: 'This sign-in was replaced',
    isOwners: true,
    body: html`<main>
      ${appHead(client, html`<h1>This sign-in was replaced</h1>`)}
      <p>
        Another sign-in took the place of this one, because too many sign-ins were waiting and two of them
        came from your network. You are not signed in. Go back to the app and sign in again.
      </p>
      <a class="button quiet" href="${wayBack}" rel="noreferrer">Back to <bdi>${client.name}</bdi></a>
    </main>`,
  };
}

/** Returns the page for the URL of a sign-in that has ended or was started in another browser. */
export function overPage(): Page {
  return {
    title: 'No sign-in is waiting here',
    isOwners: true,
    body: html`<main>
      <h1>No sign-in is waiting here</h1>
      <p>
        This sign-in has ended, or you started it in another browser. Go back to the app and sign in again.
      </p>
    </main>`,
  };
}

/**
 * Returns the page for an invalid client or redirect URI. It has no link to the app, because nothing may lead the
 * browser to an invalid URI (IA-56).
 */
export function refusedPage({ message, isPassing }: Extract<RequestVerdict, { kind: 'refused' }>): Page {
  const cause =
    isPassing === true
      ? html`<p>${message}</p>
      <p>Go back to the app and try again in a minute. You are not signed in.</p>`
      : html`<p>The app that sent you here made a mistake, or the link you followed is wrong. You are not signed in.</p>
      ${technicalDetails(html`<p>${message}</p>`)}`;
  return {
    title: 'This sign-in can’t continue',
    isOwners: true,
    body: html`<main>
      <h1>This sign-in can’t continue</h1>
      ${cause}
    </main>`,
  };
}

/**
 * Returns the page for an invalid request by an app. It shows the error and a link back to the app, because an
 * automatic redirect would be unsafe (RFC 9700, 4.11).
 */
export function faultyPage(options: {
  client: Client;
  error: ErrorCode;
  message: string;
  wayBack: string;
}): Page {
  const { client, error, message, wayBack } = options;
  return {
    title: 'This sign-in can’t continue',
    isOwners: true,
    body: html`<main>
      ${appHead(client, html`<h1>This sign-in can’t continue</h1>`)}
      <p>The app made a mistake when it asked for the sign-in. You are not signed in.</p>
      <a class="button quiet" href="${wayBack}" rel="noreferrer">Back to <bdi>${client.name}</bdi></a>
      ${technicalDetails(html`<p>${message}</p><p><code>${error}</code></p>`)}
    </main>`,
  };
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}
