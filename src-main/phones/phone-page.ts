import { html } from '../http/html.ts';
import type { Page } from '../http/page.ts';

/**
 * The script of the page. Everything that strangers chose is put in as text. It computes the challenge and the pairing
 * code as assertion.ts does.
 */
const script = `(async () => {
  const $ = (id) => document.getElementById(id);
  const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const bytes = (from) => Uint8Array.from(atob(from.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
  const say = (words) => { if ($('say').textContent !== words) $('say').textContent = words; };
  const show = (id, shown) => { $(id).hidden = !shown; };
  const call = async (path, body) => {
    const how = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch('/phone/' + path, { cache: 'no-store', ...how }).catch(() => undefined);
    const said = await answer?.json().catch(() => undefined);
    if (answer?.ok) return said ?? {};
    const words = answer?.status < 500 && said?.error_description;
    throw Object.assign(new Error(words || 'Your computer doesn’t answer. It may be asleep or off.'), { status: answer?.status });
  };
  const failed = (error) => say(error.name === 'NotAllowedError' ? 'The passkey was not used. Try again.' : error.message);
  const common = ({ rawId, response }) => ({ credential: text(rawId), clientDataJSON: text(response.clientDataJSON) });
  const sign = async (challenge) => {
    const used = await navigator.credentials.get({ publicKey: { challenge, userVerification: 'required', timeout: 120000 } });
    const { authenticatorData, signature } = used.response;
    return { ...common(used), authenticatorData: text(authenticatorData), signature: text(signature) };
  };
  const busy = async (button, act) => {
    if (button.disabled) return;
    button.disabled = true;
    try { await act(); } catch (error) { failed(error); } finally { button.disabled = false; }
  };
  if (!window.PublicKeyCredential) { say('This browser can’t use passkeys. Open this page in another one.'); return; }

  const secret = new URLSearchParams(location.hash.slice(1)).get('pair');
  history.replaceState(null, '', location.pathname);
  let isPairing = false;
  // Said before what waits, so that the owner sees that the pairing has worked.
  let greeting = '';
  if (secret) {
    const system = /iPhone|iPad|Android/.exec(navigator.userAgent)?.[0];
    $('name').value = system ? 'My ' + (system === 'Android' ? 'Android phone' : system) : 'My phone';
    show('pair', true);
    say('Create a passkey to pair this phone with your computer.');
  } else look();

  $('pair').addEventListener('submit', (event) => { event.preventDefault(); void busy($('make'), pair); });
  async function pair() {
    const name = $('name').value;
    const made = await navigator.credentials.create({ publicKey: {
      challenge: bytes(secret), rp: { name: 'Porchlight' }, timeout: 120000,
      user: { id: crypto.getRandomValues(new Uint8Array(16)), name: location.hostname, displayName: location.hostname },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }, { type: 'public-key', alg: -257 }],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    } });
    const key = made.response.getPublicKey();
    const passkey = { ...common(made), authenticatorData: text(made.response.getAuthenticatorData()), publicKey: text(key) };
    await call('pair', { name, passkey });
    const hmac = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const code = new DataView(await crypto.subtle.sign('HMAC', hmac, key)).getUint32(0) % 1000000;
    $('code').textContent = String(code).padStart(6, '0').replace(/(...)/, '$1 ');
    show('code', true);
    show('pair', false);
    say('Confirm at your computer, if it shows this code too.');
    isPairing = true;
    look();
  }

  $('open').addEventListener('click', () => busy($('open'), async () => {
    const { question } = await call('question');
    await call('open', { question, passkey: await sign(bytes(question)) });
    show('closed', false);
    look();
  }));

  async function look() {
    for (const until = Date.now() + 300000; ; ) {
      try {
        const { signIns, pushKey } = await call('waiting');
        offer(pushKey);
        if (isPairing) { isPairing = false; show('code', false); greeting = 'This phone is paired. '; }
        draw(signIns);
      } catch (error) {
        if (error.status !== 401) failed(error);
        else if (!isPairing) { draw([]); show('closed', true); say('Only a phone that was paired at the computer can approve sign-ins.'); return; }
        else if (Date.now() > until) { show('code', false); say('Nobody confirmed at the computer. Scan a new code.'); return; }
      }
      await new Promise((next) => setTimeout(next, document.hidden ? 10000 : 2500));
    }
  }

  // A page in Safari gets no pushes, but one on the Home Screen of an iPhone does.
  let offered = false;
  function offer(pushKey) {
    if (!pushKey || offered) return;
    offered = true;
    const canPush = window.pushManager ?? ('PushManager' in window && navigator.serviceWorker);
    show(canPush ? 'notify' : 'install', true);
    $('notify').addEventListener('click', () => busy($('notify'), async () => {
      const manager = window.pushManager ?? (await worker()).pushManager;
      const subscription = await manager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(pushKey) });
      await call('subscription', subscription);
      show('notify', false);
      say('Notifications are on.');
    }));
  }
  async function worker() {
    const registration = await navigator.serviceWorker.register('/phone/worker.js', { scope: '/phone/' });
    const one = registration.installing ?? registration.waiting;
    if (!registration.active) await new Promise((done) => one.addEventListener('statechange', () => one.state === 'activated' && done()));
    return registration;
  }

  // What is on the screen stays where it is, so that no button moves under a thumb.
  function draw(signIns) {
    const ids = new Set(signIns.map(({ id }) => id));
    for (const card of [...$('list').children]) if (!ids.has(card.dataset.id) && !card.dataset.done) end(card, 'This sign-in is no longer waiting.');
    for (const signIn of signIns) if (![...$('list').children].some((card) => card.dataset.id === signIn.id)) add(signIn);
    const left = [...$('list').children].filter((card) => !card.dataset.done).length;
    if (left === 0 && $('list').children.length === 0) say(greeting + 'No sign-in is waiting. This page shows the next one.');
    else if (left > 0) say(greeting + (left === 1 ? 'One sign-in is waiting.' : left + ' sign-ins are waiting.'));
  }
  function end(card, words) {
    card.dataset.done = 'true';
    card.style.minHeight = card.getBoundingClientRect().height + 'px';
    card.querySelector('form').replaceWith(Object.assign(document.createElement('p'), { textContent: words, tabIndex: -1, className: 'done' }));
  }
  function add(signIn) {
    const card = $('card').content.firstElementChild.cloneNode(true);
    const part = (name) => card.querySelector('[data-part=' + name + ']');
    const line = (list, words, scope) => {
      const item = document.createElement('li');
      item.append(Object.assign(document.createElement('span'), { textContent: words }));
      if (scope) item.append(Object.assign(document.createElement('code'), { textContent: scope }));
      list.append(item);
    };
    card.dataset.id = signIn.id;
    part('name').textContent = signIn.clientName;
    part('host').textContent = signIn.clientHost;
    const device = signIn.device ? 'with ' + signIn.device : 'in another browser';
    const network = { same: ', from the same network as this phone', another: ', from another network' }[signIn.network] ?? '';
    part('where').textContent = signIn.number ? 'You asked in this browser.' : 'Asked ' + device + network + '.';
    for (const words of signIn.warnings) part('warnings').append(Object.assign(document.createElement('p'), { textContent: words, className: 'warning' }));
    for (const { scope, words } of signIn.permissions) line(part('may'), words, scope);
    if (signIn.permissions.length === 0) line(part('may'), 'Confirm who you are, and nothing else');
    part('left').textContent = signIn.leftOut.length ? 'Not from a phone, so left out: ' + signIn.leftOut.join(', ') : '';
    part('back').textContent = signIn.redirectUri;
    const number = card.querySelector('input');
    if (signIn.number) { number.value = signIn.number; part('number').hidden = true; number.required = false; }
    const decide = (decision) => async () => {
      const about = { decision, id: signIn.id, scopes: decision === 'deny' ? [] : signIn.permissions.map(({ scope }) => scope),
        expiresIn: decision === 'deny' ? null : Number(card.querySelector('select').value) || null, number: decision === 'deny' ? '' : number.value };
      const signed = ['Porchlight ' + decision, about.id, signIn.clientId, signIn.redirectUri, [...about.scopes].sort(), about.expiresIn, about.number, signIn.nonce];
      const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(signed)));
      const { outcome } = await call('decide', { ...about, passkey: await sign(challenge) });
      const name = signIn.clientName;
      end(card, outcome === 'approved' ? 'Approved: ' + name + '. Go back to your browser.'
        : 'Denied: ' + name + (decision === 'approve' ? '. The number was wrong.' : '.'));
      card.querySelector('.done').focus();
    };
    card.querySelector('form').addEventListener('submit', (event) => { event.preventDefault(); void busy(event.submitter ?? card.querySelector('button'), decide('approve')); });
    part('deny').addEventListener('click', (event) => void busy(event.currentTarget, decide('deny')));
    for (const field of card.querySelectorAll('input, select')) field.id += signIn.id;
    for (const label of card.querySelectorAll('label')) label.htmlFor += signIn.id;
    $('list').append(card);
  }
})();`;

