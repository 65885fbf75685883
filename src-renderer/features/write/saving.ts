import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { PostText, SavedPost } from '../../../src-main/contract/writing.ts';
import type { Client } from '../../client/client.ts';
import { stateWords } from '../../ui/words.ts';
import { isSamePost, isWorthSaving } from './form.ts';
import { checkLength } from './missing.ts';
import { openPost, type KnownPost } from './opened-post.ts';

/** Milliseconds without typing before Porchlight saves, and the longest time that typing may delay it. */
const pauseMs = 1000;
const longestMs = 5000;
/** Milliseconds before the first new attempt after a failure; they double up to the second number. */
const retryMs = [2000, 30_000] as const;
/** Failures that a new attempt with the same text would repeat. */
const lasting = ['invalid_request', 'slug_taken', 'not_editable'];

export type SaveState =
  | { readonly name: 'idle' | 'waiting' | 'saving' }
  /** `at`: milliseconds since 1970. */
  | { readonly name: 'saved'; readonly at: number }
  | { readonly name: 'failed'; readonly reason: string; readonly retries: boolean }
  /** Somebody else changed the post, or its unsaved edits. `other`: the post now. `edits`: the other edits, if any. */
  | { readonly name: 'conflict'; readonly other: KnownPost; readonly edits: PostText | null }
  /** The post is deleted. `canRestore`: the post still exists among the deleted posts. */
  | { readonly name: 'gone'; readonly canRestore: boolean };

export interface SavingOptions {
  readonly call: Client['call'];
  /** The post that the owner opened; null for a new post. */
  readonly post: KnownPost | null;
  /** What the server has as unsaved edits of the post, if any. */
  readonly edits: PostText | null;
  /** What a new post was filled with before the owner saw it, which isn't worth saving. */
  readonly filled?: PostText | undefined;
  /** Returns what the form holds now, as it can be saved to `post`; null for a new post. */
  readonly read: (post: KnownPost | null) => PostText;
  /** Hears each change of `state()` and `post()`. */
  readonly onChange: () => void;
  /** Hears that another post has the address that the form asks for. */
  readonly onSlugTaken: () => void;
}

export interface Saving {
  state(): SaveState;
  post(): KnownPost | null;
  /** Returns whether the form holds something that is not on disk. */
  isDirty(): boolean;
  /** Saves after the next pause. */
  touch(): void;
  /** Saves now. Resolves when no save is running. */
  flush(): Promise<void>;
  /** Creates or changes the post itself. Resolves with undefined on a conflict or if the post is gone. */
  send(text: PostText): Promise<SavedPost | undefined>;
  /** Continues from another version of the post. `edits`: its edits that the server keeps, if any. */
  resume(post: KnownPost, edits?: PostText | null): void;
  /** Saves nothing until `restart`. Resolves when no save is running. */
  stop(): Promise<void>;
  restart(): void;
  isStopped(): boolean;
}

const codeOf = (error: unknown) => (error instanceof PorchlightError ? error.code : 'server_error');

/**
 * Keeps what the owner writes on disk. A new post and a draft are saved to the post itself; for a published or scheduled
 * post, the server keeps the edits beside it.
 */
