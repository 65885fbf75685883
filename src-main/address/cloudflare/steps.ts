import { PorchlightError } from '../../contract/error.ts';
import type { CloudflareApi } from './api.ts';
import { bindings, compatibilityDate, mailboxClass } from '../../platform/mailbox-protocol.ts';
import { foreignRoute, inactiveWords, nameTaken, takenWords } from './host-name.ts';
import {
  type CloudflareDocument,
  existingTunnel,
  noteSetup,
  resourceId,
  setupIn,
  type Step,
  type StepContext,
  tunnelHost,
} from './record.ts';

const routePattern = (hostname: string) => `${hostname}/*`;

/** Returns the steps of the whole setup at Cloudflare, for the choices that cloudflare.json records. */
export function setUpSteps(context: StepContext): readonly Step[] {
  return [
    { words: 'Checking the domain and the name', take: () => checkDomain(context) },
    { words: 'Creating the tunnel', take: () => createTunnel(context) },
    { words: 'Telling the tunnel where this server is', take: () => configureTunnel(context) },
    { words: 'Creating the DNS record', take: () => createRecord(context) },
    ...mailboxSteps(context),
    { words: 'Starting the tunnel', take: () => startTunnel(context) },
  ];
}

/**
 * Returns the steps that create or remove the mailbox, depending on the choice that cloudflare.json records. The steps
 * don't touch the tunnel, because the owner may have switched to another tunnel.
 */
export function mailboxSteps(context: StepContext): readonly Step[] {
  const { mailbox, worker, route } = setupIn(context.document);
  if (mailbox)
    return [
      { words: 'Uploading the mailbox', take: () => uploadWorker(context) },
      { words: 'Connecting the mailbox', take: () => createRoute(context) },
    ];
  if (worker === null && route === null) return [];
  return [{ words: 'Removing the mailbox', take: () => removeMailbox(context) }];
}

/** Returns the steps to run after this server's port has changed. */
export function portSteps(context: StepContext): readonly Step[] {
  return [{ words: 'Telling the tunnel the new port', take: () => configureTunnel(context) }];
}

/** Checks that the domain is active and that nothing else uses the host name. */
async function checkDomain({ api, document }: StepContext): Promise<void> {
  const { zoneId, accountId, hostname } = setupIn(document);
  const zone = await api.zone(zoneId);
  if (zone.account.id !== accountId)
    throw new PorchlightError('cloudflare_failed', `The domain ${zone.name} belongs to another account.`);
  const inactive = inactiveWords(zone);
  if (inactive !== null) throw new PorchlightError('cloudflare_failed', inactive);
  const taken = await nameTaken(api, zone, hostname, document.data.setup);
  if (taken !== null) throw new PorchlightError('cloudflare_name_taken', taken);
}

async function createTunnel({ api, document }: StepContext): Promise<void> {
  const { accountId, zoneId, hostname, suffix, tunnel } = setupIn(document);
  const name = tunnel?.name ?? `porchlight-${suffix}`;
  if (tunnel === null) await noteSetup(document, { tunnel: { name, id: null } });
  // An earlier, interrupted setup may already have created the tunnel. The owner may have renamed or deleted it since
  // then.
  const found = await existingTunnel(api, accountId, { name, id: resourceId(tunnel) });
  const { id } = found ?? (await api.createTunnel(accountId, name));
  if (id === tunnel?.id) return;
  // Delete the DNS record that points to the old tunnel while that tunnel's id is still known.
  const old = resourceId(tunnel);
  if (old !== null) await deleteRecords(api, zoneId, hostname, tunnelHost(old));
  await noteSetup(document, { tunnel: { name, id } });
}

/**
 * Points the tunnel to this server's IPv4 address, because another program may use the same port on the IPv6 address
 * ::1.
 */
async function configureTunnel({ api, document, port }: StepContext): Promise<void> {
  const { accountId, hostname } = setupIn(document);
  const now = port();
  await api.configureTunnel(accountId, tunnelIdIn(document), hostname, `http://127.0.0.1:${now}`);
  await noteSetup(document, { port: now });
}

async function createRecord({ api, document }: StepContext): Promise<void> {
  const { zoneId, hostname, record } = setupIn(document);
  const content = tunnelHost(tunnelIdIn(document));
  if (record === null) await noteSetup(document, { record: { name: hostname, id: null } });
  const found = (await api.records(zoneId, hostname)).find((one) => one.content === content);
  const { id } = found ?? (await api.createRecord(zoneId, hostname, content));
  if (id !== record?.id) await noteSetup(document, { record: { name: hostname, id } });
}

async function uploadWorker(context: StepContext): Promise<void> {
  const { api, document } = context;
  const { accountId, suffix, worker } = setupIn(document);
  const name = worker?.name ?? `porchlight-mailbox-${suffix}`;
  const script = await context.workerScript();
  // Record the Worker before its keys are created. Without a recorded Worker, a removal would not delete the keys.
  if (worker === null) await noteSetup(document, { worker: { name, id: null } });
  const keys = await context.mailboxKeys();
  await api.uploadWorker(accountId, name, {
    script,
    compatibilityDate,
    durableObject: { binding: bindings.mailbox, className: mailboxClass },
    secrets: { [bindings.proofKey]: keys.proofKey, [bindings.callKey]: keys.callKey },
    texts: { [bindings.sealingKey]: keys.sealingKey },
  });
  // Record the name as the id, because Cloudflare identifies a Worker by its name.
  if (worker?.id !== name) await noteSetup(document, { worker: { name, id: name } });
}

async function createRoute({ api, document, mailboxChanged }: StepContext): Promise<void> {
  const { zoneId, hostname, worker, route } = setupIn(document);
  const name = routePattern(hostname);
  const script = worker?.name ?? '';
  if (route === null) await noteSetup(document, { route: { name, id: null } });
  const routes = await api.routes(zoneId);
  const taken = foreignRoute(routes, hostname, script);
  if (taken) throw new PorchlightError('cloudflare_name_taken', takenWords(hostname, { route: taken }));
  const found = routes.find((one) => one.pattern === name && one.script === script);
  const { id } = found ?? (await api.createRoute(zoneId, name, script));
  if (id !== route?.id) await noteSetup(document, { route: { name, id } });
  await mailboxChanged(true);
}

async function startTunnel({ api, document, useTunnel }: StepContext): Promise<void> {
  const { accountId, hostname } = setupIn(document);
  const token = await api.tunnelToken(accountId, tunnelIdIn(document));
  await noteSetup(document, { connected: true });
  await useTunnel(hostname, token);
}

function tunnelIdIn(document: CloudflareDocument): string {
  const id = resourceId(setupIn(document).tunnel);
  if (id === null) throw new Error('The tunnel was not created.');
  return id;
}

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
async function removeMailbox({
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
async function deleteRecords(
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
