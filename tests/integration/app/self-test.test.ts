import { copyFile, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Finding } from '../../../src-main/contract/reach.ts';
import { createLog } from '../../../src-main/platform/log.ts';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { openEdge, showing, type Edge, type EdgeBehaviour } from '../../support/fake-edge.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

let edge: Edge;
let site: Site;
let porchlight: Porchlight;
const visited: EdgeBehaviour = { headers: (headers) => ({ ...headers, 'cf-connecting-ip': '192.0.2.7' }) };

beforeAll(async () => {
  let target = '';
  edge = await openEdge(() => target);
  site = await openSite('localhost');
  porchlight = await startPorchlight({ baseUrl: edge.origin, me: `${site.origin}/` });
  target = `http://127.0.0.1:${(await porchlight.call('status.get', {})).port ?? 0}`;
});
beforeEach(async () => {
  edge.behave(visited);
  const { html } = await porchlight.call('setup.linkTags', {});
  site.pages.set('/', page(`<head>${html}</head>`));
  await porchlight.call('settings.update', { micropub: { mediaLimitBytes: 1_000_000 } });
});
afterAll(async () => {
  await porchlight.remove();
  await Promise.all([edge.close(), site.close()]);
});

async function check(): Promise<readonly Finding[]> {
  const { findings } = await porchlight.call('setup.check', {});
  // Every place in the words has its fact.
  expect(JSON.stringify(findings)).not.toMatch(/undefined|\{\w+\}/);
  return findings;
}
const amiss = (findings: readonly Finding[]) => findings.filter(({ level }) => level !== 'pass');
/** Everything but what is about the owner's own site. */
async function through(behaviour: EdgeBehaviour): Promise<Finding[]> {
  edge.behave({ ...visited, ...behaviour });
  return (await check()).filter(({ area }) => area === 'address');
}

