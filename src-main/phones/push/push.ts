import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import type { Settings } from '../../contract/settings.ts';
import { closed, Id } from '../../contract/shapes.ts';
import type { Common } from '../../http/common.ts';
import { retryAfter } from '../../platform/fetched-response.ts';
import { FetchError } from '../../platform/guarded-fetch.ts';
import { scheduleOf } from '../../platform/retry-schedule.ts';
import { ntfyName } from '../../platform/secrets.ts';
import type { Attempt, DefinedWork, Outcome } from '../../storage/work/work-kind.ts';
import { encryptPush, publicPartOf, senderProof } from './encryption.ts';
import { pushRoutes } from './routes.ts';
import { openSubscriptions, parseSubscription } from './subscriptions.ts';

interface PhonePushDeps extends Pick<
  Common,
  'work' | 'fetch' | 'clock' | 'base' | 'secrets' | 'allowPrivate' | 'log'
> {
  readonly settings: () => Settings['phones'];
  /** Returns the paired phone that sends a request; undefined if it is none. */
  readonly phoneOf: (request: FastifyRequest) => string | undefined;
  /** Returns whether a phone is paired. */
  readonly isPaired: (phone: string) => boolean;
  /** Returns whether a sign-in waits for the owner's decision. */
  readonly isWaiting: (signIn: string) => boolean;
}

/** A sign-in that begins to wait. `askers`: its browser and, if it is known, its network. */
interface Asked {
  readonly id: string;
  readonly askers: readonly string[];
}

/** A push to a phone, or to `ntfy`. The queue knows neither addresses nor keys. */
const PushWork = closed({ signIn: Id, to: Id });
type PushWork = Static<typeof PushWork>;

type Sent = Exclude<Outcome<PushWork>, { kind: 'held' | 'later' | 'stays' }>;

/** Instead of a phone, the place of pushes through ntfy. */
const ntfy = 'ntfy';
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** How long an asker that led to a push leads to no other. */
const askerRestMs = 10 * minuteMs;
const mostPerDay = 10;
const mostDenials = 3;

// Redirects aren't followed: only the service that the owner or the browser chose gets a push.
const limits = {
  method: 'POST',
  maxRedirects: 0,
  maxBytes: 16 * 1024,
  timeoutMs: 10_000,
  isUnnamed: true,
} as const;

const asks = 'Someone asks to sign in';

/**
 * The pushes to the owner's phones. A push says that someone asks to sign in, and leads to /phone; nobody on the way
 * learns more. Strangers can cause only a few.
 */
export class PhonePush {
  readonly routes: FastifyPluginCallback;
  readonly #deps: PhonePushDeps;
  readonly #subscriptions: ReturnType<typeof openSubscriptions>;
  readonly #work: DefinedWork<PushWork>;
  /** The sign-ins of the last day that led to pushes. */
  #recent: { readonly at: number; readonly askers: readonly string[] }[] = [];
  #denials: number[] = [];
  #mutedUntil = 0;

