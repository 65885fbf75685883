import { Text } from '@mantine/core';
import { useEffect, useEffectEvent, useRef, useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAnswer, useClient } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { thumbnailOf } from '../../ui/file-content.ts';
import { hostIn } from '../../ui/plain-text.ts';
import { foundPictures, type Pictures } from '../../ui/page-content.ts';
import { ShadowPage } from '../../ui/shadow-page.tsx';
import { stateWords } from '../../ui/words.ts';
import { useFollowing } from './following.ts';
import { isWorthSaving, textOf, type Form } from './form.ts';
import { checkLength } from './missing.ts';
import type { TextRef } from './text-editing.ts';
import { previewWords } from './words.ts';
import styles from './write.module.css';

/** Milliseconds without a change before Porchlight makes the preview. */
const pauseMs = 400;
/** Pixels. */
const pictureWidth = 720;
/** The preview shows the post alone, with the edge that its page would have. */
const fitting = 'body { padding: 16px; } body > article { margin: 0; }';

interface Page extends Result<'posts.preview'> {
  readonly pictures: Pictures;
}

interface Props {
  readonly form: Form;
  /** The post that is being edited. */
  readonly url: string | undefined;
  readonly field: TextRef;
  /** Whether the preview is beside the text. Otherwise, it takes the place of the text. */
  readonly isBeside: boolean;
}

/** Shows the post as the site will show it. Beside the text, it follows the cursor. */
export function DraftPreview({ form, url, field, isBeside }: Props): ReactElement {
  const place = useRef<HTMLElement>(null);
  const { page, problem, isEmpty } = usePage(form, url);
  const isWaiting = page === null && problem === null && !isEmpty;
  useFollowing(place, field, page, isBeside);
  const folder = useAnswer('settings.get', {}).data?.siteFolder;
  return (
    <section
      ref={place}
      aria-label={previewWords.name}
      aria-busy={isWaiting}
      className={styles.preview}
      // It scrolls by itself, and nothing inside takes the focus.
      tabIndex={isBeside ? 0 : undefined}
    >
      {page === null ? (
        <Text c="dimmed" p="lg">
          {problem ?? (isWaiting ? previewWords.waits : previewWords.empty)}
        </Text>
      ) : (
        <>
          {problem !== null && (
            <Text size="sm" c="dimmed" px="lg" py="xs">
              <Foreign text={problem} fallback={previewWords.failed} />
            </Text>
          )}
          {folder?.on === true && (
            <Text size="xs" c="dimmed" px="lg" pt="xs">
              {previewWords.otherDesign(hostIn(folder.baseUrl))}
            </Text>
          )}
          <ShadowPage {...page} fitting={fitting} />
        </>
      )}
    </section>
  );
}

/** Has the service make the page of the post. A reply that a newer one has overtaken is ignored. */
function usePage(
  form: Form,
  url: string | undefined,
): { page: Page | null; problem: string | null; isEmpty: boolean } {
  const client = useClient();
  const [page, setPage] = useState<Page | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [known] = useState(() => new Map<string, string | null>());
  const text = textOf(form, 'published');
  const isEmpty = !isWorthSaving(text);
  const requested = JSON.stringify(text);

  const pictureAt = useEffectEvent(async (address: string): Promise<string | null> => {
    const photo = form.photos.find((one) => one.url === address);
    if (photo?.file) return thumbnailOf(photo.file, pictureWidth);
    const { dataUrl } = await client
      .call('media.thumbnail', { url: address })
      .catch(() => ({ dataUrl: null }));
    return dataUrl;
  });

  const make = useEffectEvent(async (): Promise<Page> => {
    const post = { ...(url !== undefined && { url }), post: textOf(form, 'published') };
    checkLength(post.post);
    const made = await client.call('posts.preview', post);
    return { ...made, pictures: await foundPictures(made.html, known, pictureAt) };
  });

  useEffect(() => {
    let isOld = false;
    const timer = setTimeout(() => {
      if (isEmpty) {
        setPage(null);
        setProblem(null);
        return;
      }
      make().then(
        (made) => {
          if (isOld) return;
          setPage(made);
          setProblem(null);
        },
        (error: unknown) => {
          if (!isOld) setProblem(error instanceof Error ? error.message : stateWords.unknownReason);
        },
      );
    }, pauseMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [requested, url, isEmpty]);
  return { page, problem, isEmpty };
}
