import { setTimeout as rest } from 'node:timers/promises';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { authorizationUrl, signInRequest } from '../../support/sign-in.ts';

/** What those who mean no harm were answered. */
export interface Served {
  /** Ms of each request page, from asking to its end; the patience where it did not come. */
  readonly pages: number[];
  /** Ms of each mention, from sending to being verified; the patience where it was not. */
  readonly mentions: number[];
  /** How often they were answered 429 or 503. */
  refused: number;
  /** How often they were answered anything else but what they came for. */
  failed: number;
}

const pageEveryMs = 100;
const mentionEveryMs = 2_000;
const checkEveryMs = 100;
const patienceMs = 30_000;
const target = 'https://owner.example/page-2';

/** A site with a good app and good mentions. */
export function openGoodSite(): Promise<Site> {
  return openSite().then((site) => {
    site.pages.set('/', page('<div class="h-app"><a class="u-url p-name" href="/">A good app</a></div>'));
    return site;
  });
}

/** People who open request pages, and sites that mention the owner, until it is over. `run` tells runs apart. */
export async function visit(base: string, site: Site, run: string, over: AbortSignal): Promise<Served> {
  const served: Served = { pages: [], mentions: [], refused: 0, failed: 0 };
  const underWay: Promise<void>[] = [];
  const place = run.charCodeAt(0).toString(16);
  /** Everybody comes from a network of their own. */
  const from = (number: number) => ({ 'cf-connecting-ip': `2001:${place}:${number.toString(16)}::1` });

  function judge(status: number, expected: number): boolean {
    if (status === 429 || status === 503) served.refused += 1;
    else if (status !== expected) served.failed += 1;
    return status === expected;
  }

  async function openPage(number: number): Promise<void> {
    const began = performance.now();
    const headers = { ...from(number), accept: 'text/html' };
    const signal = AbortSignal.timeout(patienceMs);
    try {
      const response = await fetch(authorizationUrl(base, signInRequest(site.origin)), { headers, signal });
      await response.arrayBuffer();
      judge(response.status, 200);
      served.pages.push(performance.now() - began);
    } catch {
      served.failed += 1;
      served.pages.push(patienceMs);
    }
  }

  async function mention(number: number): Promise<void> {
    const path = `/${run}/${number}`;
    const link = `<a class="u-in-reply-to" href="${target}">reply</a>`;
    site.pages.set(
      path,
      page(`<article class="h-entry">${link}<p class="e-content">Hello ${number}</p></article>`),
    );
    const began = performance.now();
    const body = new URLSearchParams({ source: site.origin + path, target });
    const signal = AbortSignal.timeout(patienceMs);
    try {
      const headers = { ...from(60_000 + number), accept: 'application/json' };
      const response = await fetch(`${base}/webmention`, { method: 'POST', headers, body, signal });
      await response.arrayBuffer();
      if (judge(response.status, 201)) await verified(response.headers.get('location') ?? '', signal);
      served.mentions.push(Math.min(performance.now() - began, patienceMs));
    } catch {
      served.failed += 1;
      served.mentions.push(patienceMs);
    }
  }

  async function every(ms: number, work: (number: number) => Promise<void>): Promise<void> {
    for (let number = 0; !over.aborted; number += 1) {
      underWay.push(work(number));
      await rest(ms, undefined, { signal: over }).catch(() => undefined);
    }
  }

  await Promise.all([every(pageEveryMs, openPage), every(mentionEveryMs, mention)]);
  await Promise.all(underWay);
  return served;
}

/** Looks at a mention's status until it was verified. Rejects when the patience ends. */
async function verified(location: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const answer = await fetch(location, { headers: { accept: 'application/json' }, signal });
    const { status } = (await answer.json()) as { status?: string };
    if (status === 'success') return;
    await rest(checkEveryMs, undefined, { signal });
  }
}