  constructor(deps: PhonePushDeps) {
    this.#deps = deps;
    this.#subscriptions = openSubscriptions(deps.secrets, deps.allowPrivate);
    this.#work = deps.work.defineWork({
      kind: 'phone-push',
      payload: PushWork,
      run: (attempt) => this.#run(attempt),
      retries: scheduleOf('push'),
      gaveUp(_attempt, words) {
        deps.log.info({ reason: words }, 'a push about a sign-in was not delivered');
        return undefined;
      },
    });
    this.routes = pushRoutes({
      isOn: () => deps.settings().on,
      phoneOf: deps.phoneOf,
      subscribe: async (phone, sent) => {
        await this.#subscriptions.put(parseSubscription(phone, sent, deps.allowPrivate));
      },
      unsubscribe: (phone) => this.forget(phone),
    });
  }

  /** Returns the public key that a browser needs for a subscription, in base64url. */
  async publicKey(): Promise<string> {
    return publicPartOf((await this.#subscriptions.read()).sender);
  }

  /** Tells the phones of a sign-in, unless its asker or others led to enough pushes. Resolves once it is in the queue. */
  async notify({ id, askers }: Asked): Promise<void> {
    const to = await this.#targets();
    const now = this.#deps.clock();
    this.#recent = this.#recent.filter(({ at }) => now - at < 24 * hourMs);
    const isRepeated = this.#recent.some(
      (one) => now - one.at < askerRestMs && one.askers.some((asker) => askers.includes(asker)),
    );
    if (to.length === 0 || this.#isMuted() || isRepeated || this.#recent.length >= mostPerDay) return;
    this.#recent.push({ at: now, askers });
    await this.#work.add(
      ...to.map((one) => ({
        key: `${id} ${one}`,
        party: one,
        host: one,
        payload: { signIn: id, to: one },
      })),
    );
  }

  /** Drops what waits to be sent about a sign-in that ended. */
  ended(signIn: string): Promise<void> {
    const keys = Array.from(this.#work.entries(), ({ key }) => key);
    return this.#work.cancel(...keys.filter((key) => key.startsWith(`${signIn} `)));
  }

  /** Records that the owner denied a sign-in. After three within an hour, pushes are muted for an hour. */
  denied(): void {
    const now = this.#deps.clock();
    this.#denials = [...this.#denials.filter((at) => now - at < hourMs), now];
    if (this.#denials.length < mostDenials) return;
    this.#denials = [];
    this.#mutedUntil = now + hourMs;
  }

  /** Forgets where a phone gets its pushes. */
  async forget(phone: string): Promise<void> {
    await this.#subscriptions.remove((one) => one.phone === phone);
  }

  /**
   * Sends a test to all phones, once.
   * @throws PorchlightError `not_set_up` if no phone gets pushes; `fetch_failed` if a push service refuses it
   */
  async test(): Promise<void> {
    const to = await this.#targets();
    if (to.length === 0)
      throw new PorchlightError('not_set_up', 'No phone gets notifications yet. Turn them on first.', 409);
    for (const one of to) {
      const sent = await this.#send(one, 'This is a test from Porchlight');
      if (sent.kind === 'failed') throw new PorchlightError('fetch_failed', sent.words, 502);
    }
  }

  #isMuted(): boolean {
    return this.#deps.clock() < this.#mutedUntil;
  }

  async #run({ payload: { signIn, to }, signal }: Attempt<PushWork>): Promise<Sent> {
    const isWanted = this.#deps.isWaiting(signIn) && !this.#isMuted() && (await this.#targets()).includes(to);
    return isWanted ? this.#send(to, asks, signal) : { kind: 'done' };
  }

  /** Returns where pushes go now. */
  async #targets(): Promise<string[]> {
    const { settings, secrets, isPaired } = this.#deps;
    const { on, push } = settings();
    if (!on || push === 'off') return [];
    if (push === 'ntfy') return (await secrets.get(ntfyName)) === null ? [] : [ntfy];
    return (await this.#subscriptions.read()).subscriptions.map(({ phone }) => phone).filter(isPaired);
  }

  /** Sends a push once. */
  async #send(to: string, title: string, signal?: AbortSignal): Promise<Sent> {
    const request = await (to === ntfy ? this.#forNtfy(title) : this.#forPhone(to, title));
    if (request === undefined) return { kind: 'done' };
    const { fetch, clock } = this.#deps;
    try {
      const { url, headers, body } = request;
      const answer = await fetch(url, { ...limits, headers, body, ...(signal && { signal }) });
      if (answer.status >= 200 && answer.status < 300) return { kind: 'done' };
      if (to !== ntfy && (answer.status === 404 || answer.status === 410))
        await this.#subscriptions.remove(({ endpoint }) => endpoint === url);
      return {
        kind: 'failed',
        words: `The push service responded with ${answer.status}.`,
        mayPass: answer.status === 429 || answer.status >= 500,
        notBefore: retryAfter(answer, clock()),
      };
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      const mayPass = error.code === 'fetch_failed' || error.code === 'fetch_timeout';
      return { kind: 'failed', words: error.detail, mayPass };
    }
  }

  /** Returns the request for a declarative push. Browsers that don't know these pass it to the service worker. */
  async #forPhone(to: string, title: string) {
    const { base, clock } = this.#deps;
    const { sender, subscriptions } = await this.#subscriptions.read();
    const one = subscriptions.find(({ phone }) => phone === to);
    if (one === undefined) return undefined;
    const message = { web_push: 8030, notification: { title, navigate: `${base()}/phone` } };
    return {
      url: one.endpoint,
      body: encryptPush(one, JSON.stringify(message)),
      headers: {
        authorization: senderProof(sender, one.endpoint, base(), clock()),
        'content-type': 'application/octet-stream',
        'content-encoding': 'aes128gcm',
        ttl: '600',
        urgency: 'high',
        topic: 'sign-in',
      },
    };
  }

  /** Returns the request for a message through ntfy. Its button only opens /phone: ntfy itself approves nothing. */
  async #forNtfy(title: string) {
    const { base, secrets } = this.#deps;
    const url = await secrets.get(ntfyName);
    if (url === null) return undefined;
    const headers = { title, priority: 'high', actions: `view, Open, ${base()}/phone, clear=true` };
    return { url, body: 'Open Porchlight on your phone.', headers };
  }
}
