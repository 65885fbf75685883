import type { WritingKind } from '../../../src-main/contract/post-kinds.ts';
import type { PostText } from '../../../src-main/contract/writing.ts';
import type { Client } from '../../client/client.ts';
import { stateWords } from '../../ui/words.ts';
import {
  draftOf,
  emptyForm,
  formOf,
  isSamePost,
  isWorthSaving,
  newFormId,
  textOf,
  type Form,
} from './form.ts';
import { missingIn, wrongIn } from './missing.ts';
import { photoActions } from './photo-actions.ts';
import { waitingIn, withWaitingPhotos } from './photos.ts';
import { isDraft, isGone, openPost, startOf, type KnownPost, type OpenedPost } from './opened-post.ts';
import { PostSaving } from './saving.ts';
import type { Unsaved } from './unsaved.ts';
import type { Writing, WritingSession } from './writing.ts';

export interface SessionOptions {
  readonly call: Client['call'];
  readonly kind?: WritingKind | undefined;
  /** Fills in a new post. */
  readonly prefill?: Partial<Form>;
  readonly opened?: OpenedPost;
  /** Text of the post that didn't reach the disk the last time. */
  readonly unsaved?: Unsaved | null;
}

/** The most characters of a text that a closing page can still send (client/http.ts), with room for the other fields. */
const mostAtClosing = 15_000;

