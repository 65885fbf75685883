import { expect } from 'vitest';
import { openBrowser, type Browser } from './browser.ts';
import { openSite, page, type Site } from './client-app.ts';
import type { ServiceOptions } from '../../src-main/app/service.ts';
import { startPorchlight, type Porchlight } from './porchlight.ts';
import {
  ask,
  redeem,
  signInRequest,
  type Approval,
  type SignInRequest,
  type Tokens,
  type Waiting,
} from './sign-in.ts';

/** The owner that the scenes are about. */
export const owner = {
  name: 'Ada Owner',
  url: 'https://owner.example/about',
  photo: 'https://owner.example/ada.jpg',
  email: 'ada@owner.example',
};

type Parameters = Record<string, string | undefined>;

/** A running server and an app that wants its owner to sign in. Every browser comes from an address of its own. */
export interface Scene {
  /** Its `base` is where requests go: the loopback port, whatever its public address is. */
  readonly porchlight: Porchlight;
  /** The app's site; its client_id is the front page. */
  readonly app: Site;
  request(parameters?: Parameters): SignInRequest;
  visitor(): Browser;
  ask(request: SignInRequest, browser?: Browser): Promise<Waiting>;
  approve(waiting: Waiting, approval?: Approval): Promise<void>;
  /** The address that the browser is sent to after the owner's answer. */
  wayBack(waiting: Waiting): Promise<URL>;
  /** Asks, is approved, and goes back: the parameters that the app gets. */
  signIn(request: SignInRequest, approval?: Approval): Promise<URLSearchParams>;
  /** Signs in and redeems at the token endpoint. */
  tokens(request: SignInRequest, approval?: Approval): Promise<Tokens>;
  close(): Promise<void>;
}

export async function openScene(options: Partial<ServiceOptions> = {}): Promise<Scene> {
  const app = await openSite();
  app.pages.set('/', page('<title>Quill</title>'));
  const started = await startPorchlight(options);
  const { port } = await started.call('status.get', {});
  const porchlight = { ...started, base: `http://127.0.0.1:${port ?? 0}` };
  await porchlight.call('settings.update', { profile: owner });
  let visitors = 0;

  const scene: Scene = {
    porchlight,
    app,
    request: (parameters = {}) => signInRequest(app.origin, parameters),
    visitor: () => openVisitor(porchlight.base, `2001:db8:${(visitors += 1).toString(16)}::1`),
    ask: (request, browser = scene.visitor()) => ask(porchlight, request, browser),

    async approve({ id }, approval = {}) {
      const pending = (await porchlight.call('signIns.list', {})).find((one) => one.id === id);
      if (!pending) throw new Error('The sign-in does not wait.');
      await porchlight.call('signIns.approve', { id, scopes: pending.scopes, ...approval });
    },

    async wayBack({ browser, address }) {
      const back = await browser.open(address);
      expect(back.status).toBe(302);
      return new URL(back.headers.get('location') ?? '');
    },

    async signIn(request, approval) {
      const waiting = await scene.ask(request);
      await scene.approve(waiting, approval);
      return (await scene.wayBack(waiting)).searchParams;
    },

    async tokens(request, approval) {
      const response = await redeem(porchlight, request, await scene.signIn(request, approval));
      if (response.status !== 200)
        throw new Error(`/token answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as Tokens;
    },

    async close() {
      await porchlight.remove();
      await app.close();
    },
  };
  return scene;
}

/** A browser whose requests come through the tunnel from `address`. */
export function openVisitor(base: string, address: string): Browser {
  return openBrowser(base, { 'cf-connecting-ip': address });
}
