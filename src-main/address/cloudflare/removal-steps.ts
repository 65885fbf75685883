import type { CloudflareApi } from '../../platform/cloudflare-api.ts';
import { resourceId, noteSetup, setupIn } from './record.ts';
import { existingTunnel, tunnelHost, type Step, type StepContext } from './step.ts';

/** Returns the steps that remove all recorded resources from Cloudflare. */
export function disconnectSteps(context: StepContext): readonly Step[] {
  return [
    // The mailbox is removed first. This server can fetch the mailbox's stored requests only through the public
    // address, which the later steps remove.
    { words: 'Removing the mailbox', take: () => removeMailbox(context) },
    { words: 'Stopping the tunnel', take: () => stopTunnel(context) },
    { words: 'Deleting the DNS record', take: () => deleteRecord(context) },
    { words: 'Deleting the tunnel', take: () => deleteTunnel(context) },
  ];
}

async function stopTunnel({ document, leaveTunnel }: StepContext): Promise<void> {
  const { connected, hostname } = setupIn(document);
  if (!connected) return;
  await leaveTunnel(hostname);
  await noteSetup(document, { connected: false });
}

/** Removes the mailbox's route and Worker, including the Worker's data, and deletes the mailbox's keys. */
export async function removeMailbox({
  api,
  document,
  mailboxChanged,
  forgetMailboxKeys,
}: StepContext): Promise<void> {
  const { accountId, zoneId, worker, route } = setupIn(document);
  if (worker === null) return;
  await mailboxChanged(false);
  if (route !== null) {
    const routes = await api.routes(zoneId);
    // Keeps a route if the owner has pointed it to another Worker.
    for (const one of routes)
      if (one.pattern === route.name && one.script === worker.name) await api.deleteRoute(zoneId, one.id);
    await noteSetup(document, { route: null });
  }
  await api.deleteWorker(accountId, worker.name);
  await forgetMailboxKeys();
  await noteSetup(document, { worker: null });
}

async function deleteRecord({ api, document }: StepContext): Promise<void> {
  const { zoneId, tunnel, record } = setupIn(document);
  if (record === null) return;
  // The owner may have changed the DNS record in the meantime, so delete it only if it still points to Porchlight's
  // tunnel.
  const tunnelId = resourceId(tunnel);
  if (tunnelId !== null) await deleteRecords(api, zoneId, record.name, tunnelHost(tunnelId));
  await noteSetup(document, { record: null });
}

/** Deletes a name's DNS records that have the given content. */
export async function deleteRecords(
  api: CloudflareApi,
  zoneId: string,
  name: string,
  content: string,
): Promise<void> {
  for (const one of await api.records(zoneId, name))
    if (one.content === content) await api.deleteRecord(zoneId, one.id);
}

async function deleteTunnel({ api, document }: StepContext): Promise<void> {
  const { accountId, tunnel } = setupIn(document);
  if (tunnel === null) return;
  const found = await existingTunnel(api, accountId, tunnel);
  if (found) await api.deleteTunnel(accountId, found.id);
  await noteSetup(document, { tunnel: null });
}
