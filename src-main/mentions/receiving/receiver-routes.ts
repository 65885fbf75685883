import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { PorchlightError } from '../../contract/error.ts';
import { visitorOf } from '../../http/client-address.ts';
import { errorBody } from '../../http/errors.ts';
import { type Fields, formFields, requiredField } from '../../http/form.ts';
import { html } from '../../http/html.ts';
import { type Page, sendPage } from '../../http/page.ts';
import { hostnameOf, hostOf } from '../../platform/site-name.ts';
import type { Blocks } from '../blocked.ts';
import { type OwnSiteRules, targetHosts } from '../own-sites.ts';
import type { MentionQueue, Receipt } from './queue.ts';
import type { ReceivedMention } from './received-mentions.ts';

interface ReceiverRouteDeps extends TargetRules {
  /** Returns the public origin, without a trailing slash. */
  readonly base: () => string;
  readonly queue: Pick<MentionQueue, 'receive' | 'byToken'>;
  /** Notifies the owner that mentions are being refused. `why`: one sentence. */
  readonly refused: (why: string) => void;
}

type Busy = Exclude<Receipt, { kind: 'queued' }>;

/** The number of seconds after which a sender may try again if too many mentions are waiting. */
const fullPauseSeconds = 600;

/**
 * How many mentions a sender may send in a minute. The limit is higher for requests that don't come through the tunnel,
 * because many senders may share one address. The User-Agent header plays no role, because anyone could claim to be a
 * Porchlight server.
 */
const sendLimit = {
  rateLimit: {
    max: (request: FastifyRequest) => (visitorOf(request) === undefined ? 6000 : 60),
    timeWindow: 60_000,
    keyGenerator: (request: FastifyRequest) => visitorOf(request) ?? request.socket.remoteAddress ?? '',
  },
};

