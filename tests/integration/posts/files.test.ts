import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { expectError, jsonOf } from '../../support/answers.ts';
import {
  fileLimit,
  filled,
  fullToken,
  openMicropub,
  picture,
  type MicropubServer,
} from '../../support/micropub-server.ts';
import { rawRequest } from '../../support/raw-request.ts';

let server: MicropubServer;
let filesBefore = 0;
let postsBefore = 0;
beforeAll(async () => {
  server = await openMicropub();
});
afterAll(() => server.close());
beforeEach(() => {
  filesBefore = server.media.contents.size;
  postsBefore = server.posts.size();
});

/** The properties of the post that a form with files creates. */
async function stored(form: FormData): Promise<Record<string, unknown[]>> {
  const response = await server.send(form);
  expect({ status: response.status, body: await jsonOf(response) }).toMatchObject({
    status: server.created,
  });
  const { published, ...properties } = (await server.source(response.headers.get('location') ?? ''))
    .properties;
  expect(published).toHaveLength(1);
  return properties;
}

async function bytesAt(url: unknown): Promise<Buffer | undefined> {
  expect(url).toMatch(new RegExp(`^${server.base}/media/2026/11/`));
  return Promise.resolve(server.media.contents.get(new URL(String(url)).pathname));
}

const bytesOf = async (file: Blob) => Buffer.from(await file.arrayBuffer());

/** An error that leaves nothing behind. */
async function expectNothingKept(response: Response, status: number, error = 'invalid_request') {
  expect(response.headers.get('location')).toBeNull();
  await expectError(response, status, error);
  expect(server.media.contents.size).toBe(filesBefore);
  expect(server.posts.size()).toBe(postsBefore);
}

describe('MP-29 a form with files', () => {
  test.each(['photo', 'photo[]'])('makes a post with what %s brings, byte for byte', async (field) => {
    const file = picture(300_000);
    const { content, photo } = await stored(
      filled({ h: 'entry', content: 'Look', [field]: [file, 'a.jpg'] }),
    );
    expect(content).toEqual(['Look']);
    expect(photo).toHaveLength(1);
    expect(await bytesAt(photo?.[0])).toEqual(await bytesOf(file));
  });

  test.each(['video', 'video[]', 'audio', 'audio[]', 'featured'])('takes files as %s too', async (field) => {
    const properties = await stored(filled({ content: 'x', [field]: [picture(), 'a'] }));
    expect(await bytesAt(properties[field.replace('[]', '')]?.[0])).toBeDefined();
  });

  test('MP-25 MX-21 values and files keep their order, and each gets the text at its place', async () => {
    const [one, two] = [picture(), picture()];
    const { photo, ...rest } = await stored(
      filled([
        ['mp-photo-alt[]', 'First'],
        ['mp-photo-alt[]', ''],
        ['mp-photo-alt[]', 'Third'],
        ['photo[]', [one, '1.jpg']],
        ['photo[]', 'https://a.example/2.jpg'],
        ['photo[]', [two, '3.jpg']],
      ]),
    );
    expect(rest).toEqual({});
    const [first, second, third] = photo as [Record<string, unknown>, string, Record<string, unknown>];
    expect([first['alt'], second, third['alt']]).toEqual(['First', 'https://a.example/2.jpg', 'Third']);
    expect(await bytesAt(first['value'])).toEqual(await bytesOf(one));
    expect(await bytesAt(third['value'])).toEqual(await bytesOf(two));
  });

  test('MX-21 one text for one photo', async () => {
    const { photo } = await stored(filled({ photo: [picture(), 'a.jpg'], 'mp-photo-alt': 'A cat' }));
    expect(photo).toEqual([{ value: expect.any(String) as string, alt: 'A cat' }]);
  });

  test('a photo alone is a post', async () => {
    expect(Object.keys(await stored(filled({ photo: [picture(), 'a.jpg'] })))).toEqual(['photo']);
  });

  test('parts may carry headers of their own, and no name', async () => {
    const body = [
      '--b\r\nContent-Disposition: form-data; name="content"\r\nContent-Length: 1\r\nContent-Transfer-Encoding: 8bit\r\n\r\nx\r\n',
      '--b\r\nContent-Disposition: form-data; name="photo"\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n\r\nGIF89a\r\n--b--\r\n',
    ].join('');
    const response = await server.send(body, { type: 'multipart/form-data; boundary=b' });
    expect(response.status).toBe(server.created);
    const { photo } = (await server.source(response.headers.get('location') ?? '')).properties;
    expect((await bytesAt(photo?.[0]))?.toString()).toBe('GIF89a');
  });

  test('file fields that a browser left empty are passed over', async () => {
    const empty = new Blob([], { type: 'application/octet-stream' });
    const form = filled([
      ['content', 'x'],
      ['photo', [empty, '']],
      ['attachment', [empty, '']],
    ]);
    expect(await stored(form)).toEqual({ content: ['x'] });
  });

  test('MP-3 a token for drafts keeps them with a draft', async () => {
    const response = await server.send(filled({ photo: [picture(), 'a.jpg'] }), { token: 'draft' });
    expect(response.status).toBe(201);
    expect(server.changes.at(-1)?.post).toMatchObject({ status: 'draft' });
  });
});

