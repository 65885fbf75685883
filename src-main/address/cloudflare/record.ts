import { randomBytes } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { choice, closed, orNull } from '../../contract/shapes.ts';
import type { CloudflareApi } from './api.ts';
import type { ApiTunnel } from './answers.ts';
import type { DataDocuments, Document } from '../../storage/document.ts';

const Name = Type.String({ maxLength: 255 });
/**
 * A resource that Porchlight creates at Cloudflare, such as a tunnel. The name is recorded before the resource is
 * created, and the id afterwards.
 */
const Part = orNull(closed({ name: Name, id: orNull(Type.String({ maxLength: 64 })) }));

type Part = Static<typeof Part>;

/** Returns the id of a resource at Cloudflare; null if the resource was not created. */
export const resourceId = (part: Part | undefined): string | null => part?.id ?? null;

/** The setup at Cloudflare: the owner's choices, the unfinished task, and the created resources. */
const Setup = closed({
  /** The task that is running or has to be resumed; null if there is none. */
  task: orNull(choice('setUp', 'disconnect', 'mailbox')),
  /** The error message of a failed task; empty if no task failed, or if the task was only interrupted. */
  trouble: Type.String({ maxLength: 2000 }),
  accountId: Name,
  zoneId: Name,
  hostname: Name,
  /** Whether the owner wants a mailbox. */
  mailbox: Type.Boolean(),
  keepToken: Type.Boolean(),
  /** Whether the API token is in the keychain, or is about to be stored there. */
  tokenStored: Type.Boolean(),
  /** The random suffix in the names of the tunnel and the Worker. */
  suffix: Name,
  /** The port to which the tunnel forwards requests; null before the tunnel is configured. */
  port: orNull(Type.Integer()),
  tunnel: Part,
  /** The DNS record. */
  record: Part,
  worker: Part,
  /** The Worker's route. The route's URL pattern serves as its name. */
  route: Part,
  /** Whether this server uses the setup's tunnel, or is about to use it. */
  connected: Type.Boolean(),
});
export type CloudflareSetup = Static<typeof Setup>;

const CloudflareRecord = closed({ setup: orNull(Setup) });

/** The name of the file that records the setup at Cloudflare. */
export const cloudflareName = 'cloudflare.json';
export const cloudflareFormat = {
  schema: CloudflareRecord,
  kind: 'note' as const,
  format: 1,
  initial: { setup: null },
};

export type CloudflareDocument = Document<Static<typeof CloudflareRecord>>;

/** Opens cloudflare.json, which records what Porchlight created at Cloudflare, or is about to create. */
export function openCloudflareRecord(documents: DataDocuments): Promise<CloudflareDocument> {
  return documents.open(cloudflareName, cloudflareFormat);
}

/** Changes the recorded setup. Resolves when the change is on disk. */
export async function noteSetup(
  document: CloudflareDocument,
  change: Partial<CloudflareSetup>,
): Promise<void> {
  await document.update((data) => {
    if (data.setup) Object.assign(data.setup, change);
  });
}

/** Returns the recorded setup. Call it only while a setup is recorded. */
export function setupIn(document: CloudflareDocument): CloudflareSetup {
  const { setup } = document.data;
  if (setup === null) throw new Error('There is no setup at Cloudflare.');
  return setup;
}

/** Returns the parts of a new setup that don't depend on the owner's choices. */
export const freshSetup = () => ({
  task: 'setUp' as const,
  trouble: '',
  tokenStored: false,
  connected: false,
  port: null,
  tunnel: null,
  record: null,
  worker: null,
  route: null,
  suffix: randomBytes(4).toString('hex'),
});

/** Returns whether nothing has been created at Cloudflare yet. In that case, there is nothing to resume or remove. */
export const isEmpty = ({ tunnel, record, worker, route, connected }: CloudflareSetup): boolean =>
  !connected && [tunnel, record, worker, route].every((part) => part === null);

/** The keys that the Worker receives, each as base64url. `sealingKey` is the public half of a key pair. */
interface MailboxKeys {
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
