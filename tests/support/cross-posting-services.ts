import type { ServerResponse } from 'node:http';
import { readPage } from '../../src-main/untrusted/pages/web-page.ts';
import { openReceivers, type Receivers } from './webmention-receivers.ts';

export interface CrossPostingServices extends Receivers {
  /** The targets: a stand-in of Bridgy Publish for Mastodon, and one of IndieNews. */
  readonly bridgy: string;
  readonly indieNews: string;
  /** The URLs of the copies that the two make of the first post. */
  readonly toot: string;
  readonly story: string;
}

/**
 * Stand-ins of Bridgy Publish (`/publish/mastodon`) and of IndieNews (`/en`). Like the real ones, both read the source:
 * Bridgy looks for the text of its own URL in it, and makes each copy once; IndieNews wants a category or a syndication
 * of the h-entry that is the target, and takes the last one, the categories after the syndications.
 */
export async function openCrossPostingServices(): Promise<CrossPostingServices> {
  const there = await openReceivers();
  const target = (path: string) => there.origin + path;
  const [bridgy, indieNews] = [target('/publish/mastodon'), target('/en')];
  const copied = new Set<string>();
  const source = () => there.received.at(-1)?.source ?? '';

  there.add('/publish/mastodon', (response) => {
    const from = source();
    inBackground(response, async () => {
      const { status, text } = await textAt(from);
      const link = bridgy.replace(/^https?:\/\//, '');
      if (status === 410) say(response, 400, { error: 'Deleting is not supported.' });
      else if (!text.includes(link)) say(response, 400, { error: `Couldn't find link to ${link}` });
      else if (copied.has(from)) say(response, 400, { error: 'Sorry, you already published that page.' });
      else say(response, 201, { url: toot, type: 'post', id: '1' }, toot);
      copied.add(from);
    });
  });
  there.add('/en', (response) => {
    const from = source();
    inBackground(response, async () => {
      const { text } = await textAt(from);
      const entry = readPage({ text, url: from, linkHeader: null }).items.find(({ type }) =>
        type?.includes('h-entry'),
      );
      const named = [entry?.properties['syndication'], entry?.properties['category']]
        .flatMap((values) => values ?? [])
        .filter((value) => typeof value === 'string' && value.startsWith(there.origin));
      if (named.length === 0) say(response, 400, { error: 'no_link_found' });
      else if (named.at(-1) !== indieNews) say(response, 400, { error: 'target_mismatch' });
      else say(response, 201, { result: 'success', url: story }, story);
    });
  });
  return { ...there, bridgy, indieNews, toot, story };
}

const toot = 'https://mastodon.example/@ada/1';
const story = 'https://indienews.example/en/owner.example/1';

async function textAt(url: string) {
  const answer = await fetch(url);
  return { status: answer.status, text: await answer.text() };
}

function inBackground(response: ServerResponse, work: () => Promise<void>): void {
  work().catch((error: unknown) => say(response, 500, { error: String(error) }));
}

/** Answers in JSON, and with a Location if there is one. */
export function say(response: ServerResponse, status: number, body: object, location?: string): void {
  const headers = { 'content-type': 'application/json', ...(location !== undefined && { location }) };
  response.writeHead(status, headers).end(JSON.stringify(body));
}
