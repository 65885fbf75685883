import { useEffect, useState } from 'react';
import type { Client } from '../../client/client.ts';
import { useClient } from '../../client/queries.ts';
import { setFilters, useRoute, writeResponses, type Route } from '../../routes.ts';
import { useWritingDesk } from './desk.tsx';
import { writingKinds, type Form, type WritingKind } from './form.ts';
import { openPost } from './saving.ts';
import { startWriting, type SessionOptions } from './session.ts';
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
  { readonly session: WritingSession } | { readonly error: Error; readonly retry: () => void } | null;

/** Opens what the address of the screen asks for. Returns null meanwhile. */
export function useWriting(): Opening {
  const client = useClient();
  const desk = useWritingDesk();
  const { filters } = useRoute();
  const begunAs = JSON.stringify(filters.post === undefined ? filters : { post: filters.post });
  const [opened, setOpened] = useState<Opened | null>(null);
  const [failure, setFailure] = useState<{ begunAs: string; error: Error } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const isHere = opened !== null && isShown(opened, begunAs, filters.post);

  useEffect(() => {
    if (isHere) return;
    let isOver = false;
    const asked = JSON.parse(begunAs) as Filters;
    const known = asked.post === undefined ? desk.findNew(begunAs) : desk.find(asked.post);
    const opening = known ? Promise.resolve(known) : open(client, asked);
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

function isShown({ session, begunAs, isNamed }: Opened, wanted: string, post: string | undefined): boolean {
  if (!isNamed && begunAs === wanted) return true;
  return post !== undefined && session.snapshot().post?.url === post;
}

/** Has the address name the post once it is on the server, so that a reload opens it. */
function nameInAddress(opened: Opened): void {
  const { post, form } = opened.session.snapshot();
  if (post === null) return;
  const filters = { post: post.url, kind: form.kind };
  const now = new URLSearchParams(window.location.hash.split('?', 2)[1]);
  if (now.get('post') === filters.post && now.get('kind') === filters.kind) return;
  opened.isNamed = true;
  setFilters('write', filters);
}

async function open(client: Client, asked: Filters): Promise<WritingSession> {
  const call: SessionOptions['call'] = client.call.bind(client);
  const kind = writingKinds.find((name) => name === asked.kind);
  if (asked.post === undefined) return startWriting({ call, ...newPost(asked, kind) });
  return startWriting({ call, kind, opened: await openPost(call, asked.post) });
}

const responseFields: Record<(typeof writeResponses)[number], keyof Form> = {
  reply: 'inReplyTo',
  like: 'likeOf',
  repost: 'repostOf',
  bookmark: 'bookmarkOf',
};

/** Returns the kind of a new post, and the page that it responds to. */
function newPost(asked: Filters, kind: WritingKind | undefined): Pick<SessionOptions, 'kind' | 'prefill'> {
  const response = writeResponses.find((name) => asked[name] !== undefined);
  const url = response && asked[response];
  return response === undefined || url === undefined
    ? { kind }
    : { kind: kind === 'rsvp' ? kind : response, prefill: { [responseFields[response]]: url } };
}
