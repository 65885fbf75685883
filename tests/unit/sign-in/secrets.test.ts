import { expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { openManagementToken, secretHandlers } from '../../../src-main/sign-in/secrets.ts';
import { createTunnelControl } from '../../../src-main/address/tunnel/control.ts';
import type { Secrets } from '../../../src-main/platform/secrets.ts';
import { createUnsaved } from '../../../src-main/sign-in/unsaved.ts';

test('a keychain that is locked while the server runs changes nothing, and nothing is said to have changed', async () => {
  const kept = new Map<string, string>();
  let locked = false;
  const guarded = (work: () => void): Promise<void> => {
    if (locked) return Promise.reject(new PorchlightError('keychain_unavailable', 'It is locked.', 503));
    work();
    return Promise.resolve();
  };
  const secrets: Secrets = {
    kind: 'keychain',
    get: (name) => Promise.resolve(kept.get(name) ?? null),
    set: (name, value) => guarded(() => void kept.set(name, value)),
    delete: (name) => guarded(() => void kept.delete(name)),
    close: () => Promise.resolve(),
  };
  const token = await openManagementToken(secrets, createUnsaved(vi.fn(), vi.fn()));
  const record = vi.fn(() => Promise.resolve());
  const handlers = secretHandlers(token, { record } as never);
  const tunnelControl = createTunnelControl({
    secrets,
    settings: { get: () => ({ tunnel: { mode: 'off' } }) },
  } as never);
  const before = token.value;

  locked = true;
  const refused = { code: 'keychain_unavailable', message: 'It is locked.' };
  await expect(handlers['secrets.rotateManagementToken']()).rejects.toMatchObject(refused);
  await expect(tunnelControl.handlers['secrets.setTunnelToken']({ token: 'new' })).rejects.toMatchObject(
    refused,
  );
  expect(handlers['secrets.managementToken']()).toEqual({ token: before });
  expect([...kept.values()]).toEqual([before]);
  expect(record).not.toHaveBeenCalled();

  locked = false;
  expect(await handlers['secrets.rotateManagementToken']()).not.toEqual({ token: before });
});
