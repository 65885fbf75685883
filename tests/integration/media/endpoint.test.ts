import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectError, expectNotKept, jsonOf } from '../../support/answers.ts';
import {
  fileLimit,
  filled,
  openMicropub,
  picture,
  type MicropubServer,
} from '../../support/micropub-server.ts';
import { rawRequest } from '../../support/raw-request.ts';

let server: MicropubServer;
let before = 0;
let changesBefore = 0;
beforeAll(async () => {
  server = await openMicropub();
});
afterAll(() => server.close());
beforeEach(() => {
  before = server.media.contents.size;
  changesBefore = server.mediaChanges.length;
});

const bytesOf = async (file: Blob) => Buffer.from(await file.arrayBuffer());

/** An error with no address in it, that leaves no file behind. */
async function expectRefused(response: Response, status: number, error = 'invalid_request') {
  expect(response.headers.get('location')).toBeNull();
  await expectError(response, status, error);
  expectNoChange();
}

function expectNoChange(): void {
  expect(server.media.contents.size).toBe(before);
  expect(server.mediaChanges).toHaveLength(changesBefore);
}

describe('an upload', () => {
  test('MP-70 MX-27 201, an absolute Location, and the same address as JSON', async () => {
    const file = picture(300_000);
    const response = await server.sendMedia(filled({ file: [file, 'a.jpg'] }));
    expect(response.status).toBe(201);
    expectNotKept(response);
    const url = response.headers.get('location') ?? '';
    expect(url).toMatch(/^https?:\/\/[^/]+\/[^ ]+$/);
    expect(await jsonOf(response)).toEqual({ url });
    expect(server.media.contents.get(new URL(url).pathname)).toEqual(await bytesOf(file));
    expect(server.mediaChanges.at(-1)).toMatchObject({ change: 'added', file: { name: 'a.jpg' } });
  });

  test('MP-70 a file of as many bytes as it may have is taken', async () => {
    expect((await server.sendMedia(filled({ file: [picture(fileLimit), 'a.jpg'] }))).status).toBe(201);
  });

  test('other parts are passed over, files among them', async () => {
    const form = filled([
      ['thumbnail', [picture(100_000), 't.jpg']],
      ['file', [picture(), 'a.jpg']],
      ['alt', 'A cat'],
      ['preview', [picture(100_000), 'p.jpg']],
    ]);
    expect((await server.sendMedia(form)).status).toBe(201);
    expect(server.media.contents.size).toBe(before + 1);
  });

  test('a part without a name is a file if its type says so', async () => {
    const body =
      '--b\r\ncontent-disposition: form-data; name="file"\r\ncontent-type: application/octet-stream\r\n\r\nGIF89a\r\n--b--\r\n';
    const response = await server.sendMedia(body, { type: 'multipart/form-data; boundary=b' });
    expect(response.status).toBe(201);
  });

  test('MP-7 its answer can be read by a script on another site, which needs no token to ask', async () => {
    const preflight = await fetch(server.mediaEndpoint, {
      method: 'OPTIONS',
      headers: { origin: 'https://client.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.ok).toBe(true);
    const response = await server.sendMedia(filled({ file: [picture(), 'a.jpg'] }));
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toContain('Location');
  });
});

describe('MP-73 a request that isn’t an upload', () => {
  const file = (): [Blob, string] => [picture(), 'a.jpg'];

  test.each<[string, [string, string | [Blob, string]][], number]>([
    ['no parts', [], 400],
    ['no part named file', [['photo', file()]], 400],
    ['file is a text', [['file', 'x']], 400],
    [
      'a file, and file as a text',
      [
        ['file', file()],
        ['file', 'x'],
      ],
      400,
    ],
    [
      'two files',
      [
        ['file', file()],
        ['file', file()],
      ],
      400,
    ],
    ['an empty file', [['file', [new Blob([]), 'a.jpg']]], 400],
    ['a file field that was left empty', [['file', [new Blob([]), '']]], 400],
    ['a file of another type', [['file', [new Blob(['MZ']), 'a.jpg']]], 415],
    ['a file that is too large', [['file', [picture(fileLimit + 1), 'a.jpg']]], 413],
    ['a file far too large', [['file', [picture(3 * fileLimit), 'a.jpg']]], 413],
    [
      'another file far too large',
      [
        ['file', file()],
        ['x', [picture(3 * fileLimit), 'a.jpg']],
      ],
      413,
    ],
    [
      'ten thousand fields',
      [['file', file()], ...Array.from({ length: 10_000 }, (_, n): [string, string] => [`p${n}`, ''])],
      413,
    ],
    [
      'a long text',
      [
        ['file', file()],
        ['alt', 'x'.repeat(100_000)],
      ],
      413,
    ],
  ])('%s', async (_name, entries, status) => {
    await expectRefused(await server.sendMedia(filled(entries)), status);
  });

  test.each([
    ['JSON without an action', '{"file":"x"}', 'application/json', 400],
    ['JSON that is malformed', '{', 'application/json', 400],
    ['JSON that is a list', '["delete"]', 'application/json', 400],
    ['JSON that is null', 'null', 'application/json', 400],
    ['an empty body', '', 'application/json', 400],
    ['a form without an action', 'file=x', 'application/x-www-form-urlencoded', 400],
    ['another action', 'action=update&url=x', 'application/x-www-form-urlencoded', 400],
    ['the bytes alone', 'GIF89a', 'image/gif', 415],
  ])('%s', async (_name, body, type, status) => {
    await expectRefused(await server.sendMedia(body, { type, token: 'media.delete' }), status);
  });
});

describe('who may upload', () => {
  const form = () => filled({ file: [picture(), 'a.jpg'] });

  test.each(['media', 'create', 'post', 'profile.media'])('MP-71 a token with %s', async (token) => {
    expect((await server.sendMedia(form(), { token })).status).toBe(201);
  });

  test.each(['update.delete.undelete', 'draft', 'profile', 'none'])(
    'MP-3 D-1 not a token with %s: 403, and nothing is read',
    async (token) => {
      const seen = server.media.added;
      const response = await server.sendMedia(form(), { token });
      expect(response.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_scope", scope="media"',
      );
      await expectRefused(response, 403, 'insufficient_scope');
      expect(server.media.added).toBe(seen);
    },
  );

  test('MP-1 a token in a field before the file counts', async () => {
    const sent = filled({ access_token: 'media', file: [picture(), 'a.jpg'] });
    expect((await server.sendMedia(sent, { token: null })).status).toBe(201);
  });

  test('D-4 a file that arrives before any token gets 401 and is not read', async () => {
    const seen = server.media.added;
    for (const entries of [
      [['file', [picture(), 'a.jpg']]],
      [
        ['access_token', ''],
        ['file', [picture(), 'a.jpg']],
      ],
      [
        ['file', [picture(), 'a.jpg']],
        ['access_token', 'media'],
      ],
      [
        ['other', [picture(), 'a.jpg']],
        ['access_token', 'media'],
      ],
    ] as [string, string | [Blob, string]][][]) {
      const response = await server.sendMedia(filled(entries), { token: null });
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      await expectRefused(response, 401, 'unauthorized');
    }
    expect(server.media.added).toBe(seen);
  });

  test('D-4 a stranger gets 401 before anything else is checked', async () => {
    for (const [body, type] of [
      ['{', 'application/json'],
      ['action=update', 'application/x-www-form-urlencoded'],
    ] as const)
      await expectRefused(await server.sendMedia(body, { type, token: null }), 401, 'unauthorized');
    await expectRefused(await server.sendMedia(filled({ alt: 'x' }), { token: null }), 401, 'unauthorized');
  });

  test('a token that does not count: 401, in header and form', async () => {
    await expectRefused(await server.sendMedia(form(), { token: 'unknown' }), 401, 'invalid_token');
    const sent = filled({ access_token: 'unknown', file: [picture(), 'a.jpg'] });
    await expectRefused(await server.sendMedia(sent, { token: null }), 401, 'invalid_token');
  });

  test('D-2 the same token twice is one token', async () => {
    const sent = filled({ access_token: 'media', file: [picture(), 'a.jpg'] });
    expect((await server.sendMedia(sent, { token: 'media' })).status).toBe(201);
  });

  test.each(['before', 'behind'])('D-3 another token %s the file: 400 without a body', async (place) => {
    const entries: [string, string | [Blob, string]][] = [['file', [picture(), 'a.jpg']]];
    if (place === 'before') entries.unshift(['access_token', 'media']);
    else entries.push(['access_token', 'media']);
    const response = await server.sendMedia(filled(entries), { token: 'create' });
    expect([response.status, await response.text()]).toEqual([400, '']);
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_request"');
    expectNoChange();
  });
});

describe('MX-26 a delete', () => {
  const bodies = {
    'a form': (url: string) => new URLSearchParams({ action: 'delete', url }),
    JSON: (url: string) => ({ action: 'delete', url }),
  };

  test.each(Object.entries(bodies))('as %s: 204, twice, and listeners are told once', async (_name, body) => {
    const url = await server.upload();
    for (let turn = 1; turn <= 2; turn += 1) {
      const response = await server.sendMedia(body(url), { token: 'media.delete' });
      expect([response.status, await response.text()]).toEqual([204, '']);
      expect(server.media.contents.size).toBe(before);
      expect(server.mediaChanges.slice(changesBefore).map(({ change }) => change)).toEqual([
        'added',
        'deleted',
      ]);
    }
  });

  test('MP-1 the token may come with the form, not with JSON', async () => {
    const url = await server.upload();
    const fields = { action: 'delete', url, access_token: 'create.delete' };
    await expectError(await server.sendMedia(fields, { token: null }), 401, 'unauthorized');
    const response = await server.sendMedia(new URLSearchParams(fields), { token: null });
    expect(response.status).toBe(204);
  });

  test.each([
    ['media', 'delete'],
    ['create.update.undelete', 'delete'],
    ['delete', 'media'],
    ['delete.update', 'media'],
    ['none', 'delete'],
  ])('D-1 with %s: 403 for want of %s', async (token, missing) => {
    const url = await server.upload();
    const response = await server.sendMedia(bodies.JSON(url), { token });
    expect(response.headers.get('www-authenticate')).toContain(`scope="${missing}"`);
    await expectError(response, 403, 'insufficient_scope');
    expect(server.media.contents.has(new URL(url).pathname)).toBe(true);
  });

  test.each<[string, object]>([
    ['a file that never was', { action: 'delete', url: '/media/2026/11/none.jpg' }],
    ['what is no file', { action: 'delete', url: '/posts/2026/11/x' }],
    ['a way out of the folder', { action: 'delete', url: '/media/2026/11/../../../posts/x' }],
    ['no address', { action: 'delete' }],
    ['an address that is a number', { action: 'delete', url: 1 }],
    ['an action that is a list', { action: ['delete'], url: 'x' }],
  ])('of %s: 400', async (_name, body) => {
    const url = 'url' in body && typeof body.url === 'string' ? { url: server.base + body.url } : {};
    await expectRefused(await server.sendMedia({ ...body, ...url }), 400);
  });
});

describe('hostile bodies', () => {
  const type = 'multipart/form-data; boundary=b';
  const part = (name: string, value: string, more = '') =>
    `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const file = part('file', 'GIF89a', '; filename="a.gif"');

  test.each<[string, string, number]>([
    ['without an end', file, 400],
    ['that break off in a file', file.slice(0, -4), 400],
    ['that break off in a header', `${file}--b\r\ncontent-disp`, 400],
    ['whose border never comes', 'x'.repeat(100_000), 400],
    ['whose border never comes, and too long', 'x'.repeat(3 * fileLimit), 413],
    ['of nothing', '', 400],
    ['with a name that means something to JavaScript', `${file}${part('__proto__', 'x')}--b--\r\n`, 400],
    ['with a file that has such a name', `${file}${part('toString', 'x', '; filename="x"')}--b--\r\n`, 400],
    ['with two tokens', `${part('access_token', 'a')}${part('access_token', 'b')}${file}--b--\r\n`, 400],
  ])('%s', async (_name, body, status) => {
    await expectRefused(await server.sendMedia(body, { type }), status);
  });

  test('multipart that names no border', async () => {
    await expectRefused(await server.sendMedia(file, { type: 'multipart/form-data' }), 400);
  });

  /** The head of a request, and then whatever. */
  const request = (length: number, ...rest: string[]) =>
    [
      'POST /media HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer media',
      `content-type: ${type}\r\ncontent-length: ${length}\r\n`,
      rest.join(''),
    ].join('\r\n');

  test('413 at once where Content-Length says that it is too much', async () => {
    const seen = server.media.added;
    const answer = await rawRequest(server.base, request(fileLimit + 1_000_001, file));
    expect(answer).toMatchObject({ statuses: [413], silent: false });
    expect(answer.head).not.toContain('\r\nlocation:');
    expect(server.media.added).toBe(seen);
    expectNoChange();
  });

  test.each([
    ['the file', 'file', 12],
    ['a file that is passed over', 'other', 25],
  ])(
    'without Content-Length: 413 when %s is too much, though its end never comes',
    async (_name, field, chunks) => {
      const chunk = `186a0\r\n${'x'.repeat(100_000)}\r\n`; // 100 000 in hexadecimal
      const start = part(field, '', '; filename="a.gif"').slice(0, -2);
      const answer = await rawRequest(
        server.base,
        request(0)
          .replace('content-length: 0', 'transfer-encoding: chunked')
          .concat(`${start.length.toString(16)}\r\n${start}\r\n`, chunk.repeat(chunks)),
      );
      expect(answer).toMatchObject({ statuses: [413], silent: false });
      expectNoChange();
    },
  );

  test('a client that disconnects after a whole file has uploaded nothing', async () => {
    const seen = server.media.added;
    await rawRequest(server.base, request(100_000, file, part('alt', 'x')), { hangUp: true });
    await expect.poll(() => server.media.added).toBe(seen + 1);
    await expect.poll(() => server.media.contents.size).toBe(before);
    expect(server.mediaChanges).toHaveLength(changesBefore);
  });
});
