import { describe, expect, test } from 'vitest';
import { buildPublicApp } from '../../../src-main/http/app.ts';
import { checkPath, createPublicCheck } from '../../../src-main/http/public-check.ts';
import { silentLog } from '../../../src-main/platform/log.ts';

async function openCheck() {
  const check = createPublicCheck({ base: () => 'https://porch.example' });
  const app = await buildPublicApp({ log: silentLog, features: [check.routes], closing: () => undefined });
  return { check, app };
}

describe('the address of the check', () => {
  test('describes the request, readable with its own challenge only', async () => {
    const { check, app } = await openCheck();
    const [one, two] = [check.begin(), check.begin()];
    const { body } = await app.inject(`${checkPath}?nonce=${one.nonce}`);
    expect(one.sightIn(body)).toEqual({
      asked: 0,
      authorization: null,
      visitor: false,
      bytes: 0,
      digest: '',
    });
    expect(two.sightIn(body)).toBeNull();
    await app.close();
  });

  test.each(['', 'null', '[]', '{"seen":1,"proof":2}', '<html>'])('takes no sight from %j', async (text) => {
    const { check, app } = await openCheck();
    expect(check.begin().sightIn(text)).toBeNull();
    await app.close();
  });

  test('answers sixteen times, then never, and to no other nonce', async () => {
    const { check, app } = await openCheck();
    const { nonce } = check.begin();
    const statuses: number[] = [];
    for (let question = 0; question < 18; question += 1)
      statuses.push((await app.inject(`${checkPath}?nonce=${nonce}`)).statusCode);
    expect(statuses).toEqual([...Array<number>(16).fill(200), 404, 404]);
    for (const query of ['', '?nonce=', `?nonce=${nonce}&nonce=${nonce}`, '?nonce=__proto__'])
      expect((await app.inject(`${checkPath}${query}`)).statusCode, query).toBe(404);
    await app.close();
  });

  test('every request that is let in counts, at each of its addresses and before its body arrives', async () => {
    const { check, app } = await openCheck();
    const { nonce } = check.begin();
    for (const part of ['/page', '/redirect'])
      for (let question = 0; question < 4; question += 1)
        await app.inject(`${checkPath}${part}?nonce=${nonce}`);
    const sent = Array.from({ length: 12 }, () =>
      app.inject({
        method: 'POST',
        url: `${checkPath}?nonce=${nonce}`,
        headers: { 'content-type': 'application/octet-stream' },
        body: Buffer.alloc(100_000),
      }),
    );
    const statuses = (await Promise.all(sent)).map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(8);
    expect(statuses.filter((status) => status === 404)).toHaveLength(4);
    await app.close();
  });

  test('is to be kept by nobody, and says no time of its own', async () => {
    const { check, app } = await openCheck();
    const { headers } = await app.inject(`${checkPath}?nonce=${check.begin().nonce}`);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers.date).toBeUndefined();
    expect((await app.inject('/elsewhere')).headers.date).toBeDefined();
    await app.close();
  });

  test('reads no body without a challenge, and not more of one than it needs', async () => {
    const { check, app } = await openCheck();
    const { nonce } = check.begin();
    const send = (query: string, bytes: number) =>
      app.inject({
        method: 'POST',
        url: `${checkPath}${query}`,
        headers: { 'content-type': 'application/octet-stream' },
        body: Buffer.alloc(bytes),
      });
    expect((await send('?nonce=guessed', 10)).statusCode).toBe(404);
    expect((await send(`?nonce=${nonce}`, 1_200_000)).statusCode).toBe(200);
    expect((await send(`?nonce=${nonce}`, 34_000_000)).statusCode).toBe(413);
    await app.close();
  });
});
