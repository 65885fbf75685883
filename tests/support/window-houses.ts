import { crossPostingServices } from '../../src-main/contract/posts.ts';
import { livedInHouse, quietHouse, waitingSignIn, type House } from './window-fixtures.ts';
import { someTunnels } from './window-reach-handlers.ts';

/** An import from webmention.io runs or failed. */
export function importingHouse(
  now: number,
  state: 'running' | 'failed' = 'running',
  words = '12,400 mentions read so far.',
): House {
  const progress = { state, done: 12_400, total: null, words };
  return { ...livedInHouse(now), importing: { tokenStored: true, progress, last: null } };
}

/** The owner chose a named tunnel, which is in this state. */
export function reachedHouse(now: number, state: keyof typeof someTunnels): House {
  const house = livedInHouse(now);
  const tunnel = { ...house.settings.tunnel, mode: 'named' as const, hostname: 'porch.marlow.example' };
  return {
    ...house,
    settings: { ...house.settings, tunnel },
    tunnel: someTunnels[state],
    tunnelTokenKept: true,
  };
}

/** Nothing has tested the public address yet. */
export function uncheckedHouse(now: number): House {
  return { ...quietHouse(now), lastCheck: null };
}

/** Two phones are paired, one of them for another public address. */
export function phonesHouse(now: number): House {
  const house = reachedHouse(now, 'connected');
  const pairedAt = new Date(now - 86_400_000).toISOString();
  const phone = { pairedAt, lastUsedAt: pairedAt, synced: true, usable: true, approved: [] };
  return {
    ...house,
    settings: { ...house.settings, phones: { ...house.settings.phones, on: true } },
    phones: [
      { ...phone, id: 'phone-1', name: 'My iPhone', approved: [{ id: 'app-1', name: 'Quill' }] },
      { ...phone, id: 'phone-2', name: 'My Android phone', lastUsedAt: null, synced: false, usable: false },
    ],
  };
}

/** The server is off. */
export function darkHouse(now: number): House {
  const house = quietHouse(now);
  return { ...house, status: { ...house.status, server: 'off', words: 'Off', port: null } };
}

/** The server cannot start. */
export function troubledHouse(now: number): House {
  const house = quietHouse(now);
  const words = 'Port 4711 is taken by another program. Close it, or give Porchlight another port.';
  return { ...house, status: { ...house.status, server: 'trouble', words, port: null } };
}

/** The tunnel does not work; on this computer the server answers. */
export function unreachableHouse(now: number): House {
  const house = reachedHouse(now, 'failed');
  const words = `On, but not reachable: ${house.tunnel.words}`;
  return { ...house, status: { ...house.status, server: 'trouble', words, problems: [] } };
}

/** The tunnel lost its connection and tries again. */
export function reconnectingHouse(now: number): House {
  const house = quietHouse(now);
  return { ...house, status: { ...house.status, words: 'On, but the tunnel is reconnecting' } };
}

/** Command-line options take precedence over the settings. */
export function flaggedHouse(now: number): House {
  const house = livedInHouse(now);
  return { ...house, status: { ...house.status, flags: { baseUrl: true, tunnel: 'off' } } };
}

/** Posts go to Bridgy Fed, which finds too little on the owner's own site. */
export function bridgedHouse(now: number): House {
  const house = livedInHouse(now);
  const syndicateTo = crossPostingServices.map(({ uid, name }) => ({ uid, name }));
  const findings: House['bridge']['findings'] = [
    {
      id: 'bridge.redirect',
      area: 'site',
      level: 'fail',
      title: 'Your site doesn’t lead the fediverse to Bridgy Fed yet',
      detail: 'Without two redirects, people find your account only under web.brid.gy.',
      fix: 'Paste the lines below into the redirects file of your web host.',
    },
  ];
  const lines = ['webfinger', 'host-meta'].map(
    (name) => `/.well-known/${name} https://fed.brid.gy/.well-known/${name} 301`,
  );
  return {
    ...house,
    settings: { ...house.settings, micropub: { ...house.settings.micropub, syndicateTo } },
    bridge: { site: 'marlow.example', findings, lines: lines.join('\n') },
  };
}

/** The web can't reach this computer yet. */
export function unreachedHouse(now: number): House {
  const house = uncheckedHouse(now);
  return { ...house, status: { ...house.status, baseUrl: 'http://127.0.0.1:4711' } };
}

/** Tailscale runs here; the owner has not chosen it yet. */
export function tailscaleHouse(now: number): House {
  return { ...unreachedHouse(now), tailscale: { state: 'running', name: 'den.tail1a2b3.ts.net' } };
}

/** A quick tunnel is the public address. */
export function quickHouse(now: number): House {
  const house = quietHouse(now);
  const url = 'https://warm-light-on-porch.trycloudflare.com';
  return {
    ...house,
    settings: { ...house.settings, tunnel: { mode: 'quick', hostname: '', publicUrl: '' } },
    status: { ...house.status, baseUrl: url },
    tunnel: { ...someTunnels.connected, mode: 'quick', url, connections: 1 },
  };
}

/** Every check passes, and the test app is waiting for the owner. */
export function finishedHouse(now: number): House {
  const house = livedInHouse(now);
  const findings = house.findings.filter(({ level }) => level !== 'fail');
  const test = waitingSignIn(now, { clientName: 'Porchlight test app', scopes: ['profile'] });
  return { ...house, findings, signIns: [test], status: { ...house.status, problems: [] } };
}

/** The last import changed mentions, and webmention.io no longer lists others. */
export function removalsHouse(now: number): House {
  const last = {
    id: 'run-1',
    at: new Date(now - 60_000).toISOString(),
    imported: 12,
    updated: 3,
    removed: 4,
    total: 900,
    wouldRemove: 240,
  };
  return { ...livedInHouse(now), importing: { tokenStored: true, progress: null, last } };
}

/** A demo, which says so on every screen. */
export function demoHouse(now: number): House {
  const house = livedInHouse(now);
  return { ...house, status: { ...house.status, demo: true } };
}

/** Two restores replaced the data that was here before. */
export function restoredHouse(now: number): House {
  const beside = '/home/robin/.local/share/';
  const leftovers = [3, 41].map((days) => {
    const replacedAt = new Date(now - days * 86_400_000).toISOString();
    const name = `porchlight.before-restore-${replacedAt.slice(0, 19).replaceAll(':', '-')}`;
    return { name, path: beside + name, replacedAt, bytes: 734_000_000 - days * 1_000_000 };
  });
  return { ...livedInHouse(now), leftovers };
}
