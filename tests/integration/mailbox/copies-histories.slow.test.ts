import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { mostCopiesBytes } from '../../../src-main/platform/mailbox-protocol.ts';
import { addressOf, copiesScene, sceneStart as start } from '../../support/copies-scene.ts';
import { seenAt } from '../../support/strangers.ts';

vi.mock('../../../src-main/http/app.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberApp(original),
);
vi.mock('../../../src-main/http/kept-answers.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberVersions(original),
);
vi.mock('../../../src-main/posts/stored-posts.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberPosts(original),
);

// Each test waits for many small steps, which take long on a busy computer.
vi.setConfig({ testTimeout: 540_000 });

const scene = copiesScene();

const hour = 3_600_000;

/** One of the newest posts. */
const somePost = fc.nat(3);
const at = (index: number) => `${scene.base}${[...scene.posts].at(-1 - index) ?? '/none'}`;
const someTime = fc
  .integer({ min: -48, max: 48 })
  .map((hours) => new Date(start + hours * hour + 1).toISOString());
let texts = 0;
/** Returns a text that no post had before. */
const newText = () => `Words number${(texts += 1)}. #tea`;

/** Changes to whatever strangers see. Those that are impossible at the moment change nothing. */
const someChange: fc.Arbitrary<() => Promise<unknown>> = fc.oneof(
  fc
    .record({
      category: fc.constantFrom('porch', 'tea'),
      published: fc.option(someTime, { nil: undefined }),
      visibility: fc.constantFrom('public', 'public', 'unlisted', 'private'),
      status: fc.constantFrom('published', 'published', 'draft'),
    })
    .map(
      ({ category, published, visibility, status }) =>
        () =>
          scene.create({
            content: [newText()],
            category: [category],
            visibility: [visibility],
            'post-status': [status],
            ...(published !== undefined && { published: [published] }),
          }),
    ),
  fc
    .tuple(
      somePost,
      fc.oneof(
        fc.constant(() => ({ content: [newText()] })),
        fc.constantFrom('porch', 'tea').map((category) => () => ({ category: [category] })),
        someTime.map((published) => () => ({ published: [published] })),
        fc.constantFrom('public', 'unlisted', 'private').map((one) => () => ({ visibility: [one] })),
        fc.constantFrom('published', 'draft').map((one) => () => ({ 'post-status': [one] })),
      ),
    )
    .map(
      ([index, replace]) =>
        () =>
          scene.update(at(index), replace()),
    ),
  fc.tuple(somePost, fc.constantFrom('delete' as const, 'undelete' as const)).map(
    ([index, action]) =>
      () =>
        scene.act(action, at(index)),
  ),
  fc
    .record({
      index: somePost,
      number: fc.nat(2),
      html: fc.constantFrom(
        '<p class="h-entry"><a class="u-like-of" href="TARGET">Liked</a></p>',
        '<p class="h-entry"><a class="u-in-reply-to" href="TARGET">A reply</a><b class="p-content">Yes</b></p>',
        '<p>No link here any more.</p>',
      ),
    })
    .map(
      ({ index, number, html }) =>
        () =>
          scene.mention(at(index), number, html),
    ),
  fc
    .constantFrom<Partial<Settings['site']>[]>(
      { title: 'The porch' },
      { theme: 'garden', css: 'h1 { color: red }' },
      { pages: [{ slug: 'now', title: 'Now', text: 'Reading.' }] },
      { pages: [] },
    )
    .map((settings) => () => scene.updateSite(settings)),
  fc.integer({ min: -24, max: 48 }).map((hours) => () => Promise.resolve((scene.clock += hours * hour))),
);

const textsIn = (text: string) => text.match(/number\d+\./g) ?? [];
/** The texts that strangers could read at some time. */
const wasPublic = new Set<string>();

async function readTexts(): Promise<void> {
  for (const address of scene.posts)
    for (const text of textsIn((await seenAt(scene.base, address)).body.toString())) wasPublic.add(text);
}

test.each([
  ['as long as the mailbox works', 0, mostCopiesBytes],
  ['if calls fail and the server is killed', 0.3, mostCopiesBytes],
  ['as far as there is room', 0.1, 150_000],
])(
  'after any history, the mailbox holds exactly the public pages, and never receives anything else, %s',
  async (_name, trouble, mostBytes) => {
    scene.mailbox.mostBytes = scene.mostBytes = mostBytes;
    await scene.open();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(someChange, fc.nat(9)), { minLength: 6, maxLength: 12 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        async (changes, chances) => {
          const chance = () => (chances.next().value ?? 1) < trouble;
          scene.mailbox.fails = () => chance() && (chance() ? 'late' : true);
          for (const [change, number] of changes) {
            await change();
            await readTexts();
            if (trouble > 0 && number === 0) {
              await scene.kill();
              await scene.open();
            }
          }
          scene.mailbox.fails = () => false;
          scene.copies?.wake();
          await scene.settled();
          expect(textsIn(scene.mailbox.sent()).filter((text) => !wasPublic.has(text))).toEqual([]);
        },
      ),
      { numRuns: 5, endOnFailure: true },
    );
  },
);

test('drafts and private, scheduled and deleted posts are never copied', async () => {
  const secret = 'whisper';
  const deleted = await scene.create({ content: [`${secret} deleted before`] });
  await scene.act('delete', deleted);
  const scheduled = new Date(scene.clock + hour).toISOString();
  const hidden: Record<string, unknown[]>[] = [
    { 'post-status': ['draft'] },
    { visibility: ['private'] },
    { published: [scheduled] },
    { published: [scheduled], visibility: ['unlisted'] },
  ];
  const make = async (how: Record<string, unknown[]>, index: number) =>
    scene.create({ content: [`${secret} ${index}`], category: [`${secret}-${index}`], ...how });
  const urls = await Promise.all(hidden.map(make));
  const open_ = await scene.create({ content: ['Hello'] });
  await scene.update(open_, { content: [{ html: `Hello <a href="${urls[1] ?? ''}">again</a>` }] });
  await scene.open();
  await scene.settled();
  for (const [index, how] of hidden.entries()) {
    const url = await make(how, index + 10);
    await scene.update(url, { content: [`${secret} changed`] });
    await scene.act('delete', url);
    await scene.act('undelete', url);
  }
  await scene.updateSite({ title: 'The porch' });
  await scene.settled();
  // The page that links to a private post names its address, and a deleted post's address is known to be deleted.
  const named = [urls[1] ?? '', deleted].map(addressOf);
  const sent = named.reduce((text, address) => text.replaceAll(address, ''), scene.mailbox.sent());
  expect(sent).toContain('Hello');
  expect(sent).not.toContain(secret);
});
