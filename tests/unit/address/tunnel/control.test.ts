import { expect, test } from 'vitest';
import { PorchlightError } from '../../../../src-main/contract/error.ts';
import type { Listener } from '../../../../src-main/http/listener.ts';
import { openSettings } from '../../../../src-main/app/settings.ts';
import { createTunnelControl } from '../../../../src-main/address/tunnel/control.ts';
import { createGuardedFetch } from '../../../../src-main/platform/guarded-fetch.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { createTunnel } from '../../../../src-main/address/tunnel/tunnel.ts';
import { documentsIn } from '../../../../src-main/storage/document.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';

test('a keychain that is locked when Porchlight turns on is the tunnel’s problem, and ends no start', async () => {
  const tunnel = createTunnel({
    log: silentLog,
    folder: await temporaryFolder(),
    fetch: createGuardedFetch({ allowPrivate: false, userAgent: 'Test' }),
    onChange: () => undefined,
  });
  const locked = () =>
    Promise.reject(new PorchlightError('keychain_unavailable', 'The keychain is locked.', 500));
  const documents = documentsIn(await temporaryFolder());
  const settings = await openSettings({ documents, allowLoopbackMe: false });
  await settings.update({ tunnel: { mode: 'named', hostname: 'porch.example.com' } });
  const control = createTunnelControl({
    tunnel,
    secrets: { kind: 'keychain', get: locked, set: locked, delete: locked, close: () => Promise.resolve() },
    settings,
    listener: { state: { kind: 'on' }, port: 4180 } as Listener,
    mode: undefined,
  });
  await control.start();
  expect(tunnel.status()).toMatchObject({
    state: 'failed',
    reason: 'token_unreadable',
    words: 'Porchlight couldn’t read the tunnel’s token. The keychain is locked.',
  });
});
