import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { seal } from '../../../src-main/mailbox/worker/signature.ts';
import { openSealed, type SealingKeys } from '../../../src-main/mailbox/mailbox-client.ts';

function newKeys(): SealingKeys {
  const { x = '', d = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return { publicKey: x, privateKey: d };
}
const sealTo = (text: string, { publicKey }: SealingKeys) =>
  seal(text, new Uint8Array(Buffer.from(publicKey, 'base64url')));

test('items that the mailbox seals with WebCrypto are opened with the private key, and by no other', async () => {
  const [keys, older, stranger] = [newKeys(), newKeys(), newKeys()];
  const text = JSON.stringify({ source: 'https://bea.example/ä-💡', target: 'https://ada.example/' });
  const sealed = await sealTo(text, keys);
  expect(openSealed(sealed, [keys])).toBe(text);
  expect(openSealed(await sealTo(text, older), [keys, older])).toBe(text);
  expect(openSealed(sealed, [stranger])).toBeUndefined();
  expect(openSealed(sealed, [])).toBeUndefined();
});

test('a changed, cut or mixed-up item is refused, not misread', async () => {
  const keys = newKeys();
  const sealed = await sealTo('{"source":"a"}', keys);
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = sealed.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(openSealed(changed, [keys])).toBeUndefined();
  }
  for (const length of [0, 8, 40, 55, sealed.length - 1])
    expect(openSealed(sealed.slice(0, length), [keys])).toBeUndefined();
});

test('the length of a sealed text does not tell texts of similar lengths apart, and no two are alike', async () => {
  const keys = newKeys();
  const [short, long, again] = await Promise.all(
    ['{}', `"${'x'.repeat(200)}"`, '{}'].map((text) => sealTo(text, keys)),
  );
  expect(short?.length).toBe(long?.length);
  expect(Buffer.from(short ?? []).equals(Buffer.from(again ?? []))).toBe(false);
});
