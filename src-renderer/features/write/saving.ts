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

interface SavingOptions {
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

const codeOf = (error: unknown) => (error instanceof PorchlightError ? error.code : 'server_error');

/**
 * Keeps what the owner writes on disk. A new post and a draft are saved to the post itself; for a published or scheduled
 * post, the server keeps the edits beside it.
 */
export class PostSaving {
  readonly #options: SavingOptions;
  #post: KnownPost | null;
  /** What is on disk. */
  #kept: PostText | null;
  #state: SaveState = { name: 'idle' };
  /** The state while there is nothing to save. */
  #atRest: SaveState = this.#state;
  #attempt: PostText | null = null;
  /** The request that creates the post. It is repeated unchanged until a reply says whether the post exists. */
  #creation: { readonly text: PostText; readonly requestId: string } | null = null;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dirtySince: number | null = null;
  #running: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: SavingOptions) {
    this.#options = options;
    this.#post = options.post;
    this.#kept = options.edits ?? options.post?.text ?? null;
  }

  state(): SaveState {
    return this.#state;
  }

  post(): KnownPost | null {
    return this.#post;
  }

  /** Returns whether the form holds something that is not on disk. */
  isDirty(): boolean {
    const { read, filled } = this.#options;
    const text = read(this.#post);
    if (this.#kept !== null) return !isSamePost(text, this.#kept);
    return isWorthSaving(text) && (filled === undefined || !isSamePost(text, filled));
  }

  /** Saves after the next pause. */
  touch(): void {
    if (this.#isBlocked()) return;
    if (!this.isDirty()) {
      if (this.#state.name === 'waiting') this.#set(this.#atRest);
      return;
    }
    this.#dirtySince ??= Date.now();
    if (this.#state.name !== 'saving') this.#set({ name: 'waiting' });
    this.#later(Math.max(0, Math.min(pauseMs, this.#dirtySince + longestMs - Date.now())));
  }

  /** Saves now. Resolves when no save is running. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#dirtySince = null;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Creates or changes the post itself. Resolves with undefined on a conflict or if the post is gone. */
  async send(text: PostText): Promise<SavedPost | undefined> {
    const { call, onSlugTaken } = this.#options;
    clearTimeout(this.#timer);
    await this.#running;
    // Edits that this window hasn't saved yet may be in conflict with another window's.
    if (this.#post !== null && this.#post.status !== 'draft') await this.flush();
    clearTimeout(this.#timer);
    if (this.#isBlocked()) return undefined;
    try {
      // A new post is a draft first. If the reply to its publication is lost, the draft's version shows that.
      const draft = this.#post ?? (await this.#create({ ...text, status: 'draft' }));
      const { url, version, status, keptAt } = draft;
      this.#attempt = text;
      const change = { ...text, url, ifVersion: version, ...(status !== 'draft' && { ifKept: keptAt }) };
      return this.#sent(await call('posts.update', change), text);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'conflict' && this.#post?.status === 'draft') {
        const before = await this.#publishedBefore(text, this.#post);
        if (before) return this.#sent(before, text);
      }
      if (code === 'conflict' && (await this.#isSolved(error))) return this.send(text);
      if (this.#isBlocked()) return undefined;
      if (code === 'slug_taken') onSlugTaken();
      throw error;
    }
  }

  /** Continues from another version of the post. `edits`: its edits that the server keeps, if any. */
  resume(next: KnownPost, edits: PostText | null = null): void {
    this.#post = next;
    this.#kept = edits ?? next.text;
    this.#set({ name: 'idle' });
  }

  /** Saves nothing until `restart`. Resolves when no save is running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  restart(): void {
    this.#isStopped = false;
  }

  isStopped(): boolean {
    return this.#isStopped;
  }

  #set(next: SaveState): void {
    this.#state = next;
    if (next.name === 'idle' || next.name === 'saved') this.#atRest = next;
    this.#options.onChange();
  }

  #isBlocked(): boolean {
    return this.#isStopped || this.#state.name === 'conflict' || this.#state.name === 'gone';
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), ms);
  }

  #adopt({ url, status, version }: SavedPost, text: PostText): KnownPost {
    this.#post = { url, status, version, text, keptAt: null };
    this.#kept = text;
    return this.#post;
  }

  #sent(saved: SavedPost, text: PostText): SavedPost {
    this.#adopt(saved, text);
    this.#set({ name: 'saved', at: Date.now() });
    return saved;
  }

  async #create(text: PostText): Promise<KnownPost> {
    this.#creation ??= { text, requestId: crypto.randomUUID() };
    const { text: first, requestId } = this.#creation;
    try {
      const request = { ...first, requestId };
      const saved = await this.#options.call('posts.create', request, { outlivesPage: true });
      const draft = this.#adopt(saved, first);
      this.#set({ name: 'saved', at: Date.now() });
      return draft;
    } catch (error) {
      if (lasting.includes(codeOf(error))) this.#creation = null;
      throw error;
    }
  }

  async #write(text: PostText): Promise<void> {
    const { call } = this.#options;
    const post = this.#post;
    this.#attempt = text;
    checkLength(text);
    if (post === null) await this.#create(text);
    else if (post.status === 'draft') {
      const change = { ...text, url: post.url, ifVersion: post.version };
      this.#adopt(await call('posts.update', change, { outlivesPage: true }), text);
    } else {
      const { url, version, keptAt } = post;
      const edits = isSamePost(text, post.text) ? null : { post: text, version };
      const change = { url, edits, ifKept: keptAt };
      const { savedAt } = await call('posts.keepEdits', change, { outlivesPage: true });
      this.#post = { ...post, keptAt: savedAt };
      this.#kept = text;
    }
  }

  async #run(): Promise<void> {
    while (!this.#isBlocked() && this.isDirty()) {
      const text = this.#options.read(this.#post);
      this.#set({ name: 'saving' });
      try {
        await this.#write(text);
        this.#failures = 0;
        this.#set({ name: 'saved', at: Date.now() });
      } catch (error) {
        if (!(await this.#isSolved(error))) return;
      }
    }
    if (this.#state.name === 'waiting') this.#set(this.#atRest);
    // An earlier save had worked although its reply got lost.
    if (this.#state.name === 'saving') this.#set({ name: 'saved', at: Date.now() });
  }

  /** Returns whether the save can be tried again at once. Otherwise the state says what is wrong. */
  async #isSolved(error: unknown): Promise<boolean> {
    const code = codeOf(error);
    if (code === 'slug_taken') {
      this.#options.onSlugTaken();
      return true;
    }
    if (this.#post !== null && ['conflict', 'invalid_request', 'not_found'].includes(code)) {
      const now = await this.#current(this.#post).catch(() => undefined);
      if (now === 'gone' || now === 'deleted') {
        this.#set({ name: 'gone', canRestore: now === 'deleted' });
        return false;
      }
      if (now !== undefined && code === 'conflict') {
        // The reply to an earlier save got lost, so the change is this window's own.
        const text = now.edits ?? now.other.text;
        const attempt = this.#attempt;
        if (attempt !== null && isSamePost({ ...text, status: attempt.status }, attempt)) {
          this.#post = now.other;
          this.#kept = attempt;
          return true;
        }
        this.#set({ name: 'conflict', ...now });
        return false;
      }
    }
    this.#fail(error, !lasting.includes(code));
    return false;
  }

  #fail(error: unknown, retries: boolean): void {
    const reason = error instanceof Error ? error.message : stateWords.unknownReason;
    this.#set({ name: 'failed', reason, retries });
    if (!retries || this.#isStopped) return;
    this.#later(Math.min(retryMs[0] * 2 ** this.#failures, retryMs[1]));
    this.#failures += 1;
  }

  /** Returns the post now, and its edits if this window hasn't seen them. */
  async #current({ url, keptAt }: KnownPost) {
    try {
      const { post: other, edits } = await openPost(this.#options.call, url);
      return { other, edits: edits === null || edits.savedAt === keptAt ? null : edits.post };
    } catch (error) {
      if (!(error instanceof PorchlightError)) throw error;
      if (error.code === 'gone') return 'deleted';
      if (error.code === 'not_found') return 'gone';
      throw error;
    }
  }

  /** Returns the post if an earlier attempt to publish it with this text has worked although its reply got lost. */
  async #publishedBefore(text: PostText, { url }: KnownPost): Promise<SavedPost | undefined> {
    const { call } = this.#options;
    const { item } = await call('posts.get', { url });
    const { version, ...now } = await call('posts.source', { url });
    // Porchlight chooses the address and the date of a post that has none.
    const { slug = now.slug ?? '', published } = text;
    const intended = { ...text, slug, published: published || (now.published ?? '') };
    return isSamePost(now, intended) ? { ...item, version } : undefined;
  }
}