describe('the self-test through the public address', () => {
  test('passes every check, also with large files, and keeps its result', async () => {
    await porchlight.call('settings.update', { micropub: { mediaLimitBytes: 100_000_000 } });
    const result = await porchlight.call('setup.check', {});
    expect(amiss(result.findings)).toEqual([]);
    expect(result.findings.map(({ id }) => id)).toEqual([
      'reach',
      'metadata',
      'authorization',
      'cookies',
      'redirects',
      'cache',
      'endpoints',
      'uploads',
      'pages',
      'visitors',
      'site',
      'link.indieauth-metadata',
      'link.authorization_endpoint',
      'link.token_endpoint',
      'link.micropub',
      'link.webmention',
      'clock',
    ]);
    expect(result.findings.find(({ id }) => id === 'uploads')?.detail).toContain('20 MB');
    expect(result).toMatchObject({ base: edge.origin });
    expect(await porchlight.call('setup.lastCheck', {})).toEqual(result);
    expect(porchlight.events).toContainEqual({ name: 'setup.checked', data: result });
  });

  test.each<[string, EdgeBehaviour, RegExp]>([
    ['a tunnel that is not connected', showing(530, 'error code: 1033'), /no tunnel is connected/],
    ['a record that leads nowhere', showing(530, 'error code: 1016'), /doesn’t lead to your tunnel/],
    [
      'a proxy whose way on is broken',
      showing(502, '<h1>Bad gateway</h1>'),
      /can’t reach Porchlight behind it/,
    ],
    [
      'a question for people',
      showing(403, '<title>Just a moment...</title>', { 'cf-mitigated': 'challenge' }),
      /prove that they are people/,
    ],
    [
      'a login page of Cloudflare Access',
      showing(302, '', { location: 'https://team.cloudflareaccess.com/cdn-cgi/access/login/x?token=secret' }),
      /Cloudflare Access shows a login page/,
    ],
    [
      'a login page of the network',
      showing(302, '', { location: 'http://login.hotel.example/?secret' }),
      /redirects visitors to http:\/\/login\.hotel\.example\.$/,
    ],
    ['a password', showing(401, ''), /asks for a password/],
    [
      'somebody else’s page',
      showing(200, '<title>Parked</title>'),
      /doesn’t point to this Porchlight .*called “Parked”/,
    ],
    [
      'another Porchlight',
      showing(404, '{"error":"not_found"}', { 'content-type': 'application/json' }),
      /Another Porchlight answers .* somebody else’s/,
    ],
    [
      'somebody who makes answers up',
      showing(200, '{"seen":"{\\"asked\\":0}","proof":"made up"}', { 'content-type': 'application/json' }),
      /doesn’t point to this Porchlight/,
    ],
  ])('names %s, and skips the other checks', async (_name, behaviour, words) => {
    const findings = await through(behaviour);
    expect(findings).toMatchObject([{ id: 'reach', level: 'fail', fix: expect.any(String) as string }]);
    expect(findings[0]?.detail).toMatch(words);
    expect(JSON.stringify(findings)).not.toContain('secret');
  });

  test('an answer that was changed on the way does not count as this server’s', async () => {
    const findings = await through({
      rewrite: (body) => body.replace('\\"visitor\\":true', '\\"visitor\\":false'),
    });
    expect(findings).toMatchObject([{ id: 'reach', level: 'fail' }]);
  });

  test.each<[string, string, Finding['level'], EdgeBehaviour]>([
    [
      'takes the Authorization header away',
      'authorization',
      'fail',
      {
        headers: (headers) => {
          const passed = { ...headers, 'cf-connecting-ip': '192.0.2.7' };
          delete passed.authorization;
          return passed;
        },
      },
    ],
    ['drops Set-Cookie', 'cookies', 'fail', { drops: ['set-cookie'] }],
    ['drops WWW-Authenticate', 'endpoints', 'fail', { drops: ['www-authenticate'] }],
    ['drops Link', 'endpoints', 'fail', { drops: ['link'] }],
    ['keeps answers', 'cache', 'fail', { caches: true }],
    ['follows redirects by itself', 'redirects', 'fail', { follows: true }],
    ['cuts large bodies', 'uploads', 'fail', { cutAfter: 1_048_576 }],
    [
      'refuses large bodies',
      'uploads',
      'fail',
      {
        instead(request, response) {
          if (Number(request.headers['content-length'] ?? 0) <= 1_048_576) return false;
          request.resume();
          response.writeHead(413).end('<h1>Request Entity Too Large</h1>');
          return true;
        },
      },
    ],
    [
      'hides addresses in pages',
      'pages',
      'warning',
      {
        rewrite: (body, type) =>
          type.startsWith('text/html')
            ? body.replaceAll('check@porchlight.example', '[email protected]')
            : body,
      },
    ],
    ['does not tell visitors apart', 'visitors', 'warning', { headers: (headers) => headers }],
    [
      'names another issuer',
      'metadata',
      'fail',
      { rewrite: (body) => body.replace(/"issuer":"[^"]*"/, '"issuer":"https://old.example/"') },
    ],
    [
      'has a page of its own in the place of Micropub',
      'endpoints',
      'fail',
      {
        instead(request, response) {
          if (request.url?.startsWith('/micropub') !== true) return false;
          response.writeHead(200).end('hello');
          return true;
        },
      },
    ],
  ])('a proxy that %s: the finding is “%s”, a %s, with what to do', async (_name, id, level, behaviour) => {
    const findings = amiss(await through(behaviour));
    expect(findings.map((finding) => [finding.id, finding.level])).toEqual([[id, level]]);
    expect(findings[0]?.fix).toEqual(expect.any(String));
  });

  describe('with assistants', () => {
    beforeAll(() => porchlight.call('settings.update', { assistants: { on: true } }));
    afterAll(() => porchlight.call('settings.update', { assistants: { on: false } }));

    async function assistants(behaviour: EdgeBehaviour = {}) {
      edge.behave({ ...visited, ...behaviour });
      const { findings } = await porchlight.call('setup.check', { only: 'assistants' });
      expect(JSON.stringify(findings)).not.toMatch(/undefined|\{\w+\}/);
      return findings;
    }
    /** Something else answers a path. */
    const at = (place: string, status: number, body: string, headers = {}): EdgeBehaviour => ({
      instead(request, response) {
        if (request.url !== place) return false;
        request.resume();
        response.writeHead(status, headers).end(body);
        return true;
      },
    });

    test('says that they can connect, alone or after the other checks', async () => {
      const alone = await assistants();
      expect(alone.map(({ id, level }) => [id, level])).toEqual([
        ['reach', 'pass'],
        ['assistants', 'pass'],
      ]);
      expect((await through({})).at(-1)).toEqual(alone[1]);
    });

    test.each<[string, EdgeBehaviour, RegExp]>([
      [
        'Bot Fight Mode',
        at('/mcp', 403, '<title>Just a moment...</title>', { 'cf-mitigated': 'challenge' }),
        /prove that they are people.*Bot Fight Mode/s,
      ],
      ['a page of the proxy', at('/mcp', 200, 'hello'), /doesn’t point to this Porchlight/],
      ['a lost header', { drops: ['www-authenticate'] }, /WWW-Authenticate header/],
      [
        'another description',
        at('/.well-known/oauth-protected-resource/mcp', 200, '{"resource":"https://old.example/mcp"}'),
        /isn’t the one that Porchlight sends/,
      ],
    ])('%s in front of their address is recognized', async (_name, behaviour, words) => {
      const finding = (await assistants(behaviour)).at(-1);
      expect(finding).toMatchObject({ id: 'assistants', level: 'fail', title: 'Assistants can’t connect' });
      expect(`${finding?.detail} ${finding?.fix}`).toMatch(words);
    });
  });

  test.each([
    ['set-cookie', 'Set-Cookie'],
    ['www-authenticate', 'WWW-Authenticate'],
    ['link', 'Link'],
    ['location', 'Location'],
  ])('a proxy that drops %s is reported with the header’s name, and advice', async (header, name) => {
    const [finding, ...others] = amiss(await through({ drops: [header] }));
    expect(others).toEqual([]);
    expect(finding?.detail).toContain(`${name} header`);
    expect(finding?.fix).toMatch(new RegExp(`pass on .*${name} header`));
  });

  test('a limit on files above Cloudflare’s is reported if Cloudflare is in front', async () => {
    await porchlight.call('settings.update', { micropub: { mediaLimitBytes: 2_000_000_000 } });
    const findings = amiss(await through({ adds: { 'cf-ray': '8a1b-FRA' } }));
    expect(findings).toMatchObject([{ id: 'uploads', level: 'warning' }]);
    expect(findings[0]?.detail).toContain('2,000 MB');
  });

  test('a clock that is wrong by a day is a failure if all other servers disagree with it', async () => {
    const behind = new Date(Date.now() - 25 * 3_600_000).toUTCString();
    edge.behave({ ...visited, adds: { date: behind } });
    site.pages.set('/', page('<p>hello</p>', { 'content-type': 'text/html', date: behind }));
    const findings = await check();
    expect(findings.find(({ id }) => id === 'clock')).toMatchObject({
      area: 'computer',
      level: 'fail',
      detail: expect.stringContaining('25 hours ahead') as string,
    });
  });

  test('off: says that Porchlight is off, and still reads the site', async () => {
    await porchlight.call('server.turnOff', {});
    const findings = await check();
    await porchlight.call('server.turnOn', {});
    expect(findings[0]).toMatchObject({ id: 'on', level: 'fail' });
    expect(findings.filter(({ id }) => id.startsWith('link.'))).toHaveLength(5);
  });

  test('strangers find nothing at the address of the self-test, whatever they send', async () => {
    const path = '/.well-known/porchlight-check';
    for (const tail of ['', '?nonce=', '?nonce=guessed', '/redirect?nonce=guessed', '/page?nonce=guessed']) {
      const answer = await fetch(`${edge.origin}${path}${tail}`, { redirect: 'manual' });
      expect(answer.status, tail).toBe(404);
    }
    const posted = await fetch(`${edge.origin}${path}?nonce=guessed`, { method: 'POST', body: 'x' });
    expect(posted.status).toBe(404);
  });

  test('a challenge that was seen is useless after the test', async () => {
    await check();
    const used = edge.seen.findLast((line) => line.includes('porchlight-check?nonce='))?.split(' ')[1] ?? '';
    expect(used).toMatch(/nonce=[\w-]{43}$/);
    expect((await fetch(`${edge.origin}${used}`)).status).toBe(404);
  });
});

describe('the self-test on the owner’s site', () => {
  const siteCheck = async () =>
    amiss((await porchlight.call('setup.check', { only: 'site' })).findings).map(({ id, level }) => [
      id,
      level,
    ]);

  test('reads the site alone if asked to, and keeps nothing of it', async () => {
    await porchlight.call('setup.check', {});
    const before = await porchlight.call('setup.lastCheck', {});
    const asked = edge.seen.length;
    const { findings } = await porchlight.call('setup.check', { only: 'site' });
    expect(findings.every(({ area }) => area === 'site')).toBe(true);
    expect(edge.seen).toHaveLength(asked);
    expect(await porchlight.call('setup.lastCheck', {})).toEqual(before);
  });

  test('a Link header of the web server comes before the page', async () => {
    const { html } = await porchlight.call('setup.linkTags', {});
    const link = '<https://old.example/micropub>; rel="micropub"';
    site.pages.set('/', page(`<head>${html}</head>`, { 'content-type': 'text/html', link }));
    expect(await siteCheck()).toEqual([['link.micropub', 'fail']]);
  });

  test('a link in the text counts for webmention if it comes first, and for nothing else', async () => {
    const { html } = await porchlight.call('setup.linkTags', {});
    const text = ['webmention', 'micropub']
      .map((rel) => `<a rel="${rel}" href="https://old.example/">${rel}</a>`)
      .join('');
    site.pages.set('/', page(`<body>${text}${html}</body>`));
    expect(await siteCheck()).toEqual([['link.webmention', 'fail']]);
  });
});

describe('the address from which the world sees this computer', () => {
  const seenFrom = (address: string): EdgeBehaviour => ({
    headers: (headers) => ({ ...headers, 'cf-connecting-ip': address }),
  });
  const learnt = async () => {
    const text = await readFile(path.join(porchlight.dataDir, 'self-test.json'), 'utf8');
    return (JSON.parse(text) as { addresses?: string[] }).addresses;
  };

  test('the self-test learns this computer’s public address, and learns it again when the network changes', async () => {
    edge.behave(seenFrom('93.184.215.14'));
    await check();
    expect(await learnt()).toContain('93.184.215.14');
    edge.behave(seenFrom('8.8.8.8'));
    porchlight.service.wake();
    await vi.waitFor(async () => expect(await learnt()).toContain('8.8.8.8'));
  });

  test('this computer’s public address is known after a restart and refused like a private one, and the log says so', async () => {
    edge.behave(seenFrom('93.184.215.14'));
    await check();
    const dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-own-'));
    await copyFile(path.join(porchlight.dataDir, 'self-test.json'), path.join(dataDir, 'self-test.json'));
    const lines: string[] = [];
    const log = createLog({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
    const restarted = await startPorchlight({ dataDir, log, allowPrivateFetch: false });
    onTestFinished(() => restarted.remove());
    const body = new URLSearchParams({ source: 'http://93.184.215.14/', target: 'https://owner.example/' });
    const { status } = await fetch(`${restarted.base}/webmention`, { method: 'POST', body });
    expect(status).toBe(201);
    await vi.waitFor(() => expect(lines.join('')).toContain('fetch_refused_address'));
  });
});
