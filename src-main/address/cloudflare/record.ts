import { randomBytes } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { choice, closed, orNull } from '../../contract/shapes.ts';
import type { DataDocuments } from '../../storage/data-documents.ts';
import type { Document } from '../../storage/document.ts';

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
export const cloudflareFormat = { schema: CloudflareRecord, format: 1, initial: { setup: null } };

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
  ...{ task: 'setUp' as const, trouble: '', tokenStored: false, connected: false, port: null },
  ...{ tunnel: null, record: null, worker: null, route: null },
  suffix: randomBytes(4).toString('hex'),
});

/** Returns whether nothing has been created at Cloudflare yet. In that case, there is nothing to resume or remove. */
export const isEmpty = ({ tunnel, record, worker, route, connected }: CloudflareSetup): boolean =>
  !connected && [tunnel, record, worker, route].every((part) => part === null);
