import type { CloudflareApi } from '../../platform/cloudflare-api.ts';
import type { ApiTunnel } from '../../platform/cloudflare-shapes.ts';
import type { CloudflareDocument } from './record.ts';

/** The keys that the Worker receives, each as base64url. `sealingKey` is the public half of a key pair. */
export interface MailboxKeys {
  readonly proofKey: string;
  readonly callKey: string;
  readonly sealingKey: string;
}

/** The functions of this server that the steps use. */
export interface StepDeps {
  /** The port of the public server on this computer. */
  readonly port: () => number;
  /** Returns the source code of the mailbox's Worker. */
  readonly workerScript: () => Promise<string>;
  /** Returns the mailbox's keys. Creates them if there are none. */
  readonly mailboxKeys: () => Promise<MailboxKeys>;
  /** Deletes the mailbox's keys once Cloudflare no longer has them. Idempotent. */
  readonly forgetMailboxKeys: () => Promise<void>;
  /** Called after the Worker and its route were created, and before they are removed. Idempotent. */
  readonly mailboxChanged: (on: boolean) => Promise<void>;
  /** Makes this server use the tunnel with this token for the host name. */
  readonly useTunnel: (hostname: string, token: string) => Promise<void>;
  /** Makes this server stop using the tunnel for the host name, if this server uses it. */
  readonly leaveTunnel: (hostname: string) => Promise<void>;
}

export interface StepContext extends StepDeps {
  readonly api: CloudflareApi;
  readonly document: CloudflareDocument;
}

/** One step of a task. `words`: a description of the step, for the owner. Each step can be repeated. */
export interface Step {
  readonly words: string;
  readonly take: () => Promise<void>;
}

/** Returns the content of the DNS record that points to a tunnel. */
export const tunnelHost = (tunnelId: string) => `${tunnelId}.cfargotunnel.com`;

/**
 * Returns the tunnel that Porchlight created; undefined if it was deleted. Looks for the tunnel's id first, because the
 * owner may have renamed the tunnel, and then for its name.
 */
export async function existingTunnel(
  api: CloudflareApi,
  accountId: string,
  { name, id }: { name: string; id: string | null },
): Promise<ApiTunnel | undefined> {
  const known = id === null ? undefined : await api.tunnel(accountId, id);
  return known ?? (await api.findTunnel(accountId, name));
}
