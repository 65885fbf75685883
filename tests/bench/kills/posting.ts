import { randomOfRequest } from '../../fuzz/random.ts';
import type { PostText } from '../../../src-main/contract/writing.ts';
import { hasEdits, stateOfPost, type KnownPost } from './census.ts';
import { noted, notedOfApp } from './activity.ts';
import { absent } from './ledger.ts';
import { claimed, isAnswered, nameIn, type Lane, type Scene } from './scene.ts';
import { isCopied, linkIn, sentFor, serviceOf } from './sending.ts';

/** Texts of different lengths, so that documents need writes of different sizes. */
const filling = (scene: Scene) => 'and more '.repeat(scene.random.below(300)).trim();
/** How many of the new posts the service for copies gets. */
const copied = 0.25;
const months = ['2025-11', '2026-01', '2026-02', '2026-03'];

/** An app creates posts, and changes, publishes, moves, deletes and undeletes some. */
export const posting: Lane = async (scene, turn) => {
  const { random, census } = scene;
  const isNew = census.posts.size < 5 || random.chance(0.4);
  const [name, post] = isNew
    ? [nameIn(scene, random.chance(copied) ? 'c' : 'p', turn), undefined]
    : (claimed(scene, [...census.posts], ([one]) => `post ${one}`) ?? []);
  if (name === undefined) return;
  if (post === undefined) return create(scene, name);
  for (let more = random.below(3); more >= 0 && !scene.over.aborted; more -= 1)
    await change(scene, name, post);
};

async function create(scene: Scene, name: string): Promise<void> {
  const { random } = scene;
  if (!scene.claim(`post ${name}`)) return;
  const post: KnownPost = {
    url: '',
    text: `${name} v1`,
    status: random.chance(0.3) && !isCopied(name) ? 'draft' : 'published',
    month: random.pick(months),
    isDeleted: false,
  };
  const properties = {
    content: [contentOf(scene, name, post)],
    category: [`kills-${random.below(12)}`],
    published: [dateIn(post.month)],
    'post-status': [post.status],
    // The activity tells of a post by its title or its URL, of which one has the name.
    ...(random.chance(0.5) && !isCopied(name)
      ? { 'mp-slug': ['a-shared-slug'], name: [name] }
      : { 'mp-slug': [name] }),
    ...(isCopied(name) && { 'mp-syndicate-to': [serviceOf(scene.receivers)] }),
  };
  const acknowledge = notedOfApp(scene, 'post.created', name);
  const response = await send(scene, name, post, { type: ['h-entry'], properties }, 201, 202);
  if (response) acknowledge();
  if (response) scene.census.posts.set(name, { ...post, url: response.headers.get('location') ?? '' });
}

async function change(scene: Scene, name: string, post: KnownPost): Promise<void> {
  const { random, census } = scene;
  const next = { ...post };
  let action: object | undefined;
  let written: Partial<PostText> | undefined;
  if (post.isDeleted) {
    if (random.chance(0.6)) return;
    next.isDeleted = false;
    action = { action: 'undelete' };
  } else if (random.chance(0.3) && !isCopied(name)) {
    next.isDeleted = true;
    action = random.chance(0.5) ? { action: 'delete' } : undefined;
  } else {
    const replace: Record<string, string[]> = {};
    const version = Number(/ v(\d+)/.exec(post.text)?.[1]) + 1;
    next.text = `${name} v${version}`;
    replace['content'] = [contentOf(scene, name, next)];
    if (random.chance(0.3) && !isCopied(name)) {
      next.status = post.status === 'draft' ? 'published' : 'draft';
      replace['post-status'] = [next.status];
    }
    if (random.chance(0.3)) {
      next.month = random.pick(months);
      replace['published'] = [dateIn(next.month)];
    }
    action = { action: 'update', replace };
    if (random.chance(0.4)) {
      const [text = ''] = replace['content'];
      const format = random.pick(['plain', 'markdown'] as const);
      written = { text, format, status: next.status === 'draft' ? 'draft' : 'published' };
      if (replace['published']) written.published = dateIn(next.month);
    }
  }
  if (written) {
    // Of a draft that is saved again, the activity has nothing.
    const isDraft = post.status === 'draft' && next.status === 'draft';
    const acknowledge = [
      ...sending(scene, name, next),
      ...(hasEdits(name) ? [scene.ledger.send(`edits ${name}`, absent)] : []),
      ...(isDraft ? [] : [noted(scene.ledger, 'post.updated', name)]),
    ];
    next.url = (await scene.house.call('posts.update', { url: post.url, ...written })).url;
    for (const each of acknowledge) each();
  } else if (action) {
    const response = await send(scene, name, next, { ...action, url: post.url }, 200, 201, 204);
    if (!response) return;
    next.url = response.headers.get('location') ?? post.url;
  } else {
    const acknowledge = [...sending(scene, name, next), noted(scene.ledger, 'post.deleted', name)];
    await scene.house.call('posts.delete', { url: post.url });
    for (const each of acknowledge) each();
  }
  Object.assign(post, next);
  census.posts.set(name, post);
}

