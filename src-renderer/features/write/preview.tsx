import { Text } from '@mantine/core';
import { useEffect, useEffectEvent, useRef, useState, type ReactElement, type ReactNode } from 'react';
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
/** A page of the site fills the preview. */
const fittingPage = ':host { display: block; min-height: 100%; background: var(--ground); }';
/** A post is shown alone, with the edge that its page would have. */
const fittingPost = `${fittingPage} body { padding: 16px; } body > article { margin: 0; }`;

interface Shown extends Result<'posts.preview'> {
  readonly pictures: Pictures;
}

interface PaneProps {
  readonly field: TextRef;
  /** Whether the preview is beside the text. Otherwise, it takes the place of the text. */
  readonly isBeside: boolean;
}

interface DraftProps extends PaneProps {
  readonly form: Form;
  /** The post that is being edited. */
  readonly url: string | undefined;
}

/** Shows the post as the site will show it. */
export function DraftPreview({ form, url, ...pane }: DraftProps): ReactElement {
  const client = useClient();
  const folder = useAnswer('settings.get', {}).data?.siteFolder;
  const post = textOf(form, 'published');
  const shown = useShown(form, {
    requested: JSON.stringify([post, url]),
    isEmpty: !isWorthSaving(post),
    make() {
      checkLength(post);
      return client.call('posts.preview', { ...(url !== undefined && { url }), post });
    },
  });
  return (
    <Pane {...pane} {...shown} fitting={fittingPost}>
      {folder?.on === true && (
        <Text size="xs" c="dimmed" px="lg" pt="xs">
          {previewWords.otherDesign(hostIn(folder.baseUrl))}
        </Text>
      )}
    </Pane>
  );
}

interface PageProps extends PaneProps {
  readonly form: Form;
  /** Whether the text is about the owner, on the home page. */
  readonly isAbout: boolean;
}

/** Shows a page of the site as visitors will see it. */
export function PagePreview({ form, isAbout, ...pane }: PageProps): ReactElement {
  const client = useClient();
  const { name: title, text } = form;
  const shown = useShown(form, {
    requested: JSON.stringify([title, text]),
    isEmpty: `${title}${text}`.trim() === '',
    make: () =>
      client.call(
        'site.preview',
        isAbout ? { site: { about: text }, page: 'home' } : { site: {}, page: { title, text } },
      ),
  });
  return <Pane {...pane} {...shown} fitting={fittingPage} />;
}

interface ShownProps extends PaneProps, ReturnType<typeof useShown> {
  readonly fitting: string;
  /** A remark about the preview. */
  readonly children?: ReactNode;
}

/** A page with a text. Beside the text, it follows the cursor. */
function Pane({ page, problem, isEmpty, field, isBeside, fitting, children }: ShownProps): ReactElement {
  const place = useRef<HTMLElement>(null);
  const isWaiting = page === null && problem === null && !isEmpty;
  useFollowing(place, field, page, isBeside);
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
          {children}
          <ShadowPage {...page} fitting={fitting} />
        </>
      )}
    </section>
  );
}

interface Request {
  /** Changes with each change of the page. */
  readonly requested: string;
  readonly isEmpty: boolean;
  readonly make: () => Promise<Result<'posts.preview'>>;
}

/** Has the service make a page. A reply that a newer one has overtaken is ignored. */
function useShown(
  { photos }: Pick<Form, 'photos'>,
  { requested, isEmpty, make }: Request,
): { page: Shown | null; problem: string | null; isEmpty: boolean } {
  const client = useClient();
  const [page, setPage] = useState<Shown | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [known] = useState(() => new Map<string, string | null>());

  const pictureAt = useEffectEvent(async (address: string): Promise<string | null> => {
    const photo = photos.find((one) => one.url === address);
    if (photo?.file) return thumbnailOf(photo.file, pictureWidth);
    const { dataUrl } = await client
      .call('media.thumbnail', { url: address })
      .catch(() => ({ dataUrl: null }));
    return dataUrl;
  });

  const show = useEffectEvent(async (): Promise<Shown> => {
    const made = await make();
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
      show().then(
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
  }, [requested, isEmpty]);
  return { page, problem, isEmpty };
}
