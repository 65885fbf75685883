import { expect } from 'vitest';
import { counts } from './answers.ts';
import { rawRequest, type RawAnswer } from './raw-request.ts';
import { openScene, type Scene } from './scene.ts';
import { storedGrants } from './stored-grants.ts';
import type { Tokens } from './sign-in.ts';

/** Every kind of address that sign-in has, and one that it has not. */
export const routes = [
  '/',
  '/auth',
  '/auth/requests',
  '/auth/requests/some-id',
  '/auth/requests/some-id/state',
  '/token',
  '/introspect',
  '/userinfo',
  '/revoke',
  '/.well-known/oauth-authorization-server',
  '/.well-known/jwks.json',
  '/nothing-here',
];

export const form = ['content-type: application/x-www-form-urlencoded'];

/** A server under attack, by somebody who writes what they like on the wire. */
export interface Siege {
  readonly scene: Scene;
  /** Of an app that has nothing to do with the attack. */
  readonly tokens: Tokens;
  /** Sends a whole request, which must be answered, and not with 5xx. */
  send(bytes: string | Uint8Array): Promise<RawAnswer>;
  /** Sends what may be no whole request and hangs up: the connection may just be closed, too. */
  sendAndHangUp(bytes: string | Uint8Array): Promise<void>;
  /** Expects that the server still serves, and that the grants are what they were. */
  close(): Promise<void>;
}

export async function openSiege(): Promise<Siege> {
  const scene = await openScene();
  const { porchlight } = scene;
  const tokens = await scene.tokens(scene.request());
  const grants = () => storedGrants(porchlight.dataDir);
  const before = await grants();

  function expectNoFault({ silent, statuses }: RawAnswer): void {
    expect(silent).toBe(false);
    for (const status of statuses) expect(status).toBeLessThan(500);
  }

  return {
    scene,
    tokens,
    async send(bytes) {
      const answer = await rawRequest(porchlight.base, bytes);
      expectNoFault(answer);
      expect(answer.statuses.length).toBeGreaterThan(0);
      return answer;
    },
    async sendAndHangUp(bytes) {
      expectNoFault(await rawRequest(porchlight.base, bytes, { hangUp: true }));
    },
    async close() {
      expect(await grants()).toEqual(before);
      expect(await counts(porchlight, tokens.access_token)).toBe(true);
      await scene.close();
    },
  };
}

let turn = 0;

/** A request's bytes. Each comes from an address of its own, so that no limit hides what is behind it. */
export function written(
  method: string,
  target: string,
  headers: readonly string[],
  body: Uint8Array | string = '',
): Buffer {
  const bytes = Buffer.from(body);
  const head = [
    `${method} ${target} HTTP/1.1`,
    'host: porch.example',
    'connection: close',
    `cf-connecting-ip: 2001:db8:${(turn += 1).toString(16)}::1`,
    ...headers,
    ...(bytes.length > 0 ? [`content-length: ${bytes.length}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

/** People look at these; every other address answers in JSON. */
export function isPage(method: string, target: string): boolean {
  return (
    /^\/(\?|$)/.test(target) ||
    /^\/auth\/requests(\/[^/?]*)?(\?|$)/.test(target) ||
    (method !== 'POST' && /^\/auth(\?|$)/.test(target))
  );
}

/** Expects that an error is JSON that names it; only a missing token may go unnamed (D-4). */
export function expectJsonError({ statuses, head, body }: RawAnswer): void {
  const status = statuses.at(-1) ?? 0;
  if (status < 400 || body === '') return;
  expect(head).toContain('\r\ncontent-type: application/json');
  const answer = JSON.parse(body) as Record<string, unknown>;
  if (status !== 401) expect(answer).toMatchObject({ error: expect.any(String) as string });
}
