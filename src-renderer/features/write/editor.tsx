import { Stack } from '@mantine/core';
import { useEffect, useRef, useState, useSyncExternalStore, type ReactElement } from 'react';
import { isSmallWindow, setFilters } from '../../routes.ts';
import { Page } from '../../ui/page.tsx';
import { usePostActions } from '../posts/post-actions.ts';
import { showPostNote } from '../posts/post-note.tsx';
import { useFileDrop } from '../../ui/use-file-drop.ts';
import { WritingBar } from './bar.tsx';
import { Discard } from './discard.tsx';
import { KindChoice, KindFields } from './fields.tsx';
import { fullTime } from './local-time.ts';
import { MoreFields } from './more-fields.tsx';
import { Notes } from './notes.tsx';
import { RecentDrafts } from './recent-drafts.tsx';
import { TextAndPreview } from './text-and-preview.tsx';
import type { WritingSession } from './writing.ts';
import { screenWords, sentWords } from './words.ts';
import styles from './write.module.css';

/** The form for one post, with its preview. */
export function Editor({ session }: { session: WritingSession }): ReactElement {
  const writing = useSyncExternalStore(session.subscribe, session.snapshot);
  const { post } = writing;
  const [isNew] = useState(post === null);
  const [isAsking, setIsAsking] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const isOver = useFileDrop(session.addFiles);
  const { undoLast } = usePostActions(() => undefined);

  useEffect(() => {
    // The heading of an opened post has the focus; the owner of a new one wants to write.
    if (isNew) focusFirstEmpty(root.current);
  }, [isNew]);

  const publish = async () => {
    const before = session.snapshot().post?.status ?? null;
    const sent = await session.send('published');
    if (sent) {
      const onUndo = () => undoLast(sent, sent.version);
      showPostNote(sent, sentWords(sent, before, fullTime), { onUndo });
      leave({ id: sent.url });
      return;
    }
    const [asked] = Object.keys(session.snapshot().missing);
    if (asked !== undefined) requestAnimationFrame(() => focusAsked(root.current, asked));
  };

  const fields = (
    <Stack gap="lg">
      <KindChoice session={session} writing={writing} />
      <KindFields session={session} writing={writing} />
      <MoreFields session={session} writing={writing} />
    </Stack>
  );
  return (
    <Page title={post === null || isNew ? screenWords.write : screenWords.edit}>
      <div
        ref={root}
        className={isOver ? `${styles.editor} ${styles.over}` : styles.editor}
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return;
          event.preventDefault();
          session.addFiles([...event.clipboardData.files]);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void publish();
        }}
      >
        {isNew && <RecentDrafts writing={writing} />}
        <Notes session={session} writing={writing} onDiscard={() => setIsAsking(true)} />
        <TextAndPreview fields={fields} writing={writing} />
        <WritingBar
          session={session}
          writing={writing}
          onPublish={() => void publish()}
          onSaveDraft={() => void session.send('draft')}
          onDiscard={() => setIsAsking(true)}
        />
      </div>
      {isAsking && (
        <Discard
          session={session}
          writing={writing}
          onClose={() => setIsAsking(false)}
          onDraftGone={() => leave({})}
        />
      )}
    </Page>
  );
}

/** Goes to the posts; in the small window, to a new post. */
function leave(posts: Record<string, string>): void {
  if (isSmallWindow()) setFilters('write', {});
  else setFilters('posts', posts);
}

/** Focuses the first field for words that is empty: the address of the other page, the title or the text. */
function focusFirstEmpty(root: HTMLElement | null): void {
  const fields = root?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    'input[data-asked]:not([data-asked="slug"], [type="datetime-local"]), textarea[data-asked]',
  );
  [...(fields ?? [])].find(({ value }) => value === '')?.focus();
}

/** Focuses a field that keeps the post from being published. */
function focusAsked(root: HTMLElement | null, field: string): void {
  root?.querySelector<HTMLElement>(`[data-asked="${field}"]`)?.focus();
}
