import { PorchlightError } from '../contract/error.ts';
import { MailboxRefusal, PassedByError } from '../platform/mailbox-refusal.ts';
import type { Drained } from './drain.ts';

interface EmptyingDeps {
  /**
   * Fetches all requests in the mailbox.
   * @throws PorchlightError
   */
  readonly fetchNow: () => Promise<Drained>;
  /** Returns the number of requests that were in the mailbox when it last responded. */
  readonly kept: () => number;
  /** Returns whether Cloudflare still routes requests to the mailbox. @throws PorchlightError `cloudflare_…` */
  readonly isRouted: () => Promise<boolean>;
}

/**
 * Fetches all requests from the mailbox before the mailbox is removed. Does nothing if the mailbox no longer exists.
 * @throws PorchlightError `mailbox_not_empty`, with the reason, if requests would be lost; `cloudflare_…` if Cloudflare
 * can't be reached; any other error if the keys can't be read
 */
export async function emptyMailbox({ fetchNow, kept, isRouted }: EmptyingDeps): Promise<void> {
  let waiting: number;
  try {
    ({ waiting } = await fetchNow());
  } catch (error) {
    if (!(error instanceof PorchlightError)) throw error;
    if (error instanceof PassedByError ? !(await isRouted()) : isGone(error)) return;
    throw notEmpty(kept(), error.message, error);
  }
  if (waiting > 0)
    throw notEmpty(
      waiting,
      'There is no room for more here yet, because too many wait to be checked. Try again later.',
    );
}

/** Returns whether the mailbox no longer exists. A mailbox that refuses a call still exists. */
const isGone = (error: PorchlightError) =>
  error.code === 'mailbox_outdated' && !(error instanceof MailboxRefusal);

function notEmpty(count: number, reason: string, cause?: Error): PorchlightError {
  const keeps =
    count === 0
      ? 'The mailbox may keep something that can’t be fetched now'
      : `The mailbox keeps ${count === 1 ? 'one thing' : `${count} things`} that can’t be fetched now`;
  return new PorchlightError('mailbox_not_empty', `${keeps}. ${reason}`, 409, { cause });
}
