import { Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useId, useRef, useState, useSyncExternalStore, type ReactElement } from 'react';
import { inTab } from '../../client/tab-storage.ts';
import { closeSmallWindow } from '../../desktop/small-window.ts';
import { isSmallWindow, setFilters } from '../../routes.ts';
import { pageTitleId } from '../../ui/page.tsx';
import shared from '../../ui/shared.module.css';
import { useFileDrop } from '../../ui/use-file-drop.ts';
import { usePostActions } from '../posts/post-actions.ts';
import { showPostNote } from '../posts/post-note.tsx';
import { WritingBar } from './bar.tsx';
import { Bookmarklets } from './bookmarklets.tsx';
import { PostDetails } from './details.tsx';
import { Discard } from './discard.tsx';
import { addressField, hasField } from './form.ts';
import { KindChoice, ResponsePart, type FieldsProps } from './kinds.tsx';
import { fullTime } from './local-time.ts';
import { Notes } from './notes.tsx';
import { PhotoList } from './photo-list.tsx';
import { DraftPreview } from './preview.tsx';
import { RecentDrafts } from './recent-drafts.tsx';
import type { TextRef } from './text-editing.ts';
import { takesPictures, TextField, TitleField } from './text-field.tsx';
import { insertPictures } from './text-insertion.ts';
import type { WritingSession } from './writing.ts';
import { screenWords, sentWords } from './words.ts';
import styles from './write.module.css';

/** The editor of one post: the text and, if the owner opens them, its details and a preview. */
export function Editor({ session }: { session: WritingSession }): ReactElement {
  const writing = useSyncExternalStore(session.subscribe, session.snapshot);
  const { post, missing } = writing;
  const [isNew] = useState(post === null);
  const [isWhole, setIsWhole] = useState(!isSmallWindow());
  const [dialog, setDialog] = useState<'discard' | 'bookmarklets' | null>(null);
  const [opened, show] = useParts(writing);
  // A field that is wrong is never hidden.
  const isWrong = missing.slug !== undefined || missing.published !== undefined;
  const shown = { ...opened, details: opened.details || isWrong };
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const details = useId();
  const isOver = useFileDrop(session.addFiles);
  const isWide = useMediaQuery(wide, false, { getInitialValueInEffect: false });
  const { undoLast } = usePostActions(() => undefined);
  const hidesText = shown.preview && !isWide;

  useEffect(() => {
    // The heading of an opened post has the focus; the owner of a new one wants to write.
    if (isNew) focusFirstEmpty(root.current);
  }, [isNew]);

  const showPart: typeof show = (part, next) => {
    show(part, next);
    // The details stand before the button that shows them.
    if (part === 'details' && next) requestAnimationFrame(() => document.getElementById(details)?.focus());
  };

  const publish = async () => {
    const before = session.snapshot().post?.status ?? null;
    const sent = await session.send('published');
    if (sent) {
      const onUndo = () => undoLast(sent, sent.version);
      showPostNote(sent, sentWords(sent, before, fullTime), { onUndo });
      closeSmallWindow();
      leave({ id: sent.url });
      return;
    }
    const [asked] = Object.keys(session.snapshot().missing);
    if (asked === undefined) return;
    show('preview', false);
    requestAnimationFrame(() => focusAsked(root.current, asked));
  };

  return (
    <div
      ref={root}
      data-fills
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
      <Head session={session} writing={writing} isNew={isNew} isWhole={isWhole} />
      <Notes session={session} writing={writing} onDiscard={() => setDialog('discard')} />
      <div className={shown.preview && isWide ? styles.sideBySide : styles.alone}>
        <Sheet session={session} writing={writing} field={field} hidden={hidesText} />
        {shown.preview && (
          <DraftPreview form={writing.form} url={post?.url} field={field} isBeside={isWide} />
        )}
      </div>
      {isNew && isWhole && <RecentDrafts writing={writing} />}
      {shown.details && <PostDetails session={session} writing={writing} id={details} />}
      <WritingBar
        {...{ session, writing, field, details, shown }}
        onShow={showPart}
        onMore={isWhole ? undefined : () => setIsWhole(true)}
        onPublish={() => void publish()}
        onSaveDraft={() => void session.send('draft')}
        onDiscard={() => setDialog('discard')}
        onBookmarklets={() => setDialog('bookmarklets')}
      />
      {dialog === 'bookmarklets' && <Bookmarklets onClose={() => setDialog(null)} />}
      {dialog === 'discard' && (
        <Discard
          session={session}
          writing={writing}
          onClose={() => setDialog(null)}
          onDraftGone={() => leave({})}
        />
      )}
    </div>
  );
}

interface HeadProps extends FieldsProps {
  readonly isNew: boolean;
  readonly isWhole: boolean;
}

/** The heading, and the choice of what to write. The small window has no room for them. */
function Head({ session, writing, isNew, isWhole }: HeadProps): ReactElement {
  return (
    <div className={isWhole ? styles.head : shared.hidden}>
      <Title order={1} id={pageTitleId} tabIndex={-1}>
        {isNew ? screenWords.write : screenWords.edit}
      </Title>
      {isWhole && <KindChoice session={session} writing={writing} pages={isNew} />}
    </div>
  );
}

interface SheetProps extends FieldsProps {
  readonly field: TextRef;
  readonly hidden: boolean;
}

/** What the owner writes on: the title of an article, the text and the photos, and the page that the post responds to. */
function Sheet({ session, writing, field, hidden }: SheetProps): ReactElement {
  const { form, missing } = writing;
  const onInsert = (id: string) => {
    const picture = session.takeForText(id);
    if (picture !== undefined && field.current) insertPictures(field.current, [picture]);
  };
  const photos = (
    <PhotoList session={session} writing={writing} onInsert={takesPictures(form) ? onInsert : undefined} />
  );
  const isPhoto = form.kind === 'photo';
  return (
    <div className={styles.sheet} hidden={hidden}>
      <ResponsePart session={session} writing={writing} />
      {hasField(form, 'name') && (
        <TitleField
          value={form.name}
          error={missing.name}
          maxLength={1000}
          onTitle={(name) => session.change({ name })}
        />
      )}
      {isPhoto && photos}
      {hasField(form, 'text') && <TextField session={session} writing={writing} field={field} />}
      {!isPhoto && photos}
    </div>
  );
}

/** A window with room for the text and the preview side by side. */
export const wide = '(min-width: 1280px)';

type Parts = Parameters<typeof WritingBar>[0]['shown'];
const keptName = 'porchlight.preview';

/**
 * Returns which of the editor's parts are shown, and how to change that. This tab remembers the preview. A post that a link
 * has filled in opens without one, because the preview would fetch the page that the link names.
 */
function useParts({ form, post }: FieldsProps['writing']) {
  const isFilled = post === null && addressField(form) !== undefined;
  const [shown, setShown] = useState<Parts>(() => ({
    details: false,
    // Without room for both, it would take the place of the text.
    preview:
      !isFilled &&
      window.matchMedia(wide).matches &&
      inTab((storage) => storage.getItem(keptName)) === 'shown',
  }));
  const show = (part: keyof Parts, next: boolean) => {
    setShown((before) => ({ ...before, [part]: next }));
    if (part === 'preview') inTab((storage) => storage.setItem(keptName, next ? 'shown' : 'hidden'));
  };
  return [shown, show] as const;
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
