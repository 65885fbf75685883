import { createContext, use, useEffect, useState, type ReactElement, type ReactNode } from 'react';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { useClient } from '../../client/queries.ts';
import { routeIn, setFilters } from '../../routes.ts';
import { forgetOldPhotos } from './kept-photos.ts';
import { watchUnfinished } from '../../ui/unfinished.ts';
import { findUnsaved, keepUnsaved, placeOf, placeOfUnsaved } from './unsaved.ts';
import type { WritingSession } from './writing.ts';

/** The posts that the owner is writing, and those that are not on disk yet although their screen has closed. */
interface WritingDesk {
  /** Returns the post at `url`, if it is here. */
  readonly find: (url: string) => WritingSession | undefined;
  /** Returns a new post that was begun at the same address and that is not on the server yet. */
  readonly findNew: (begunAs: string) => WritingSession | undefined;
  readonly enter: (session: WritingSession, begunAs: string) => void;
  /** Saves the post, and keeps it here until that has worked. */
  readonly leave: (session: WritingSession) => void;
}

const DeskContext = createContext<WritingDesk | null>(null);

/** Returns the desk. Throws PorchlightError outside of WritingDeskProvider. */
export function useWritingDesk(): WritingDesk {
  const desk = use(DeskContext);
  if (!desk) throw new PorchlightError('server_error', 'useWritingDesk needs a WritingDeskProvider.');
  return desk;
}

/** Keeps the posts that are being written while the owner moves between screens, and saves them when the window closes. */
export function WritingDeskProvider({ children }: { children: ReactNode }): ReactElement {
  const { home } = useClient();
  const [sessions] = useState(() => new Map<WritingSession, string>());
  const [desk] = useState(() => deskOf(sessions));
  useEffect(() => {
    void findUnsaved().then(showUnsaved);
    void forgetOldPhotos();
  }, []);
  useEffect(() => {
    const keepAll = () => {
      for (const [session, begunAs] of sessions) keep(session, begunAs);
    };
    const flushAll = () => {
      for (const session of sessions.keys()) void session.flush();
    };
    const close = (event: Event) => {
      flushAll();
      // The desktop's window only hides, and would ignore the click on its close button without a word.
      if (home === 'browser' && [...sessions.keys()].some((session) => session.isAtRisk()))
        event.preventDefault();
    };
    window.addEventListener('beforeunload', close);
    window.addEventListener('pagehide', flushAll);
    window.addEventListener('pagehide', keepAll);
    document.addEventListener('visibilitychange', flushAll);
    const endWatch = watchUnfinished(() => [...sessions.keys()].some(isUnfinished));
    return () => {
      endWatch();
      window.removeEventListener('beforeunload', close);
      window.removeEventListener('pagehide', flushAll);
      window.removeEventListener('pagehide', keepAll);
      document.removeEventListener('visibilitychange', flushAll);
      // The window closes its screens when the service has restarted with another key.
      keepAll();
      for (const session of sessions.keys()) void session.end();
    };
  }, [sessions, home]);
  return <DeskContext value={desk}>{children}</DeskContext>;
}

function deskOf(sessions: Map<WritingSession, string>): WritingDesk {
  const all = () => [...sessions];
  const known = new WeakSet<WritingSession>();
  return {
    find: (url) => all().find(([session]) => session.snapshot().post?.url === url)?.[0],
    findNew: (begunAs) =>
      all().find(([session, begun]) => session.snapshot().post === null && begun === begunAs)?.[0],
    enter(session, begunAs) {
      if (!known.has(session)) session.subscribe(keeper(session, begunAs));
      known.add(session);
      sessions.set(session, begunAs);
    },
    leave(session) {
      void session.flush().then(() => {
        if (!session.isAtRisk() && session.snapshot().uploads === null) sessions.delete(session);
      });
    },
  };
}

/** Returns whether the page still has something of a post that isn't on disk. */
const isUnfinished = (session: WritingSession) =>
  session.isAtRisk() || session.unsaved() !== null || session.snapshot().uploads !== null;

const nameOf = (session: WritingSession, begunAs: string) => {
  const { post } = session.snapshot();
  return post === null ? begunAs : placeOf(post.url);
};

/** Keeps in this tab what is not on disk yet. */
function keep(session: WritingSession, begunAs: string): void {
  keepUnsaved(nameOf(session, begunAs), session.unsaved());
}

/**
 * Returns what to do on each change of a session: keep it in this tab after a failure and while it has new photos, and
 * only until it is saved.
 */
function keeper(session: WritingSession, begunAs: string): () => void {
  let place = begunAs;
  return () => {
    const next = nameOf(session, begunAs);
    if (next !== place) keepUnsaved(place, null);
    place = next;
    const { save, form } = session.snapshot();
    const { name } = save;
    const hasFailed = name === 'failed' || name === 'conflict' || name === 'gone';
    const hasNewPhotos = form.photos.some(({ file, kept }) => file !== null || kept !== null);
    if (hasFailed || hasNewPhotos || session.unsaved() === null) keep(session, begunAs);
  };
}

/** Opens the editor if this tab has kept text that is not on disk. */
function showUnsaved(): void {
  const place = placeOfUnsaved();
  if (place === null || routeIn(window.location.hash).screen === 'write') return;
  setFilters('write', JSON.parse(place) as Record<string, string>);
}