/** The page on which a phone is paired, and approves. */
export const phonePage: Page = {
  title: 'Approve sign-ins',
  isInstallable: true,
  head: html`<link rel="manifest" href="/phone/manifest.webmanifest" />`,
  script,
  body: html`<main>
      <h1>Approve sign-ins</h1>
      <p id="say" role="status">This page needs a script.</p>
      <output id="code" class="match-code code" aria-label="Code" hidden></output>
      <form id="pair" hidden>
        <div class="fields">
          <label for="name">Name of this phone</label>
          <input id="name" maxlength="40" autocomplete="off" required />
        </div>
        <button id="make">Create a passkey</button>
      </form>
      <div id="closed" hidden><button id="open" type="button">Show what waits</button></div>
      <div id="list"></div>
      <button id="notify" type="button" class="quiet" hidden>Turn on notifications</button>
      <p id="install" class="soft" hidden>
        To get notifications on an iPhone: tap Share, then Add to Home Screen. Open Porchlight from there, and use
        the passkey once.
      </p>
      <template id="card">
        <section class="asked">
          <h2>Sign in to <bdi data-part="name"></bdi>?</h2>
          <p><code data-part="host"></code></p>
          <p data-part="where"></p>
          <div data-part="warnings"></div>
          <h3>What this app may do</h3>
          <ul data-part="may"></ul>
          <p class="soft" data-part="left"></p>
          <h3>The browser then returns to</h3>
          <p><code data-part="back"></code></p>
          <form>
            <div class="fields">
              <label for="ends-">Access ends</label>
              <select id="ends-">
                <option value="">When you revoke it</option>
                <option value="86400">After a day</option>
                <option value="2592000">After 30 days</option>
              </select>
            </div>
            <div data-part="number" class="fields">
              <label for="number-">The two digits that the other browser shows</label>
              <input
                id="number-"
                inputmode="numeric"
                pattern="[0-9]{2}"
                maxlength="2"
                autocomplete="off"
                required
              />
            </div>
            <button>Approve</button>
            <button type="button" class="quiet" data-part="deny">Deny</button>
          </form>
        </section>
      </template>
    </main>
    <footer>
      <span class="light" aria-hidden="true"></span>Approve only what you started yourself.
    </footer>`,
};
