import { html } from '../../http/html.ts';
import type { Page } from '../../http/page.ts';
import { formStyle } from './form-page.ts';
import type { ReceivedMention } from './received-mentions.ts';

/** The progress of a mention, as its sender sees it (WR-11). */
export interface MentionProgress {
  readonly status: 'queued' | 'pending' | 'success' | 'removed' | 'failed';
  /** The status as human-readable text. */
  readonly summary: string;
  readonly source: string;
  readonly target: string;
}

/** Returns the progress of a mention. Doesn't include the owner's decision, which is private. */
export function progressOf({ state, tried, words, source, target }: ReceivedMention): MentionProgress {
  const pair = { source, target };
  switch (state) {
    case 'waiting':
      return tried === undefined
        ? { status: 'queued', summary: 'Received. This server will read your page soon.', ...pair }
        : { status: 'pending', summary: `This server will try again. ${words ?? ''}`.trim(), ...pair };
    case 'success':
      return {
        status: 'success',
        summary: 'Your page links to this site, so the owner has received your mention.',
        ...pair,
      };
    case 'removed':
      return {
        status: 'removed',
        summary: 'Your page no longer links to this site, so the mention was removed.',
        ...pair,
      };
    case 'failed':
      return { status: 'failed', summary: words ?? 'Your page could not be read.', ...pair };
  }
}

const titles = {
  queued: 'Thank you for your webmention',
  pending: 'Your webmention is waiting',
  success: 'Your webmention was received',
  removed: 'Your webmention was removed',
  failed: 'Your webmention was not accepted',
} satisfies Record<MentionProgress['status'], string>;

/** Returns the progress as an HTML page. `location`: the URL at which to check the status later. */
export function statusPage({ status, summary, source, target }: MentionProgress, location: string): Page {
  return {
    title: titles[status],
    style: formStyle,
    body: html`<main>
      <h1>${titles[status]}</h1>
      <p>${summary}</p>
      <dl>
        <dt>Your page</dt>
        <dd><bdi>${source}</bdi></dd>
        <dt>Page on this site</dt>
        <dd><bdi>${target}</bdi></dd>
      </dl>
      <p class="soft"><a href="${location}">Check again</a></p>
    </main>`,
  };
}

/** Returns the status page for a mention that this server doesn't know. */
export function unknownPage(): Page {
  return {
    title: 'Webmention not found',
    body: html`<main>
      <h1>Webmention not found</h1>
      <p>There is no webmention at this address. Its status is shown for three days only.</p>
    </main>`,
  };
}
