import { Text, Textarea, TextInput } from '@mantine/core';
import {
  useLayoutEffect,
  useRef,
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactElement,
} from 'react';
import {
  applyEdit,
  beginMarkdown,
  continued,
  formatShortcut,
  formatText,
  type TextRef,
} from './text-editing.ts';
import { insertPictures, insertText, linkFor } from './text-insertion.ts';
import type { PictureSession, Writing } from './writing.ts';
import { fieldWords } from './words.ts';
import styles from './write.module.css';

interface Props {
  readonly session: PictureSession;
  readonly writing: ReturnType<PictureSession['snapshot']>;
  readonly field: TextRef;
  /** Says what to write, in an empty field. */
  readonly placeholder?: string;
  readonly maxLength?: number;
}

/** Returns whether pictures can be inserted into the text of the form. */
export const takesPictures = ({ kind, format }: Writing['form']): boolean =>
  kind === 'article' && format === 'markdown';

/** The text of a post or a page. In an article and a page, pictures can be inserted; in Markdown, addresses pasted over words link them. */
export function TextField({ session, writing, field, placeholder, maxLength }: Props): ReactElement {
  const { form, missing } = writing;
  const { format } = form;
  const hasPictures = takesPictures(form);
  const insert = (pictures: readonly string[]) => {
    if (field.current && pictures.length > 0) insertPictures(field.current, pictures);
  };
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const files = [...event.clipboardData.files];
    const link =
      format === 'markdown' && linkFor(event.currentTarget, event.clipboardData.getData('text/plain'));
    if (hasPictures && files.length > 0) insert(session.addToText(files));
    else if (link) insertText(event.currentTarget, link);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onDrop = (event: DragEvent<HTMLTextAreaElement>) => {
    const files = [...event.dataTransfer.files];
    if (!hasPictures || files.length === 0) return;
    // The window takes only what no element has taken.
    event.preventDefault();
    insert(session.addToText(files));
  };
  return (
    <>
      <GrowingText
        field={field}
        className={format === 'html' ? styles.source : undefined}
        placeholder={
          placeholder ?? (form.kind === 'article' ? fieldWords.articleExample : fieldWords.textExample)
        }
        maxLength={maxLength}
        error={missing.text}
        value={form.text}
        onPaste={onPaste}
        onDrop={onDrop}
        onFormat={format === 'html' ? undefined : () => beginMarkdown(session)}
        onText={(text) => session.change({ text })}
      />
      {format === 'html' && (
        <Text size="sm" c="dimmed">
          {fieldWords.html}
        </Text>
      )}
    </>
  );
}

const breaksLine = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent) =>
  key === 'Enter' && !ctrlKey && !metaKey && !shiftKey && !altKey;

interface GrowingTextProps extends Pick<
  React.ComponentProps<typeof Textarea>,
  'className' | 'placeholder' | 'error' | 'onPaste' | 'onDrop' | 'maxLength'
> {
  readonly field: TextRef;
  readonly value: string;
  /** Hears that words are about to be formatted; absent if the text takes no Markdown. */
  readonly onFormat: (() => void) | undefined;
  readonly onText: (text: string) => void;
}

/**
 * A text area without an edge, which fills its sheet and grows with the text. Ctrl+B, I and K format the selected words, and
 * Enter continues a list.
 */
function GrowingText({ field, className, onFormat, onText, ...rest }: GrowingTextProps): ReactElement {
  const heard = useSelectionKept(field, rest.value);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (onFormat === undefined || event.nativeEvent.isComposing) return;
    const formatting = formatShortcut(event);
    if (formatting !== undefined) {
      // Ctrl+K would open the palette, and Ctrl+I or B do something in some browsers.
      event.preventDefault();
      onFormat();
      formatText(field, formatting);
    } else if (breaksLine(event)) {
      const edit = continued(event.currentTarget);
      if (edit === undefined) return;
      event.preventDefault();
      applyEdit(event.currentTarget, edit);
    }
  };
  return (
    <Textarea
      {...rest}
      ref={field}
      variant="unstyled"
      aria-label={fieldWords.text}
      rows={6}
      spellCheck
      dir="auto"
      className={styles.growing}
      classNames={{ wrapper: styles.growing, input: `${styles.text} ${className ?? ''}` }}
      data-asked="text"
      onKeyDown={onKeyDown}
      onChange={(event) => {
        heard(event.currentTarget.value);
        onText(event.currentTarget.value);
      }}
    />
  );
}

interface TitleFieldProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly maxLength: number;
  readonly onTitle: (title: string) => void;
}

/** The title above a text, as large as on the site. */
export function TitleField({ value, error, maxLength, onTitle }: TitleFieldProps): ReactElement {
  return (
    <TextInput
      variant="unstyled"
      aria-label={fieldWords.title}
      placeholder={fieldWords.title}
      classNames={{ input: styles.title }}
      spellCheck
      dir="auto"
      data-asked="name"
      maxLength={maxLength}
      error={error}
      value={value}
      onChange={(event) => onTitle(event.currentTarget.value)}
    />
  );
}

/**
 * Keeps the cursor in its place when the text changes elsewhere, as when an upload ends: browsers move it to the end. A
 * cursor in the part that changed moves to the start of that part. Returns a function that hears what the owner types.
 */
function useSelectionKept(field: TextRef, text: string): (typed: string) => void {
  const last = useRef({ text, start: 0, end: 0 });
  useLayoutEffect(() => {
    const element = field.current;
    const before = last.current;
    if (!element) return;
    if (before.text !== text) {
      const most = Math.min(text.length, before.text.length);
      let same = 0;
      while (same < most && text[same] === before.text[same]) same += 1;
      let after = 0;
      while (after < most - same && text.at(-1 - after) === before.text.at(-1 - after)) after += 1;
      const moved = (at: number) => {
        if (at <= same) return at;
        return at < before.text.length - after ? same : at + text.length - before.text.length;
      };
      element.setSelectionRange(moved(before.start), moved(before.end));
      last.current = { text, start: element.selectionStart, end: element.selectionEnd };
    }
    const check = () => {
      last.current = {
        ...last.current,
        start: element.selectionStart,
        end: element.selectionEnd,
      };
    };
    element.addEventListener('selectionchange', check);
    return () => element.removeEventListener('selectionchange', check);
  }, [field, text]);
  return (typed) => {
    const { selectionStart: start = 0, selectionEnd: end = 0 } = field.current ?? {};
    last.current = { text: typed, start, end };
  };
}
