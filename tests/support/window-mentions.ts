import type { Params, Result } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type {
  MentionedPage,
  MentionEvent,
  MentionRecord,
  MentionStatus,
} from '../../src-main/contract/webmentions.ts';

const origin = 'https://porch.marlow.example';
const page = (slug: string) => `${origin}/posts/2026/11/${slug}`;

/** The mentions of a lived-in house, of all types and states. `at`: minutes from now to a moment. */
export function someMentions(at: (minutes: number) => string): MentionRecord[] {
  const wren = { name: 'Jo Wren', url: 'https://wren.example/', photo: 'https://wren.example/jo.jpg' };
  const mentions = [
    mention('m-1', at(-4), {
      source: 'https://wren.example/notes/lamp',
      target: page('the-lamp-is-on'),
      type: 'reply',
      author: wren,
      published: at(-6),
      content: {
        html: '<p>Keep it on! We are <em>nearly</em> there, and <a href="https://wren.example/bread">the bread</a> is warm.</p>',
        value: 'Keep it on! We are nearly there, and the bread is warm.',
      },
    }),
    mention('m-2', at(-25), {
      source: 'https://sol.example/likes/88',
      target: page('fog'),
      type: 'like',
      author: { name: 'Sol Amari', url: 'https://sol.example/', photo: '' },
    }),
    mention('m-3', at(-70), {
      source: 'https://new-here.example/hello',
      target: page('on-porches'),
      status: 'held',
      author: { name: 'ليلى', url: 'https://new-here.example/', photo: '' },
      content: { value: 'قرأت هذا مرتين. شرفتك جميلة.' },
    }),
    mention('m-4', at(-300), {
      source: 'https://brid.example/repost/mastodon/1',
      target: page('fog'),
      type: 'repost',
      url: 'https://social.example/@kit/1',
      author: { name: 'Kit', url: 'https://social.example/@kit', photo: 'https://social.example/kit.png' },
    }),
    mention('m-5', at(-1400), {
      source: 'https://reading.example/lamps',
      target: `${page('on-porches')}#lamps`,
      type: 'bookmark',
      name: 'Porches, and why they matter',
    }),
    mention('m-6', at(-3000), {
      source: 'https://sol.example/rsvp/3',
      target: page('market-day'),
      type: 'rsvp',
      rsvp: 'yes',
      author: { name: 'Sol Amari', url: 'https://sol.example/', photo: '' },
      content: { value: 'I bring the apples.' },
    }),
    mention('m-7', at(-9000), {
      source: 'https://seo-wizards.example/' + 'best-links-'.repeat(12),
      target: `${origin}/`,
      status: 'held',
      author: { name: 'Best Links ' + 'Best Links '.repeat(9), url: '', photo: '' },
      content: { value: 'Great post! '.repeat(60) },
    }),
    mention('m-8', at(-40_000), {
      source: 'https://grump.example/again',
      target: page('the-lamp-is-on'),
      type: 'reply',
      status: 'hidden',
      author: { name: 'A. Grump', url: 'https://grump.example/', photo: '' },
      content: { value: 'Lamps are overrated.' },
    }),
    mention('m-9', at(-90_000), {
      source: 'https://spam.example/1',
      target: page('fog'),
      status: 'deleted',
      content: { value: 'Cheap fog machines.' },
    }),
    mention('m-10', at(-130_000), {
      source: 'https://moved.example/old',
      target: page('on-porches'),
      type: 'like',
      status: 'removed',
      removedBy: 'source',
    }),
  ];
  const older = Array.from({ length: 21 }, (_, index) =>
    mention(`old-${index}`, at(-12_000 - index * index * 1100), {
      source: `https://${index % 2 === 0 ? 'sol' : 'wren'}.example/old/${index}`,
      target: page(index % 3 === 0 ? 'on-porches' : 'fog'),
      type: (['like', 'like', 'reply', 'repost', 'mention', 'bookmark', 'rsvp'] as const)[index % 7]!,
      author: index % 2 === 0 ? { name: 'Sol Amari', url: 'https://sol.example/', photo: '' } : wren,
    }),
  );
  return [...mentions, ...older].sort((a, b) => b.received.localeCompare(a.received));
}

/** A plain mention, with what is given instead. */
export function mention(id: string, received: string, part: Partial<MentionRecord> = {}): MentionRecord {
  const { title } = titleOf(part.target ?? page('on-porches'));
  return {
    id,
    source: `https://wren.example/${id}`,
    target: page('on-porches'),
    ...(title !== undefined && { targetTitle: title }),
    type: 'mention',
    received,
    parsed: received,
    status: 'approved',
    ...part,
  };
}

/** Very many replies, newest first, of 50 pages. */
export function manyMentions(count: number): MentionRecord[] {
  const start = Date.parse('2026-11-21T08:00:00Z');
  return Array.from({ length: count }, (_, index) =>
    mention(`n-${index}`, new Date(start - index * 60_000).toISOString(), {
      type: 'reply',
      target: page(`p-${index % 50}`),
      content: { value: `Reply number ${index}` },
    }),
  );
}

