import type { bindings } from '../../platform/mailbox-protocol.ts';
import type { Mailbox } from './mailbox.ts';

/** The values that Cloudflare binds to the Worker, under the names in `bindings`. */
export type Env = Record<typeof bindings.mailbox, DurableObjectNamespace<Mailbox>> &
  Record<typeof bindings.proofKey | typeof bindings.callKey | typeof bindings.sealingKey, string>;

/** Returns the mailbox's only Durable Object. */
export function mailboxOf(env: Env): DurableObjectStub<Mailbox> {
  return env.MAILBOX.get(env.MAILBOX.idFromName('mailbox'));
}