describe('who may bring files', () => {
  test('MP-1 a token in the form counts if it comes before the file', async () => {
    const form = filled({ access_token: 'create', photo: [picture(), 'a.jpg'] });
    expect((await server.send(form, { token: null })).status).toBe(server.created);
  });

  test('D-4 a file before any token is not read: 401', async () => {
    const form = filled([
      ['photo', [picture(), 'a.jpg']],
      ['access_token', 'create'],
    ]);
    const response = await server.send(form, { token: null });
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    await expectNothingKept(response, 401, 'unauthorized');
  });

  test('a token that does not count: 401', async () => {
    const form = filled({ access_token: 'unknown', photo: [picture(), 'a.jpg'] });
    await expectNothingKept(await server.send(form, { token: null }), 401, 'invalid_token');
  });

  test.each(['update', 'media', 'none'])('MP-3 D-1 a token with %s keeps no file: 403', async (token) => {
    const seen = server.media.added;
    const response = await server.send(filled({ photo: [picture(), 'a.jpg'] }), { token });
    await expectNothingKept(response, 403, 'insufficient_scope');
    expect(server.media.added).toBe(seen);
  });

  test('D-3 another token behind the file: 400 without a body, and the file is gone', async () => {
    const form = filled([
      ['photo', [picture(), 'a.jpg']],
      ['access_token', 'create'],
    ]);
    const response = await server.send(form);
    expect([response.status, await response.text()]).toEqual([400, '']);
    expect(server.media.contents.size).toBe(filesBefore);
  });
});

describe('a create that fails keeps no file', () => {
  const file = (): [Blob, string] => [picture(), 'a.jpg'];

  test.each<[string, [string, string | [Blob, string]][], number]>([
    [
      'a field that takes no files',
      [
        ['photo', file()],
        ['resume', file()],
      ],
      400,
    ],
    [
      'an unknown post-status',
      [
        ['photo', file()],
        ['post-status', 'secret'],
      ],
      400,
    ],
    [
      'a name that nobody may use',
      [
        ['photo', file()],
        ['__proto__', 'x'],
      ],
      400,
    ],
    [
      'h that is no name',
      [
        ['photo', file()],
        ['h', '../x'],
      ],
      400,
    ],
    [
      'another action behind it',
      [
        ['photo', file()],
        ['action', 'delete'],
        ['url', 'https://a.example/'],
      ],
      400,
    ],
    [
      'a second file of another type',
      [
        ['photo', file()],
        ['photo', [new Blob(['MZ']), 'a.exe']],
      ],
      415,
    ],
    [
      'a second file that is empty',
      [
        ['photo', file()],
        ['photo', [new Blob([]), 'a.jpg']],
      ],
      400,
    ],
    [
      'a second file that is too large',
      [
        ['photo', file()],
        ['photo', [picture(fileLimit + 1), 'b.jpg']],
      ],
      413,
    ],
    [
      'ten thousand fields',
      [['photo', file()], ...Array.from({ length: 10_000 }, (_, n): [string, string] => [`p${n}`, 'x'])],
      413,
    ],
    [
      'texts of more than 2 MB',
      [
        ['photo', file()],
        ['content', 'x'.repeat(2_100_000)],
      ],
      413,
    ],
  ])('%s', async (_name, entries, status) => {
    await expectNothingKept(await server.send(filled(entries)), status);
  });

  test('another action before it: no file is taken at all', async () => {
    const seen = server.media.added;
    const form = filled({ action: 'delete', url: server.base, photo: file() });
    await expectNothingKept(await server.send(form), 400);
    expect(server.media.added).toBe(seen);
  });

  test('50 files are taken, 51 are not', async () => {
    const files = (count: number) => filled(Array.from({ length: count }, () => ['photo[]', file()]));
    await expectNothingKept(await server.send(files(51)), 400);
    expect((await stored(files(50)))['photo']).toHaveLength(50);
  });

  test('a post that cannot be saved', async () => {
    vi.spyOn(server.posts, 'create').mockRejectedValueOnce(new Error('The disk is broken.'));
    await expectNothingKept(await server.send(filled({ photo: file() })), 500, 'server_error');
  });

  test('a body that breaks off', async () => {
    const body = `${part('photo', 'GIF89a', '; filename="a.gif"')}--b\r\ncontent-disposition: form-data; name="photo"; filename="b.gif"\r\n\r\nGIF89`;
    await expectNothingKept(await server.send(body, { type: 'multipart/form-data; boundary=b' }), 400);
  });

  test('a client that hangs up in the middle of a file', async () => {
    const seen = server.media.added;
    await rawRequest(server.base, upload(100_000), { hangUp: true });
    await expect.poll(() => server.media.added).toBe(seen + 2);
    await expect.poll(() => server.media.open).toBe(0);
    await expect.poll(() => server.media.contents.size).toBe(filesBefore);
    expect(server.posts.size()).toBe(postsBefore);
  });
});

test('413 at once where Content-Length says that it is too much', async () => {
  const answer = await rawRequest(server.base, upload(60 * fileLimit));
  expect(answer).toMatchObject({ statuses: [413], silent: false });
});

test('bytes after the answer to a stranger are read no further than necessary', async () => {
  const body = `${part('photo', 'x'.repeat(40_000_000), '; filename="a.gif"')}--b--\r\n`;
  const head = `POST /micropub HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${body.length}\r\n\r\n`;
  const answer = await rawRequest(server.base, head + body);
  expect(answer.statuses).toEqual([401]);
  expect(answer.silent).toBe(false);
});

const part = (name: string, value: string, more = '') =>
  `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

/** The beginning of a request: a photo, and a part of another. Its end never comes. */
const upload = (length: number) =>
  [
    'POST /micropub HTTP/1.1\r\nhost: x\r\nconnection: close',
    `authorization: Bearer ${fullToken}`,
    `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${length}\r\n`,
    part('photo', 'GIF89a', '; filename="a.gif"') +
      part('photo', 'GIF89a', '; filename="b.gif"').slice(0, -2),
  ].join('\r\n');
