import type { CloudflareStatus } from '../../contract/cloudflare.ts';
import type { CloudflareSetup } from './record.ts';

/** Returns whether this server listens on a different port from the one to which the tunnel forwards requests. */
export function portHasMoved(setup: CloudflareSetup, port: number): boolean {
  return setup.port !== null && setup.port !== port;
}

/** Returns the status for the owner. `working`: a description of the running step; null if no step is running. */
export function cloudflareStatus(
  setup: CloudflareSetup | null,
  { working, port }: { working: string | null; port: number },
): CloudflareStatus {
  if (setup === null)
    return {
      state: working === null ? 'none' : 'working',
      words: working ?? 'Nothing was set up at Cloudflare.',
      ...{ task: null, hostname: null, mailbox: false, created: [], tokenKept: false },
    };
  const { hostname, mailbox, tunnel, record, worker, route } = setup;
  const isMoved = portHasMoved(setup, port);
  const isUnfinished = setup.task !== null || isMoved;
  return {
    state: working !== null ? 'working' : isUnfinished ? 'unfinished' : 'ready',
    words: working ?? wordsFor(setup, isMoved, port),
    task: setup.task === 'mailbox' ? 'setUp' : (setup.task ?? (isMoved ? 'setUp' : null)),
    hostname,
    mailbox,
    created: (
      [
        ['tunnel', tunnel],
        ['record', record],
        ['worker', worker],
        ['route', route],
      ] as const
    ).flatMap(([what, part]) => (part === null || part.id === null ? [] : [{ what, name: part.name }])),
    tokenKept: setup.tokenStored,
  };
}

function wordsFor(setup: CloudflareSetup, isMoved: boolean, port: number): string {
  const { task, trouble, hostname } = setup;
  if (task === 'setUp')
    return `The setup of ${hostname} isn’t finished. ${trouble === '' ? 'It was interrupted.' : trouble}`;
  if (task === 'mailbox')
    return `The change of the mailbox isn’t finished. ${trouble === '' ? 'It was interrupted.' : trouble}`;
  if (task === 'disconnect')
    return `Not everything of ${hostname} was removed from Cloudflare. ${trouble === '' ? 'The removal was interrupted.' : trouble}`;
  if (isMoved)
    return `Porchlight’s port has changed from ${setup.port ?? ''} to ${port}, but the tunnel still leads ${hostname} to the old one. Continue, so that Porchlight tells Cloudflare.`;
  return `${hostname} leads to this computer.`;
}
