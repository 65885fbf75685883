import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { nonceHeader, proofHeader } from '../../../src-main/platform/mailbox-protocol.ts';
import { proveResponses } from '../../../src-main/http/response-headers.ts';
import { proofOf } from '../../support/edge-client.ts';

async function proofsIn(keys: readonly string[], nonce: string): Promise<unknown> {
  const app = fastify();
  onTestFinished(() => app.close());
  proveResponses(app, () => keys);
  const response = await app.inject({ method: 'GET', url: '/', headers: { [nonceHeader]: nonce } });
  return response.headers[proofHeader];
}

test('a response has a proof for each key', async () => {
  const keys = ['A'.repeat(43), 'B'.repeat(43)];
  const proofs = String(await proofsIn(keys, 'nonce')).split(', ');
  const expected = proofs.map((proof, at) => proofOf('nonce', keys[at] ?? '', Number.parseInt(proof)));
  expect(proofs).toEqual(expected.map((headers) => headers[proofHeader]));
  expect(proofs).toHaveLength(2);
});

test.each([
  ['there is no mailbox', [], 'nonce'],
  ['the nonce isn’t the mailbox’s', ['A'.repeat(43)], 'a nonce'],
])('a response has no proof if %s', async (_name, keys, nonce) => {
  expect(await proofsIn(keys, nonce)).toBeUndefined();
});