/** Starts to write a new post, or opens a post. */
export function startWriting({
  call,
  kind,
  prefill = {},
  opened,
  unsaved = null,
}: SessionOptions): WritingSession {
  const watchers = new Set<() => void>();
  const found = opened?.edits ?? null;
  const source = unsaved?.post ?? found?.post ?? opened?.post.text;
  let form: Form = source
    ? formOf(source, unsaved?.kind ?? kind)
    : { ...emptyForm(kind ?? 'note'), ...prefill };
  if (unsaved) form = { ...form, photos: withWaitingPhotos(form.photos, unsaved.waiting) };
  let part: Pick<
    Writing,
    'revision' | 'foundEdits' | 'uploads' | 'refused' | 'missing' | 'refusedSlug' | 'busy' | 'error'
  > = {
    revision: 0,
    foundEdits: (opened && unsaved?.at) ?? found?.savedAt ?? null,
    uploads: null,
    refused: [],
    missing: {},
    refusedSlug: null,
    busy: false,
    error: null,
  };
  let asked = false;
  let discarded = false;

  const read = (post: KnownPost | null) =>
    isDraft(post) ? draftOf(form, part.refusedSlug) : textOf(form, 'published');
  /** What a link filled in stays unsaved, too, until the owner has changed something. */
  const filled = opened || unsaved ? undefined : draftOf(form, null);
  const startSaving = (post: KnownPost | null, edits: PostText | null) =>
    new PostSaving({ call, post, edits, filled, read, onChange: publish, onSlugTaken: refuseSlug });

  let current: Writing;
  let saving = startSaving(opened ? startOf(opened, unsaved) : null, found?.post ?? null);
  current = now();
  if (unsaved) saving.touch();

  function now(): Writing {
    const post = saving.post();
    return {
      ...part,
      form,
      post,
      save: saving.state(),
      isEdited: post !== null && !isDraft(post) && !isSamePost(textOf(form, 'published'), post.text),
      missing: (asked ? missingIn : wrongIn)(form, part.refusedSlug),
    };
  }
  function publish(): void {
    current = now();
    for (const watcher of [...watchers]) watcher();
  }
  function put(next: Partial<typeof part>): void {
    part = { ...part, ...next };
    publish();
  }
  function refuseSlug(): void {
    put({ refusedSlug: form.slug.trim() });
  }
  function edit(change: (form: Form) => Form): void {
    form = change(form);
    saving.touch();
    publish();
  }
  function replaceForm(text: PostText): void {
    form = formOf(text);
    part = { ...part, revision: part.revision + 1 };
  }
  const change = (next: Partial<Form>) => edit((old) => ({ ...old, ...next }));
  const { actions, uploads } = photoActions({ call, form: () => form, edit, put });
  if (unsaved?.waiting.length) void uploads.start();

  /** Runs the owner's command unless another one is under way. */
  async function command<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (part.busy) return undefined;
    put({ busy: true, error: null });
    try {
      return await work();
    } catch (cause) {
      put({ error: cause instanceof Error ? cause : new Error(stateWords.unknownReason) });
      saving.touch();
      return undefined;
    } finally {
      put({ busy: false });
    }
  }

  const keepCopy = async (text: PostText) => {
    // Two posts can't share an address.
    if (isWorthSaving(text)) await call('posts.create', { ...text, slug: '', status: 'draft' });
  };

  async function discardDraft(): Promise<void> {
    await saving.stop();
    const draft = saving.post();
    try {
      if (draft !== null) await call('posts.delete', { url: draft.url });
    } catch (cause) {
      // The draft may be deleted although the reply got lost.
      const found = draft && (await openPost(call, draft.url).catch((error: unknown) => error));
      if (isGone(found)) return;
      saving.restart();
      throw cause;
    }
  }

  return {
    id: newFormId(),
    snapshot: () => current,
    subscribe(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    change,
    edit,
    ...actions,
    async send(status) {
      asked = status === 'published';
      publish();
      if (asked && Object.keys(current.missing).length > 0) return undefined;
      return command(async () => {
        await uploads.start();
        if (form.photos.some(({ failure }) => failure !== null)) return undefined;
        if (status === 'published') {
          const saved = await saving.send(textOf(form, status));
          asked = false;
          return saved;
        }
        await saving.flush();
        return undefined;
      });
    },
    discard: async () =>
      (await command(async () => {
        const post = saving.post();
        if (post === null || isDraft(post)) {
          await discardDraft();
          uploads.forget(form.photos);
          discarded = true;
          return true;
        }
        await saving.flush();
        const { keptAt } = saving.post() ?? post;
        await call('posts.keepEdits', { url: post.url, edits: null, ifKept: keptAt });
        const fresh = (await openPost(call, post.url)).post;
        uploads.forget(form.photos);
        replaceForm(fresh.text);
        saving.resume(fresh);
        part = { ...part, foundEdits: null, refusedSlug: null };
        return true;
      })) ?? false,
    settle: async (choice) => {
      const state = saving.state();
      if (state.name !== 'conflict') return;
      const { other, edits } = state;
      const text = edits ?? other.text;
      await command(async () => {
        if (choice === 'mine') {
          if (other.status === 'draft' || edits !== null) await keepCopy(text);
          saving.resume(other, edits);
        } else {
          await keepCopy(draftOf(form, part.refusedSlug));
          const { url, keptAt } = other;
          // The edits that the server keeps are an earlier state of this window's.
          const isOld = keptAt !== null && edits === null;
          if (isOld) await call('posts.keepEdits', { url, edits: null, ifKept: keptAt });
          // Photos that are not uploaded yet are in neither version.
          const waiting = form.photos.filter((photo) => photo.url === null);
          replaceForm(text);
          form = { ...form, photos: [...form.photos, ...waiting] };
          saving.resume(isOld ? { ...other, keptAt: null } : other, edits);
        }
        part = { ...part, foundEdits: null };
        saving.touch();
      });
    },
    rescue: async () => {
      const state = saving.state();
      const post = saving.post();
      if (state.name !== 'gone' || post === null) return;
      await command(async () => {
        if (state.canRestore) {
          await call('posts.undelete', { url: post.url });
          const { post: restored, edits } = await openPost(call, post.url);
          saving.resume(restored, edits?.post);
        } else saving = startSaving(null, null);
        saving.touch();
        await saving.flush();
      });
    },
    flush: () => saving.flush(),
    end: async () => {
      await saving.flush();
      await saving.stop();
    },
    unsaved() {
      const waiting = waitingIn(form.photos);
      if (discarded || (!saving.isDirty() && waiting.length === 0)) return null;
      const { version = null, keptAt = null } = saving.post() ?? {};
      const at = new Date().toISOString();
      return { post: textOf(form, 'draft'), kind: form.kind, waiting, version, keptAt, at };
    },
    isAtRisk() {
      if (discarded) return false;
      if (form.photos.some(({ url, kept }) => url === null && kept === null)) return true;
      if (!saving.isDirty() && saving.state().name !== 'saving') return false;
      if (saving.isStopped()) return true;
      const state = saving.state().name;
      return ['failed', 'conflict', 'gone'].includes(state) || form.text.length > mostAtClosing;
    },
  };
}
