import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import {
  encryptPush,
  newSenderKey,
  publicPartOf,
  senderProof,
} from '../../../src-main/phones/push/encryption.ts';
import { newReceiver, openPush, receiverOf } from '../../support/push-service.ts';

/** The example of RFC 8291, appendix A. */
const example = {
  text: 'When I grow up, I want to be a watermelon',
  sender: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  receiver: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    d: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  },
  message:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

test('a push is encrypted exactly as in the example of RFC 8291', async () => {
  const oneTime = {
    salt: Buffer.from(example.salt, 'base64url'),
    privateKey: Buffer.from(example.sender, 'base64url'),
  };
  const message = encryptPush(example.receiver, example.text, oneTime);
  expect(message.toString('base64url')).toBe(example.message);
  expect(await openPush(message, await receiverOf(example.receiver))).toBe(example.text);
});

test('only the subscription can read a push, and no two pushes are the same', async () => {
  const [phone, other] = [await newReceiver(), await newReceiver()];
  const keys = {
    p256dh: Buffer.from(phone.publicKey).toString('base64url'),
    auth: Buffer.from(phone.auth).toString('base64url'),
  };
  const [first, second] = [encryptPush(keys, 'Hello, phone'), encryptPush(keys, 'Hello, phone')];
  expect(await openPush(first, phone)).toBe('Hello, phone');
  expect(await openPush(second, phone)).toBe('Hello, phone');
  expect(first.equals(second)).toBe(false);
  await expect(openPush(first, other)).rejects.toThrow();
  await expect(openPush(first, { ...phone, auth: other.auth })).rejects.toThrow();
});

test('a push service learns which server sends, for half a day', async () => {
  const key = newSenderKey();
  const now = Date.now();
  const proof = senderProof(key, 'https://web.push.apple.com/a?b=c', 'https://ada.example', now);
  const [, token = '', k] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(proof) ?? [];
  expect(k).toBe(publicPartOf(key));
  const point = Buffer.from(k ?? '', 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const { payload } = await jwtVerify(
    token,
    createLocalJWKSet({ keys: [{ kty: 'EC', crv: 'P-256', x, y }] }),
  );
  expect(decodeProtectedHeader(token)).toEqual({ typ: 'JWT', alg: 'ES256' });
  expect(payload).toEqual({
    aud: 'https://web.push.apple.com',
    exp: Math.floor(now / 1000) + 12 * 3600,
    sub: 'https://ada.example',
  });
});