/** The owner keeps edits of a post without saving them to the post. */
export const keeping: Lane = async (scene) => {
  const { census, ledger, house, round } = scene;
  const posts = [...census.posts].filter(([name, { isDeleted }]) => hasEdits(name) && !isDeleted);
  const [name, post] = claimed(scene, posts, ([one]) => `post ${one}`) ?? [];
  if (name === undefined || post === undefined) return;
  const { version, ...source } = await house.call('posts.source', { url: post.url });
  const text = `${name} edited in ${round}`;
  const acknowledge = ledger.send(`edits ${name}`, text);
  await house.call('posts.keepEdits', { url: post.url, edits: { post: { ...source, text }, version } });
  acknowledge();
};

const contentOf = (scene: Scene, name: string, { text }: KnownPost) =>
  `${text}${linkIn(scene, name, text)} ${filling(scene)}`.trim();

/** Records that a change of a post is on its way, and the webmentions that follow it. Returns what acknowledges them. */
const sending = ({ ledger }: Scene, name: string, post: KnownPost): (() => void)[] => [
  ledger.send(`post ${name}`, stateOfPost(post)),
  ...sentFor(name, post).map(([key, state]) => ledger.send(key, state, { isFollowed: true })),
];

/** Sends a request of an app. Returns the response if the server did it, and undefined if it refused. */
async function send(scene: Scene, name: string, post: KnownPost, body: object, ...expected: number[]) {
  const acknowledge = sending(scene, name, post);
  const headers = { ...scene.bearer, 'content-type': 'application/json' };
  const response = await fetch(`${scene.base}/micropub`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (expected.includes(response.status)) for (const each of acknowledge) each();
  return (await isAnswered(scene, response, ...expected)) ? response : undefined;
}

const dateIn = (month: string) => `${month}-15T12:00:00+00:00`;

/** Returns the bytes of the file with this name: always the same. */
export function bytesOf(name: string): Buffer {
  const random = randomOfRequest(name.length, Number(name.replace(/\D/g, '')));
  const filler = random.bytes(500);
  return Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    ...Array.from({ length: 1 + random.below(60) }, () => filler),
  ]);
}

/** An app uploads files, and the owner or the app deletes some. */
export const uploading: Lane = async (scene, turn) => {
  const { ledger, census, random, base, bearer } = scene;
  if (census.files.size < 3 || random.chance(0.55)) {
    const name = `${nameIn(scene, 'f', turn)}.pdf`;
    const bytes = bytesOf(name);
    const acknowledge = ledger.send(`file ${name}`, `${bytes.length} bytes`);
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(bytes)], { type: 'application/pdf' }), name);
    const response = await fetch(`${base}/media`, { method: 'POST', headers: bearer, body: form });
    if (response.status === 201) acknowledge();
    await isAnswered(scene, response, 201);
    return;
  }
  const [name, file] = claimed(scene, [...census.files], ([one]) => `file ${one}`) ?? [];
  if (name === undefined || file === undefined) return;
  const acknowledge = ledger.send(`file ${name}`, absent);
  if (random.chance(0.5)) {
    const entered = noted(ledger, 'media.deleted', name);
    await scene.house.call('media.delete', { url: file.url });
    acknowledge();
    entered();
  } else {
    const body = new URLSearchParams({ action: 'delete', url: file.url });
    const entered = notedOfApp(scene, 'media.deleted', name);
    const response = await fetch(`${base}/media`, { method: 'POST', headers: bearer, body });
    if (response.ok) acknowledge();
    if (response.ok) entered();
    await isAnswered(scene, response, 200, 204);
  }
  census.files.delete(name);
};
