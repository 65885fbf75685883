import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Type, type TSchema } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { choice } from '../contract/shapes.ts';
import {
  joinCopies,
  mailboxPath,
  mailboxVersion,
  nonceHeader,
  signatureHeader,
  signedText,
  type CallName,
  type Copy,
  type MailboxCalls,
  type StoredStamp,
} from './mailbox-protocol.ts';
import { oneAtATime } from '../storage/one-at-a-time.ts';
import { isValid } from '../storage/schema-check.ts';
import type { Clock } from './clock.ts';
import { FetchError, type GuardedFetch } from './guarded-fetch.ts';
import { MailboxRefusal, refusalIn } from './mailbox-refusal.ts';

interface MailboxClientDeps {
  readonly fetch: GuardedFetch;
  /** Returns this server's public origin, without a trailing slash. */
  readonly base: () => string;
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

export interface CallOptions {
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
    copies: (
      after: string | undefined,
      limit: number,
      options?: CallOptions,
    ): Promise<{ copies: readonly StoredStamp[]; next: string | null }> =>
      call('copies', JSON.stringify({ ...(after !== undefined && { after }), limit }), options),
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

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
