import { Text } from '@mantine/core';
import { useEffect, useEffectEvent, useRef, useState, type MouseEvent, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAnswer, useClient } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { thumbnailOf } from '../../ui/file-content.ts';
import { hostOf } from '../../ui/plain-text.ts';
import { stateWords } from '../../ui/words.ts';
import { isWorthSaving, textOf, type Form } from './form.ts';
import { picturesIn, previewContent, previewStyle, type Pictures } from './page-preview.ts';
import { previewWords } from './words.ts';
import styles from './write.module.css';

/** Milliseconds without a change before Porchlight makes the preview. */
const pauseMs = 400;
/** Pixels. */
const pictureWidth = 720;

interface Page extends Result<'posts.preview'> {
  readonly pictures: Pictures;
}

interface Props {
  readonly form: Form;
  /** The post that is being edited. */
  readonly url: string | undefined;
}

/** Shows the post as Porchlight's site will show it. */
export function Preview({ form, url }: Props): ReactElement {
  const { page, problem } = usePage(form, url);
  const folder = useAnswer('settings.get', {}).data?.siteFolder;
  return (
    <section aria-label={previewWords.name} className={styles.preview}>
      {page === null ? (
        <Text c="dimmed" p="lg">
          {problem ?? previewWords.empty}
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
              {previewWords.otherDesign(hostOf(folder.baseUrl))}
            </Text>
          )}
          <SitePage page={page} />
        </>
      )}
    </section>
  );
}

/** The page in a shadow root, so that its style and the window's don't affect each other. */
function SitePage({ page: { html, css, pictures } }: { page: Page }): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [previewStyle(css)];
    const page = document.createElement('div');
    page.className = 'page';
    page.append(previewContent(html, pictures, previewWords.picture));
    root.replaceChildren(page);
  }, [html, css, pictures]);
  // Links in the page lead nowhere: the window never leaves its own page.
  const stay = (event: MouseEvent) => event.preventDefault();
  return <div ref={host} onClickCapture={stay} onAuxClickCapture={stay} />;
}

/** Has the service make the page of the post. A reply that a newer one has overtaken is ignored. */
function usePage(form: Form, url: string | undefined): { page: Page | null; problem: string | null } {
  const client = useClient();
  const [page, setPage] = useState<Page | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [known] = useState(() => new Map<string, string | null>());
  const text = textOf(form, 'published');
  const isEmpty = !isWorthSaving(text);
  const wanted = JSON.stringify(text);

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
    const made = await client.call('posts.preview', post);
    const pictures = new Map<string, string>();
    for (const address of picturesIn(made.html)) {
      const picture = known.get(address) ?? (await pictureAt(address));
      known.set(address, picture);
      if (picture !== null) pictures.set(address, picture);
    }
    return { ...made, pictures };
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
  }, [wanted, url, isEmpty]);
  return { page, problem };
}
