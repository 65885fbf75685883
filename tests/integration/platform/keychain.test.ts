import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openKeychain, type Secrets } from '../../../src-main/platform/secrets.ts';

const service = `porchlight-test-${randomBytes(8).toString('hex')}`;

/** The keychain of this session, or why there is none (on Linux: run under a session bus with an unlocked keyring). */
async function sessionKeychain(): Promise<Secrets | string> {
  if (process.platform === 'linux' && process.env['DBUS_SESSION_BUS_ADDRESS'] === undefined) {
    return 'no session bus, so no keyring';
  }
  return await openKeychain({ service, timeoutMs: 10_000 }).catch(
    (error: unknown) => `no keychain: ${String(error)}`,
  );
}

test('the keychain of the operating system keeps, replaces and forgets secrets', async (context) => {
  const keychain = await sessionKeychain();
  if (typeof keychain === 'string') {
    console.log(`keychain.test.ts: skipped, ${keychain}`);
    context.skip(keychain);
  } else {
    try {
      expect(await keychain.get('token')).toBeNull();
      const long = randomBytes(700).toString('base64url');
      for (const value of ['one', 'zwei mit Umläuten äöü 🏮', '{"kty":"OKP","x":"a b"}', long]) {
        await keychain.set('token', value);
        expect(await keychain.get('token')).toBe(value);
      }
      const reopened = await openKeychain({ service, timeoutMs: 10_000 });
      expect(await reopened.get('token')).toBe(long);
    } finally {
      await keychain.delete('token');
    }
    expect(await keychain.get('token')).toBeNull();
  }
});
