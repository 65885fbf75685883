import { html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import { formStyle } from './form-page.ts';
import type { QueueEntry } from './queue-entry.ts';

/** What a sender is told of its mention (WR-11). */
export interface MentionProgress {
  readonly status: 'queued' | 'pending' | 'success' | 'removed' | 'failed';
  /** In words. */
  readonly summary: string;
  readonly source: string;
  readonly target: string;
}

/** What became of a mention so far. What the owner decided about it is not told: it is nobody else's business. */
export function progressOf({ state, tried, words, source, target }: QueueEntry): MentionProgress {
  const pair = { source, target };
  switch (state) {
    case 'waiting':
      return tried === undefined
        ? { status: 'queued', summary: 'The mention is here, and its source will be read soon.', ...pair }
        : { status: 'pending', summary: `It will be tried again. ${words ?? ''}`.trim(), ...pair };
    case 'success':
      return {
        status: 'success',
        summary: 'The source links to the target: the mention is with the owner.',
        ...pair,
      };
    case 'removed':
      return {
        status: 'removed',
        summary: 'The source no longer links to the target: the mention was removed.',
        ...pair,
      };
    case 'failed':
      return { status: 'failed', summary: words ?? 'The source could not be read.', ...pair };
  }
}

const titles = {
  queued: 'Thank you, it is on its way',
  pending: 'It will be tried again',
  success: 'It was received',
  removed: 'It was removed',
  failed: 'That did not work',
} satisfies Record<MentionProgress['status'], string>;

/** The same for people. `location`: the address at which the status can be looked at later. */
export function statusPage({ status, summary, source, target }: MentionProgress, location: string): Page {
  return {
    title: titles[status],
    style: formStyle,
    body: html`<main>
      <h1>${titles[status]}</h1>
      <p>${summary}</p>
      <dl>
        <dt>Source</dt>
        <dd><bdi>${source}</bdi></dd>
        <dt>Target</dt>
        <dd><bdi>${target}</bdi></dd>
      </dl>
      <p class="soft"><a href="${location}">Look again at how it is going</a></p>
    </main>`,
  };
}

/** Where no such mention is known. */
export function unknownPage(): Page {
  return {
    title: 'Nothing is known of this',
    body: html`<main>
      <h1>Nothing is known of this</h1>
      <p>There is no such mention here. What became of one is told for three days.</p>
    </main>`,
  };
}
