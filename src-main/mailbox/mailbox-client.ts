import type { Common } from '../http/common.ts';
import {
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import { type Static, type TSchema, Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { choice } from '../contract/shapes.ts';
import { jsonIn } from '../storage/json-value.ts';
import { oneAtATime } from '../storage/pacing.ts';
import { isValid } from '../storage/schema-check.ts';
import type { Clock } from '../platform/clock.ts';
import type { FetchedResponse } from '../platform/fetched-response.ts';
import { FetchError } from '../platform/guarded-fetch.ts';
import {
  type CallName,
  type Copy,
  joinCopies,
  type MailboxCalls,
  mailboxPath,
  mailboxVersion,
  nonceHeader,
  proofHeader,
  sealing,
  signatureHeader,
  signedText,
} from '../platform/mailbox-protocol.ts';

const Refusal = Type.Object({
  error: choice('forged', 'replayed', 'other_server', 'other_version', 'invalid', 'too_large', 'full'),
  last: Type.Optional(Type.Integer({ minimum: 0 })),
});
type Refusal = Static<typeof Refusal>;
/**
 * The mailbox's response after a daily limit of Durable Objects is reached. Workers have a separate daily limit, which
 * `overDailyLimit` detects.
 */
const OverLimit = Type.Object({ error: Type.Literal('over_limit') });

/** A call that the mailbox refused. */
export class MailboxRefusal extends PorchlightError {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(codeOf(refusal), refusalWords[refusal.error], 502);
    this.refusal = refusal;
  }
}

/**
 * The error for a call that reached this server instead of the mailbox. Cloudflare bypasses the mailbox when the daily
 * limit is reached, or if the mailbox's route was removed.
 */
export class PassedByError extends PorchlightError {}

const codeOf = ({ error }: Refusal) => {
  if (error === 'other_server') return 'mailbox_other_server';
  return error === 'other_version' || error === 'forged' ? 'mailbox_outdated' : 'mailbox_failed';
};

const refusalWords: Record<Refusal['error'], string> = {
  forged: 'The mailbox doesn’t know this computer’s keys. Update the mailbox.',
  replayed: 'The mailbox refused a request that it had already seen.',
  other_server: 'The mailbox belongs to Porchlight on another computer.',
  other_version: 'The mailbox has another version than Porchlight. Update the mailbox.',
  invalid: 'The mailbox didn’t understand a request.',
  too_large: 'The mailbox refused a request as too large.',
  full: 'The mailbox has no room for more copies.',
};

/**
 * Matches Cloudflare's error for a Worker above its plan's daily limit
 * (developers.cloudflare.com/workers/observability/errors).
 */
const overDailyLimit = /(?:\berror(?: code)?:? |\bcf-error-code">)1027\b/i;
const limitWords = 'the mailbox’s daily limit at Cloudflare (100,000 requests on the free plan)';

/**
 * Returns the error for a response with a status other than 200, with a message for the owner. `answer`: the response's
 * JSON. `answeredAt`: the time of the mailbox's last successful response to this server, in ms; null if there
 * was none.
 */
function refusalIn(
  response: Pick<FetchedResponse, 'status' | 'headers' | 'text'>,
  answer: unknown,
  { answeredAt, now }: { answeredAt: number | null; now: number },
): PorchlightError {
  if (isValid(Refusal, answer)) return new MailboxRefusal(answer);
  const { status } = response;
  const end = `works again at ${nextDay(now)}`;
  if (isValid(OverLimit, answer))
    return failed(
      `The mailbox has reached a daily limit of Cloudflare’s free plan for Durable Objects, in which it stores everything. It ${end}.`,
    );
  if (overDailyLimit.test(response.text()))
    return failed(`Requests have reached ${limitWords}. The mailbox ${end}.`);
  if (status === 429)
    return failed(
      'Cloudflare refuses calls of the mailbox, because there were too many requests. Try again later.',
    );
  if (response.headers.get(proofHeader) !== null) {
    // Cloudflare's daily limit resets at midnight UTC.
    const isOfToday = answeredAt !== null && dayOf(answeredAt) === dayOf(now);
    const why = isOfToday
      ? `Requests have probably reached ${limitWords}. The mailbox ${end}.`
      : `Either requests have reached ${limitWords}, and it ${end}, or somebody removed it at Cloudflare. If Cloudflare still skips it then, update the mailbox to create it again.`;
    const code = isOfToday ? 'mailbox_failed' : 'mailbox_outdated';
    return new PassedByError(code, `Cloudflare skips the mailbox. ${why}`, 502);
  }
  if (status === 404 || status === 405)
    return new PorchlightError(
      'mailbox_outdated',
      'There is no mailbox at the public address now. Update the mailbox to create it again.',
      502,
    );
  return failed(`The mailbox answered with an error (${status}).`);
}

const failed = (words: string) => new PorchlightError('mailbox_failed', words, 502);
const dayMs = 86_400_000;
/**
 * Returns the UTC day of a time (ms), as the number of days since the epoch. Cloudflare's daily limits reset at the
 * start of each UTC day.
 */
export const dayOf = (at: number) => Math.floor(at / dayMs);

/** Returns the next midnight in UTC as text, together with the local time on this computer. */
function nextDay(now: number): string {
  const at = new Date((dayOf(now) + 1) * dayMs);
  const local = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  return `00:00 UTC (${local} on this computer)`;
}

interface MailboxClientDeps extends Pick<Common, 'fetch' | 'base'> {
  /** Returns the key that signs calls, in base64url. @throws PorchlightError */
  readonly callKey: () => Promise<string>;
  /** Returns the id of this server. A mailbox accepts calls from only one server. */
  readonly server: () => Promise<string>;
  /** Returns the time at which the mailbox last answered this server, in ms; null if it never has. */
  readonly answeredAt: () => number | null;
  /** Called after each answer, with its time in ms. Must not reject. */
  readonly answered: (at: number) => Promise<void>;
  readonly now: Clock;
}

interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const count = Type.Integer({ minimum: 0 });
const State = Type.Object({
  version: Type.Integer(),
  state: choice('awake', 'asleep', 'off'),
  kept: count,
  refused: count,
  copies: count,
  bytes: count,
});
/** The schemas of the mailbox's responses, keyed by call. Unknown fields from a newer version are ignored. */
const answers = {
  state: State,
  awake: State,
  away: State,
  claim: State,
  wipe: State,
  copies: Type.Object({
    copies: Type.Array(Type.Object({ address: Type.String(), hash: Type.String(), bytes: count })),
    next: Type.Union([Type.String(), Type.Null()]),
  }),
  store: Type.Object({ stored: count }),
  remove: Type.Object({ removed: count }),
  items: Type.Object({
    items: Type.Array(Type.Object({ number: count, arrived: Type.String(), sealed: Type.String() })),
    kept: count,
  }),
  done: Type.Object({ kept: count }),
} satisfies Record<CallName, TSchema>;
const usualTimeoutMs = 20_000;
const mostAnswerBytes = 4_000_000;
/** The slowest upload speed that the time limit of a call allows, in bytes per ms. */
const slowest = 20;

export type MailboxClient = ReturnType<typeof createMailboxClient>;

/**
 * Creates the client for calls from this server to its mailbox at Cloudflare. A call that fails rejects with a
 * PorchlightError: `mailbox_failed`, `mailbox_other_server` or `mailbox_outdated`, with a message for the owner. An
 * aborted call rejects with the code `cancelled`.
 */
export function createMailboxClient(deps: MailboxClientDeps) {
  const { fetch, base, callKey, server: serverId, now, answeredAt, answered } = deps;
  // The mailbox requires increasing call numbers, so calls run one at a time.
  const inTurn = oneAtATime();
  let last = 0;
  let calls = new AbortController();

  async function send(name: CallName, body: string | Uint8Array, options: CallOptions): Promise<unknown> {
    const sha256 = createHash('sha256').update(body).digest('hex');
    const [server, key] = await Promise.all([serverId(), callKey()]);
    last = Math.max(now(), last + 1);
    const text = signedText({ name, server, number: last, sha256 });
    const mac = createHmac('sha256', Buffer.from(key, 'base64url')).update(text).digest('base64url');
    const response = await fetch(`${base()}${mailboxPath}/${name}`, {
      isUnnamed: true,
      method: 'POST',
      headers: {
        'content-type': typeof body === 'string' ? 'application/json' : 'application/octet-stream',
        [signatureHeader]: [mailboxVersion, server, last, sha256, mac].join('.'),
        // If Cloudflare bypasses the mailbox, this server receives its own call and signs the nonce in this header. The
        // signature in the response then reveals that the call bypassed the mailbox.
        [nonceHeader]: randomBytes(16).toString('base64url'),
      },
      body,
      maxRedirects: 0,
      maxBytes: mostAnswerBytes,
      timeoutMs: options.timeoutMs ?? usualTimeoutMs + body.length / slowest,
      signal: options.signal ? AbortSignal.any([options.signal, calls.signal]) : calls.signal,
    });
    const answer = jsonIn(response.text());
    if (response.status !== 200) throw refusalIn(response, answer, { answeredAt: answeredAt(), now: now() });
    await answered(now());
    return answer;
  }

  /**
   * Makes a call. If the call's number was too low, repeats the call with a higher number. Numbers are based on the
   * clock. A number can be too low after this server forgot its last number, or if the clock was ahead during an
   * earlier call.
   */
  async function call<N extends CallName>(
    name: N,
    body: string | Uint8Array,
    options: CallOptions = {},
  ): Promise<MailboxCalls[N]['answer']> {
    const { signal } = calls;
    const isInterrupted = () => signal.aborted || options.signal?.aborted === true;
    const answer = await inTurn(async () => {
      if (isInterrupted()) throw interrupted();
      try {
        return await send(name, body, options);
      } catch (error) {
        if (isInterrupted()) throw interrupted();
        if (error instanceof FetchError) throw unreachable(error);
        if (!(error instanceof MailboxRefusal) || error.refusal.last === undefined) throw error;
        ({ last } = error.refusal);
        return await send(name, body, options);
      }
    });
    if (isValid(answers[name], answer)) return answer;
    throw new PorchlightError(
      'mailbox_failed',
      'The mailbox sent an answer that Porchlight doesn’t understand.',
    );
  }

  return {
    /** Aborts the running and waiting calls, so that the next call starts at once. */
    interrupt(): void {
      calls.abort();
      calls = new AbortController();
    },
    /** Makes a call whose body is JSON. */
    call: <N extends Exclude<CallName, 'store'>>(
      name: N,
      params: MailboxCalls[N]['call'],
      options?: CallOptions,
    ) => call(name, JSON.stringify(params), options),
    /** Lists the copies of pages in the mailbox, in the order of their addresses. */
    copies: (after: string | undefined, limit: number, options?: CallOptions) =>
      call('copies', JSON.stringify({ after, limit }), options),
    /** Stores copies of pages in the mailbox. Replaces earlier copies with the same address. */
    store: async (copies: readonly Copy[], options?: CallOptions): Promise<void> => {
      await call('store', joinCopies(copies), options);
    },
    /**
     * Removes copies of pages from the mailbox. `gone`: whether the mailbox responds to later requests for these pages
     * with 410 (Gone).
     */
    remove: async (addresses: readonly string[], gone: boolean, options?: CallOptions): Promise<void> => {
      await call('remove', JSON.stringify({ addresses, gone }), options);
    },
  };
}

/** The error for a call that was aborted in favor of a more urgent call, or because Porchlight is quitting. */
const interrupted = () => new PorchlightError('cancelled', 'The call was interrupted.', 503);

const unreachable = (error: FetchError) =>
  new PorchlightError('mailbox_failed', `The mailbox can’t be reached. ${error.detail}`, 502, {
    cause: error,
  });

/** An X25519 key pair that encrypts (seals) and decrypts the mailbox's items. The keys are raw, in base64url. */
export interface SealingKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

const tagBytes = 16;

/**
 * Decrypts text from the mailbox (for the format, see `sealing`). Returns undefined if no key matches, or if the
 * encrypted text was modified.
 */
export function openSealed(sealed: Uint8Array, keys: readonly SealingKeys[]): string | undefined {
  const { idBytes, keyBytes, nonceBytes } = sealing;
  const textAt = idBytes + keyBytes;
  if (sealed.length < textAt + tagBytes) return undefined;
  const id = sealed.subarray(0, idBytes);
  const from = sealed.subarray(idBytes, textAt);
  const pair = keys.find((one) => sealingKeyId(one.publicKey).equals(id));
  if (pair === undefined) return undefined;
  const jwk = { kty: 'OKP', crv: 'X25519', x: pair.publicKey };
  try {
    const shared = diffieHellman({
      privateKey: createPrivateKey({ key: { ...jwk, d: pair.privateKey }, format: 'jwk' }),
      publicKey: createPublicKey({
        key: { ...jwk, x: Buffer.from(from).toString('base64url') },
        format: 'jwk',
      }),
    });
    const salt = Buffer.concat([from, Buffer.from(pair.publicKey, 'base64url')]);
    const bits = Buffer.from(hkdfSync('sha256', shared, salt, sealing.info, keyBytes + nonceBytes));
    const cipher = createDecipheriv('aes-256-gcm', bits.subarray(0, keyBytes), bits.subarray(keyBytes));
    cipher.setAAD(id);
    cipher.setAuthTag(sealed.subarray(-tagBytes));
    const text = Buffer.concat([cipher.update(sealed.subarray(textAt, -tagBytes)), cipher.final()]);
    return text.toString('utf8').trimEnd();
  } catch {
    return undefined;
  }
}

function sealingKeyId(publicKey: string): Buffer {
  const bytes = Buffer.from(publicKey, 'base64url');
  return createHash('sha256').update(bytes).digest().subarray(0, sealing.idBytes);
}