export function createSaving(options: SavingOptions): Saving {
  const { call, read, filled, onChange, onSlugTaken } = options;
  let { post } = options;
  let kept: PostText | null = options.edits ?? post?.text ?? null;
  let state: SaveState = { name: 'idle' };
  /** The state while there is nothing to save. */
  let atRest: SaveState = state;
  let attempt: PostText | null = null;
  /** The request that creates the post. It is repeated unchanged until a reply says whether the post exists. */
  let creation: { readonly text: PostText; readonly requestId: string } | null = null;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dirtySince: number | null = null;
  let running: Promise<void> | null = null;
  let stopped = false;

  const set = (next: SaveState) => {
    state = next;
    if (next.name === 'idle' || next.name === 'saved') atRest = next;
    onChange();
  };
  const isBlocked = () => stopped || state.name === 'conflict' || state.name === 'gone';
  const isDirty = () => {
    const text = read(post);
    if (kept !== null) return !isSamePost(text, kept);
    return isWorthSaving(text) && (filled === undefined || !isSamePost(text, filled));
  };
  const later = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), ms);
  };

  const adopt = (saved: SavedPost, text: PostText): KnownPost => {
    const { url, status, version } = saved;
    post = { url, status, version, text, keptAt: null };
    kept = text;
    return post;
  };

  async function create(text: PostText): Promise<KnownPost> {
    creation ??= { text, requestId: crypto.randomUUID() };
    const { text: first, requestId } = creation;
    try {
      const saved = await call('posts.create', { ...first, requestId }, { outlivesPage: true });
      const draft = adopt(saved, first);
      set({ name: 'saved', at: Date.now() });
      return draft;
    } catch (error) {
      if (lasting.includes(codeOf(error))) creation = null;
      throw error;
    }
  }

  const sent = (saved: SavedPost, text: PostText): SavedPost => {
    adopt(saved, text);
    set({ name: 'saved', at: Date.now() });
    return saved;
  };

  async function write(text: PostText): Promise<void> {
    attempt = text;
    checkLength(text);
    if (post === null) await create(text);
    else if (post.status === 'draft') {
      const change = { ...text, url: post.url, ifVersion: post.version };
      adopt(await call('posts.update', change, { outlivesPage: true }), text);
    } else {
      const { url, version, keptAt } = post;
      const edits = isSamePost(text, post.text) ? null : { post: text, version };
      const change = { url, edits, ifKept: keptAt };
      const { savedAt } = await call('posts.keepEdits', change, { outlivesPage: true });
      post = { ...post, keptAt: savedAt };
      kept = text;
    }
  }

  async function run(): Promise<void> {
    while (!isBlocked() && isDirty()) {
      const text = read(post);
      set({ name: 'saving' });
      try {
        await write(text);
        failures = 0;
        set({ name: 'saved', at: Date.now() });
      } catch (error) {
        if (!(await isSolved(error))) return;
      }
    }
    if (state.name === 'waiting') set(atRest);
    // An earlier save had worked although its reply got lost.
    if (state.name === 'saving') set({ name: 'saved', at: Date.now() });
  }

  /** Returns whether the save can be tried again at once. Otherwise the state says what is wrong. */
  async function isSolved(error: unknown): Promise<boolean> {
    const code = codeOf(error);
    if (code === 'slug_taken') {
      onSlugTaken();
      return true;
    }
    if (post !== null && ['conflict', 'invalid_request', 'not_found'].includes(code)) {
      const now = await current(post).catch(() => undefined);
      if (now === 'gone' || now === 'deleted') {
        set({ name: 'gone', canRestore: now === 'deleted' });
        return false;
      }
      if (now !== undefined && code === 'conflict') {
        // The reply to an earlier save got lost, so the change is this window's own.
        const text = now.edits ?? now.other.text;
        if (attempt !== null && isSamePost({ ...text, status: attempt.status }, attempt)) {
          post = now.other;
          kept = attempt;
          return true;
        }
        set({ name: 'conflict', ...now });
        return false;
      }
    }
    fail(error, !lasting.includes(code));
    return false;
  }

  function fail(error: unknown, retries: boolean): void {
    const reason = error instanceof Error ? error.message : stateWords.unknownReason;
    set({ name: 'failed', reason, retries });
    if (!retries || stopped) return;
    later(Math.min(retryMs[0] * 2 ** failures, retryMs[1]));
    failures += 1;
  }

  /** Returns the post now, and its edits if this window hasn't seen them. */
  async function current({ url, keptAt }: KnownPost) {
    try {
      const { post: other, edits } = await openPost(call, url);
      return { other, edits: edits === null || edits.savedAt === keptAt ? null : edits.post };
    } catch (error) {
      if (!(error instanceof PorchlightError)) throw error;
      if (error.code === 'gone') return 'deleted';
      if (error.code === 'not_found') return 'gone';
      throw error;
    }
  }

  /** Returns the post if an earlier attempt to publish it with this text has worked although its reply got lost. */
  async function publishedBefore(text: PostText, { url }: KnownPost): Promise<SavedPost | undefined> {
    const { item } = await call('posts.get', { url });
    const { version, ...now } = await call('posts.source', { url });
    // Porchlight chooses the address and the date of a post that has none.
    const { slug = now.slug ?? '', published } = text;
    const intended = { ...text, slug, published: published || (now.published ?? '') };
    return isSamePost(now, intended) ? { ...item, version } : undefined;
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    dirtySince = null;
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    state: () => state,
    post: () => post,
    isDirty,
    flush,
    touch() {
      if (isBlocked()) return;
      if (!isDirty()) {
        if (state.name === 'waiting') set(atRest);
        return;
      }
      dirtySince ??= Date.now();
      if (state.name !== 'saving') set({ name: 'waiting' });
      later(Math.max(0, Math.min(pauseMs, dirtySince + longestMs - Date.now())));
    },
    async send(text) {
      clearTimeout(timer);
      await running;
      // Edits that this window hasn't saved yet may be in conflict with another window's.
      if (post !== null && post.status !== 'draft') await flush();
      clearTimeout(timer);
      if (isBlocked()) return undefined;
      try {
        // A new post is a draft first. If the reply to its publication is lost, the draft's version shows that.
        const { url, version, status, keptAt } = post ?? (await create({ ...text, status: 'draft' }));
        attempt = text;
        const change = { ...text, url, ifVersion: version, ...(status !== 'draft' && { ifKept: keptAt }) };
        return sent(await call('posts.update', change), text);
      } catch (error) {
        const code = codeOf(error);
        if (code === 'conflict' && post?.status === 'draft') {
          const before = await publishedBefore(text, post);
          if (before) return sent(before, text);
        }
        if (code === 'conflict' && (await isSolved(error))) return this.send(text);
        if (isBlocked()) return undefined;
        if (code === 'slug_taken') onSlugTaken();
        throw error;
      }
    },
    resume(next, edits = null) {
      post = next;
      kept = edits ?? next.text;
      set({ name: 'idle' });
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
    restart() {
      stopped = false;
    },
    isStopped: () => stopped,
  };
}
