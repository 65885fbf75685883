import { Button, Group, NativeSelect, Text, Textarea } from '@mantine/core';
import {
  useLayoutEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type DragEvent,
  type ReactElement,
} from 'react';
import { MediaPicker } from './media-picker.tsx';
import { insertPictures, insertText, linkFor, pictureMarkdown } from './text-insertion.ts';
import type { Writing, WritingSession } from './writing.ts';
import { fieldWords } from './words.ts';
import styles from './write.module.css';

interface Props {
  readonly session: WritingSession;
  readonly writing: Writing;
  readonly field: React.RefObject<HTMLTextAreaElement | null>;
}

/** Returns whether pictures can be inserted into the text of the form. */
export const takesPictures = ({ kind, format }: Writing['form']): boolean =>
  kind === 'article' && format === 'markdown';

/** The text of the post. In an article, pictures can be inserted; in Markdown, addresses pasted over words link them. */
export function TextField({ session, writing: { form, missing }, field }: Props): ReactElement {
  const { format } = form;
  const [picking, setPicking] = useState(false);
  const heard = useSelectionKept(field, form.text);
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
    <div>
      <Textarea
        ref={field}
        label={fieldWords.text}
        placeholder={fieldWords.textExample}
        rows={form.kind === 'article' ? 16 : 8}
        resize="vertical"
        dir="auto"
        classNames={{ input: format === 'html' ? styles.source : '' }}
        data-asked="text"
        error={missing.text}
        value={form.text}
        onPaste={onPaste}
        onDrop={onDrop}
        onChange={(event) => {
          heard(event.currentTarget.value);
          session.change({ text: event.currentTarget.value });
        }}
      />
      {format === 'html' ? (
        <Text size="sm" c="dimmed" mt={6}>
          {fieldWords.html}
        </Text>
      ) : (
        <Group gap="sm" mt={6}>
          <NativeSelect
            aria-label={fieldWords.format}
            size="xs"
            data={Object.entries(fieldWords.formats).map(([value, label]) => ({ value, label }))}
            value={format}
            onChange={(event) =>
              session.change({ format: event.currentTarget.value === 'markdown' ? 'markdown' : 'plain' })
            }
          />
          {hasPictures && (
            <Button variant="default" size="xs" onClick={() => setPicking(true)}>
              {fieldWords.fromMedia}
            </Button>
          )}
          {format === 'markdown' && (
            <Text size="xs" c="dimmed">
              {fieldWords.markdownHelp}
            </Text>
          )}
        </Group>
      )}
      {picking && (
        <MediaPicker
          onClose={() => setPicking(false)}
          onPick={({ url }) => {
            setPicking(false);
            // The dialog returns the focus first.
            setTimeout(() => insert([pictureMarkdown('', url)]));
          }}
        />
      )}
    </div>
  );
}

/**
 * Keeps the cursor in its place when the text changes elsewhere, as when an upload ends: browsers move it to the end. A
 * cursor in the part that changed moves to the start of that part. Returns a function that hears what the owner types.
 */
function useSelectionKept(
  field: React.RefObject<HTMLTextAreaElement | null>,
  text: string,
): (typed: string) => void {
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
