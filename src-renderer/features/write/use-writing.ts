import { useEffect, useState } from 'react';
import { responseKinds, writingKinds, type WritingKind } from '../../../src-main/contract/post-kinds.ts';
import type { PostText } from '../../../src-main/contract/writing.ts';
import type { Client } from '../../client/client.ts';
import { useClient } from '../../client/queries.ts';
import { routeIn, setFilters, useRoute, type Route } from '../../routes.ts';
import { useWritingDesk } from './desk.tsx';
import { isSamePost } from './form.ts';
import { isGone, openPost } from './opened-post.ts';
import { startWriting, type SessionOptions } from './session.ts';
import { findUnsaved, keepUnsaved, unsavedAt, type Unsaved } from './unsaved.ts';
import type { WritingSession } from './writing.ts';

type Filters = Route['filters'];

/** The post on the screen. */
interface Opened {
  readonly session: WritingSession;
  readonly begunAs: string;
  /** Whether the address names the post, instead of how it began. */
  isNamed: boolean;
}

type Opening =
  | { readonly session: WritingSession }
  | { readonly error: Error; readonly retry: () => void }
  | null;

/** Opens what the address of the screen asks for. Returns null meanwhile. */
export function useWriting(): Opening {
  const client = useClient();
  const desk = useWritingDesk();
  const { filters } = useRoute();
  const begunAs = begunIn(filters);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [failure, setFailure] = useState<{ begunAs: string; error: Error } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const isHere = opened !== null && isShown(opened, begunAs, filters.post);

  useEffect(() => {
    if (isHere) return;
    let isOver = false;
    const asked = JSON.parse(begunAs) as Filters;
    const known = asked.post === undefined ? desk.findNew(begunAs) : desk.find(asked.post);
    const opening = known ? Promise.resolve(known) : open(client, asked, begunAs);
    opening.then(
      (session) => {
        if (!isOver) setOpened({ session, begunAs, isNamed: false });
      },
      (error: unknown) => {
        if (!isOver && error instanceof Error) setFailure({ begunAs, error });
      },
    );
    return () => {
      isOver = true;
    };
  }, [client, desk, begunAs, isHere, attempt]);

  useEffect(() => {
    if (opened === null) return;
    const { session } = opened;
    desk.enter(session, opened.begunAs);
    const nameIt = () => nameInAddress(opened);
    nameIt();
    const end = session.subscribe(nameIt);
    return () => {
      end();
      desk.leave(session);
    };
  }, [desk, opened]);

  if (isHere) return { session: opened.session };
  if (failure?.begunAs !== begunAs) return null;
  const retry = () => {
    setFailure(null);
    setAttempt(attempt + 1);
  };
  return { error: failure.error, retry };
}

/** Returns what the filters of an address ask for: an existing post, or the beginning of a new one. */
const begunIn = (filters: Filters) =>
  JSON.stringify(filters.post === undefined ? filters : { post: filters.post });

function isShown(
  { session, begunAs, isNamed }: Opened,
  requested: string,
  post: string | undefined,
): boolean {
  if (!isNamed && begunAs === requested) return true;
  return post !== undefined && session.snapshot().post?.url === post;
}

/** Has the address name the post once it is on the server, so that a reload opens it. */
function nameInAddress(opened: Opened): void {
  const { post, form } = opened.session.snapshot();
  if (post === null) return;
  const { screen, filters: now } = routeIn(window.location.hash);
  // The owner may have left for another screen or another post, which is not shown yet.
  if (screen !== 'write' || !isShown(opened, begunIn(now), now.post)) return;
  const filters = { post: post.url, kind: form.kind };
  if (now.post === filters.post && now.kind === filters.kind) return;
  opened.isNamed = true;
  setFilters('write', filters);
}

async function open(client: Client, asked: Filters, begunAs: string): Promise<WritingSession> {
  const call: SessionOptions['call'] = client.call.bind(client);
  const kind = writingKinds.find((name) => name === asked.kind);
  await findUnsaved();
  const unsaved = unsavedAt(begunAs);
  const url = asked.post ?? (unsaved && (await draftWith(call, unsaved)));
  if (url === null) return startWriting({ call, ...newPost(asked, kind), unsaved });
  try {
    const opened = await openPost(call, url);
    const { post, edits } = opened;
    if (unsaved === null || !isOnDisk(unsaved, edits?.post ?? post.text))
      return startWriting({ call, kind, opened, unsaved });
    // The save of the page that closed has worked after all, except for photos.
    if (unsaved.waiting.length === 0) {
      keepUnsaved(begunAs, null);
      return startWriting({ call, kind, opened });
    }
    const current = { ...unsaved, version: null, keptAt: post.keptAt };
    return startWriting({ call, kind, opened, unsaved: current });
  } catch (error) {
    if (unsaved === null || !isGone(error)) throw error;
    return startWriting({ call, unsaved });
  }
}

/** The most drafts among which a new post is searched. */
const mostDrafts = 5;

/** Returns the draft that the closing page has saved; null if its save didn't reach the server. */
async function draftWith(call: SessionOptions['call'], unsaved: Unsaved): Promise<string | null> {
  const { items } = await call('posts.list', { status: 'draft', limit: mostDrafts });
  for (const { url } of items) {
    // An app's draft may be one that can't be edited here.
    const source = await call('posts.source', { url }).catch(() => null);
    if (source !== null && isOnDisk(unsaved, source)) return url;
  }
  return null;
}

const isOnDisk = ({ post }: Unsaved, saved: PostText) => isSamePost({ ...post, status: saved.status }, saved);

/** Returns the kind of a new post, and the page that it responds to. */
function newPost(asked: Filters, kind: WritingKind | undefined): Pick<SessionOptions, 'kind' | 'prefill'> {
  const response = responseKinds.find((one) => asked[one.kind] !== undefined);
  const url = response && asked[response.kind];
  return response === undefined || url === undefined
    ? { kind }
    : { kind: response.kind, prefill: { [response.field]: url } };
}
