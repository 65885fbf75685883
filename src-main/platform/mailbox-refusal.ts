import { Type, type Static } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { choice } from '../contract/shapes.ts';
import { proofHeader } from './mailbox-protocol.ts';
import { isValid } from '../storage/schema-check.ts';
import type { FetchedResponse } from './fetched-response.ts';

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
export function refusalIn(
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
    return isOfToday
      ? new PassedByError(
          'mailbox_failed',
          `Cloudflare skips the mailbox. Requests have probably reached ${limitWords}. The mailbox ${end}.`,
          502,
        )
      : new PassedByError(
          'mailbox_outdated',
          `Cloudflare skips the mailbox. Either requests have reached ${limitWords}, and it ${end}, or somebody removed it at Cloudflare. If Cloudflare still skips it then, update the mailbox to create it again.`,
          502,
        );
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