/** What the service would list of them: the cursor is the id of the last one. */
export function listMentions(
  mentions: readonly MentionRecord[],
  { target, host, type, status, without, query = '', limit = 50, cursor }: Params<'webmentions.list'>,
): Result<'webmentions.list'> {
  const text = query.toLowerCase();
  const found = mentions.filter(
    (one) =>
      (target === undefined || pageOf(one.target) === pageOf(target)) &&
      (host === undefined || new URL(one.source).host === host) &&
      (type === undefined || one.type === type) &&
      (status === undefined || one.status === status) &&
      (without === undefined || one.status !== without) &&
      [one.source, one.author?.name, one.name, one.content?.value].join('\n').toLowerCase().includes(text),
  );
  const start = cursor === undefined ? 0 : found.findIndex(({ id }) => id === cursor) + 1;
  const items = found.slice(start, start + limit);
  const last = items.at(-1);
  return { items, ...(last && start + limit < found.length && { nextCursor: last.id }) };
}

/** Every page with mentions, the one mentioned last first. */
export function pagesOf(mentions: readonly MentionRecord[]): MentionedPage[] {
  const pages = new Map<string, MentionedPage>();
  for (const { target, type, status, received } of mentions) {
    const url = pageOf(target);
    const first: MentionedPage = { target: url, ...titleOf(url), types: {}, statuses: {}, newest: received };
    const before = pages.get(url) ?? first;
    const types = { ...before.types, [type]: (before.types[type] ?? 0) + 1 };
    pages.set(url, {
      ...before,
      types: status === 'approved' ? types : before.types,
      statuses: { ...before.statuses, [status]: (before.statuses[status] ?? 0) + 1 },
    });
  }
  return [...pages.values()];
}

/** Approved mentions by month and type, oldest first. */
export function countsOf(mentions: readonly MentionRecord[]): Result<'webmentions.counts'> {
  const months = new Map<string, Result<'webmentions.counts'>[number]['types']>();
  for (const { received, type, status } of mentions.toReversed()) {
    if (status !== 'approved') continue;
    const types = months.get(received.slice(0, 7)) ?? {};
    months.set(received.slice(0, 7), { ...types, [type]: (types[type] ?? 0) + 1 });
  }
  return [...months].map(([month, types]) => ({ month, types }));
}

/** The pages with the most approved mentions, of a year or (empty) of all. */
export function topPagesOf(mentions: readonly MentionRecord[], year: string): Result<'webmentions.topPages'> {
  const counts = new Map<string, number>();
  for (const { target, status, received } of mentions)
    if (status === 'approved' && received.startsWith(year))
      counts.set(pageOf(target), (counts.get(pageOf(target)) ?? 0) + 1);
  return [...counts]
    .map(([target, count]) => ({ target, ...titleOf(target), mentions: count }))
    .sort((a, b) => b.mentions - a.mentions)
    .slice(0, 10);
}

/** Sets what became of a mention of a house; answers it. */
export function setMentionStatus(
  house: { mentions: MentionRecord[] },
  id: string,
  status: MentionStatus,
): MentionRecord {
  const found = house.mentions.find((one) => one.id === id);
  if (!found) throw new PorchlightError('not_found', 'This mention no longer exists.', 404);
  const changed = { ...found, status };
  house.mentions = house.mentions.map((one) => (one === found ? changed : one));
  return changed;
}

/** What happened to a mention until it was what it is. */
export function historyOf({ received, parsed, status }: MentionRecord): MentionEvent[] {
  return [
    { at: received, what: 'received' },
    ...(parsed === received ? [] : [{ at: parsed, what: 'updated' as const }]),
    { at: parsed, what: status },
  ];
}

/** A drawn portrait, of another colour for every address. */
export function portraitOf(url: string): string {
  const hue = Array.from(url).reduce((sum, letter) => sum + letter.charCodeAt(0) * 7, 0) % 360;
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" fill="hsl(${hue} 45% 78%)"/><circle cx="24" cy="19" r="9" fill="hsl(${hue} 30% 40%)"/><path d="M6 48a18 16 0 0 1 36 0z" fill="hsl(${hue} 35% 30%)"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
}

const titles: Readonly<Record<string, string | undefined>> = {
  [page('the-lamp-is-on')]: 'The lamp is on, and the kettle too',
  [page('fog')]: 'Fog over the harbour, before anybody was up',
  [page('on-porches')]: 'On porches',
  [page('market-day')]: 'Market day',
};

/** The title of a page that is a post of the house. */
function titleOf(target: string): { title?: string } {
  const title = titles[pageOf(target)];
  return title === undefined ? {} : { title };
}

const pageOf = (target: string) => target.replace(/#.*$/, '');