/** Serves the Webmention endpoint (Webmention 3.2), which accepts mentions and reports their status. */
export function receiverRoutes(deps: ReceiverRouteDeps): FastifyPluginCallback {
  const { queue, base } = deps;
  const locationOf = (token: string) => `${base()}/webmention/${token}`;

  async function receive(fields: Fields, visitor: string | undefined): Promise<Receipt> {
    const source = requiredField(fields, 'source');
    const target = requiredField(fields, 'target');
    await checkMention(deps, source, target);
    const receipt = await queue.receive({ source, target, visitor });
    if (receipt.kind === 'full') deps.refused(refusalWords(receipt, source));
    return receipt;
  }

  async function answerBusy(request: FastifyRequest, reply: FastifyReply, receipt: Busy): Promise<unknown> {
    const words = busyWords(receipt);
    reply.header('retry-after', String(fullPauseSeconds));
    // The status is 429 if too many mentions from this sender or from the source's site are waiting, and 503 if the
    // whole queue is full.
    const status = receipt.of === 'all' ? 503 : 429;
    if (isVisit(request)) return sendPage(reply, status, formPage(fieldsOf(request.body), words));
    return reply.code(status).send(errorBody('temporarily_unavailable', words));
  }

  async function answerReceipt(
    request: FastifyRequest,
    reply: FastifyReply,
    receipt: Receipt,
  ): Promise<unknown> {
    if (receipt.kind !== 'queued') return answerBusy(request, reply, receipt);
    const location = locationOf(receipt.entry.token);
    const progress = progressOf(receipt.entry);
    reply.header('location', location);
    if (isVisit(request)) return sendPage(reply, 201, statusPage(progress, location));
    return reply.code(201).send({ status: progress.status, location, summary: progress.summary });
  }

  /**
   * Shows the form again, with the error, if a person sent the request. Rethrows the error if a program sent the
   * request, or if the server is at fault.
   */
  async function answerFault(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<unknown> {
    if (!isVisit(request) || !(error instanceof PorchlightError) || error.status >= 500) throw error;
    return sendPage(reply, error.status, formPage(fieldsOf(request.body), error.message));
  }

  function endpoint(app: FastifyInstance, _options: object, done: () => void): void {
    app.addHook('onRequest', (_request, reply, next) => {
      reply.header('link', `<${base()}/webmention>; rel="webmention"`);
      reply.header('cache-control', 'no-store');
      next();
    });
    app.addContentTypeParser('*', (_request, _payload, parsed) => {
      parsed(
        new PorchlightError(
          'invalid_request',
          'Send a webmention as a form with the fields source and target.',
        ),
      );
    });

    app.post('/webmention', { config: sendLimit }, async (request, reply) => {
      try {
        return await answerReceipt(
          request,
          reply,
          await receive(formFields(request.body), visitorOf(request)),
        );
      } catch (error) {
        return answerFault(request, reply, error);
      }
    });

    app.get('/webmention', (request, reply) => sendPage(reply, 200, formPage(fieldsOf(request.query))));

    app.get<{ Params: { token: string } }>('/webmention/:token', async (request, reply) => {
      const entry = queue.byToken(request.params.token);
      if (!entry && isVisit(request)) return sendPage(reply, 404, unknownPage());
      if (!entry) return reply.code(404).send(errorBody('not_found'));
      const progress = progressOf(entry);
      if (isVisit(request)) return sendPage(reply, 200, statusPage(progress, locationOf(entry.token)));
      return progress;
    });
    done();
  }

  return (app, _options, done) => {
    void app.register(endpoint);
    done();
  };
}

function busyWords(receipt: Busy): string {
  switch (receipt.of) {
    case 'all':
      return 'Too many mentions are waiting here. Try again later.';
    case 'site':
      return 'Too many mentions from this site are waiting here. Try again later.';
    case 'visitor':
      return 'Too many mentions that you sent are waiting here. Try again later.';
  }
}

/** Returns a message that tells the owner why a mention was refused. */
function refusalWords({ of }: Extract<Receipt, { kind: 'full' }>, source: string): string {
  switch (of) {
    case 'all':
      return 'Porchlight refuses new mentions for now: too many are waiting to be checked.';
    case 'site':
      return `Porchlight refuses new mentions from ${hostOf(new URL(source))} for now: too many are waiting to be checked.`;
    case 'visitor':
      return 'Porchlight refuses new mentions from one sender for now: too many are waiting to be checked.';
  }
}

/**
 * Returns whether a request comes from a browser. Browsers put HTML first in the Accept header; other programs don't.
 */
function isVisit({ headers }: FastifyRequest): boolean {
  return /^text\/html\b/i.test(headers.accept ?? '');
}

/** Returns the values to show in the form's fields. A value that isn't a single string becomes undefined. */
function fieldsOf(input: unknown): FormFields {
  const { source, target } = formFields(input);
  const text = (value: typeof source) => (typeof value === 'string' ? value : undefined);
  return { source: text(source), target: text(target) };
}

const longestUrl = 2048;

/** The rules that determine which mentions are accepted. */
export interface TargetRules {
  /** Returns the rules that determine which sites belong to the owner. */
  readonly owned: () => OwnSiteRules;
  /** Returns the id of the page at a URL; see MentionPages. */
  readonly pageOf: (url: string) => string;
  /**
   * Returns whether a URL on the owner's own site is or was the URL of a public post, even if the site's address has
   * changed.
   */
  readonly isPost: (url: URL) => Promise<boolean>;
  /** Returns whether a page of the built-in site is public. */
  readonly isPublicPage: (url: URL) => Promise<boolean>;
  readonly blocks: Pick<Blocks, 'covers'>;
}

/**
 * Checks a mention before anything is fetched (Webmention 3.2.1). Ignores the target's fragment. On the owner's hosts,
 * treats http and https targets alike.
 * @throws PorchlightError invalid_request (400), with a message for the sender.
 */
export async function checkMention(rules: TargetRules, source: string, target: string): Promise<void> {
  const from = parsed(source, 'source');
  const to = parsed(target, 'target');
  const owned = rules.owned();
  if (samePage(rules, from, to)) throw refused('The source and the target are the same page.');
  if (!targetHosts(owned).has(hostOf(to)) && !(await rules.isPost(to)))
    throw refused('The target is not a page of this site.');
  if (rules.blocks.covers({ source })) throw refused('The owner does not accept mentions from this site.');
  const here = hostOf(new URL(owned.base));
  if (!(await mayBePage(rules, here, to))) throw refused('There is no page at the target.');
  // This server's own lists of mentions link to the mentioned pages. These lists must not count as sources.
  if (!(await mayBePage(rules, here, from))) throw refused('There is no page at the source.');
}

/**
 * Returns false if a URL is on this server and isn't a public page. Otherwise, there may be a page at the URL. `here`:
 * this server's host.
 */
async function mayBePage({ isPublicPage }: TargetRules, here: string, url: URL): Promise<boolean> {
  return hostOf(url) !== here || isPublicPage(url);
}

/** Parses a URL. Rejects invalid URLs that the URL parser would repair (`http:/a`, tabs, backslashes). */
function parsed(text: string, name: 'source' | 'target'): URL {
  const plain = /^https?:\/\/[^/?#@\s]+([/?#]|$)/i.test(text) && !/[\s\p{Cc}\\<>"]/u.test(text);
  if (text.length > longestUrl) throw refused(`The ${name} is longer than ${longestUrl} characters.`);
  if (!plain || !URL.canParse(text)) throw refused(`The ${name} is not a web address (http or https).`);
  const url = new URL(text);
  if (hostnameOf(url) === '') throw refused(`The ${name} is not a web address (http or https).`);
  return url;
}

/**
 * Returns whether two URLs belong to the same page, ignoring the fragment and the difference between http and https.
 */
function samePage({ pageOf }: TargetRules, a: URL, b: URL): boolean {
  const page = ({ href }: URL) => pageOf(href).replace(/^https?:/, '');
  return page(a) === page(b);
}

function refused(words: string): PorchlightError {
  return new PorchlightError('invalid_request', words);
}

/** The progress of a mention, as its sender sees it (WR-11). */
interface MentionProgress {
  readonly status: 'queued' | 'pending' | 'success' | 'removed' | 'failed';
  /** The status as human-readable text. */
  readonly summary: string;
  readonly source: string;
  readonly target: string;
}

/** Returns the progress of a mention. Doesn't include the owner's decision, which is private. */
function progressOf({ state, tried, words, source, target }: ReceivedMention): MentionProgress {
  const pair = { source, target };
  switch (state) {
    case 'waiting':
      return tried === undefined
        ? { status: 'queued', summary: 'Received. This server will read your page soon.', ...pair }
        : { status: 'pending', summary: `This server will try again. ${words ?? ''}`.trim(), ...pair };
    case 'success':
      return {
        status: 'success',
        summary: 'Your page links to this site, so the owner has received your mention.',
        ...pair,
      };
    case 'removed':
      return {
        status: 'removed',
        summary: 'Your page no longer links to this site, so the mention was removed.',
        ...pair,
      };
    case 'failed':
      return { status: 'failed', summary: words ?? 'Your page could not be read.', ...pair };
  }
}

const titles = {
  queued: 'Thank you for your webmention',
  pending: 'Your webmention is waiting',
  success: 'Your webmention was received',
  removed: 'Your webmention was removed',
  failed: 'Your webmention was not accepted',
} satisfies Record<MentionProgress['status'], string>;

/** Returns the progress as an HTML page. `location`: the URL at which to check the status later. */
function statusPage({ status, summary, source, target }: MentionProgress, location: string): Page {
  return {
    title: titles[status],
    isOwners: true,
    body: html`<main>
      <h1>${titles[status]}</h1>
      <p>${summary}</p>
      <dl>
        <dt>Your page</dt>
        <dd><bdi>${source}</bdi></dd>
        <dt>Page on this site</dt>
        <dd><bdi>${target}</bdi></dd>
      </dl>
      <p class="soft"><a href="${location}">Check again</a></p>
    </main>`,
  };
}

/** Returns the status page for a mention that this server doesn't know. */
function unknownPage(): Page {
  return {
    title: 'Webmention not found',
    isOwners: true,
    body: html`<main>
      <h1>Webmention not found</h1>
      <p>There is no webmention at this address. Its status is shown for three days only.</p>
    </main>`,
  };
}

interface FormFields {
  readonly source?: string | undefined;
  readonly target?: string | undefined;
}

/** Returns a form for people whose own site can't send webmentions. `fault`: why the last submission was rejected. */
function formPage({ source = '', target = '' }: FormFields, fault?: string): Page {
  return {
    title: 'Send a webmention',
    isOwners: true,
    body: html`<main>
      <h1>Did you write about a page on this site?</h1>
      <p class="soft">
        Many sites send a webmention automatically. If yours doesn’t, enter both addresses here.
      </p>
      ${fault !== undefined && html`<p class="warning" role="alert">${fault}</p>`}
      <form method="post" action="/webmention" class="fields">
        <label for="source">Address of your page</label>
        <input id="source" name="source" type="url" required maxlength="2048" value="${source}" />
        <label for="target">Address of the page on this site that it links to</label>
        <input id="target" name="target" type="url" required maxlength="2048" value="${target}" />
        <button type="submit">Send webmention</button>
      </form>
    </main>`,
  };
}
